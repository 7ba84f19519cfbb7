/* SPDX-License-Identifier: MIT */
/*
 * Which pairs of a row do not count, by rules that are fixed before anything has run and printed beside the plan. They
 * look at how the machine treated a run, never at which side was faster, and an excluded pair is not run again: it stays
 * in the results with its reason.
 */
#ifndef CUBBY_LAB_EXCLUSION_H
#define CUBBY_LAB_EXCLUSION_H

#include "lab/experiment.h"

/* A run may take this many times its processor time, times what the row took in calibration, before it was held up. */
#define EXCLUSION_ELAPSED_FACTOR 2.0

typedef enum exclusion { EXCLUSION_NONE, EXCLUSION_MAJOR_FAULTS, EXCLUSION_HELD_UP, EXCLUSION_COUNT } exclusion_t;

/* Names for JSON; that of EXCLUSION_NONE is NULL. Meanings for people. */
extern const char *const exclusion_names[EXCLUSION_COUNT];
extern const char *const exclusion_meanings[EXCLUSION_COUNT];

/* Judges a pair of a row; usual_elapsed is what the row's calibration took, over its processor time. */
exclusion_t exclusion_of(const pair_t *pair, double usual_elapsed);

#endif
