/* SPDX-License-Identifier: MIT */
#include "lab/native_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool entry_is(const native_pair_t *pair, native_entry_t entry)
{
    return pair->entry.arm == entry.arm && pair->entry.variant == entry.variant;
}

/* Puts a figure of the entry's runs into values; returns how many. The base has one in every pair. */
static size_t figure_collect(const native_result_t *result, native_entry_t entry, size_t figure, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++) {
        const native_pair_t *pair = &result->pairs[i];
        if (native_is_base(entry)) {
            values[count++] = pair->base.figures[figure];
        } else if (entry_is(pair, entry)) {
            values[count++] = pair->sample.figures[figure];
        }
    }
    return count;
}

static size_t ratios_collect(const native_result_t *result, native_entry_t entry, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < result->count; i++) {
        const native_pair_t *pair = &result->pairs[i];
        if (entry_is(pair, entry)) {
            values[count++] = log(pair->sample.figures[NATIVE_TIME] / pair->base.figures[NATIVE_TIME]);
        }
    }
    return count;
}

void native_summarize(const native_t *native, size_t row, native_entry_t entry, native_summary_t *summary)
{
    const native_result_t *result = &native->results[row];
    *summary = (native_summary_t){.time = {.value = 1}};
    double *values = calloc(result->count + 1, sizeof *values);
    if (values == NULL) {
        return;
    }
    for (size_t figure = 0; figure < NATIVE_COUNTERS + native->kind->counter_count; figure++) {
        summary->pairs = figure_collect(result, entry, figure, values);
        if (summary->pairs > 0) {
            summary->medians[figure] = stats_median(values, summary->pairs);
        }
    }
    if (!native_is_base(entry) && ratios_collect(result, entry, values) > 0) {
        stats_rng_t rng;
        stats_rng_seed(&rng, native->seed);
        summary->time = stats_ratio(values, summary->pairs, &rng);
    }
    free(values);
}

void native_judge(const native_t *native, size_t row, verdict_t *verdict)
{
    native_summary_t summary;
    native_summarize(native, row, (native_entry_t){ARM_CUBBY, 0}, &summary);
    verdict_begin(verdict, (long long)summary.medians[NATIVE_PEAK]);
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        for (size_t variant = 0; arm != ARM_CUBBY && variant < native->kind->variant_count; variant++) {
            native_summarize(native, row, (native_entry_t){arm, variant}, &summary);
            if (summary.pairs > 0 && arm_is_in(&native->arms.arms[arm])) {
                verdict_add(verdict, arm, summary.time.value, (long long)summary.medians[NATIVE_PEAK]);
            }
        }
    }
    verdict_end(verdict);
}
