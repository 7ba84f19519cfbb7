/* SPDX-License-Identifier: MIT */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

uint64_t timing_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double arm_time(timing_arm_t arm, size_t count)
{
    uint64_t start = timing_now_ns();
    arm(count);
    return (double)(timing_now_ns() - start) / (double)count;
}

static int double_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, double_compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

timing_pair_t timing_compare(timing_arm_t arm, timing_arm_t against, size_t count, size_t rounds)
{
    static double first[TIMING_ROUNDS_MOST];
    static double second[TIMING_ROUNDS_MOST];
    static double ratio[TIMING_ROUNDS_MOST];
    arm(count);
    against(count);
    for (size_t round = 0; round < rounds; round++) {
        if (round % 2 == 0) {
            first[round] = arm_time(arm, count);
            second[round] = arm_time(against, count);
        } else {
            second[round] = arm_time(against, count);
            first[round] = arm_time(arm, count);
        }
        ratio[round] = first[round] / second[round];
    }
    return (timing_pair_t){median(first, rounds), median(second, rounds), median(ratio, rounds)};
}
