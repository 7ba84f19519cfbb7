/* SPDX-License-Identifier: MIT */
#include "lab/native_suite.h"

#include "lab/duet.h"
#include "lab/child.h"
#include "lab/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What any run may take, on a machine that is busy with other things. */
#define TIMEOUT_SECONDS 120.0
/* What a process costs beside its row. */
#define PROCESS_SECONDS 0.01

enum {
    QUICK_SHARE = 8, /* a run of the quick form does that part of one of the full form */
    QUICK_SWAPS = 1,
    FULL_SWAPS = 10,
};

static const char *const figure_names[NATIVE_COUNTERS] = {
    [NATIVE_TIME] = "cpu_seconds",
    [NATIVE_ELAPSED] = "wall_seconds",
    [NATIVE_FAULTS] = "minor_faults",
    [NATIVE_PEAK] = "peak_kib",
};

/* ---- The plan ---- */

void native_plan(native_t *native, const native_kind_t *kind, bool quick)
{
    native->kind = kind;
    native->quick = quick;
    native->swaps = quick ? QUICK_SWAPS : FULL_SWAPS;
    for (size_t row = 0; row < kind->row_count; row++) {
        native->selected[row] = true;
    }
}

/* A name that is the row's, or its beginning up to a hyphen. */
static bool row_is_named(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

bool native_select(native_t *native, const char *list, char *wrong, size_t size)
{
    memset(native->selected, 0, sizeof native->selected);
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        bool known = false;
        for (size_t row = 0; row < native->kind->row_count; row++) {
            if (row_is_named(native->kind->rows[row].name, list, length)) {
                known = native->selected[row] = true;
            }
        }
        if (!known) {
            snprintf(wrong, size, "%.*s", (int)length, list);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

long native_loops(const native_t *native, size_t row)
{
    long loops = native->kind->rows[row].loops / (native->quick ? QUICK_SHARE : 1);
    return loops > 0 ? loops : 1;
}

double native_run_estimate(const native_t *native, size_t row)
{
    const native_row_t *planned = &native->kind->rows[row];
    return planned->seconds * (double)native_loops(native, row) / (double)planned->loops + PROCESS_SECONDS;
}

/* The entries that run beside the base. */
static size_t entries_fill(const native_t *native, native_entry_t *entries)
{
    size_t count = 0;
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        for (size_t variant = 0; arm_is_in(&native->arms.arms[arm]) && variant < native->kind->variant_count;
             variant++) {
            native_entry_t entry = {arm, variant};
            if (!native_is_base(entry)) {
                entries[count++] = entry;
            }
        }
    }
    return count;
}

/* Both ways round; on one core the halves of a pair run one after the other. */
static double entry_estimate(const native_t *native, size_t row)
{
    return native_run_estimate(native, row) * (native->machine.cores_allowed > 1 ? 2 : 4);
}

double native_estimate(const native_t *native)
{
    native_entry_t entries[ARM_COUNT * NATIVE_VARIANT_MOST];
    size_t count = entries_fill(native, entries);
    double seconds = 0;
    for (size_t row = 0; row < native->kind->row_count; row++) {
        if (native->selected[row]) {
            seconds += entry_estimate(native, row) * (double)(count * native->swaps);
        }
    }
    return seconds;
}

bool native_is_base(native_entry_t entry)
{
    return entry.arm == ARM_CUBBY && entry.variant == 0;
}

/* ---- One run ---- */

typedef struct command {
    child_spec_t spec;
    char loops[32];
    const char *arguments[6];
    const char *environment[PEERS_ENTRY_COUNT];
} command_t;

static void command_fill(const native_t *native, size_t row, native_entry_t entry, int core, command_t *command)
{
    const arm_t *arm = &native->arms.arms[entry.arm];
    snprintf(command->loops, sizeof command->loops, "--loops=%ld", native_loops(native, row));
    size_t used = 0;
    command->arguments[used++] = native->program;
    command->arguments[used++] = native->kind->rows[row].name;
    command->arguments[used++] = peers_on(arm);
    command->arguments[used++] = native->kind->variants[entry.variant].option;
    command->arguments[used++] = command->loops;
    command->arguments[used] = NULL;
    peers_environment_fill(&native->arms, arm, true, command->environment);
    command->spec = (child_spec_t){
        .arguments = command->arguments, .environment = command->environment, .core = core, .timeout = TIMEOUT_SECONDS};
}

/* What is wrong with the report, or NULL. Fills the sample's figures. */
static const char *report_fault(const native_t *native, size_t row, native_entry_t entry, const json_t *report,
                                native_sample_t *sample)
{
    const native_kind_t *kind = native->kind;
    double units = json_number_value(json_object_get(report, kind->unit));
    if (json_integer_value(json_object_get(report, "loops")) != native_loops(native, row) || !(units > 0) ||
        !peers_text_is(report, kind->variant, kind->variants[entry.variant].name)) {
        return "it did something else";
    }
    for (size_t i = 0; i < NATIVE_COUNTERS + kind->counter_count; i++) {
        const char *name = i < NATIVE_COUNTERS ? figure_names[i] : kind->counters[i - NATIVE_COUNTERS].name;
        const json_t *figure = json_object_get(report, name);
        double value = json_number_value(figure);
        bool positive = i == NATIVE_TIME || i == NATIVE_ELAPSED || i == NATIVE_PEAK;
        if (!json_is_number(figure) || value < 0 || (positive && !(value > 0))) {
            return "a figure is missing";
        }
        sample->figures[i] = i == NATIVE_PEAK ? value : value / units;
    }
    return NULL;
}

static void arm_fail(native_t *native, arm_id_t arm, const char *reason)
{
    native->failed = true;
    native->abandoned = native->abandoned || arm == ARM_CUBBY;
    peers_drop(&native->arms.arms[arm], reason, &native->progress);
}

/* Takes what a run that has ended says; drops the arm when that is not good. */
static void run_finish(native_t *native, size_t row, native_entry_t entry, const child_t *child,
                       native_sample_t *sample)
{
    const char *name = native->kind->rows[row].name, *fault;
    char reason[256], what[200];
    if (!child_succeeded(child, what, sizeof what)) {
        snprintf(reason, sizeof reason, "%s %s", name, what);
        arm_fail(native, entry.arm, reason);
        return;
    }
    sample->raw = peers_line_read(child->output.text, name, &native->arms.arms[entry.arm], &fault);
    if (sample->raw != NULL) {
        fault = report_fault(native, row, entry, sample->raw, sample);
    }
    sample->good = fault == NULL;
    if (fault != NULL) {
        snprintf(reason, sizeof reason, "%s printed what cannot be used: %s", name, fault);
        arm_fail(native, entry.arm, reason);
    }
}

/* ---- Pairs ---- */

static bool pair_keep(native_result_t *result, const native_pair_t *pair)
{
    if (result->count == result->room) {
        size_t room = result->room == 0 ? 16 : result->room * 2;
        native_pair_t *grown = realloc(result->pairs, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        result->pairs = grown;
        result->room = room;
    }
    result->pairs[result->count++] = *pair;
    return true;
}

/* Runs the base and an entry at once, and keeps the pair when both are good. False when interrupted. */
static bool pair_run(native_t *native, size_t row, native_entry_t entry, bool swapped, child_t *children)
{
    duet_cores_t cores = duet_cores(&native->machine, swapped);
    native_pair_t pair = {.entry = entry, .base_core = cores.base, .entry_core = cores.arm};
    const native_entry_t entries[2] = {{ARM_CUBBY, 0}, entry};
    native_sample_t *samples[2] = {&pair.base, &pair.sample};
    command_t commands[2];
    child_spec_t specs[2];
    int errors[2];
    size_t first = swapped ? 1 : 0; /* the one started first changes as well */
    command_fill(native, row, entries[0], cores.base, &commands[0]);
    command_fill(native, row, entries[1], cores.arm, &commands[1]);
    specs[0] = commands[first].spec;
    specs[1] = commands[1 - first].spec;
    if (!duet_run(specs, cores.together, children, errors)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t half = i == 0 ? first : 1 - first;
        if (errors[i] != 0) {
            char reason[256];
            snprintf(reason, sizeof reason, "could not be started: %s", strerror(errors[i]));
            arm_fail(native, entries[half].arm, reason);
        } else {
            run_finish(native, row, entries[half], &children[i], samples[half]);
        }
    }
    if (!pair.base.good || !pair.sample.good || !pair_keep(&native->results[row], &pair)) {
        json_decref(pair.base.raw);
        json_decref(pair.sample.raw);
    }
    return true;
}

/* Both ways round. False when interrupted. */
static bool entry_run(native_t *native, size_t row, native_entry_t entry, child_t *children)
{
    char doing[128];
    snprintf(doing, sizeof doing, "%s: %s, %s %s", native->kind->rows[row].name, native->arms.arms[entry.arm].name,
             native->kind->variant, native->kind->variants[entry.variant].name);
    progress_show(&native->progress, doing);
    for (int swapped = 0; swapped < 2; swapped++) {
        if (native->abandoned || !arm_is_in(&native->arms.arms[entry.arm])) {
            break;
        }
        if (!pair_run(native, row, entry, swapped == 1, children)) {
            return false;
        }
    }
    progress_advance(&native->progress, entry_estimate(native, row));
    return true;
}

/* All entries of a row in a random order. False when interrupted. */
static bool block_run(native_t *native, size_t row, child_t *children)
{
    native_entry_t entries[ARM_COUNT * NATIVE_VARIANT_MOST];
    size_t count = entries_fill(native, entries);
    bool finished = true;
    while (finished && count > 0) {
        size_t drawn = stats_rng_below(&native->rng, count--);
        native_entry_t entry = entries[drawn];
        entries[drawn] = entries[count];
        finished = entry_run(native, row, entry, children);
    }
    return finished;
}

/* A block of each row, then the next: what slows the machine for a minute meets all rows a little. */
bool native_suite_run(native_t *native)
{
    child_t *children = calloc(2, sizeof *children);
    bool finished = children != NULL;
    progress_begin(&native->progress, native_estimate(native));
    for (size_t block = 0; finished && block < native->swaps; block++) {
        for (size_t row = 0; finished && row < native->kind->row_count; row++) {
            finished = !native->selected[row] || block_run(native, row, children);
        }
    }
    free(children);
    return finished;
}

void native_clear(native_t *native)
{
    for (size_t row = 0; row < NATIVE_ROW_MOST; row++) {
        native_result_t *result = &native->results[row];
        for (size_t i = 0; i < result->count; i++) {
            json_decref(result->pairs[i].base.raw);
            json_decref(result->pairs[i].sample.raw);
        }
        free(result->pairs);
    }
}
