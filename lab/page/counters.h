/* SPDX-License-Identifier: MIT */
/* What was counted beside the time: memory, faults, system calls, instructions; under whichever keys results have it. */
#ifndef CUBBY_LAB_PAGE_COUNTERS_H
#define CUBBY_LAB_PAGE_COUNTERS_H

#include <jansson.h>

typedef enum counter_id {
    COUNTERS_PEAK, /* MiB */
    COUNTERS_SETTLED,
    COUNTERS_FAULTS,
    COUNTERS_CALLS,
    COUNTERS_INSTRUCTIONS,
    COUNTERS_COUNT
} counter_id_t;

/* Its name, with the unit. */
const char *counter_heading(counter_id_t id);

/*
 * What was measured apart, in the row's "memory" or "counters", or else the median over the arm's runs. Negative when
 * it is not there.
 */
double counter_find(const json_t *row, const char *arm, counter_id_t id);

#endif
