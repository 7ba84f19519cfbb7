/* SPDX-License-Identifier: MIT */
/*
 * The statistics of the experiments.
 *
 * The unit is one pair of processes that ran at the same time. Each pair gives one number, the logarithm of its time
 * ratio; logarithms are averaged, so that 2x and 0.5x cancel. The interval comes from the bootstrap: draw as many
 * pairs as there are, with replacement, ten thousand times, and cut 2.5 % off each end of what comes out. Nothing is
 * assumed about the shape of the noise, only that the pairs are independent.
 */
#ifndef CUBBY_LAB_STATS_H
#define CUBBY_LAB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A small generator (xorshift64*): the same seed gives the same experiment on every machine. */
typedef struct stats_rng {
    uint64_t state; /* never zero */
} stats_rng_t;

typedef struct stats_interval {
    double low;
    double high;
} stats_interval_t;

/* A figure with its 95 % interval; known is false when fewer than two values leave nothing to say about spread. */
typedef struct stats_estimate {
    double value;
    stats_interval_t interval;
    bool known;
} stats_estimate_t;

/* Reduces values to one figure; may reorder them. count is at least 1. */
typedef double (*stats_statistic_t)(double *values, size_t count);

enum { STATS_RESAMPLES = 10000 };

/* Any seed is good, zero included. */
void stats_rng_seed(stats_rng_t *rng, uint64_t seed);

uint64_t stats_rng_next(stats_rng_t *rng);

/* A number from 0 to bound - 1; bound is at least 1 and at most 2^32. */
size_t stats_rng_below(stats_rng_t *rng, size_t bound);

double stats_mean(double *values, size_t count);

/* The middle value, or the mean of the two middle ones. Sorts the values. */
double stats_median(double *values, size_t count);

/* The share-quantile (0 to 1) of sorted values, interpolated between neighbours. */
double stats_quantile(const double *sorted, size_t count, double share);

/* The statistic of the values (which keep their order) with its bootstrap interval. count is at least 1. */
stats_estimate_t stats_bootstrap(const double *values, size_t count, stats_statistic_t statistic, stats_rng_t *rng);

/*
 * The ratio of two geometric means, of which each has logarithms of its own; its interval resamples both. Neither count
 * is 0.
 */
stats_estimate_t stats_ratio_between(const double *logarithms, size_t count, const double *under, size_t under_count,
                                     stats_rng_t *rng);

/* Geometric mean of ratios that are given by their logarithms, with its interval. count is at least 1. */
stats_estimate_t stats_ratio(const double *logarithms, size_t count, stats_rng_t *rng);

#endif
