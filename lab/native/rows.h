/* SPDX-License-Identifier: MIT */
/* The table of a program whose rows are two arms each: what an operation of the one takes beside one of the other. */
#ifndef CUBBY_LAB_NATIVE_ROWS_H
#define CUBBY_LAB_NATIVE_ROWS_H

#include "timing.h"

#include <stdbool.h>

typedef struct row {
    const char *name;
    const char *against; /* what the rival is */
    timing_arm_t arm;
    timing_arm_t rival;
} row_t;

/* Takes the arguments: none, or --json. False, having said what they are, when they are others. */
bool rows_options_take(const char *program, int argc, char **argv, bool *json);

/* Runs all rows and prints them as they come: a table, or one line of JSON. */
void rows_run(const row_t *rows, size_t count, bool json);

#endif
