/* SPDX-License-Identifier: MIT */
#include "lab/run.h"

#include <stdio.h>
#include <stdlib.h>

/* The memory runs of one workload, of which plan.memory_slots are under way at a time. */
typedef struct memory_queue {
    run_t runs[ARM_COUNT];
    size_t count;
    size_t next;      /* run to be started next */
    size_t *occupant; /* for each slot, the run in it */
    child_t *children;
    size_t slots;
} memory_queue_t;

static void queue_fill(const experiment_t *experiment, workload_id_t workload, memory_queue_t *queue,
                       uint32_t hash_seed)
{
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (arm_is_in(&experiment->arms.arms[arm])) {
            queue->runs[queue->count++] = (run_t){.arm = arm,
                                                  .workload = workload,
                                                  .settle = EXPERIMENT_SETTLE_SECONDS,
                                                  .core = CHILD_ANY_CORE,
                                                  .hash_seed = hash_seed};
        }
    }
}

/* Starts runs in free slots while there are both. Returns the number of runs under way. */
static size_t queue_feed(experiment_t *experiment, memory_queue_t *queue)
{
    size_t running = 0;
    for (size_t slot = 0; slot < queue->slots; slot++) {
        while (queue->children[slot].pid == 0 && queue->next < queue->count) {
            queue->occupant[slot] = queue->next;
            run_start(experiment, &queue->runs[queue->next++], &queue->children[slot]);
        }
        running += queue->children[slot].pid != 0;
    }
    return running;
}

/* Runs the queue empty. False when interrupted. */
static bool queue_run(experiment_t *experiment, workload_id_t workload, memory_queue_t *queue)
{
    char doing[128];
    double step = queue->count > 0 ? experiment_memory_estimate(experiment, workload) / (double)queue->count : 0;
    snprintf(doing, sizeof doing, "%s: memory", workload_table[workload].name);
    while (queue_feed(experiment, queue) > 0) {
        progress_show(&experiment->progress, doing);
        int ended = children_wait(queue->children, queue->slots);
        if (ended == CHILD_INTERRUPTED) {
            return false;
        }
        const run_t *run = &queue->runs[queue->occupant[ended]];
        run_finish(experiment, run, &queue->children[ended], &experiment->results[workload].memory[run->arm]);
        progress_advance(&experiment->progress, step);
    }
    return true;
}

bool memory_run(experiment_t *experiment, workload_id_t workload)
{
    memory_queue_t queue = {.slots = experiment->plan.memory_slots};
    queue_fill(experiment, workload, &queue, (uint32_t)stats_rng_below(&experiment->rng, UINT32_MAX));
    queue.children = calloc(queue.slots, sizeof *queue.children);
    queue.occupant = calloc(queue.slots, sizeof *queue.occupant);
    bool finished = true;
    if (queue.children == NULL || queue.occupant == NULL) {
        experiment_drop(experiment, ARM_STOCK, "no memory");
    } else {
        finished = queue_run(experiment, workload, &queue);
    }
    free(queue.children);
    free(queue.occupant);
    return finished;
}
