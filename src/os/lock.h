/* SPDX-License-Identifier: MIT */
/*
 * Every lock of the library, in the order in which they may be taken: who holds one takes only later ones. Builds with
 * assertions check that, and stop with a message when it is broken. A fork takes all of them, so that no lock is held
 * by a thread that the child does not have.
 */
#ifndef CUBBY_OS_LOCK_H
#define CUBBY_OS_LOCK_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

typedef enum lock_rank {
    LOCK_REPORTS,      /* one thread's report is written; first, for a reader may keep the writer waiting */
    LOCK_HOST,         /* what the host has put in: domain tables and hooks, the pressure callback */
    LOCK_CHECKS,       /* debug checks: their tables, and the heaps behind checked ones */
    LOCK_SHARED_HEAPS, /* heaps that any thread may use */
    LOCK_ENDED_HEAPS,  /* the list of heaps whose threads have ended */
    LOCK_HEAP_NUMBERS, /* which heap numbers are taken */
    LOCK_SPANS,        /* regions, free spans, retention */
    LOCK_RANKS,
} lock_rank_t;

void lock_take(lock_rank_t rank);
void lock_drop(lock_rank_t rank);

/* All of them: before a fork, and after it in the parent and in the child. */
void lock_take_all(void);
void lock_drop_all(void);

/* How often locks were taken since start, and how often that meant waiting; any thread. */
size_t lock_takes(void);
size_t lock_waits(void);

#pragma GCC visibility pop

#endif
