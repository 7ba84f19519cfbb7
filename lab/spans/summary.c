/* SPDX-License-Identifier: MIT */
#include "lab/spans/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cubby's median over all of its pairs, and whether it was ever cut short. */
static void cubby_summarize(const spans_result_t *result, double *seconds, spans_summary_t *summary)
{
    summary->time = (stats_estimate_t){.value = 1};
    for (size_t i = 0; i < result->pair_count; i++) {
        seconds[summary->pairs++] = result->pairs[i].cubby.seconds;
        summary->at_least = summary->at_least || !result->pairs[i].cubby.finished;
    }
}

void spans_summarize(const spans_t *spans, size_t row, arm_id_t arm, spans_summary_t *summary)
{
    const spans_result_t *result = &spans->results[row];
    memset(summary, 0, sizeof *summary);
    double *seconds = calloc(2 * result->pair_count + 1, sizeof *seconds);
    if (seconds == NULL) {
        return;
    }
    double *ratios = seconds + result->pair_count;
    for (size_t i = 0; arm != ARM_CUBBY && i < result->pair_count; i++) {
        const spans_pair_t *pair = &result->pairs[i];
        if (pair->arm == arm) {
            seconds[summary->pairs] = pair->sample.seconds;
            ratios[summary->pairs++] = log(pair->sample.seconds / pair->cubby.seconds);
            summary->at_least = summary->at_least || !pair->sample.finished;
            summary->unknown = summary->unknown || !pair->cubby.finished;
        }
    }
    if (arm == ARM_CUBBY) {
        cubby_summarize(result, seconds, summary);
    } else if (summary->pairs > 0) {
        stats_rng_t rng;
        stats_rng_seed(&rng, spans->seed);
        summary->time = stats_ratio(ratios, summary->pairs, &rng);
    }
    if (summary->pairs > 0) {
        summary->seconds = stats_median(seconds, summary->pairs);
    }
    free(seconds);
}

void spans_judge(const spans_t *spans, size_t row, verdict_t *verdict)
{
    const spans_result_t *result = &spans->results[row];
    verdict_begin(verdict, result->memory[ARM_CUBBY].settled_kib);
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        spans_summary_t summary;
        if (arm != ARM_CUBBY && arm_is_in(&spans->arms.arms[arm])) {
            spans_summarize(spans, row, arm, &summary);
            bool timed = summary.pairs > 0 && !summary.at_least && !summary.unknown;
            verdict_add(verdict, arm, timed ? summary.time.value : INFINITY, result->memory[arm].settled_kib);
        }
    }
    verdict_end(verdict);
}
