/* SPDX-License-Identifier: MIT */
#include "lab/duet.h"
#include "lab/queue.h"
#include "lab/spans/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs that are counted, not timed, may be many at a time: most of them are asleep. */
enum { MEMORY_SLOTS = 8, CALLS_SLOTS = 2 };

void spans_drop(spans_t *spans, arm_id_t arm, const char *reason)
{
    spans->failed = true;
    spans->abandoned = spans->abandoned || arm == ARM_CUBBY;
    peers_drop(&spans->arms.arms[arm], reason, &spans->progress);
}

static void job_refuse(spans_t *spans, arm_id_t arm, int error)
{
    char reason[256];
    snprintf(reason, sizeof reason, "could not be started: %s", strerror(error));
    spans_drop(spans, arm, reason);
}

static void pair_keep(spans_result_t *result, const spans_pair_t *pair)
{
    if (result->pair_count == result->pair_room) {
        size_t room = result->pair_room == 0 ? 16 : result->pair_room * 2;
        spans_pair_t *grown = realloc(result->pairs, room * sizeof *grown);
        if (grown == NULL) {
            json_decref(pair->cubby.raw);
            json_decref(pair->sample.raw);
            return;
        }
        result->pairs = grown;
        result->pair_room = room;
    }
    result->pairs[result->pair_count++] = *pair;
}

/* Runs one pair and keeps it when both halves are good. False when interrupted. */
static bool pair_run(spans_t *spans, size_t row, arm_id_t arm, bool swapped, child_t *children)
{
    duet_cores_t cores = duet_cores(&spans->machine, swapped);
    spans_job_t cubby = {.row = row, .arm = ARM_CUBBY, .core = cores.base};
    spans_job_t other = {.row = row, .arm = arm, .core = cores.arm};
    spans_job_t jobs[2] = {swapped ? other : cubby,
                           swapped ? cubby : other}; /* the one started first changes as well */
    spans_command_t commands[2];
    child_spec_t specs[2];
    spans_sample_t samples[2] = {{0}};
    int errors[2];
    for (size_t i = 0; i < 2; i++) {
        spans_command_fill(spans, &jobs[i], &commands[i]);
        specs[i] = commands[i].spec;
    }
    if (!duet_run(specs, cores.together, children, errors)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (errors[i] != 0) {
            job_refuse(spans, jobs[i].arm, errors[i]);
        } else {
            spans_finish(spans, &jobs[i], &children[i], &samples[i]);
        }
    }
    if (!samples[0].good || !samples[1].good) {
        json_decref(samples[0].raw);
        json_decref(samples[1].raw);
        return true;
    }
    spans_pair_t pair = {.arm = arm,
                         .cubby_core = cores.base,
                         .arm_core = cores.arm,
                         .cubby = samples[swapped ? 1 : 0],
                         .sample = samples[swapped ? 0 : 1]};
    pair_keep(&spans->results[row], &pair);
    return true;
}

/* Runs Cubby beside an arm, both ways round. False when interrupted. */
static bool arm_run(spans_t *spans, size_t row, arm_id_t arm, child_t *children)
{
    char doing[128];
    snprintf(doing, sizeof doing, "%s: cubby beside %s", spans_rows[row].name, spans->arms.arms[arm].name);
    progress_show(&spans->progress, doing);
    for (int swapped = 0; swapped < 2; swapped++) {
        if (spans->abandoned || !arm_is_in(&spans->arms.arms[arm])) {
            break;
        }
        if (!pair_run(spans, row, arm, swapped == 1, children)) {
            return false;
        }
    }
    progress_advance(&spans->progress, spans_run_estimate(spans, row) * (spans->machine.cores_allowed > 1 ? 2 : 4));
    return true;
}

bool spans_timing_run(spans_t *spans, size_t row)
{
    child_t *children = calloc(2, sizeof *children);
    if (children == NULL) {
        spans_drop(spans, ARM_CUBBY, "no memory");
        return true;
    }
    bool finished = true;
    for (size_t block = 0; finished && block < spans->swaps; block++) {
        arm_id_t arms[ARM_COUNT] = {0};
        size_t count = peers_shuffle(&spans->arms, ARM_CUBBY, &spans->rng, arms);
        for (size_t i = 0; finished && i < count; i++) {
            finished = arm_run(spans, row, arms[i], children);
        }
    }
    free(children);
    return finished;
}

/* Runs of all rows and arms, for memory or for system calls. */
typedef struct spans_jobs {
    spans_t *spans;
    spans_job_t jobs[(SPANS_ROW_COUNT + 1) * ARM_COUNT];
    size_t count;
} spans_jobs_t;

static void jobs_add(spans_jobs_t *jobs, size_t row, double settle, bool traced)
{
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (arm_is_in(&jobs->spans->arms.arms[arm])) {
            jobs->jobs[jobs->count++] =
                (spans_job_t){.row = row, .arm = arm, .settle = settle, .traced = traced, .core = CHILD_ANY_CORE};
        }
    }
}

static long long job_need(void *context, size_t job)
{
    const spans_jobs_t *jobs = context;
    size_t row = jobs->jobs[job].row;
    return row == SPANS_NOTHING ? 0 : spans_rows[row].need_kib;
}

static bool job_start(void *context, size_t job, child_t *child)
{
    const spans_jobs_t *jobs = context;
    const spans_job_t *started = &jobs->jobs[job];
    spans_t *spans = jobs->spans;
    spans_command_t command;
    char doing[128];
    if (spans->abandoned || !arm_is_in(&spans->arms.arms[started->arm]) ||
        (started->traced && spans->strace[0] == '\0')) {
        return false;
    }
    snprintf(doing, sizeof doing, "%s: %s", started->row == SPANS_NOTHING ? "start" : spans_rows[started->row].name,
             started->traced ? "system calls" : "memory");
    progress_show(&spans->progress, doing);
    spans_command_fill(spans, started, &command);
    if (child_start(child, &command.spec)) {
        return true;
    }
    spans_drop(spans, started->arm, "could not be started");
    return false;
}

/* Seconds of the estimate that a run stands for. */
static double job_share(const spans_t *spans, const spans_job_t *job)
{
    return job->row == SPANS_NOTHING ? 0 : spans_run_estimate(spans, job->row) / 2;
}

static void memory_finish(void *context, size_t job, const child_t *child)
{
    const spans_jobs_t *jobs = context;
    const spans_job_t *ended = &jobs->jobs[job];
    spans_finish(jobs->spans, ended, child, &jobs->spans->results[ended->row].memory[ended->arm]);
    progress_advance(&jobs->spans->progress, job_share(jobs->spans, ended));
}

/* Where strace is not allowed to trace, the column stays empty; that is no fault of the arm. */
static void calls_finish(void *context, size_t job, const child_t *child)
{
    const spans_jobs_t *jobs = context;
    const spans_job_t *ended = &jobs->jobs[job];
    spans_t *spans = jobs->spans;
    char reason[200];
    spans_sample_t sample;
    progress_advance(&spans->progress, job_share(spans, ended));
    if (!child_succeeded(child, reason, sizeof reason)) {
        spans->strace[0] = '\0';
        snprintf(spans->strace_reason, sizeof spans->strace_reason, "strace %s", reason);
        return;
    }
    double calls = spans_calls_read(child->output.text);
    if (calls < 0 || !spans_finish(spans, ended, child, &sample)) {
        return;
    }
    if (ended->row == SPANS_NOTHING) {
        spans->start_calls[ended->arm] = calls;
    } else if (spans->start_calls[ended->arm] >= 0) {
        double more = calls - spans->start_calls[ended->arm];
        spans->results[ended->row].calls[ended->arm] = (more > 0 ? more : 0) / (double)sample.loops;
    }
    json_decref(sample.raw);
}

/* Runs what jobs holds. False when interrupted. */
static bool jobs_run(spans_jobs_t *jobs, size_t slots, void (*finish)(void *, size_t, const child_t *))
{
    queue_t queue = {.jobs = jobs->count,
                     .slots = slots,
                     .room_kib = jobs->spans->machine.available_kib / 2,
                     .context = jobs,
                     .need_kib = job_need,
                     .start = job_start,
                     .finish = finish};
    return queue_run(&queue);
}

bool spans_memory_run(spans_t *spans)
{
    spans_jobs_t jobs = {.spans = spans};
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row]) {
            jobs_add(&jobs, row, SPANS_SETTLE_SECONDS, false);
        }
    }
    return jobs_run(&jobs, MEMORY_SLOTS, memory_finish);
}

bool spans_calls_run(spans_t *spans)
{
    spans_jobs_t starts = {.spans = spans}, jobs = {.spans = spans};
    for (size_t arm = 0; arm < ARM_COUNT; arm++) {
        spans->start_calls[arm] = -1;
        for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
            spans->results[row].calls[arm] = -1;
        }
    }
    jobs_add(&starts, SPANS_NOTHING, 0, true);
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row]) {
            jobs_add(&jobs, row, 0, true);
        }
    }
    return jobs_run(&starts, CALLS_SLOTS, calls_finish) && jobs_run(&jobs, CALLS_SLOTS, calls_finish);
}

bool spans_run(spans_t *spans)
{
    progress_begin(&spans->progress, spans_estimate(spans));
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row] && !spans->abandoned && !spans_timing_run(spans, row)) {
            return false;
        }
    }
    return spans_memory_run(spans) && spans_calls_run(spans);
}

void spans_clear(spans_t *spans)
{
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        spans_result_t *result = &spans->results[row];
        for (size_t i = 0; i < result->pair_count; i++) {
            json_decref(result->pairs[i].cubby.raw);
            json_decref(result->pairs[i].sample.raw);
        }
        for (size_t i = 0; i < ARM_COUNT; i++) {
            json_decref(result->memory[i].raw);
        }
        free(result->pairs);
    }
}
