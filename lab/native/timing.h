/* SPDX-License-Identifier: MIT */
/* What the native benchmarks share: a clock, a compiler barrier, and rounds of two arms in turn. */
#ifndef CUBBY_LAB_NATIVE_TIMING_H
#define CUBBY_LAB_NATIVE_TIMING_H

#include <stddef.h>
#include <stdint.h>

uint64_t timing_now_ns(void);

/* Makes the compiler believe that the block is read and written here. */
static inline void timing_use(void *block)
{
    __asm__ volatile("" : : "r"(block) : "memory");
}

/* Makes the compiler write back and read again all that it knows of memory. */
static inline void timing_barrier(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Runs `count` operations of an arm. */
typedef void (*timing_arm_t)(size_t count);

typedef struct timing_pair {
    double nanoseconds; /* one operation of the first arm: median over the rounds */
    double against;     /* one of the second */
    double ratio;       /* first / second: median of the rounds' ratios */
} timing_pair_t;

/*
 * Runs both arms alternately, `rounds` times (at most TIMING_ROUNDS_MOST), the order changing from round to round, so
 * that a drifting clock meets both alike.
 */
enum { TIMING_ROUNDS_MOST = 1001 };
timing_pair_t timing_compare(timing_arm_t arm, timing_arm_t against, size_t count, size_t rounds);

#endif
