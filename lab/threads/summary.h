/* SPDX-License-Identifier: MIT */
/* Reduces the runs of a row to the figures that tables and JSON show, and judges Cubby's. */
#ifndef CUBBY_LAB_THREADS_SUMMARY_H
#define CUBBY_LAB_THREADS_SUMMARY_H

#include "lab/threads/suite.h"
#include "lab/verdict.h"

typedef struct threads_summary {
    size_t runs;
    double medians[FIGURE_COUNT]; /* over the rounds; those of Cubby's counters are 0 for others */
    size_t compared;              /* rounds in which Cubby has a time as well */
    stats_estimate_t time;        /* the arm's over Cubby's, round by round; for Cubby itself 1 */
} threads_summary_t;

void threads_summarize(const threads_t *threads, threads_form_t form, size_t row, arm_id_t arm,
                       threads_summary_t *summary);

/* How Cubby stands in a row: in time, and in its peak. */
void threads_judge(const threads_t *threads, threads_form_t form, size_t row, verdict_t *verdict);

#endif
