/* SPDX-License-Identifier: MIT */
#include "lab/experiment.h"

#include <string.h>

/* What a process costs beside its rounds: start, check, exit. */
#define PROCESS_SECONDS 0.15
/* One start of the interpreter. */
#define START_SECONDS 0.02
/* The native program. */
#define NATIVE_SECONDS 3.0

/*
 * The full form does five rounds a process, so that the first, which must touch its memory for the first time with any
 * allocator, does not decide. Ratios of 1.5 and more need few pairs; eight of each arm give an interval of a few
 * percent. Those of unpickle_list are near 1, where the address layout alone moves a process by several percent:
 * thirty pairs bring that down to about one. The quick form only shows the direction.
 */
void plan_fill(plan_t *plan, bool quick, const machine_t *machine)
{
    memset(plan, 0, sizeof *plan);
    plan->quick = quick;
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        bool lists = workload_table[i].lists;
        plan->rounds[i] = quick ? (lists ? 1 : 2) : (lists ? 3 : 5);
        plan->swaps[i] = quick ? 1 : (lists ? 15 : 4);
        plan->selected[i] = true;
    }
    plan->startup_pairs = quick ? 20 : 200;
    plan->startup_memory_pairs = quick ? 5 : 20;
    /*
     * Memory runs spend most of a quick run asleep between bits of light work, so more of them than cores fit side by
     * side; each may need 350 MB, and half of what is available is left alone.
     */
    size_t fitting = (size_t)(machine->available_kib / 2 / 350000);
    size_t wanted = quick ? ARM_COUNT : 2;
    plan->memory_slots = fitting < 1 ? 1 : (fitting < wanted ? fitting : wanted);
}

static size_t arms_count(const experiment_t *experiment)
{
    size_t count = 0;
    for (size_t i = 0; i < ARM_COUNT; i++) {
        count += arm_is_in(&experiment->arms.arms[i]);
    }
    return count;
}

static double process_estimate(const experiment_t *experiment, workload_id_t workload)
{
    return workload_table[workload].round_seconds * experiment->plan.rounds[workload] + PROCESS_SECONDS;
}

double experiment_timing_estimate(const experiment_t *experiment, workload_id_t workload)
{
    const arm_t *arms = experiment->arms.arms;
    size_t pairs = arms_count(experiment) - 1;
    if (workload_table[workload].lists && arm_is_in(&arms[ARM_CUBBY]) && arm_is_in(&arms[ARM_LIST_LIBC])) {
        pairs++;
    }
    double each = process_estimate(experiment, workload) * (experiment->machine.cores_allowed > 1 ? 1 : 2);
    return each * 2 * (double)(pairs * experiment->plan.swaps[workload]);
}

double experiment_memory_estimate(const experiment_t *experiment, workload_id_t workload)
{
    size_t arms = arms_count(experiment), slots = experiment->plan.memory_slots;
    size_t turns = (arms + slots - 1) / slots;
    double busy = process_estimate(experiment, workload) * (double)arms / (double)(slots < 2 ? 1 : 2);
    return busy + EXPERIMENT_SETTLE_SECONDS * (double)turns;
}

double experiment_startup_estimate(const experiment_t *experiment)
{
    if (!arm_is_in(&experiment->arms.arms[ARM_CUBBY])) {
        return 0;
    }
    return START_SECONDS * 2 * (double)(experiment->plan.startup_pairs + experiment->plan.startup_memory_pairs);
}

double experiment_estimate(const experiment_t *experiment)
{
    double seconds = experiment_startup_estimate(experiment);
    for (workload_id_t i = 0; i < WORKLOAD_COUNT; i++) {
        if (experiment->plan.selected[i]) {
            seconds += experiment_timing_estimate(experiment, i) + experiment_memory_estimate(experiment, i);
        }
    }
    return seconds + (experiment->native[0] != '\0' ? NATIVE_SECONDS : 0);
}
