/* SPDX-License-Identifier: MIT */
/* The rows of the suites gupb and pybench: which programs there are, and what was published about them in 2016. */
#ifndef CUBBY_LAB_GUPB_ROWS_H
#define CUBBY_LAB_GUPB_ROWS_H

#include "lab/workload.h"

enum { ROWS_TABLE_COUNT = 4 };

/* A row's words, and its %D in each of the four tables. */
typedef struct row {
    char name[48];
    char file[48];
    char note[80]; /* in what it differs from the row of 2016; or empty */
    double published[ROWS_TABLE_COUNT];
    bool known[ROWS_TABLE_COUNT];
} row_t;

typedef struct row_list {
    size_t count;
    row_t rows[WORKLOAD_MAX];
    workload_t workloads[WORKLOAD_MAX]; /* the same rows, for an experiment; they point into `rows` */
} row_list_t;

extern const folder_spec_t folder_of_gupb;

/*
 * Reads the suite's rows from rows.csv and figures.csv of the folder. False with a reason when these are missing or
 * damaged, or have no row of the suite. The list must stay where it is.
 */
bool rows_read(const char *folder, const char *suite, row_list_t *list, char *reason, size_t size);

/* Selects rows by a comma-separated list of names. False, with the first wrong name, when one is unknown. */
bool rows_select(const row_list_t *list, const char *names, bool selected[WORKLOAD_MAX], char *wrong, size_t size);

#endif
