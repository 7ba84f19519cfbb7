/* SPDX-License-Identifier: MIT */
/*
 * `cubby bench spans`: large blocks on Cubby, libc and the peers. What is to be done, and what has come out so far.
 *
 *   timing    pairs (Cubby, arm) run at the same time on two cores, then with the cores swapped.
 *   memory    one run more for each row and arm, untimed: faults, peak, and what is resident after two seconds of light
 *             work.
 *   calls     one run more, under strace, which counts the system calls; a row that does nothing is taken off.
 *
 * A row is a number of loops, and its figures are those of one loop: an arm that is slow may do fewer of them.
 */
#ifndef CUBBY_LAB_SPANS_SUITE_H
#define CUBBY_LAB_SPANS_SUITE_H

#include "lab/arm.h"
#include "lab/machine.h"
#include "lab/progress.h"
#include "lab/stats.h"

#include <jansson.h>

#define SPANS_SETTLE_SECONDS 2.0

enum { SPANS_ROW_COUNT = 26 };

typedef enum spans_group { SPANS_WRITE, SPANS_TOUCH, SPANS_OTHER, SPANS_GROUP_COUNT } spans_group_t;

typedef struct spans_row {
    const char *name;
    const char *meaning;
    const char *kind; /* as cubby-spans calls it */
    const char *touch;
    int mib; /* of a block, for a cycle */
    int loops;
    spans_group_t group;
    bool growth;        /* a loop cut short by the limit says only that it takes longer */
    bool quick;         /* is part of the quick form */
    double limit;       /* seconds of processor time a run may take, in the full form and in the quick one */
    double quick_limit; /* 0 without `quick` */
    double seconds;     /* what a run is thought to take on the average of the arms, without a limit */
    long long need_kib; /* what a run may have resident */
} spans_row_t;

extern const spans_row_t spans_rows[SPANS_ROW_COUNT];

/* What one process reported, by loop. */
typedef struct spans_sample {
    bool good;
    bool finished;  /* false: a growth that was cut short */
    double seconds; /* processor time */
    double elapsed;
    double faults;
    long loops;
    long long peak_kib;
    long long settled_kib; /* 0 in timing runs */
    json_t *raw;           /* owned */
} spans_sample_t;

typedef struct spans_pair {
    arm_id_t arm; /* beside Cubby */
    int cubby_core;
    int arm_core;
    spans_sample_t cubby;
    spans_sample_t sample;
} spans_pair_t;

typedef struct spans_result {
    spans_pair_t *pairs; /* owned */
    size_t pair_count;
    size_t pair_room;
    spans_sample_t memory[ARM_COUNT];
    double calls[ARM_COUNT]; /* system calls a loop; negative: not counted */
} spans_result_t;

typedef struct spans {
    bool quick;
    size_t swaps; /* pairs of each arm, each run both ways round */
    bool selected[SPANS_ROW_COUNT];
    arm_set_t arms;
    machine_t machine;
    char program[PATH_MAX + 32];
    char strace[PATH_MAX]; /* or empty, with the reason */
    char strace_reason[256];
    uint64_t seed;
    stats_rng_t rng;
    progress_t progress;
    double start_calls[ARM_COUNT]; /* of a process that does nothing; negative: not counted */
    spans_result_t results[SPANS_ROW_COUNT];
    bool failed;    /* an arm was dropped */
    bool abandoned; /* Cubby itself failed */
} spans_t;

/* The rows and numbers of the quick form and of the full one. Rows that need more than half the memory are left out. */
void spans_plan(spans_t *spans, bool quick);

/* Selects rows by a comma-separated list of names, or beginnings of names. False, with the first wrong one. */
bool spans_select(spans_t *spans, const char *list, char *wrong, size_t size);

const char *spans_row_name(size_t row);

/* True when the machine has the memory for the row. */
bool spans_row_fits(const spans_t *spans, size_t row);

double spans_row_limit(const spans_t *spans, size_t row);

/* Seconds that one run of a row, and everything, will take, roughly. */
double spans_run_estimate(const spans_t *spans, size_t row);
double spans_estimate(const spans_t *spans);

/* Does all of it. False when it was interrupted; interrupt_watch() must have been called. */
bool spans_run(spans_t *spans);

/* The parts. Each is false when it was interrupted. */
bool spans_timing_run(spans_t *spans, size_t row);
bool spans_memory_run(spans_t *spans);
bool spans_calls_run(spans_t *spans);

/* Notes that an arm failed; for Cubby, that it is over. */
void spans_drop(spans_t *spans, arm_id_t arm, const char *reason);

/* Frees what the results hold. */
void spans_clear(spans_t *spans);

#endif
