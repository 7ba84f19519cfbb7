/* SPDX-License-Identifier: MIT */
#include "lab/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Neighbouring seeds are spread over all bits by one step of splitmix64, which maps only one seed to zero. */
void stats_rng_seed(stats_rng_t *rng, uint64_t seed)
{
    uint64_t mixed = seed + UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    mixed ^= mixed >> 31;
    rng->state = mixed != 0 ? mixed : 1;
}

uint64_t stats_rng_next(stats_rng_t *rng)
{
    uint64_t state = rng->state;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    rng->state = state;
    return state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Scales the upper 32 bits, the better ones. The bias is bound / 2^32, far below what an experiment could see. */
size_t stats_rng_below(stats_rng_t *rng, size_t bound)
{
    return (size_t)(((stats_rng_next(rng) >> 32) * (uint64_t)bound) >> 32);
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

double stats_mean(double *values, size_t count)
{
    return mean(values, count);
}

static int double_compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double stats_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, double_compare);
    return stats_quantile(values, count, 0.5);
}

double stats_quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Fills outcomes with the statistic of STATS_RESAMPLES samples drawn with replacement. */
static void values_resample(const double *values, size_t count, stats_statistic_t statistic, stats_rng_t *rng,
                            double *drawn, double *outcomes)
{
    for (size_t sample = 0; sample < STATS_RESAMPLES; sample++) {
        for (size_t i = 0; i < count; i++) {
            drawn[i] = values[stats_rng_below(rng, count)];
        }
        outcomes[sample] = statistic(drawn, count);
    }
}

stats_estimate_t stats_bootstrap(const double *values, size_t count, stats_statistic_t statistic, stats_rng_t *rng)
{
    stats_estimate_t estimate = {.value = NAN};
    double *drawn = malloc((count + STATS_RESAMPLES) * sizeof *drawn);
    if (drawn == NULL) {
        return estimate;
    }
    memcpy(drawn, values, count * sizeof *drawn);
    estimate.value = statistic(drawn, count);
    if (count > 1) {
        double *outcomes = drawn + count;
        values_resample(values, count, statistic, rng, drawn, outcomes);
        qsort(outcomes, STATS_RESAMPLES, sizeof *outcomes, double_compare);
        estimate.interval.low = stats_quantile(outcomes, STATS_RESAMPLES, 0.025);
        estimate.interval.high = stats_quantile(outcomes, STATS_RESAMPLES, 0.975);
        estimate.known = true;
    }
    free(drawn);
    return estimate;
}

stats_estimate_t stats_ratio(const double *logarithms, size_t count, stats_rng_t *rng)
{
    stats_estimate_t estimate = stats_bootstrap(logarithms, count, stats_mean, rng);
    estimate.value = exp(estimate.value);
    estimate.interval.low = exp(estimate.interval.low);
    estimate.interval.high = exp(estimate.interval.high);
    return estimate;
}

/* The mean of a sample drawn with replacement. */
static double mean_redraw(const double *values, size_t count, stats_rng_t *rng)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[stats_rng_below(rng, count)];
    }
    return sum / (double)count;
}

stats_estimate_t stats_ratio_between(const double *logarithms, size_t count, const double *under, size_t under_count,
                                     stats_rng_t *rng)
{
    stats_estimate_t estimate = {.value = exp(mean(logarithms, count) - mean(under, under_count))};
    double *outcomes = malloc(STATS_RESAMPLES * sizeof *outcomes);
    if (outcomes == NULL || count < 2 || under_count < 2) {
        free(outcomes);
        return estimate;
    }
    for (size_t i = 0; i < STATS_RESAMPLES; i++) {
        outcomes[i] = mean_redraw(logarithms, count, rng) - mean_redraw(under, under_count, rng);
    }
    qsort(outcomes, STATS_RESAMPLES, sizeof *outcomes, double_compare);
    estimate.interval.low = exp(stats_quantile(outcomes, STATS_RESAMPLES, 0.025));
    estimate.interval.high = exp(stats_quantile(outcomes, STATS_RESAMPLES, 0.975));
    estimate.known = true;
    free(outcomes);
    return estimate;
}
