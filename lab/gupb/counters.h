/* SPDX-License-Identifier: MIT */
/*
 * What rows cost in each arm beside time, in runs of their own that are not timed: the peak and the page faults of one
 * run, its size after everything was dropped and two seconds of light work have passed; system calls by strace, and
 * instructions by valgrind's callgrind. The last two are counted in the small piece of the quick form, one loop against
 * three, so that start and end cancel out. A process that a row starts is part of its system calls, not of its
 * instructions. Where a tool is missing, or cannot run an arm, its figure stays empty.
 */
#ifndef CUBBY_LAB_GUPB_COUNTERS_H
#define CUBBY_LAB_GUPB_COUNTERS_H

#include "lab/gupb/suite.h"

/* Seconds that it will take, roughly; after calibration. */
double counters_estimate(const gupb_t *gupb);

/* Counts for all rows and arms that take part and are not counted yet. False when it was interrupted. */
bool counters_run(gupb_t *gupb);

/* The number of instructions in what callgrind said; negative when there is none. */
double counters_instructions_read(const char *text);

#endif
