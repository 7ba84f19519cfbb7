/* SPDX-License-Identifier: MIT */
/* Results as files that pyperf reads (its format 1.0), one for each arm. */
#ifndef CUBBY_LAB_PYPERF_H
#define CUBBY_LAB_PYPERF_H

#include "lab/recorded.h"

/* The runs of an arm, each a process with one value: processor seconds a loop. NULL when the arm has none. */
json_t *pyperf_from_arm(const recorded_t *recorded, const char *arm);

#endif
