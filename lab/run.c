/* SPDX-License-Identifier: MIT */
#include "lab/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A child may take a minute, and half a minute for each round: thirty times what is usual. */
#define TIMEOUT_SECONDS 60.0
#define TIMEOUT_SECONDS_PER_ROUND 30.0

static bool python_start(experiment_t *experiment, arm_id_t arm, const char *const *arguments, uint32_t hash_seed,
                         int core, double timeout, child_t *child)
{
    arm_environment_t environment;
    arm_environment_fill(&experiment->arms, &experiment->arms.arms[arm], hash_seed, &environment);
    child_spec_t spec = {.arguments = arguments, .environment = environment.entries, .core = core, .timeout = timeout};
    if (child_start(child, &spec)) {
        return true;
    }
    char reason[256];
    snprintf(reason, sizeof reason, "could not be started: %s", strerror(errno));
    experiment_drop(experiment, arm, reason);
    return false;
}

bool run_start(experiment_t *experiment, const run_t *run, child_t *child)
{
    char program[PATH_MAX + 64], rounds[32], settle[32];
    int count = experiment->plan.rounds[run->workload];
    snprintf(program, sizeof program, "%s/%s.py", experiment->seeds, workload_table[run->workload].name);
    snprintf(rounds, sizeof rounds, "--rounds=%d", count);
    snprintf(settle, sizeof settle, "--settle=%g", run->settle);
    const char *const arguments[] = {experiment->python, program, rounds, settle, NULL};
    double timeout = TIMEOUT_SECONDS + TIMEOUT_SECONDS_PER_ROUND * count;
    return python_start(experiment, run->arm, arguments, run->hash_seed, run->core, timeout, child);
}

bool run_start_code(experiment_t *experiment, arm_id_t arm, const char *code, int core, child_t *child)
{
    const char *const arguments[] = {experiment->python, "-c", code, NULL};
    return python_start(experiment, arm, arguments, 0, core, TIMEOUT_SECONDS, child);
}

bool run_finish(experiment_t *experiment, const run_t *run, const child_t *child, sample_t *sample)
{
    char reason[256], what[200];
    const workload_t *workload = &workload_table[run->workload];
    const arm_t *arm = &experiment->arms.arms[run->arm];
    if (!child_succeeded(child, what, sizeof what)) {
        snprintf(reason, sizeof reason, "%s %s", workload->name, what);
        experiment_drop(experiment, run->arm, reason);
        return false;
    }
    if (!sample_read(child->output.text, workload, experiment->plan.rounds[run->workload], run->settle > 0,
                     arm->preload[0] != '\0', sample, reason, sizeof reason)) {
        experiment_drop(experiment, run->arm, reason);
        return false;
    }
    return true;
}
