/* SPDX-License-Identifier: MIT */
/* Reduces the runs of a row to the figures that tables and JSON show, and judges Cubby's. */
#ifndef CUBBY_LAB_SPANS_SUMMARY_H
#define CUBBY_LAB_SPANS_SUMMARY_H

#include "lab/spans/suite.h"
#include "lab/verdict.h"

typedef struct spans_summary {
    size_t pairs;          /* with Cubby; for Cubby itself, of all arms */
    double seconds;        /* of processor time, a loop: median; 0 when there are no pairs */
    stats_estimate_t time; /* the arm's over Cubby's, pair by pair; for Cubby itself 1 */
    bool at_least;         /* a growth of the arm was cut short: it takes longer than that */
    bool unknown;          /* a growth of Cubby's was: the ratio says nothing */
} spans_summary_t;

void spans_summarize(const spans_t *spans, size_t row, arm_id_t arm, spans_summary_t *summary);

/* How Cubby stands in a row: in time, and in what stays resident. */
void spans_judge(const spans_t *spans, size_t row, verdict_t *verdict);

#endif
