/* SPDX-License-Identifier: MIT */
#include "lab/experiment.h"

#include <string.h>

/* What a process costs beside its rounds: start, check, exit. */
#define PROCESS_SECONDS 0.15
/* One start of the interpreter. */
#define START_SECONDS 0.02
/* The native program. */
#define NATIVE_SECONDS 1.5

/*
 * The full form does five rounds a process, so that the first, which must touch its memory for the first time with any
 * allocator, does not decide. Ratios of 1.5 and more need few pairs; eight of each arm give an interval of a few
 * percent. Those of unpickle_list are near 1, where the address layout alone moves a process by several percent:
 * thirty pairs bring that down to about one. The quick form only shows the direction.
 */
void plan_fill(plan_t *plan, bool quick)
{
    memset(plan, 0, sizeof *plan);
    plan->quick = quick;
    plan->direct = !quick;
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        bool lists = workload_table[i].lists;
        plan->round_seconds[i] = workload_table[i].round_seconds;
        plan->rounds[i] = quick ? (lists ? 1 : 2) : (lists ? 3 : 5);
        plan->swaps[i] = quick ? 1 : (lists ? 15 : 4);
        plan->other_seconds[i] = PROCESS_SECONDS;
        plan->selected[i] = true;
    }
    plan->startup_pairs = quick ? 20 : 200;
    plan->startup_memory_pairs = quick ? 5 : 20;
    /* Memory runs spend most of a quick run asleep between bits of light work: more of them than cores fit side by side. */
    plan->memory_slots = quick ? ARM_COUNT : 2;
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
    return experiment->plan.round_seconds[workload] * experiment->plan.rounds[workload] +
           experiment->plan.other_seconds[workload];
}

double experiment_pair_estimate(const experiment_t *experiment, workload_id_t workload)
{
    return process_estimate(experiment, workload) * (experiment->machine.cores_allowed > 1 ? 1 : 2);
}

static bool peers_are_in(const experiment_t *experiment)
{
    for (size_t i = 0; i < ARM_COUNT; i++) {
        if (experiment->arms.arms[i].peer && arm_is_in(&experiment->arms.arms[i])) {
            return true;
        }
    }
    return false;
}

double experiment_timing_estimate(const experiment_t *experiment, workload_id_t workload)
{
    const arm_t *arms = experiment->arms.arms;
    size_t pairs = arms_count(experiment) - 1;
    if (experiment->workloads[workload].lists && arm_is_in(&arms[ARM_CUBBY]) && arm_is_in(&arms[ARM_LIST_LIBC])) {
        pairs++;
    }
    pairs += experiment->plan.direct && arm_is_in(&arms[ARM_CUBBY]) && peers_are_in(experiment);
    return experiment_pair_estimate(experiment, workload) * 2 * (double)(pairs * experiment->plan.swaps[workload]);
}

/* Two at a time are busy; others, up to the slots, are asleep meanwhile. The last ones are waited for. */
double experiment_memory_estimate(const experiment_t *experiment)
{
    double busy = 0, runs = 0;
    for (workload_id_t i = 0; i < WORKLOAD_COUNT; i++) {
        if (experiment->plan.selected[i]) {
            busy += process_estimate(experiment, i) * (double)arms_count(experiment);
            runs += (double)arms_count(experiment);
        }
    }
    double asleep = (busy + EXPERIMENT_SETTLE_SECONDS * runs) / (double)experiment->plan.memory_slots;
    busy /= experiment->machine.cores_allowed > 1 ? 2 : 1;
    return (busy > asleep ? busy : asleep) + EXPERIMENT_SETTLE_SECONDS;
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
    double seconds = experiment_startup_estimate(experiment) + experiment_memory_estimate(experiment);
    for (workload_id_t i = 0; i < WORKLOAD_COUNT; i++) {
        if (experiment->plan.selected[i]) {
            seconds += experiment_timing_estimate(experiment, i);
        }
    }
    return seconds + (experiment->native[0] != '\0' ? NATIVE_SECONDS : 0);
}
