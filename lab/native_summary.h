/* SPDX-License-Identifier: MIT */
/* Reduces the pairs of a row to the figures that tables and JSON show, and judges Cubby's. */
#ifndef CUBBY_LAB_NATIVE_SUMMARY_H
#define CUBBY_LAB_NATIVE_SUMMARY_H

#include "lab/native_suite.h"
#include "lab/verdict.h"

typedef struct native_summary {
    size_t pairs;                       /* with the base; for the base itself, of all entries */
    double medians[NATIVE_FIGURE_MOST]; /* 0 without pairs */
    stats_estimate_t time;              /* the entry's over the base's, pair by pair; for the base itself 1 */
} native_summary_t;

void native_summarize(const native_t *native, size_t row, native_entry_t entry, native_summary_t *summary);

/* How Cubby, in its own variant, stands in a row beside the other arms in any: in time, and in its peak. */
void native_judge(const native_t *native, size_t row, verdict_t *verdict);

#endif
