/* SPDX-License-Identifier: MIT */
#include "lab/child.h"
#include "lab/objects/suite.h"
#include "lab/peers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What any run may take, on a machine that is busy with other things. */
#define TIMEOUT_SECONDS 300.0

enum { SIMULATED_ITEMS = 20000, SIMULATED_ROUNDS = 2, ARGUMENT_COUNT = 16, JOBS_MOST = OBJECTS_ROW_COUNT * ARM_COUNT };

typedef struct job {
    size_t row;
    arm_id_t arm;
} job_t;

typedef struct command {
    char options[5][48];
    const char *arguments[ARGUMENT_COUNT];
    const char *environment[PEERS_ENTRY_COUNT];
    child_spec_t spec;
} command_t;

/* What the program calls the figures. */
static const char *const figure_names[OBJECTS_FIGURE_COUNT] = {
    [OBJECTS_WALL] = "wall_seconds", [OBJECTS_FAULTS] = "minor_faults", [OBJECTS_PEAK] = "peak_kib",
    [OBJECTS_START] = "start_kib",   [OBJECTS_DROPPED] = "dropped_kib", [OBJECTS_COMPACTED] = "compacted_kib",
};

static const char *const simulation[] = {
    "--tool=cachegrind", "--cache-sim=yes",    "--log-fd=1", "--cachegrind-out-file=/dev/null",
    "--D1=32768,8,64",   "--LL=1048576,16,64",
};

objects_sample_t *objects_sample(const objects_t *objects, size_t row, size_t round, arm_id_t arm)
{
    return &objects->samples[(row * objects->rounds + round) * ARM_COUNT + arm];
}

static long items_of(const objects_t *objects, size_t row)
{
    return objects_loops[objects_rows[row].loop].items / objects->item_share;
}

/* The command of one run; a simulated one is smaller. */
static void command_fill(const objects_t *objects, const job_t *job, bool simulated, command_t *command)
{
    const objects_row_t *row = &objects_rows[job->row];
    const arm_t *arm = &objects->arms.arms[job->arm];
    size_t used = 0, size = sizeof command->options[0];
    if (simulated) {
        command->arguments[used++] = objects->valgrind;
        for (size_t i = 0; i < sizeof simulation / sizeof *simulation; i++) {
            command->arguments[used++] = simulation[i];
        }
    }
    snprintf(command->options[0], size, "--ints=%s", row->ints);
    snprintf(command->options[1], size, "--floats=%s", row->floats);
    snprintf(command->options[2], size, "--items=%ld", simulated ? SIMULATED_ITEMS : items_of(objects, job->row));
    snprintf(command->options[3], size, "--rounds=%ld", simulated ? SIMULATED_ROUNDS : objects->loop_rounds);
    snprintf(command->options[4], size, "--settle=%ld", simulated ? 0 : objects->settle_ms);
    command->arguments[used++] = job->arm == ARM_CUBBY ? objects->program : objects->program_malloc;
    command->arguments[used++] = objects_loops[row->loop].name;
    for (size_t i = 0; i < sizeof command->options / size; i++) {
        command->arguments[used++] = command->options[i];
    }
    command->arguments[used] = NULL;
    peers_environment_fill(&objects->arms, arm, true, command->environment);
    command->spec = (child_spec_t){.arguments = command->arguments,
                                   .environment = command->environment,
                                   .core = CHILD_ANY_CORE,
                                   .timeout = TIMEOUT_SECONDS};
}

/* ---- What a run says ---- */

/* What is wrong with the report, or NULL. Fills the sample's figures. */
static const char *report_fault(const objects_t *objects, const job_t *job, const json_t *report,
                                objects_sample_t *sample)
{
    const objects_row_t *row = &objects_rows[job->row];
    if (!peers_text_is(report, "ints", row->ints) || !peers_text_is(report, "floats", row->floats) ||
        json_integer_value(json_object_get(report, "items")) != items_of(objects, job->row) ||
        json_integer_value(json_object_get(report, "rounds")) != objects->loop_rounds) {
        return "it did something else";
    }
    for (int i = 0; i < OBJECTS_FIGURE_COUNT; i++) {
        const json_t *figure = json_object_get(report, figure_names[i]);
        if (!json_is_number(figure) || !(json_number_value(figure) > 0 || i == OBJECTS_FAULTS)) {
            return "a figure is missing";
        }
        sample->figures[i] = json_number_value(figure);
    }
    sample->figures[OBJECTS_WALL] /= (double)objects->loop_rounds;
    sample->figures[OBJECTS_FAULTS] /= (double)objects->loop_rounds;
    return NULL;
}

static void job_drop(objects_t *objects, arm_id_t arm, const char *reason)
{
    objects->failed = true;
    objects->abandoned = objects->abandoned || arm == ARM_CUBBY;
    peers_drop(&objects->arms.arms[arm], reason, &objects->progress);
}

static void sample_read(objects_t *objects, const job_t *job, const child_t *child, objects_sample_t *sample)
{
    char reason[256];
    const char *fault, *loop = objects_loops[objects_rows[job->row].loop].name;
    json_t *report = peers_line_read(child->output.text, loop, &objects->arms.arms[job->arm], &fault);
    if (report != NULL) {
        fault = report_fault(objects, job, report, sample);
    }
    if (fault != NULL) {
        snprintf(reason, sizeof reason, "%s printed what cannot be used: %s", objects_rows[job->row].name, fault);
        job_drop(objects, job->arm, reason);
        json_decref(report);
        return;
    }
    sample->raw = report;
    sample->good = true;
}

/* The number behind a name in what valgrind wrote, which groups digits with commas; negative: it is not there. */
static double count_find(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    double count = 0;
    if (found == NULL) {
        return -1;
    }
    found += strlen(name);
    found += strspn(found, " ");
    for (; (*found >= '0' && *found <= '9') || *found == ','; found++) {
        count = *found == ',' ? count : count * 10 + (*found - '0');
    }
    return count;
}

/* An arm that valgrind cannot run has no such figures, and keeps the others. */
static void misses_read(const child_t *child, objects_misses_t *misses)
{
    double each = (double)SIMULATED_ITEMS * SIMULATED_ROUNDS;
    misses->first = count_find(child->output.text, "D1  misses:") / each;
    misses->last = count_find(child->output.text, "LLd misses:") / each;
    misses->known = misses->first >= 0 && misses->last >= 0;
}

/* ---- Running ---- */

/* Does one run: a sample's, or without one a simulated run. False when interrupted. */
static bool job_run(objects_t *objects, const job_t *job, child_t *child, objects_sample_t *sample)
{
    command_t command;
    char text[256], what[200];
    const char *name = objects_rows[job->row].name;
    snprintf(text, sizeof text, "%s%s: %s", name, sample == NULL ? ", simulated" : "",
             objects->arms.arms[job->arm].name);
    progress_show(&objects->progress, text);
    command_fill(objects, job, sample == NULL, &command);
    if (!child_start(child, &command.spec)) {
        snprintf(text, sizeof text, "could not be started: %s", strerror(errno));
        job_drop(objects, job->arm, text);
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    bool good = child_succeeded(child, what, sizeof what);
    if (sample == NULL && good) {
        misses_read(child, &objects->misses[job->row][job->arm]);
    } else if (sample != NULL && good) {
        sample_read(objects, job, child, sample);
    } else if (sample != NULL) {
        snprintf(text, sizeof text, "%s %s", name, what);
        job_drop(objects, job->arm, text);
    }
    progress_advance(&objects->progress, sample == NULL ? 2.5 : objects_run_estimate(objects, job->row));
    return true;
}

/* All rows of a loop on all arms, in a random order; returns how many. */
static size_t jobs_fill(objects_t *objects, size_t loop, job_t jobs[JOBS_MOST])
{
    size_t count = 0;
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            if (objects->selected[row] && objects_rows[row].loop == loop && arm_is_in(&objects->arms.arms[arm])) {
                size_t place = stats_rng_below(&objects->rng, ++count);
                jobs[count - 1] = jobs[place];
                jobs[place] = (job_t){row, arm};
            }
        }
    }
    return count;
}

/* One round of a loop; the simulated runs when simulated. False when interrupted. */
static bool loop_run(objects_t *objects, size_t loop, size_t round, bool simulated, child_t *child)
{
    job_t jobs[JOBS_MOST] = {{0}};
    size_t count = jobs_fill(objects, loop, jobs);
    for (size_t i = 0; i < count && !objects->abandoned; i++) {
        objects_sample_t *sample = simulated ? NULL : objects_sample(objects, jobs[i].row, round, jobs[i].arm);
        if (sample != NULL) {
            sample->place = i;
        }
        if (arm_is_in(&objects->arms.arms[jobs[i].arm]) && !job_run(objects, &jobs[i], child, sample)) {
            return false;
        }
    }
    return true;
}

bool objects_run(objects_t *objects)
{
    child_t *child = calloc(1, sizeof *child);
    objects->samples = calloc(OBJECTS_ROW_COUNT * objects->rounds * ARM_COUNT, sizeof *objects->samples);
    bool going = child != NULL && objects->samples != NULL;
    progress_begin(&objects->progress, objects_estimate(objects));
    for (size_t round = 0; going && round < objects->rounds; round++) {
        for (size_t loop = 0; going && loop < OBJECTS_LOOP_COUNT; loop++) {
            going = loop_run(objects, loop, round, false, child);
        }
    }
    for (size_t loop = 0; going && loop < OBJECTS_LOOP_COUNT && objects->valgrind[0] != '\0'; loop++) {
        going = loop_run(objects, loop, 0, true, child);
    }
    free(child);
    return going;
}

void objects_clear(objects_t *objects)
{
    for (size_t i = 0; objects->samples != NULL && i < OBJECTS_ROW_COUNT * objects->rounds * ARM_COUNT; i++) {
        json_decref(objects->samples[i].raw);
    }
    free(objects->samples);
}

/* ---- What it comes to ---- */

void objects_summarize(const objects_t *objects, size_t row, arm_id_t arm, objects_summary_t *summary)
{
    size_t base = objects_loops[objects_rows[row].loop].base;
    double *values = calloc(objects->rounds, sizeof *values);
    *summary = (objects_summary_t){.time = {.value = 1}};
    for (int figure = 0; values != NULL && figure < OBJECTS_FIGURE_COUNT; figure++) {
        summary->runs = 0;
        for (size_t round = 0; round < objects->rounds; round++) {
            const objects_sample_t *sample = objects_sample(objects, row, round, arm);
            if (sample->good) {
                values[summary->runs++] = sample->figures[figure];
            }
        }
        summary->medians[figure] = summary->runs > 0 ? stats_median(values, summary->runs) : 0;
    }
    for (size_t round = 0; values != NULL && round < objects->rounds; round++) {
        const objects_sample_t *sample = objects_sample(objects, row, round, arm);
        const objects_sample_t *other = objects_sample(objects, base, round, ARM_CUBBY);
        if (sample->good && other->good) {
            values[summary->compared++] = log(sample->figures[OBJECTS_WALL] / other->figures[OBJECTS_WALL]);
        }
    }
    if (summary->compared > 0 && (row != base || arm != ARM_CUBBY)) {
        stats_rng_t rng;
        stats_rng_seed(&rng, objects->seed);
        summary->time = stats_ratio(values, summary->compared, &rng);
    }
    free(values);
}
