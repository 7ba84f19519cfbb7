/* SPDX-License-Identifier: MIT */
/* Tables of recorded results, in the form of 2016: Benchmark, %D, sorted. */
#ifndef CUBBY_LAB_COMPARISON_H
#define CUBBY_LAB_COMPARISON_H

#include "lab/recorded.h"

#include <stdio.h>

/* Which rows, as names between commas, or NULL for all. */
typedef struct comparison {
    const char *base;
    const char *arm; /* NULL: each */
    const char *rows;
} comparison_t;

/* Two arms, the way round in which they are shown: "arm over base". */
typedef struct comparison_view {
    const char *base;
    const char *arm;
} comparison_view_t;

/* The change of 2016 is stock over list-libc, so these two are turned round. */
comparison_view_t comparison_view(const char *base, const char *arm);

/* Whether the row is one of those wanted. */
bool comparison_wants(const comparison_t *wanted, const char *row);

/* The arms of a file beside the base. Returns how many tables there were. */
size_t comparison_print(const recorded_t *recorded, const comparison_t *wanted, FILE *stream);

/* The arms over the base, in the first file and in the second. Returns how many tables there were. */
size_t comparison_print_two(const recorded_t *then, const recorded_t *now, const comparison_t *wanted, FILE *stream);

#endif
