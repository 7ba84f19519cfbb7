/* SPDX-License-Identifier: MIT */
#include "lab/threads/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

threads_sample_t *threads_sample(const threads_t *threads, threads_form_t form, size_t row, size_t round, arm_id_t arm)
{
    return &threads->results[form][row].samples[round * ARM_COUNT + arm];
}

static void job_drop(threads_t *threads, arm_id_t arm, const char *reason)
{
    threads->failed = true;
    threads->abandoned = threads->abandoned || arm == ARM_CUBBY;
    peers_drop(&threads->arms.arms[arm], reason, &threads->progress);
}

/* Takes what a run that has ended says; drops the arm when that is not good. */
static void job_finish(threads_t *threads, const threads_job_t *job, const child_t *child, threads_sample_t *sample)
{
    char reason[256], what[200];
    if (!child_succeeded(child, what, sizeof what)) {
        snprintf(reason, sizeof reason, "%s %s", threads_rows[job->row].name, what);
        job_drop(threads, job->arm, reason);
    } else if (!threads_sample_read(threads, job, child->output.text, sample, reason, sizeof reason)) {
        job_drop(threads, job->arm, reason);
    }
}

/* Does one run. False when interrupted. */
static bool job_run(threads_t *threads, const threads_job_t *job, child_t *child, threads_sample_t *sample)
{
    threads_command_t command;
    char text[256];
    snprintf(text, sizeof text, "%s, %d threads: %s", threads_rows[job->row].name,
             threads_row_threads(job->form, job->row), threads->arms.arms[job->arm].name);
    progress_show(&threads->progress, text);
    threads_command_fill(threads, job, &command);
    if (!child_start(child, &command.spec)) {
        snprintf(text, sizeof text, "could not be started: %s", strerror(errno));
        job_drop(threads, job->arm, text);
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    job_finish(threads, job, child, sample);
    progress_advance(&threads->progress, threads_run_estimate(threads, job->form, job->row));
    return true;
}

/* All arms of a row, one after the other in a random order. False when interrupted. */
static bool round_run(threads_t *threads, threads_form_t form, size_t row, size_t round, child_t *child)
{
    arm_id_t arms[ARM_COUNT] = {0};
    size_t count = peers_shuffle(&threads->arms, ARM_COUNT, &threads->rng, arms);
    for (size_t place = 0; place < count && !threads->abandoned; place++) {
        threads_job_t job = {.form = form, .row = row, .arm = arms[place]};
        threads_sample_t *sample = threads_sample(threads, form, row, round, job.arm);
        sample->place = place;
        if (!job_run(threads, &job, child, sample)) {
            return false;
        }
    }
    return true;
}

/* A round of each row, then the next: what slows the machine for a minute meets all rows a little, and none whole. */
static bool form_run(threads_t *threads, threads_form_t form, child_t *child)
{
    for (size_t round = 0; round < threads->rounds[form]; round++) {
        for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
            if (threads_row_is_in(threads, form, row) && !round_run(threads, form, row, round, child)) {
                return false;
            }
        }
    }
    return true;
}

static bool results_make(threads_t *threads)
{
    bool made = true;
    for (threads_form_t form = 0; form < THREADS_FORM_COUNT; form++) {
        for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
            threads_result_t *result = &threads->results[form][row];
            result->samples = calloc(threads->rounds[form] * ARM_COUNT, sizeof *result->samples);
            made = made && result->samples != NULL;
        }
    }
    return made;
}

bool threads_run(threads_t *threads)
{
    child_t *child = calloc(1, sizeof *child);
    progress_begin(&threads->progress, threads_estimate(threads));
    bool finished = child != NULL && results_make(threads) && form_run(threads, THREADS_FEW, child) &&
                    form_run(threads, THREADS_MANY, child);
    free(child);
    return finished;
}

void threads_clear(threads_t *threads)
{
    for (threads_form_t form = 0; form < THREADS_FORM_COUNT; form++) {
        for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
            threads_sample_t *samples = threads->results[form][row].samples;
            for (size_t i = 0; samples != NULL && i < threads->rounds[form] * ARM_COUNT; i++) {
                json_decref(samples[i].raw);
            }
            free(samples);
        }
    }
}
