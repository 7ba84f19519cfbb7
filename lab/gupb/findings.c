/* SPDX-License-Identifier: MIT */
#include "lab/gupb/findings.h"

#include "lab/exclusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {[ROW_UNDECIDED] = "undecided", [ROW_FASTER] = "faster", [ROW_SLOWER] = "slower"};

static verdict_of_row_t verdict_of(const finding_t *finding)
{
    if (finding->adjusted > INFERENCE_FALSE_DISCOVERIES || finding->summary.speedup.value == 1) {
        return ROW_UNDECIDED;
    }
    return finding->summary.speedup.value > 1 ? ROW_FASTER : ROW_SLOWER;
}

size_t findings_make(const gupb_t *gupb, arm_id_t arm, finding_t findings[WORKLOAD_MAX])
{
    double probabilities[WORKLOAD_MAX] = {0};
    size_t count = 0;
    for (size_t row = 0; row < gupb->list.count; row++) {
        finding_t *finding = &findings[count];
        memset(finding, 0, sizeof *finding);
        finding->row = row;
        if (summary_make(&gupb->experiment, row, ARM_STOCK, arm, &finding->summary) &&
            finding->summary.signed_rank >= 0) {
            probabilities[count++] = finding->summary.signed_rank;
        }
    }
    if (!inference_adjust(probabilities, count, probabilities)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        findings[i].adjusted = probabilities[i];
        findings[i].verdict = verdict_of(&findings[i]);
    }
    return count;
}

bool noise_floor_find(const gupb_t *gupb, noise_floor_t *floor)
{
    memset(floor, 0, sizeof *floor);
    finding_t *findings = calloc(WORKLOAD_MAX, sizeof *findings);
    if (findings == NULL) {
        return false;
    }
    floor->rows = findings_make(gupb, ARM_STOCK, findings);
    double sum = 0;
    for (size_t i = 0; i < floor->rows; i++) {
        double percent = fabs(findings[i].summary.speedup.value - 1) * 100;
        sum += percent;
        floor->within += percent <= FINDINGS_NOISE_PERCENT;
        floor->verdicts += findings[i].verdict != ROW_UNDECIDED;
        floor->greatest_percent = fmax(floor->greatest_percent, percent);
    }
    floor->mean_percent = floor->rows > 0 ? sum / (double)floor->rows : 0;
    free(findings);
    return floor->rows > 0;
}

size_t exclusions_count(const gupb_t *gupb, size_t *counts)
{
    size_t pairs = 0;
    memset(counts, 0, EXCLUSION_COUNT * sizeof *counts);
    for (size_t row = 0; row < gupb->list.count; row++) {
        const workload_result_t *result = &gupb->experiment.results[row];
        for (size_t i = 0; i < result->pair_count && gupb->experiment.plan.selected[row]; i++) {
            counts[result->pairs[i].excluded]++;
            pairs++;
        }
    }
    return pairs;
}
