/* SPDX-License-Identifier: MIT */
#include "lab/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A child may take a minute, and half a minute for each round: thirty times what is usual. */
#define TIMEOUT_SECONDS 60.0
#define TIMEOUT_SECONDS_PER_ROUND 30.0

void run_command_fill(const experiment_t *experiment, const run_t *run, run_command_t *command)
{
    int count = experiment->plan.rounds[run->workload];
    const workload_t *workload = &experiment->workloads[run->workload];
    command->arguments[0] = experiment->python;
    command->arguments[1] = command->program;
    if (workload->file != NULL) {
        snprintf(command->program, sizeof command->program, "%s/programs/%s", experiment->seeds, workload->file);
        snprintf(command->rounds, sizeof command->rounds, "--loops=%d", count);
        command->arguments[2] = workload->name;
        command->arguments[3] = command->rounds;
        size_t used = 4;
        if (experiment->plan.quick) {
            command->arguments[used++] = "--quick";
        }
        if (run->settle > 0) {
            snprintf(command->settle, sizeof command->settle, "--settle=%g", run->settle);
            command->arguments[used++] = command->settle;
        }
        command->arguments[used] = NULL;
    } else {
        snprintf(command->program, sizeof command->program, "%s/%s.py", experiment->seeds, workload->name);
        snprintf(command->rounds, sizeof command->rounds, "--rounds=%d", count);
        snprintf(command->settle, sizeof command->settle, "--settle=%g", run->settle);
        command->arguments[2] = command->rounds;
        command->arguments[3] = command->settle;
        command->arguments[4] = NULL;
    }
    arm_environment_fill(&experiment->arms, &experiment->arms.arms[run->arm], run->hash_seed, &command->environment);
    command->spec = (child_spec_t){.arguments = command->arguments,
                                   .environment = command->environment.entries,
                                   .core = run->core,
                                   .resident = run->resident,
                                   .timeout = TIMEOUT_SECONDS + TIMEOUT_SECONDS_PER_ROUND * count};
}

void run_refuse(experiment_t *experiment, arm_id_t arm, int error)
{
    char reason[256];
    snprintf(reason, sizeof reason, "could not be started: %s", strerror(error));
    experiment_drop(experiment, arm, reason);
}

static bool spec_start(experiment_t *experiment, arm_id_t arm, const child_spec_t *spec, child_t *child)
{
    if (child_start(child, spec)) {
        return true;
    }
    run_refuse(experiment, arm, errno);
    return false;
}

bool run_start(experiment_t *experiment, const run_t *run, child_t *child)
{
    run_command_t command;
    run_command_fill(experiment, run, &command);
    return spec_start(experiment, run->arm, &command.spec, child);
}

bool run_start_code(experiment_t *experiment, arm_id_t arm, const char *code, int core, child_t *child)
{
    const char *const arguments[] = {experiment->python, "-c", code, NULL};
    arm_environment_t environment;
    arm_environment_fill(&experiment->arms, &experiment->arms.arms[arm], 0, &environment);
    child_spec_t spec = {
        .arguments = arguments, .environment = environment.entries, .core = core, .timeout = TIMEOUT_SECONDS};
    return spec_start(experiment, arm, &spec, child);
}

bool run_finish(experiment_t *experiment, const run_t *run, const child_t *child, sample_t *sample)
{
    char reason[256], what[200];
    const workload_t *workload = &experiment->workloads[run->workload];
    const arm_t *arm = &experiment->arms.arms[run->arm];
    if (!child_succeeded(child, what, sizeof what)) {
        snprintf(reason, sizeof reason, "%s %s", workload->name, what);
        experiment_fail(experiment, run->workload, run->arm, reason);
        return false;
    }
    if (!sample_read(child->output.text, workload, experiment->plan.rounds[run->workload], run->settle > 0,
                     arm->preload[0] != '\0', sample, reason, sizeof reason)) {
        experiment_fail(experiment, run->workload, run->arm, reason);
        return false;
    }
    return true;
}
