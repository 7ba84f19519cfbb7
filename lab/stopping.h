/* SPDX-License-Identifier: MIT */
/*
 * When a row has enough pairs of an arm.
 *
 * The rule looks at how far the pairs scatter and never at which side they favour, only after whole blocks (each pair
 * run both ways round), and not before there are STOPPING_PAIRS_LEAST: with fewer, a scatter that is small by chance
 * would end many rows too early. After those, pairs go where they are needed: a pass takes the quarter of what is still
 * open whose intervals are the widest, so that all come out about as wide when the time is over. A quarter, and not the
 * widest alone, so that the pairs of a row are spread over the run. tests/cli/noise_test.c measures what both do to
 * false alarms and to the interval.
 */
#ifndef CUBBY_LAB_STOPPING_H
#define CUBBY_LAB_STOPPING_H

#include <stdbool.h>
#include <stddef.h>

enum {
    STOPPING_PAIRS_LEAST = 12,
    STOPPING_PASSES_LEAST = STOPPING_PAIRS_LEAST / 2, /* over all rows */
    STOPPING_PASSES_MOST = 60, /* unless another number was asked for: a row that scatters more ends there */
};

/*
 * True when Student's 95 % interval of the ratios with these logarithms is narrower than width, which is a share of
 * the ratio: 0.01 is one percent from end to end. Never with a width of 0.
 */
bool stopping_is_due(const double *logarithms, size_t count, double width);

/* How wide that interval is; infinite with fewer than two values. */
double stopping_width(const double *logarithms, size_t count);

/* Marks a quarter of the widths, rounded up: the greatest, and of equal ones the first. Unmarks the others. */
void stopping_widest(const double *widths, size_t count, bool *widest);

#endif
