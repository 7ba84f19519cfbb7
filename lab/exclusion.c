/* SPDX-License-Identifier: MIT */
#include "lab/exclusion.h"

const char *const exclusion_names[EXCLUSION_COUNT] = {
    [EXCLUSION_MAJOR_FAULTS] = "major faults",
    [EXCLUSION_HELD_UP] = "held up",
};

const char *const exclusion_meanings[EXCLUSION_COUNT] = {
    [EXCLUSION_MAJOR_FAULTS] = "one of the two had to read a page from a disk while it was timed",
    [EXCLUSION_HELD_UP] = "one of the two took more than twice as long for its processor time as the row did in "
                          "calibration: it was stopped, or other work had its core",
};

/* Rows that start others, or wait for a clock, take longer than their processor time by themselves. */
static bool sample_is_held_up(const sample_t *sample, double usual_elapsed)
{
    double usual = usual_elapsed > 1 ? usual_elapsed : 1;
    return sample->wall_seconds > sample->cpu_seconds * usual * EXCLUSION_ELAPSED_FACTOR;
}

exclusion_t exclusion_of(const pair_t *pair, double usual_elapsed)
{
    if (pair->base_sample.major_faults > 0 || pair->arm_sample.major_faults > 0) {
        return EXCLUSION_MAJOR_FAULTS;
    }
    if (sample_is_held_up(&pair->base_sample, usual_elapsed) || sample_is_held_up(&pair->arm_sample, usual_elapsed)) {
        return EXCLUSION_HELD_UP;
    }
    return EXCLUSION_NONE;
}
