/* SPDX-License-Identifier: MIT */
#include "lab/gupb/counters.h"

#include "lab/journal.h"
#include "lab/run.h"
#include "lab/spans/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Loops of the two runs that are compared. */
enum { LOOPS_FEW = 1, LOOPS_MANY = 3 };

/* What runs under a tool take, mostly to start the interpreter. */
#define TRACED_SECONDS 0.5
#define SIMULATED_SECONDS 6.0
#define TOOL_TIMEOUT 900.0

typedef enum tool { TOOL_STRACE, TOOL_VALGRIND } tool_t;

/* A run of a row under a tool. */
typedef struct tool_command {
    const char *arguments[20];
    char loops[32];
    char program[PATH_MAX + 64];
    arm_environment_t environment;
    const char *entries[16];
    child_spec_t spec;
} tool_command_t;

static size_t tool_arguments(const gupb_t *gupb, tool_t tool, const arm_t *arm, const char **arguments)
{
    static const char *const traced[] = {"-f", "-c", "-U", "calls,name", "-o", "/dev/stdout"};
    static const char *const simulated[] = {"--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"};
    bool strace = tool == TOOL_STRACE;
    const char *const *options = strace ? traced : simulated;
    size_t used = 0, count = strace ? sizeof traced / sizeof *traced : sizeof simulated / sizeof *simulated;
    arguments[used++] = strace ? gupb->strace : gupb->valgrind;
    for (size_t i = 0; i < count; i++) {
        arguments[used++] = options[i];
    }
    if (strace && arm->preload[0] != '\0') { /* for the program alone */
        arguments[used++] = "-E";
        arguments[used++] = arm->preload;
    }
    return used;
}

static void tool_command_fill(const gupb_t *gupb, size_t row, arm_id_t id, tool_t tool, int loops,
                              tool_command_t *command)
{
    const experiment_t *experiment = &gupb->experiment;
    const arm_t *arm = &experiment->arms.arms[id];
    size_t used = tool_arguments(gupb, tool, arm, command->arguments), kept = 0;
    snprintf(command->program, sizeof command->program, "%s/programs/%s", experiment->seeds, gupb->list.rows[row].file);
    snprintf(command->loops, sizeof command->loops, "--loops=%d", loops);
    command->arguments[used++] = experiment->python;
    command->arguments[used++] = command->program;
    command->arguments[used++] = gupb->list.rows[row].name;
    command->arguments[used++] = command->loops;
    command->arguments[used++] = "--quick";
    command->arguments[used] = NULL;
    arm_environment_fill(&experiment->arms, arm, 0, &command->environment);
    for (const char *const *entry = command->environment.entries; *entry != NULL; entry++) {
        if (tool != TOOL_STRACE || *entry != arm->preload) {
            command->entries[kept++] = *entry;
        }
    }
    command->entries[kept] = NULL;
    command->spec = (child_spec_t){.arguments = command->arguments,
                                   .environment = command->entries,
                                   .core = CHILD_ANY_CORE,
                                   .timeout = TOOL_TIMEOUT};
}

double counters_instructions_read(const char *text)
{
    const char *found = strstr(text, "Collected :");
    if (found == NULL) {
        return -1;
    }
    char *end;
    double count = strtod(found + strlen("Collected :"), &end);
    return count > 0 ? count : -1;
}

/* The count of one run under a tool, negative where there is none. False when it was interrupted. */
static bool tool_count(gupb_t *gupb, size_t row, arm_id_t arm, tool_t tool, int loops, child_t *child, double *count)
{
    tool_command_t command;
    char reason[200];
    *count = -1;
    tool_command_fill(gupb, row, arm, tool, loops, &command);
    if (!child_start(child, &command.spec)) {
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    if (child_succeeded(child, reason, sizeof reason)) {
        *count =
            tool == TOOL_STRACE ? spans_calls_read(child->output.text) : counters_instructions_read(child->output.text);
    }
    return true;
}

/* What a loop counts under a tool, negative where that cannot be known. False when it was interrupted. */
static bool loop_count(gupb_t *gupb, size_t row, arm_id_t arm, tool_t tool, child_t *child, double *count)
{
    double few, many = -1;
    const char *program = tool == TOOL_STRACE ? gupb->strace : gupb->valgrind;
    *count = -1;
    if (program[0] == '\0') {
        return true;
    }
    if (!tool_count(gupb, row, arm, tool, LOOPS_FEW, child, &few) ||
        (few >= 0 && !tool_count(gupb, row, arm, tool, LOOPS_MANY, child, &many))) {
        return false;
    }
    if (few >= 0 && many >= few) {
        *count = (many - few) / (LOOPS_MANY - LOOPS_FEW);
    }
    return true;
}

/* One run that settles. False when it was interrupted. */
static bool settled_count(gupb_t *gupb, size_t row, arm_id_t arm, child_t *child, row_counters_t *counters)
{
    experiment_t *experiment = &gupb->experiment;
    resident_t resident;
    run_t run = {.arm = arm,
                 .workload = row,
                 .settle = EXPERIMENT_SETTLE_SECONDS,
                 .core = CHILD_ANY_CORE,
                 .resident = &resident};
    sample_t sample;
    if (!run_start(experiment, &run, child)) {
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    if (run_finish(experiment, &run, child, &sample)) {
        counters->known = true;
        counters->settled_kib = sample.after_kib;
        counters->peak_kib = sample.peak_kib;
        counters->minor_faults = sample.minor_faults;
        counters->resident = resident.count > 0 ? resident_to_json(&resident) : NULL;
        json_decref(sample.raw);
    }
    return true;
}

/* All counters of a row in an arm. False when it was interrupted. */
static bool arm_count(gupb_t *gupb, size_t row, arm_id_t arm, child_t *child)
{
    row_counters_t counters = {.calls = -1, .instructions = -1};
    char doing[128];
    snprintf(doing, sizeof doing, "%s: counters of %s", gupb->list.rows[row].name,
             gupb->experiment.arms.arms[arm].name);
    progress_show(&gupb->experiment.progress, doing);
    if (!settled_count(gupb, row, arm, child, &counters) ||
        !loop_count(gupb, row, arm, TOOL_STRACE, child, &counters.calls) ||
        !loop_count(gupb, row, arm, TOOL_VALGRIND, child, &counters.instructions)) {
        json_decref(counters.resident);
        return false;
    }
    gupb->experiment.results[row].counters[arm] = counters;
    if (counters.known) {
        journal_counters_write(&gupb->experiment, row, arm);
    }
    return true;
}

static bool arm_is_wanted(const gupb_t *gupb, size_t row, arm_id_t arm)
{
    return gupb_row_is_in(gupb, row) && experiment_arm_is_in(&gupb->experiment, row, arm) &&
           !gupb->experiment.results[row].counters[arm].known;
}

static double row_estimate(const gupb_t *gupb, size_t row)
{
    double tools =
        (gupb->strace[0] != '\0' ? 2 * TRACED_SECONDS : 0) + (gupb->valgrind[0] != '\0' ? 2 * SIMULATED_SECONDS : 0);
    return experiment_pair_estimate(&gupb->experiment, row) + EXPERIMENT_SETTLE_SECONDS + tools;
}

double counters_estimate(const gupb_t *gupb)
{
    double seconds = 0;
    for (size_t row = 0; row < gupb->list.count; row++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            seconds += arm_is_wanted(gupb, row, arm) ? row_estimate(gupb, row) : 0;
        }
    }
    return seconds;
}

bool counters_run(gupb_t *gupb)
{
    progress_t *progress = &gupb->experiment.progress;
    child_t *child = calloc(1, sizeof *child);
    bool finished = child != NULL;
    progress->expected = progress->done + counters_estimate(gupb);
    for (size_t row = 0; finished && row < gupb->list.count; row++) {
        for (arm_id_t arm = 0; finished && arm < ARM_COUNT; arm++) {
            if (arm_is_wanted(gupb, row, arm)) {
                finished = arm_count(gupb, row, arm, child);
                progress_advance(progress, row_estimate(gupb, row));
            }
        }
    }
    free(child);
    return finished;
}
