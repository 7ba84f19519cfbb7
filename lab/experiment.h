/* SPDX-License-Identifier: MIT */
/*
 * The experiment: what is to be done, and what has come out so far.
 *
 *   timing    pairs (stock, arm) run at the same time on two cores that they trade all the time; outside noise hits
 *             both alike, and their ratio is what counts. Blocks of all arms follow each other, in a new random order
 *             each, every process with an address layout of its own, and a hash seed that only its pair shares.
 *             Then, in the full form, pairs (fastest peer, Cubby), so that their ratio is not known through stock alone.
 *   memory    one run more for each arm, untimed, of as many rounds, that ends with two seconds of light work.
 *   start-up  `python3 -c pass` again and again, stock and Cubby in turn.
 *   native    rows of a program that measures the library's own calls.
 */
#ifndef CUBBY_LAB_EXPERIMENT_H
#define CUBBY_LAB_EXPERIMENT_H

#include "lab/arm.h"
#include "lab/machine.h"
#include "lab/progress.h"
#include "lab/stats.h"
#include "lab/workload.h"

#include <jansson.h>
#include <stdio.h>

#define EXPERIMENT_SETTLE_SECONDS 2.0

/* How much is done. */
typedef struct plan {
    bool quick;
    int rounds[WORKLOAD_MAX];           /* in each process */
    double round_seconds[WORKLOAD_MAX]; /* under stock, roughly */
    double other_seconds[WORKLOAD_MAX]; /* what a process takes beside its rounds: start, imports, check, exit */
    double usual_elapsed[WORKLOAD_MAX]; /* of a row: elapsed over processor time in calibration */
    double width;                       /* of the interval at which an arm of a row has enough pairs; 0: none */
    size_t swaps[WORKLOAD_MAX];         /* pairs of each arm, each run both ways round */
    bool selected[WORKLOAD_MAX];
    bool direct;         /* Cubby and the fastest peer are paired as well */
    size_t memory_slots; /* memory runs at a time, at most */
    size_t startup_pairs;
    size_t startup_memory_pairs;
} plan_t;

/* Two processes that ran at the same time, or one after the other on a single core. */
typedef struct pair {
    arm_id_t base;
    arm_id_t arm;
    int base_core;
    int arm_core;
    uint32_t hash_seed;
    bool arm_first; /* of the two, to be started */
    size_t pass;    /* of a row */
    int excluded;   /* of a row: an exclusion_t; EXCLUSION_NONE, which is 0, when it counts */
    sample_t base_sample;
    sample_t arm_sample;
} pair_t;

/* What a row costs in an arm beside time. */
typedef struct row_counters {
    bool known;
    long long settled_kib;
    long long peak_kib;
    long long minor_faults;
    double calls;        /* system calls a loop; negative: not counted */
    double instructions; /* a loop; negative: not counted */
    json_t *resident;    /* over time, as resident_to_json() says it; owned; NULL: too short to be seen */
} row_counters_t;

typedef struct workload_result {
    pair_t *pairs; /* owned */
    size_t pair_count;
    size_t pair_room;
    sample_t memory[ARM_COUNT];
    row_counters_t counters[ARM_COUNT]; /* of a row, when they were asked for */
    bool calibrated;                    /* the plan has its rounds; for rows */
    char reasons[ARM_COUNT][256];       /* why an arm does not take part in this row alone; empty when it does */
} workload_result_t;

/* Stock first, Cubby second, in every pair of numbers. */
typedef struct startup_result {
    double *milliseconds[2]; /* owned; of each pair */
    double *rss_kib[2];      /* owned */
    size_t pairs;            /* that have been timed */
    size_t memory_pairs;
} startup_result_t;

typedef struct experiment {
    plan_t plan;
    arm_set_t arms;
    machine_t machine;
    char python[PATH_MAX];
    char seeds[PATH_MAX];       /* folder of the workloads' programs */
    char native[PATH_MAX + 32]; /* the program of the native rows, or empty */
    FILE *journal;              /* or NULL; see journal.h */
    uint64_t seed;
    stats_rng_t rng;
    progress_t progress;
    figure_list_t figures;
    const workload_t *workloads; /* workload_table, or the rows of a suite */
    size_t workload_count;
    bool rows; /* they are rows: what fails is left out of its row alone, and stock is paired with itself as well */
    workload_result_t results[WORKLOAD_MAX];
    startup_result_t startup;
    json_t *native_report; /* owned; NULL when there is none */
    char native_reason[256];
    bool failed;    /* an arm was dropped, or the native program failed */
    bool abandoned; /* stock itself failed: there is nothing to compare with */
} experiment_t;

/* The numbers of the quick form and of the full one. */
void plan_fill(plan_t *plan, bool quick);

/* Seconds that the experiment will take, roughly. */
double experiment_estimate(const experiment_t *experiment);

/* Of one pair, run one way round. */
double experiment_pair_estimate(const experiment_t *experiment, workload_id_t workload);

double experiment_timing_estimate(const experiment_t *experiment, workload_id_t workload);
double experiment_memory_estimate(const experiment_t *experiment);
double experiment_startup_estimate(const experiment_t *experiment);

/* Does all of it. False when it was interrupted; interrupt_watch() must have been called. */
bool experiment_run(experiment_t *experiment);

/* The parts. Each is false when it was interrupted. */
bool timing_run(experiment_t *experiment, workload_id_t workload);
bool memory_run(experiment_t *experiment);
bool startup_run(experiment_t *experiment);
bool native_run(experiment_t *experiment);

/*
 * One block of a row: each of the arms beside stock, both ways round. What is drawn for it (the order, the hash seeds)
 * depends on the seed, the row and the pass alone, not on which arms take part.
 */
bool timing_block_run(experiment_t *experiment, workload_id_t workload, size_t pass, const bool arms[ARM_COUNT]);

/* What a row has of an arm. */
typedef struct timing_state {
    size_t blocks; /* each a pair both ways round */
    double width;  /* of the interval, a share of the ratio; infinite where there are too few pairs */
    bool enough;   /* narrower than was asked for */
} timing_state_t;

/* The state before a pass, by the pairs of the passes before it alone. */
timing_state_t timing_state(const experiment_t *experiment, workload_id_t workload, arm_id_t arm, size_t pass);

/* Adds a pair to a workload's, which takes over what it holds. */
void pair_keep(workload_result_t *result, const pair_t *pair);

/* True when the arm takes part in a workload. */
bool experiment_arm_is_in(const experiment_t *experiment, workload_id_t workload, arm_id_t arm);

/* Notes that an arm failed; for stock, that the experiment is over. */
void experiment_drop(experiment_t *experiment, arm_id_t arm, const char *reason);

/* Notes that an arm failed in a workload: where these are rows, it is left out of that one alone. */
void experiment_fail(experiment_t *experiment, workload_id_t workload, arm_id_t arm, const char *reason);

/* Frees what the results hold. */
void experiment_clear(experiment_t *experiment);

#endif
