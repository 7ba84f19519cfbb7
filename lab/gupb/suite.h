/* SPDX-License-Identifier: MIT */
/*
 * `cubby bench gupb` and `cubby bench pybench`: an experiment whose workloads are the rows of a list.
 *
 *   calibration  each row once under stock: whether it can run here, and how many loops make a process long enough.
 *   passes       in each pass every row has one block of pairs: (stock, arm) for all arms in a random order, and stock
 *                beside itself, which shows what noise alone makes. After a pass every row has as many pairs as the
 *                others, so that it can end there when its time is over. Where a width was asked for, an arm of a row
 *                takes no part any more as soon as its interval is narrower, and after the first passes only the widest
 *                take part; see stopping.h.
 */
#ifndef CUBBY_LAB_GUPB_SUITE_H
#define CUBBY_LAB_GUPB_SUITE_H

#include "lab/experiment.h"
#include "lab/gupb/rows.h"

typedef struct gupb {
    const char *suite; /* its name */
    bool even;         /* the environments of all arms are of one size */
    row_list_t list;
    size_t passes; /* blocks of an arm that a row may have */
    double budget; /* seconds after which no pass begins; 0: none */
    bool ended;    /* by the budget */
    size_t passes_done;
    bool counters;         /* they were asked for; see counters.h */
    char strace[PATH_MAX]; /* or empty */
    char valgrind[PATH_MAX];
    experiment_t experiment; /* plan, arms, pairs */
} gupb_t;

/* The numbers of the quick form and of the full one, and all rows; `list` has been read. */
void gupb_plan(gupb_t *gupb, bool quick);

/* Lets an arm of a row end when its interval is narrower than width, a share, and others go on for many more passes. */
void gupb_width_take(gupb_t *gupb, double width);

/* Seconds that the passes will take, roughly; after calibration. */
double gupb_estimate(const gupb_t *gupb);

/* What is left of it, for when it ended before every interval was narrow enough. */
typedef struct gupb_left {
    size_t intervals; /* of all arms and rows */
    size_t wider;     /* that are not narrower than was asked for, or of too few pairs */
    double width;     /* of the widest, a share; infinite with too few pairs */
    size_t row;       /* which one that is */
    arm_id_t arm;
    double seconds; /* that the rest would take, roughly */
} gupb_left_t;

void gupb_left_find(const gupb_t *gupb, gupb_left_t *left);

/* Each is false when it was interrupted; interrupt_watch() must have been called. */
bool gupb_calibrate(gupb_t *gupb);
bool gupb_run(gupb_t *gupb);

/* True when the row takes part: it was selected, and it can run here. */
bool gupb_row_is_in(const gupb_t *gupb, size_t row);

#endif
