/* SPDX-License-Identifier: MIT */
#include "lab/queue.h"
#include "lab/run.h"

#include <stdio.h>
#include <stdlib.h>

/* What a memory run may need; stock's largest is a quarter less. */
#define MEMORY_NEED_KIB 350000

/* The memory runs of all workloads. */
typedef struct memory_jobs {
    experiment_t *experiment;
    run_t runs[WORKLOAD_COUNT * ARM_COUNT];
    resident_t residents[WORKLOAD_COUNT * ARM_COUNT]; /* of each run */
    size_t count;
} memory_jobs_t;

static void jobs_fill(memory_jobs_t *jobs)
{
    experiment_t *experiment = jobs->experiment;
    for (workload_id_t workload = 0; workload < WORKLOAD_COUNT; workload++) {
        uint32_t hash_seed = (uint32_t)stats_rng_below(&experiment->rng, UINT32_MAX);
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            if (!experiment->plan.selected[workload] || !arm_is_in(&experiment->arms.arms[arm])) {
                continue;
            }
            jobs->runs[jobs->count] = (run_t){.arm = arm,
                                              .workload = workload,
                                              .settle = EXPERIMENT_SETTLE_SECONDS,
                                              .core = CHILD_ANY_CORE,
                                              .hash_seed = hash_seed,
                                              .resident = &jobs->residents[jobs->count]};
            jobs->count++;
        }
    }
}

static long long job_need(void *context, size_t job)
{
    (void)context;
    (void)job;
    return MEMORY_NEED_KIB;
}

static bool job_start(void *context, size_t job, child_t *child)
{
    const memory_jobs_t *jobs = context;
    const run_t *run = &jobs->runs[job];
    char doing[128];
    if (!arm_is_in(&jobs->experiment->arms.arms[run->arm])) {
        return false;
    }
    snprintf(doing, sizeof doing, "%s: memory", workload_table[run->workload].name);
    progress_show(&jobs->experiment->progress, doing);
    return run_start(jobs->experiment, run, child);
}

static void job_finish(void *context, size_t job, const child_t *child)
{
    const memory_jobs_t *jobs = context;
    const run_t *run = &jobs->runs[job];
    experiment_t *experiment = jobs->experiment;
    sample_t *sample = &experiment->results[run->workload].memory[run->arm];
    if (run_finish(experiment, run, child, sample) && run->resident->count > 0) {
        json_object_set_new(sample->raw, "resident", resident_to_json(run->resident));
    }
    progress_advance(&experiment->progress, experiment_memory_estimate(experiment) / (double)jobs->count);
}

bool memory_run(experiment_t *experiment)
{
    memory_jobs_t *jobs = calloc(1, sizeof *jobs);
    if (jobs == NULL) {
        experiment_drop(experiment, ARM_STOCK, "no memory");
        return true;
    }
    jobs->experiment = experiment;
    jobs_fill(jobs);
    queue_t queue = {.jobs = jobs->count,
                     .slots = experiment->plan.memory_slots,
                     .room_kib = experiment->machine.available_kib / 2,
                     .context = jobs,
                     .need_kib = job_need,
                     .start = job_start,
                     .finish = job_finish};
    bool finished = queue_run(&queue);
    free(jobs);
    return finished;
}
