/* SPDX-License-Identifier: MIT */
#include "lab/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The generator of a bootstrap: always from its start, so that a figure does not depend on what was asked before. */
static stats_rng_t bootstrap_rng(const experiment_t *experiment)
{
    stats_rng_t rng;
    stats_rng_seed(&rng, experiment->seed);
    return rng;
}

/* The columns of the pairs that count, of one arm beside one base. */
enum { COLUMN_BASE, COLUMN_ARM, COLUMN_BUSY, COLUMN_ELAPSED, COLUMN_PEAK, COLUMN_FAULTS, COLUMN_COUNT };

/* Fills the columns, which have `room` numbers each, and counts. */
static void columns_fill(const workload_result_t *result, arm_id_t base, arm_id_t arm, double *columns,
                         summary_t *summary)
{
    size_t room = result->pair_count;
    for (size_t i = 0; i < room; i++) {
        const pair_t *pair = &result->pairs[i];
        if (pair->base != base || pair->arm != arm) {
            continue;
        }
        if (pair->excluded != 0) {
            summary->excluded++;
            continue;
        }
        const double numbers[COLUMN_COUNT] = {
            [COLUMN_BASE] = pair->base_sample.cpu_seconds,
            [COLUMN_ARM] = pair->arm_sample.cpu_seconds,
            [COLUMN_BUSY] = log(pair->base_sample.cpu_seconds / pair->arm_sample.cpu_seconds),
            [COLUMN_ELAPSED] = log(pair->base_sample.wall_seconds / pair->arm_sample.wall_seconds),
            [COLUMN_PEAK] = (double)pair->arm_sample.peak_kib,
            [COLUMN_FAULTS] = (double)pair->arm_sample.minor_faults,
        };
        for (size_t column = 0; column < COLUMN_COUNT; column++) {
            columns[column * room + summary->pairs] = numbers[column];
        }
        summary->pairs++;
    }
}

bool summary_make(const experiment_t *experiment, workload_id_t workload, arm_id_t base, arm_id_t arm,
                  summary_t *summary)
{
    const workload_result_t *result = &experiment->results[workload];
    size_t room = result->pair_count;
    memset(summary, 0, sizeof *summary);
    double *columns = calloc(COLUMN_COUNT * room + 1, sizeof *columns);
    if (columns == NULL) {
        return false;
    }
    columns_fill(result, base, arm, columns, summary);
    size_t pairs = summary->pairs;
    if (pairs > 0) {
        stats_rng_t rng = bootstrap_rng(experiment);
        summary->speedup = stats_ratio(columns + COLUMN_BUSY * room, pairs, &rng);
        summary->elapsed = stats_ratio(columns + COLUMN_ELAPSED * room, pairs, &rng);
        summary->student = inference_t_ratio(columns + COLUMN_BUSY * room, pairs);
        summary->signed_rank = inference_signed_rank(columns + COLUMN_BUSY * room, pairs);
        summary->pooled = inference_pooled_t(columns + COLUMN_BASE * room, pairs, columns + COLUMN_ARM * room, pairs);
        summary->median_seconds = stats_median(columns + COLUMN_ARM * room, pairs);
        summary->median_peak_kib = stats_median(columns + COLUMN_PEAK * room, pairs);
        summary->median_faults = stats_median(columns + COLUMN_FAULTS * room, pairs);
    }
    free(columns);
    return pairs > 0;
}

bool summary_fastest_peer(const experiment_t *experiment, workload_id_t workload, arm_id_t *fastest)
{
    double best = 0;
    for (arm_id_t arm = ARM_STOCK + 1; arm < ARM_COUNT; arm++) {
        const arm_t *candidate = &experiment->arms.arms[arm];
        summary_t summary;
        if (!candidate->peer || !arm_is_in(candidate) ||
            !summary_make(experiment, workload, ARM_STOCK, arm, &summary)) {
            continue;
        }
        if (summary.speedup.value > best) {
            best = summary.speedup.value;
            *fastest = arm;
        }
    }
    return best > 0;
}

/* The logarithms of the speedups of arm over stock; returns how many. */
static size_t logarithms_fill(const workload_result_t *result, arm_id_t arm, double *logarithms)
{
    size_t count = 0;
    for (size_t i = 0; i < result->pair_count; i++) {
        const pair_t *pair = &result->pairs[i];
        if (pair->base == ARM_STOCK && pair->arm == arm) {
            logarithms[count++] = log(pair->base_sample.cpu_seconds / pair->arm_sample.cpu_seconds);
        }
    }
    return count;
}

bool summary_peer(const experiment_t *experiment, workload_id_t workload, peer_summary_t *summary)
{
    const workload_result_t *result = &experiment->results[workload];
    memset(summary, 0, sizeof *summary);
    double *logarithms = calloc(2 * result->pair_count + 1, sizeof *logarithms);
    if (logarithms == NULL || !summary_fastest_peer(experiment, workload, &summary->peer)) {
        free(logarithms);
        return false;
    }
    double *peers = logarithms + result->pair_count;
    size_t count = logarithms_fill(result, ARM_CUBBY, logarithms);
    size_t peer_count = logarithms_fill(result, summary->peer, peers);
    if (count > 0) {
        summary_t direct;
        stats_rng_t rng = bootstrap_rng(experiment);
        summary->through_stock = stats_ratio_between(logarithms, count, peers, peer_count, &rng);
        if (summary_make(experiment, workload, summary->peer, ARM_CUBBY, &direct)) {
            summary->pairs = direct.pairs;
            summary->direct = direct.speedup;
        }
    }
    free(logarithms);
    return count > 0;
}

double summary_base_seconds(const experiment_t *experiment, workload_id_t workload, arm_id_t base)
{
    const workload_result_t *result = &experiment->results[workload];
    double *seconds = calloc(result->pair_count + 1, sizeof *seconds);
    size_t count = 0;
    if (seconds == NULL) {
        return 0;
    }
    for (size_t i = 0; i < result->pair_count; i++) {
        if (result->pairs[i].base == base) {
            seconds[count++] = result->pairs[i].base_sample.cpu_seconds;
        }
    }
    double median = count > 0 ? stats_median(seconds, count) : 0;
    free(seconds);
    return median;
}

stats_estimate_t estimate_invert(stats_estimate_t estimate)
{
    double low = estimate.interval.low;
    estimate.value = 1 / estimate.value;
    estimate.interval.low = 1 / estimate.interval.high;
    estimate.interval.high = 1 / low;
    return estimate;
}

/* Medians of two columns and of their differences. */
static bool columns_compare(const experiment_t *experiment, double *const columns[2], size_t count, double *stock,
                            double *cubby, stats_estimate_t *difference)
{
    double *copy = calloc(count + 1, sizeof *copy);
    if (copy == NULL || count == 0) {
        free(copy);
        return false;
    }
    stats_rng_t rng = bootstrap_rng(experiment);
    for (size_t i = 0; i < count; i++) {
        copy[i] = columns[1][i] - columns[0][i];
    }
    *difference = stats_bootstrap(copy, count, stats_median, &rng);
    memcpy(copy, columns[0], count * sizeof *copy);
    *stock = stats_median(copy, count);
    memcpy(copy, columns[1], count * sizeof *copy);
    *cubby = stats_median(copy, count);
    free(copy);
    return true;
}

bool summary_startup(const experiment_t *experiment, startup_summary_t *summary)
{
    const startup_result_t *result = &experiment->startup;
    memset(summary, 0, sizeof *summary);
    return columns_compare(experiment, result->rss_kib, result->memory_pairs, &summary->stock_rss_kib,
                           &summary->cubby_rss_kib, &summary->rss_kib) &&
           columns_compare(experiment, result->milliseconds, result->pairs, &summary->stock_milliseconds,
                           &summary->cubby_milliseconds, &summary->milliseconds);
}
