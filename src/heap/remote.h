/* SPDX-License-Identifier: MIT */
/*
 * Blocks that come home from other threads.
 *
 *   thread A   outboxes[n] -> block -> block         freed by A, of the heap with number n modulo OUTBOX_COUNT
 *                  |  a parcel: one compare-and-swap
 *                  v
 *   heap n     remote -> block -> block -> ...       taken whole by its owner: one exchange
 *
 * A parcel leaves when it holds OUTBOX_BYTES, when its place is wanted for another heap's, when its thread ends, and
 * from time to time. The owner collects when a bin runs empty and when it looks at the clock. Pushing parcels and taking
 * all at once has no ABA problem: nobody takes a single block off the shared list. Every order in which that may happen
 * is tried in tests/heap/schedule_test.c.
 */
#ifndef CUBBY_HEAP_REMOTE_H
#define CUBBY_HEAP_REMOTE_H

#include "heap/heap.h"

/* Frees a pool's block of the heap `owner` from the thread whose heap is `own`. */
void remote_give(cubby_heap_t *own, cubby_heap_t *owner, void *block);

/* Sends a chain of blocks, linked through their first words from `first` to `last`, to a heap that owns pools. */
void remote_push(cubby_heap_t *owner, void *first, void *last);

/* Sends all parcels of a thread's heap, and adds up how many it has sent. */
void remote_send(cubby_heap_t *own);

/* Parcels sent since start, as far as added up. */
size_t remote_parcels(void);

/* Takes what other threads sent off the heap: a chain of blocks, or NULL. */
void *remote_exchange(cubby_heap_t *heap);

/* Out of line: takes it and frees it. */
void remote_take(cubby_heap_t *heap);

/* Takes what other threads sent to the caller's heap. False when there was nothing. */
static inline bool remote_collect(cubby_heap_t *heap)
{
    if (CUBBY_LIKELY(__atomic_load_n(&heap->remote, __ATOMIC_RELAXED) == NULL)) {
        return false;
    }
    remote_take(heap);
    return true;
}

#endif
