/* SPDX-License-Identifier: MIT */
/* What the rows of a suite say about an arm, taken together: which of them changed, and how much noise there was. */
#ifndef CUBBY_LAB_GUPB_FINDINGS_H
#define CUBBY_LAB_GUPB_FINDINGS_H

#include "lab/gupb/suite.h"
#include "lab/summary.h"

/* How far a row of stock beside itself may be off, in percent, before the suite is not to be trusted. */
#define FINDINGS_NOISE_PERCENT 1.0

typedef enum verdict_of_row {
    ROW_UNDECIDED, /* the pairs allow no verdict; it does not say that nothing changed */
    ROW_FASTER,
    ROW_SLOWER,
} verdict_of_row_t;

typedef struct finding {
    size_t row;
    summary_t summary; /* of the arm over stock */
    double adjusted;   /* its signed-rank probability, adjusted over the rows of the arm */
    verdict_of_row_t verdict;
} finding_t;

/* "undecided", "faster" or "slower". */
extern const char *const verdict_names[];

/* A finding for each row in which the arm was measured, in the order of the suite. Returns how many. */
size_t findings_make(const gupb_t *gupb, arm_id_t arm, finding_t findings[WORKLOAD_MAX]);

/* What noise alone makes here: stock beside itself. */
typedef struct noise_floor {
    size_t rows;
    size_t within;           /* FINDINGS_NOISE_PERCENT */
    size_t verdicts;         /* on rows that cannot have changed */
    double greatest_percent; /* away from zero */
    double mean_percent;     /* of what the rows are away from zero */
} noise_floor_t;

/* False when stock was not measured beside itself. */
bool noise_floor_find(const gupb_t *gupb, noise_floor_t *floor);

/* How many pairs of a suite do not count for each reason; by exclusion_t. Returns how many pairs there are in all. */
size_t exclusions_count(const gupb_t *gupb, size_t *counts);

#endif
