/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/lock.h"

#include "os/os.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A lock is held for a fraction of a microsecond, which is less than it takes to sleep and be woken: so glibc's mutex
 * that spins a little first.
 */
static pthread_mutex_t locks[LOCK_RANKS] = {
    [LOCK_REPORTS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_HOST] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_CHECKS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_SHARED_HEAPS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_ENDED_HEAPS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_HEAP_NUMBERS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    [LOCK_SPANS] = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
};

#ifndef NDEBUG

static __thread unsigned held; /* one bit a rank */

static _Noreturn void rank_refuse(lock_rank_t rank)
{
    char text[96];
    int length = snprintf(text, sizeof text, "cubby: lock %d is taken while locks %#x are held\n", (int)rank, held);
    os.write_error(text, (size_t)length);
    abort();
}

static void rank_note(lock_rank_t rank)
{
    if (held >> rank != 0) {
        rank_refuse(rank);
    }
    held |= 1U << rank;
}

static void rank_forget(lock_rank_t rank)
{
    held &= ~(1U << rank);
}

#else

static inline void rank_note(lock_rank_t rank)
{
    (void)rank;
}

static inline void rank_forget(lock_rank_t rank)
{
    (void)rank;
}

#endif

/* Counted under the lock itself, but for the waits. */
static size_t takes[LOCK_RANKS];
static size_t waits;

void lock_take(lock_rank_t rank)
{
    rank_note(rank);
    if (pthread_mutex_trylock(&locks[rank]) != 0) {
        (void)__atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
        (void)pthread_mutex_lock(&locks[rank]);
    }
    __atomic_store_n(&takes[rank], takes[rank] + 1, __ATOMIC_RELAXED);
}

void lock_drop(lock_rank_t rank)
{
    (void)pthread_mutex_unlock(&locks[rank]);
    rank_forget(rank);
}

void lock_take_all(void)
{
    for (int rank = 0; rank < LOCK_RANKS; rank++) {
        lock_take((lock_rank_t)rank);
    }
}

void lock_drop_all(void)
{
    for (int rank = LOCK_RANKS - 1; rank >= 0; rank--) {
        lock_drop((lock_rank_t)rank);
    }
}

size_t lock_takes(void)
{
    size_t sum = 0;
    for (int rank = 0; rank < LOCK_RANKS; rank++) {
        sum += __atomic_load_n(&takes[rank], __ATOMIC_RELAXED);
    }
    return sum;
}

size_t lock_waits(void)
{
    return __atomic_load_n(&waits, __ATOMIC_RELAXED);
}
