/* SPDX-License-Identifier: MIT */
/*
 * What pairs allow to be said: whether a row changed, and by how much at least and at most.
 *
 * The test is Wilcoxon's signed-rank test on the logarithms of the pairs' ratios: it asks only that noise is as likely
 * to favour one side as the other, which swapping the cores sees to. A suite asks it of many rows, of which some look
 * changed by chance alone; so its answers are adjusted by Benjamini and Hochberg's step-up rule. Student's interval
 * stands beside that of the bootstrap, which is too narrow for few pairs. The pooled t is what the tables of 2016 were
 * judged by; it takes the two sides as if they had nothing to do with each other.
 */
#ifndef CUBBY_LAB_INFERENCE_H
#define CUBBY_LAB_INFERENCE_H

#include "lab/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* A change is believed when at most one in twenty of those that are believed is expected to be none. */
#define INFERENCE_FALSE_DISCOVERIES 0.05

enum { INFERENCE_EXACT_MAX = 50 }; /* values for which all signs are counted; beyond, the normal law */

/*
 * The probability that values as lopsided as these, or more, have no preferred sign; two-sided. Zeros say nothing and
 * are left out, equal sizes share their rank. 1 when nothing is left, negative when there is no memory.
 */
double inference_signed_rank(const double *values, size_t count);

/*
 * Adjusts the probabilities of a family of tests: of all tests whose adjusted value is at most a share, about that
 * share is expected to be false. adjusted may be the same array. False, with adjusted untouched, without memory.
 */
bool inference_adjust(const double *probabilities, size_t count, double *adjusted);

/* How far Student's t with so many degrees of freedom lies from zero in 95 % of all cases. degrees is at least 1. */
double inference_t_bound(size_t degrees);

/* Geometric mean of ratios that are given by their logarithms, with Student's 95 % interval. count is at least 1. */
stats_estimate_t inference_t_ratio(const double *logarithms, size_t count);

/* Student's t of two samples with pooled variance, as in 2016. */
typedef struct pooled_t {
    double t; /* positive where the first sample's mean is the greater */
    size_t degrees;
    bool significant; /* beyond the 95 % bound */
    bool known;       /* false: fewer than two values on a side, or no spread at all */
} pooled_t_t;

pooled_t_t inference_pooled_t(const double *first, size_t first_count, const double *second, size_t second_count);

#endif
