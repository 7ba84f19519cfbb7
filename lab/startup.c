/* SPDX-License-Identifier: MIT */
#include "lab/run.h"

#include <stdlib.h>
#include <string.h>

/* Reads the process's size itself: the last thing that it does, with nothing imported. */
static const char size_code[] = "for line in open('/proc/self/status'):\n"
                                " if line[:6] == 'VmRSS:': print(line.split()[1])\n";

static const arm_id_t startup_arms[2] = {ARM_STOCK, ARM_CUBBY};

/* One start. Interrupted: false. Failed: the arm has been dropped and *good is false. */
static bool start_once(experiment_t *experiment, arm_id_t arm, const char *code, child_t *child, bool *good)
{
    char reason[256];
    int core = experiment->machine.cores_allowed > 0 ? experiment->machine.allowed[0] : CHILD_ANY_CORE;
    *good = run_start_code(experiment, arm, code, core, child);
    if (!*good) {
        return true;
    }
    if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        return false;
    }
    *good = child_succeeded(child, reason, sizeof reason);
    if (!*good) {
        char whole[300] = "python3 -c ";
        strncat(whole, reason, sizeof whole - strlen(whole) - 1);
        experiment_drop(experiment, arm, whole);
    }
    return true;
}

/*
 * Starts stock and Cubby in turn, on one core, the first of the two changing from pair to pair. measure turns a child
 * that has ended into a number. Returns false when interrupted; *done is the number of whole pairs.
 */
static bool starts_run(experiment_t *experiment, const char *code, size_t pairs, double *const columns[2],
                       double (*measure)(const child_t *child), size_t *done)
{
    child_t *child = calloc(1, sizeof *child);
    bool finished = true, good = child != NULL;
    for (size_t pair = 0; finished && good && pair < pairs; pair++) {
        progress_show(&experiment->progress, "start-up");
        for (size_t turn = 0; finished && good && turn < 2; turn++) {
            size_t which = (pair + turn) % 2;
            finished = start_once(experiment, startup_arms[which], code, child, &good);
            if (finished && good) {
                columns[which][pair] = measure(child);
            }
        }
        *done = finished && good ? pair + 1 : pair;
        progress_advance(&experiment->progress,
                         experiment_startup_estimate(experiment) /
                             (double)(experiment->plan.startup_pairs + experiment->plan.startup_memory_pairs));
    }
    free(child);
    return finished;
}

static double child_milliseconds(const child_t *child)
{
    return child->seconds * 1000;
}

static double child_printed_number(const child_t *child)
{
    return strtod(child->output.text, NULL);
}

bool startup_run(experiment_t *experiment)
{
    startup_result_t *result = &experiment->startup;
    size_t pairs = experiment->plan.startup_pairs, memory_pairs = experiment->plan.startup_memory_pairs;
    if (!arm_is_in(&experiment->arms.arms[ARM_CUBBY])) {
        return true;
    }
    for (size_t i = 0; i < 2; i++) {
        result->milliseconds[i] = calloc(pairs, sizeof(double));
        result->rss_kib[i] = calloc(memory_pairs, sizeof(double));
        if (result->milliseconds[i] == NULL || result->rss_kib[i] == NULL) {
            experiment_drop(experiment, ARM_STOCK, "no memory");
            return true;
        }
    }
    return starts_run(experiment, size_code, memory_pairs, result->rss_kib, child_printed_number,
                      &result->memory_pairs) &&
           starts_run(experiment, "pass", pairs, result->milliseconds, child_milliseconds, &result->pairs);
}
