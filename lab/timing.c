/* SPDX-License-Identifier: MIT */
#include "lab/duet.h"
#include "lab/exclusion.h"
#include "lab/journal.h"
#include "lab/run.h"
#include "lab/stopping.h"
#include "lab/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What a workload compares, before it is shuffled. */
typedef struct matchup {
    arm_id_t base;
    arm_id_t arm;
} matchup_t;

enum { MATCHUP_MAX = ARM_COUNT + 1 };

static size_t matchups_fill(const experiment_t *experiment, workload_id_t workload, matchup_t *matchups)
{
    const arm_t *arms = experiment->arms.arms;
    size_t count = 0;
    for (arm_id_t arm = ARM_STOCK + 1; arm < ARM_COUNT; arm++) {
        if (experiment_arm_is_in(experiment, workload, arm)) {
            matchups[count++] = (matchup_t){ARM_STOCK, arm};
        }
    }
    if (experiment->workloads[workload].lists && arm_is_in(&arms[ARM_CUBBY]) && arm_is_in(&arms[ARM_LIST_LIBC])) {
        matchups[count++] = (matchup_t){ARM_LIST_LIBC, ARM_CUBBY};
    }
    return count;
}

static void matchups_shuffle(matchup_t *matchups, size_t count, stats_rng_t *rng)
{
    for (size_t left = count; left > 1; left--) {
        size_t other = stats_rng_below(rng, left);
        matchup_t kept = matchups[left - 1];
        matchups[left - 1] = matchups[other];
        matchups[other] = kept;
    }
}

void pair_keep(workload_result_t *result, const pair_t *pair)
{
    if (result->pair_count == result->pair_room) {
        size_t room = result->pair_room == 0 ? 64 : result->pair_room * 2;
        pair_t *grown = realloc(result->pairs, room * sizeof *grown);
        if (grown == NULL) {
            json_decref(pair->base_sample.raw);
            json_decref(pair->arm_sample.raw);
            return;
        }
        result->pairs = grown;
        result->pair_room = room;
    }
    result->pairs[result->pair_count++] = *pair;
}

/* True when a journal held this very pair. */
static bool pair_is_known(const workload_result_t *result, const pair_t *pair)
{
    for (size_t i = 0; i < result->pair_count; i++) {
        const pair_t *known = &result->pairs[i];
        if (known->hash_seed == pair->hash_seed && known->pass == pair->pass && known->base == pair->base &&
            known->arm == pair->arm) {
            return true;
        }
    }
    return false;
}

/* What makes a pair that pair, beside its matchup. */
typedef struct pair_plan {
    bool swapped;
    uint32_t hash_seed;
    size_t pass;
} pair_plan_t;

/* Runs one pair and keeps it when both halves are good. False when interrupted. */
static bool pair_run(experiment_t *experiment, workload_id_t workload, matchup_t matchup, const pair_plan_t *plan,
                     child_t *children)
{
    bool swapped = plan->swapped;
    duet_cores_t cores = duet_cores(&experiment->machine, swapped);
    pair_t pair = {.base = matchup.base,
                   .arm = matchup.arm,
                   .base_core = cores.base,
                   .arm_core = cores.arm,
                   .hash_seed = plan->hash_seed,
                   .arm_first = swapped,
                   .pass = plan->pass};
    if (pair_is_known(&experiment->results[workload], &pair)) {
        return true;
    }
    run_t base = {.arm = pair.base, .workload = workload, .core = pair.base_core, .hash_seed = pair.hash_seed};
    run_t arm = {.arm = pair.arm, .workload = workload, .core = pair.arm_core, .hash_seed = pair.hash_seed};
    run_t runs[2] = {swapped ? arm : base, swapped ? base : arm}; /* the one started first changes as well */
    run_command_t commands[2];
    child_spec_t specs[2];
    sample_t samples[2] = {{0}};
    int errors[2];
    for (size_t i = 0; i < 2; i++) {
        run_command_fill(experiment, &runs[i], &commands[i]);
        specs[i] = commands[i].spec;
    }
    if (!duet_run(specs, cores.together, children, errors)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (errors[i] != 0) {
            run_refuse(experiment, runs[i].arm, errors[i]);
        } else {
            run_finish(experiment, &runs[i], &children[i], &samples[i]);
        }
    }
    if (!samples[0].good || !samples[1].good) {
        json_decref(samples[0].raw);
        json_decref(samples[1].raw);
        return true;
    }
    pair.base_sample = samples[swapped ? 1 : 0];
    pair.arm_sample = samples[swapped ? 0 : 1];
    if (experiment->rows) {
        pair.excluded = exclusion_of(&pair, experiment->plan.usual_elapsed[workload]);
    }
    journal_pair_write(experiment, workload, &pair);
    pair_keep(&experiment->results[workload], &pair);
    return true;
}

/* Runs a matchup both ways round. False when interrupted. */
static bool matchup_run(experiment_t *experiment, workload_id_t workload, matchup_t matchup, size_t pass,
                        stats_rng_t *rng, child_t *children)
{
    const arm_t *arms = experiment->arms.arms;
    char doing[128];
    snprintf(doing, sizeof doing, "%s: %s beside %s", experiment->workloads[workload].name, arms[matchup.arm].name,
             arms[matchup.base].name);
    uint32_t hash_seeds[2];
    for (size_t i = 0; i < 2; i++) {
        hash_seeds[i] = (uint32_t)stats_rng_below(rng, UINT32_MAX);
    }
    for (int swapped = 0; swapped < 2; swapped++) {
        if (!experiment_arm_is_in(experiment, workload, matchup.base) ||
            !experiment_arm_is_in(experiment, workload, matchup.arm)) {
            return true;
        }
        progress_show(&experiment->progress, doing);
        pair_plan_t plan = {.swapped = swapped == 1, .hash_seed = hash_seeds[swapped], .pass = pass};
        if (!pair_run(experiment, workload, matchup, &plan, children)) {
            return false;
        }
    }
    return true;
}

/* Runs all matchups, in a new random order each time, as often as is planned. False when interrupted. */
static bool blocks_run(experiment_t *experiment, workload_id_t workload, matchup_t *matchups, size_t count,
                       child_t *children)
{
    size_t swaps = experiment->plan.swaps[workload];
    double step = experiment_pair_estimate(experiment, workload) * 2;
    for (size_t block = 0; block < swaps; block++) {
        matchups_shuffle(matchups, count, &experiment->rng);
        for (size_t i = 0; i < count && !experiment->abandoned; i++) {
            if (!matchup_run(experiment, workload, matchups[i], block, &experiment->rng, children)) {
                return false;
            }
            progress_advance(&experiment->progress, step);
        }
    }
    return true;
}

timing_state_t timing_state(const experiment_t *experiment, workload_id_t workload, arm_id_t arm, size_t pass)
{
    timing_state_t state = {.width = INFINITY};
    const workload_result_t *result = &experiment->results[workload];
    double *logarithms = malloc((result->pair_count + 1) * sizeof *logarithms);
    size_t pairs = 0, count = 0;
    for (size_t i = 0; logarithms != NULL && i < result->pair_count; i++) {
        const pair_t *pair = &result->pairs[i];
        if (pair->arm == arm && pair->pass < pass) {
            pairs++;
            logarithms[count] = log(pair->base_sample.cpu_seconds / pair->arm_sample.cpu_seconds);
            count += pair->excluded == EXCLUSION_NONE;
        }
    }
    if (logarithms != NULL) {
        state.blocks = pairs / 2;
        state.width = stopping_width(logarithms, count);
        state.enough = stopping_is_due(logarithms, count, experiment->plan.width);
    }
    free(logarithms);
    return state;
}

/* A generator of a row's pass: the same whatever ran before it. */
static stats_rng_t block_rng(const experiment_t *experiment, workload_id_t workload, size_t pass)
{
    stats_rng_t rng;
    stats_rng_seed(&rng, experiment->seed);
    stats_rng_seed(&rng, stats_rng_next(&rng) + workload);
    stats_rng_seed(&rng, stats_rng_next(&rng) + pass);
    return rng;
}

bool timing_block_run(experiment_t *experiment, workload_id_t workload, size_t pass, const bool arms[ARM_COUNT])
{
    matchup_t matchups[ARM_COUNT];
    double step = experiment_pair_estimate(experiment, workload) * 2;
    stats_rng_t rng = block_rng(experiment, workload, pass);
    child_t *children = calloc(2, sizeof *children);
    if (children == NULL) {
        experiment_drop(experiment, ARM_STOCK, "no memory");
        return true;
    }
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        matchups[arm] = (matchup_t){ARM_STOCK, arm};
    }
    bool finished = true;
    matchups_shuffle(matchups, ARM_COUNT, &rng);
    for (size_t i = 0; finished && i < ARM_COUNT; i++) {
        stats_rng_t own;
        stats_rng_seed(&own, stats_rng_next(&rng));
        if (arms[matchups[i].arm] && experiment_arm_is_in(experiment, workload, matchups[i].arm)) {
            finished = matchup_run(experiment, workload, matchups[i], pass, &own, children);
            progress_advance(&experiment->progress, step);
        }
    }
    free(children);
    return finished;
}

bool timing_run(experiment_t *experiment, workload_id_t workload)
{
    matchup_t matchups[MATCHUP_MAX];
    arm_id_t peer;
    size_t count = matchups_fill(experiment, workload, matchups);
    child_t *children = calloc(2, sizeof *children);
    if (children == NULL) {
        experiment_drop(experiment, ARM_STOCK, "no memory");
        return true;
    }
    bool finished = blocks_run(experiment, workload, matchups, count, children);
    if (finished && experiment->plan.direct && arm_is_in(&experiment->arms.arms[ARM_CUBBY]) &&
        summary_fastest_peer(experiment, workload, &peer)) {
        matchups[0] = (matchup_t){peer, ARM_CUBBY};
        finished = blocks_run(experiment, workload, matchups, 1, children);
    }
    free(children);
    return finished;
}
