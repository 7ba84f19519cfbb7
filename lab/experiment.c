/* SPDX-License-Identifier: MIT */
#include "lab/experiment.h"

#include <stdio.h>
#include <stdlib.h>

void experiment_drop(experiment_t *experiment, arm_id_t arm, const char *reason)
{
    arm_t *dropped = &experiment->arms.arms[arm];
    experiment->failed = true;
    experiment->abandoned = experiment->abandoned || arm == ARM_STOCK;
    if (arm_drop(dropped, reason)) {
        progress_clear(&experiment->progress);
        fprintf(stderr, "cubby bench: %s is dropped: %s\n", dropped->name, reason);
    }
}

void experiment_fail(experiment_t *experiment, workload_id_t workload, arm_id_t arm, const char *reason)
{
    if (!experiment->rows) {
        experiment_drop(experiment, arm, reason);
        return;
    }
    workload_result_t *result = &experiment->results[workload];
    experiment->failed = true;
    if (result->reasons[arm][0] == '\0') {
        snprintf(result->reasons[arm], sizeof result->reasons[arm], "%s", reason);
        progress_clear(&experiment->progress);
        fprintf(stderr, "cubby bench: %s leaves out %s: %s\n", experiment->workloads[workload].name,
                experiment->arms.arms[arm].name, reason);
    }
}

bool experiment_arm_is_in(const experiment_t *experiment, workload_id_t workload, arm_id_t arm)
{
    return arm_is_in(&experiment->arms.arms[arm]) && experiment->results[workload].reasons[arm][0] == '\0';
}

bool experiment_run(experiment_t *experiment)
{
    progress_begin(&experiment->progress, experiment_estimate(experiment));
    for (workload_id_t workload = 0; workload < WORKLOAD_COUNT; workload++) {
        if (!experiment->plan.selected[workload]) {
            continue;
        }
        if (experiment->abandoned) {
            return true;
        }
        if (!timing_run(experiment, workload)) {
            return false;
        }
    }
    if (experiment->abandoned) {
        return true;
    }
    if (!memory_run(experiment)) {
        return false;
    }
    return experiment->abandoned || (startup_run(experiment) && native_run(experiment));
}

void experiment_clear(experiment_t *experiment)
{
    for (size_t i = 0; i < WORKLOAD_MAX; i++) {
        workload_result_t *result = &experiment->results[i];
        for (size_t j = 0; j < result->pair_count; j++) {
            json_decref(result->pairs[j].base_sample.raw);
            json_decref(result->pairs[j].arm_sample.raw);
        }
        for (size_t j = 0; j < ARM_COUNT; j++) {
            json_decref(result->memory[j].raw);
            json_decref(result->counters[j].resident);
        }
        free(result->pairs);
    }
    for (size_t i = 0; i < 2; i++) {
        free(experiment->startup.milliseconds[i]);
        free(experiment->startup.rss_kib[i]);
    }
    json_decref(experiment->native_report);
}
