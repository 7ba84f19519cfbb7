/* SPDX-License-Identifier: MIT */
/*
 * `cubby bench threads`: several threads on Cubby, libc and the peers. What is to be done, and what has come out so
 * far.
 *
 *   few     two threads (one in `single`) on two cores. Both cores are busy in each run, so there is nothing that could
 *           run beside it: in a round all arms follow each other in a random order, and their times are compared within
 *           the round.
 *   many    64 threads, for what grows with their number. On two cores time shows little of it; Cubby counts the locks
 *           that it takes, those it had to wait for, and the parcels between threads.
 *
 * A row is a number of operations, and its figures are those of one, but for the size.
 */
#ifndef CUBBY_LAB_THREADS_SUITE_H
#define CUBBY_LAB_THREADS_SUITE_H

#include "lab/arm.h"
#include "lab/machine.h"
#include "lab/progress.h"
#include "lab/stats.h"

#include <jansson.h>

enum { THREADS_ROW_COUNT = 7, THREADS_MANY_COUNT = 64 };

typedef enum threads_form { THREADS_FEW, THREADS_MANY, THREADS_FORM_COUNT } threads_form_t;

typedef struct threads_row {
    const char *name; /* as cubby-threads calls it */
    const char *meaning;
    int threads;                         /* in the form with few */
    long operations[THREADS_FORM_COUNT]; /* in a run of the full form; 0: it has no such form */
    double seconds[THREADS_FORM_COUNT];  /* what that is thought to take on the average of the arms */
} threads_row_t;

extern const threads_row_t threads_rows[THREADS_ROW_COUNT];

typedef enum threads_figure {
    FIGURE_WALL, /* seconds from the first thread's birth to the last one's end */
    FIGURE_CPU,  /* processor seconds of all threads */
    FIGURE_FAULTS,
    FIGURE_PEAK, /* KiB; all others are of one operation */
    FIGURE_TAKES,
    FIGURE_WAITS,
    FIGURE_PARCELS,
    FIGURE_COUNT,
    FIGURE_COUNTERS = FIGURE_TAKES, /* from here on Cubby's alone */
} threads_figure_t;

/* What one process reported. */
typedef struct threads_sample {
    bool good;
    size_t place; /* in its round, from 0 */
    double figures[FIGURE_COUNT];
    json_t *raw; /* owned */
} threads_sample_t;

/* Those of one row in one form. */
typedef struct threads_result {
    threads_sample_t *samples; /* owned; ARM_COUNT for each round */
} threads_result_t;

typedef struct threads {
    bool quick;
    size_t rounds[THREADS_FORM_COUNT];
    bool selected[THREADS_ROW_COUNT];
    arm_set_t arms;
    machine_t machine;
    char program[PATH_MAX + 32];
    uint64_t seed;
    stats_rng_t rng;
    progress_t progress;
    threads_result_t results[THREADS_FORM_COUNT][THREADS_ROW_COUNT];
    bool failed;    /* an arm was dropped */
    bool abandoned; /* Cubby itself failed */
} threads_t;

/* All rows, and the numbers of the quick form or of the full one. */
void threads_plan(threads_t *threads, bool quick);

/* Selects rows by a comma-separated list of names, or beginnings of names. False, with the first wrong one. */
bool threads_select(threads_t *threads, const char *list, char *wrong, size_t size);

const char *threads_row_name(size_t row);

/* True when the row is selected and has the form. */
bool threads_row_is_in(const threads_t *threads, threads_form_t form, size_t row);

/* What a run does. */
long threads_row_operations(const threads_t *threads, threads_form_t form, size_t row);
int threads_row_threads(threads_form_t form, size_t row);

/* Seconds that one run of a row, and everything, will take, roughly. */
double threads_run_estimate(const threads_t *threads, threads_form_t form, size_t row);
double threads_estimate(const threads_t *threads);

/* Does all of it. False when it was interrupted; interrupt_watch() must have been called. */
bool threads_run(threads_t *threads);

/* The sample of an arm in a round. */
threads_sample_t *threads_sample(const threads_t *threads, threads_form_t form, size_t row, size_t round, arm_id_t arm);

/* Frees what the results hold. */
void threads_clear(threads_t *threads);

#endif
