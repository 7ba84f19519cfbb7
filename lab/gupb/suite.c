/* SPDX-License-Identifier: MIT */
#include "lab/gupb/suite.h"

#include "lab/journal.h"
#include "lab/run.h"
#include "lab/stopping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* How a program says that a package is missing; see lab/gupb/programs/program.py. */
#define STATUS_SKIPPED 77

/*
 * A process is to work for half a second: long enough that its start does not count, short enough for many processes,
 * each with an address layout of its own. Eight blocks make 16 pairs a row and arm. The quick form does a small piece
 * of each row for a tenth of a second, and only shows the direction.
 */
#define PROCESS_SECONDS_FULL 0.5
#define PROCESS_SECONDS_QUICK 0.1
#define LOOPS_MOST 10000.0
#define PASSES_FULL 8
/* What a row is thought to take in calibration, for the line that shows how far it is. */
#define CALIBRATION_SECONDS 1.0

void gupb_plan(gupb_t *gupb, bool quick)
{
    experiment_t *experiment = &gupb->experiment;
    memset(&experiment->plan, 0, sizeof experiment->plan);
    experiment->rows = true;
    experiment->workloads = gupb->list.workloads;
    experiment->workload_count = gupb->list.count;
    experiment->plan.quick = quick;
    for (size_t row = 0; row < gupb->list.count; row++) {
        experiment->plan.selected[row] = true;
        experiment->plan.rounds[row] = 1;
        experiment->plan.swaps[row] = 1; /* in a pass */
    }
    gupb->passes = quick ? 1 : PASSES_FULL;
}

void gupb_width_take(gupb_t *gupb, double width)
{
    gupb->experiment.plan.width = width;
    gupb->passes = STOPPING_PASSES_MOST;
}

bool gupb_row_is_in(const gupb_t *gupb, size_t row)
{
    return gupb->experiment.plan.selected[row] && experiment_arm_is_in(&gupb->experiment, row, ARM_STOCK);
}

/* Seconds of a pass, over the arms that still want pairs. */
static double pass_estimate(const gupb_t *gupb, size_t pass)
{
    const experiment_t *experiment = &gupb->experiment;
    double seconds = 0;
    for (size_t row = 0; row < gupb->list.count; row++) {
        if (gupb_row_is_in(gupb, row)) {
            double pairs = 2 * (double)timing_open_arms(experiment, row, pass);
            seconds += pairs * experiment_pair_estimate(experiment, row);
        }
    }
    return seconds;
}

double gupb_estimate(const gupb_t *gupb)
{
    double first = pass_estimate(gupb, 0);
    double seconds = first * (double)gupb->passes;
    double most = first > gupb->budget ? first : gupb->budget; /* the first pass is done in any case */
    return gupb->budget > 0 && seconds > most ? most : seconds;
}

/* A package that is missing is no failure: the row stays empty, and says what it needs. */
static bool row_is_skipped(gupb_t *gupb, size_t row, const child_t *child)
{
    if (child->timed_out || !WIFEXITED(child->status) || WEXITSTATUS(child->status) != STATUS_SKIPPED) {
        return false;
    }
    char *reason = gupb->experiment.results[row].reasons[ARM_STOCK];
    snprintf(reason, sizeof gupb->experiment.results[row].reasons[0], "%.*s", (int)strcspn(child->complaint.text, "\n"),
             child->complaint.text);
    if (reason[0] == '\0') {
        snprintf(reason, sizeof gupb->experiment.results[row].reasons[0], "it needs something that is not here");
    }
    return true;
}

/* Runs a row once and sets its loops. False when interrupted. */
static bool row_calibrate(gupb_t *gupb, size_t row, child_t *child)
{
    experiment_t *experiment = &gupb->experiment;
    plan_t *plan = &experiment->plan;
    int core = experiment->machine.cores_allowed > 0 ? experiment->machine.allowed[0] : CHILD_ANY_CORE;
    run_t run = {.arm = ARM_STOCK, .workload = row, .core = core};
    sample_t sample;
    if (!run_start(experiment, &run, child)) {
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    if (row_is_skipped(gupb, row, child) || !run_finish(experiment, &run, child, &sample)) {
        return true;
    }
    json_decref(sample.raw);
    double loops = (plan->quick ? PROCESS_SECONDS_QUICK : PROCESS_SECONDS_FULL) / sample.cpu_seconds;
    experiment->results[row].calibrated = true;
    plan->round_seconds[row] = sample.wall_seconds;
    plan->usual_elapsed[row] = sample.wall_seconds / sample.cpu_seconds;
    plan->rounds[row] = loops < 1 ? 1 : (int)(loops > LOOPS_MOST ? LOOPS_MOST : loops);
    journal_row_write(experiment, row);
    return true;
}

bool gupb_calibrate(gupb_t *gupb)
{
    experiment_t *experiment = &gupb->experiment;
    child_t *child = calloc(1, sizeof *child);
    bool finished = true;
    if (child == NULL) {
        experiment_drop(experiment, ARM_STOCK, "no memory");
        return true;
    }
    progress_begin(&experiment->progress, CALIBRATION_SECONDS * (double)gupb->list.count);
    for (size_t row = 0; finished && row < gupb->list.count; row++) {
        bool known = experiment->results[row].calibrated; /* from a journal */
        if (experiment->plan.selected[row] && !known && !experiment->abandoned) {
            char doing[96];
            snprintf(doing, sizeof doing, "%s: calibration", gupb->list.rows[row].name);
            progress_show(&experiment->progress, doing);
            finished = row_calibrate(gupb, row, child);
        }
        progress_advance(&experiment->progress, CALIBRATION_SECONDS);
    }
    progress_clear(&experiment->progress);
    free(child);
    return finished;
}

/* True when the next pass would end after the budget; passes so far were this many times slower than thought. */
static bool pass_is_too_long(const gupb_t *gupb, double next)
{
    const progress_t *progress = &gupb->experiment.progress;
    double spent = progress_seconds(progress);
    double slower = progress->done > 0 && spent > progress->done ? spent / progress->done : 1;
    return gupb->budget > 0 && gupb->passes_done > 0 && spent + next * slower > gupb->budget;
}

/* A block of each row. False when interrupted. */
static bool pass_run(gupb_t *gupb)
{
    experiment_t *experiment = &gupb->experiment;
    for (size_t row = 0; row < gupb->list.count && !experiment->abandoned; row++) {
        if (gupb_row_is_in(gupb, row) && !timing_block_run(experiment, row, gupb->passes_done)) {
            return false;
        }
    }
    return true;
}

bool gupb_run(gupb_t *gupb)
{
    experiment_t *experiment = &gupb->experiment;
    progress_begin(&experiment->progress, gupb_estimate(gupb));
    while (gupb->passes_done < gupb->passes && !experiment->abandoned) {
        double next = pass_estimate(gupb, gupb->passes_done);
        if (next <= 0) {
            return true; /* every arm of every row has enough */
        }
        if (pass_is_too_long(gupb, next)) {
            gupb->ended = true;
            return true;
        }
        double left = next * (double)(gupb->passes - gupb->passes_done);
        experiment->progress.expected = experiment->progress.done + left;
        if (!pass_run(gupb)) {
            return false;
        }
        gupb->passes_done += !experiment->abandoned;
    }
    return true;
}
