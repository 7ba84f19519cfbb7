/* SPDX-License-Identifier: MIT */
#include "lab/gupb/suite.h"

#include "lab/journal.h"
#include "lab/run.h"
#include "lab/stopping.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* How a program says that a package is missing; see lab/gupb/programs/program.py. */
#define STATUS_SKIPPED 77

/*
 * A process is to work for 0.15 seconds, about twice what its start takes: in a rough trial processes of half a second
 * scattered no less, and for the same time there are fewer of them. Many short ones also try many address layouts. Eight
 * blocks make 16 pairs a row and arm. The quick form does a small piece of each row for a tenth of a
 * second, and only shows the direction.
 */
#define PROCESS_SECONDS_FULL 0.15
#define PROCESS_SECONDS_QUICK 0.1
#define LOOPS_MOST 10000.0
#define PASSES_FULL 8
/* What a row is thought to take in calibration, for the line that shows how far it is. */
#define CALIBRATION_SECONDS 1.0

/* What a pass is to do. A cell is an arm of a row: row * ARM_COUNT + arm. */
typedef struct pass {
    bool arms[WORKLOAD_MAX][ARM_COUNT]; /* which get a block */
    size_t count;                       /* cells that are open, whether they get one or not */
    size_t cells[WORKLOAD_MAX * ARM_COUNT];
    double widths[WORKLOAD_MAX * ARM_COUNT];
} pass_t;

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

/* Whether a row is to get further pairs of an arm, judged by those of the passes before this one. */
static bool cell_is_open(const gupb_t *gupb, size_t row, arm_id_t arm, const timing_state_t *state)
{
    return gupb_row_is_in(gupb, row) && experiment_arm_is_in(&gupb->experiment, row, arm) && !state->enough &&
           state->blocks < gupb->passes;
}

/* Leaves those marked whose intervals are the widest. */
static void pass_narrow(pass_t *pass)
{
    bool widest[WORKLOAD_MAX * ARM_COUNT];
    stopping_widest(pass->widths, pass->count, widest);
    for (size_t i = 0; i < pass->count; i++) {
        pass->arms[pass->cells[i] / ARM_COUNT][pass->cells[i] % ARM_COUNT] = widest[i];
    }
}

/* Says what a pass is to do; see stopping.h. A run that goes on comes to the same choice, pass by pass. */
static void pass_choose(const gupb_t *gupb, size_t number, pass_t *pass)
{
    memset(pass, 0, sizeof *pass);
    for (size_t cell = 0; cell < gupb->list.count * ARM_COUNT; cell++) {
        size_t row = cell / ARM_COUNT;
        arm_id_t arm = cell % ARM_COUNT;
        timing_state_t state = timing_state(&gupb->experiment, row, arm, number);
        if (cell_is_open(gupb, row, arm, &state)) {
            pass->arms[row][arm] = true;
            pass->widths[pass->count] = state.width;
            pass->cells[pass->count++] = cell;
        }
    }
    if (gupb->experiment.plan.width > 0 && number >= STOPPING_PASSES_LEAST) {
        pass_narrow(pass);
    }
}

static double pass_estimate(const gupb_t *gupb, const pass_t *pass)
{
    double seconds = 0;
    for (size_t i = 0; i < pass->count; i++) {
        size_t row = pass->cells[i] / ARM_COUNT;
        bool chosen = pass->arms[row][pass->cells[i] % ARM_COUNT];
        seconds += chosen ? 2 * experiment_pair_estimate(&gupb->experiment, row) : 0;
    }
    return seconds;
}

/* Blocks of an arm that a row still needs, by how wide its interval is; at most as many as it may have. */
static double blocks_left(const gupb_t *gupb, const timing_state_t *state)
{
    double width = gupb->experiment.plan.width;
    double most = (double)(gupb->passes - state->blocks);
    if (width <= 0 || state->blocks < 2) {
        return most;
    }
    double times = state->width / width;
    double least = STOPPING_PASSES_LEAST;
    double wanted = fmax((double)state->blocks * times * times, least) - (double)state->blocks;
    return fmin(fmax(wanted, 1), most);
}

/* Seconds that the passes from this one on will take, without regard to the budget. */
static double rest_estimate(const gupb_t *gupb, size_t number)
{
    double seconds = 0;
    for (size_t row = 0; row < gupb->list.count; row++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            timing_state_t state = timing_state(&gupb->experiment, row, arm, number);
            if (cell_is_open(gupb, row, arm, &state)) {
                seconds += 2 * experiment_pair_estimate(&gupb->experiment, row) * blocks_left(gupb, &state);
            }
        }
    }
    return seconds;
}

double gupb_estimate(const gupb_t *gupb)
{
    static pass_t pass;
    pass_choose(gupb, 0, &pass);
    double first = pass_estimate(gupb, &pass), seconds = rest_estimate(gupb, 0);
    double most = first > gupb->budget ? first : gupb->budget; /* the first pass is done in any case */
    return gupb->budget > 0 && seconds > most ? most : seconds;
}

void gupb_left_find(const gupb_t *gupb, gupb_left_t *left)
{
    memset(left, 0, sizeof *left);
    for (size_t row = 0; row < gupb->list.count; row++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            timing_state_t state = timing_state(&gupb->experiment, row, arm, SIZE_MAX);
            bool in = gupb_row_is_in(gupb, row) && experiment_arm_is_in(&gupb->experiment, row, arm);
            left->intervals += in;
            left->wider += in && !state.enough;
            if (in && state.width > left->width) {
                left->width = state.width;
                left->row = row;
                left->arm = arm;
            }
        }
    }
    left->seconds = rest_estimate(gupb, SIZE_MAX);
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
    plan->other_seconds[row] = fmax(child->seconds - sample.wall_seconds, 0);
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

/* The blocks of a pass. False when interrupted. */
static bool pass_run(gupb_t *gupb, const pass_t *pass)
{
    experiment_t *experiment = &gupb->experiment;
    for (size_t row = 0; row < gupb->list.count && !experiment->abandoned; row++) {
        if (gupb_row_is_in(gupb, row) && !timing_block_run(experiment, row, gupb->passes_done, pass->arms[row])) {
            return false;
        }
    }
    return true;
}

/* Lets the line on the terminal know how much is left. */
static void progress_correct(gupb_t *gupb)
{
    progress_t *progress = &gupb->experiment.progress;
    double left = rest_estimate(gupb, gupb->passes_done);
    double budgeted = gupb->budget - progress_seconds(progress);
    progress->expected = progress->done + (gupb->budget > 0 ? fmin(left, fmax(budgeted, 0)) : left);
}

bool gupb_run(gupb_t *gupb)
{
    static pass_t pass;
    experiment_t *experiment = &gupb->experiment;
    progress_begin(&experiment->progress, gupb_estimate(gupb));
    while (!experiment->abandoned) {
        pass_choose(gupb, gupb->passes_done, &pass);
        if (pass.count == 0) {
            return true; /* every arm of every row has enough */
        }
        if (pass_is_too_long(gupb, pass_estimate(gupb, &pass))) {
            gupb->ended = true;
            return true;
        }
        progress_correct(gupb);
        if (!pass_run(gupb, &pass)) {
            return false;
        }
        gupb->passes_done += !experiment->abandoned;
    }
    return true;
}
