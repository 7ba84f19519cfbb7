/* SPDX-License-Identifier: MIT */
#include "lab/threads/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Puts a figure of the arm's good runs into values; returns how many. */
static size_t figure_collect(const threads_t *threads, threads_form_t form, size_t row, arm_id_t arm, int figure,
                             double *values)
{
    size_t count = 0;
    for (size_t round = 0; round < threads->rounds[form]; round++) {
        const threads_sample_t *sample = threads_sample(threads, form, row, round, arm);
        if (sample->good) {
            values[count++] = sample->figures[figure];
        }
    }
    return count;
}

/* The logarithms of the arm's time over Cubby's, in each round that has both; returns how many. */
static size_t ratios_collect(const threads_t *threads, threads_form_t form, size_t row, arm_id_t arm, double *values)
{
    size_t count = 0;
    for (size_t round = 0; round < threads->rounds[form]; round++) {
        const threads_sample_t *sample = threads_sample(threads, form, row, round, arm);
        const threads_sample_t *cubby = threads_sample(threads, form, row, round, ARM_CUBBY);
        if (sample->good && cubby->good) {
            values[count++] = log(sample->figures[FIGURE_WALL] / cubby->figures[FIGURE_WALL]);
        }
    }
    return count;
}

void threads_summarize(const threads_t *threads, threads_form_t form, size_t row, arm_id_t arm,
                       threads_summary_t *summary)
{
    memset(summary, 0, sizeof *summary);
    double *values = calloc(threads->rounds[form], sizeof *values);
    if (values == NULL) {
        return;
    }
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        summary->runs = figure_collect(threads, form, row, arm, figure, values);
        if (summary->runs > 0) {
            summary->medians[figure] = stats_median(values, summary->runs);
        }
    }
    summary->time = (stats_estimate_t){.value = 1};
    summary->compared = ratios_collect(threads, form, row, arm, values);
    if (arm != ARM_CUBBY && summary->compared > 0) {
        stats_rng_t rng;
        stats_rng_seed(&rng, threads->seed);
        summary->time = stats_ratio(values, summary->compared, &rng);
    }
    free(values);
}

void threads_judge(const threads_t *threads, threads_form_t form, size_t row, verdict_t *verdict)
{
    threads_summary_t summary;
    threads_summarize(threads, form, row, ARM_CUBBY, &summary);
    verdict_begin(verdict, (long long)summary.medians[FIGURE_PEAK]);
    for (arm_id_t arm = 0; summary.runs > 0 && arm < ARM_COUNT; arm++) {
        threads_summary_t other;
        if (arm != ARM_CUBBY && arm_is_in(&threads->arms.arms[arm])) {
            threads_summarize(threads, form, row, arm, &other);
            verdict_add(verdict, arm, other.compared > 0 ? other.time.value : INFINITY,
                        (long long)other.medians[FIGURE_PEAK]);
        }
    }
    verdict_end(verdict);
}
