/* SPDX-License-Identifier: MIT */
/*
 * Blocks that come home from other threads.
 *
 *   thread A   outboxes[n] -> block -> block         of what A borrowed (borrow.h), all of the same heap
 *                  |  a parcel: one compare-and-swap
 *                  v
 *   heap n     remote -> block -> block -> ...       taken whole by its owner: one exchange
 *
 * Parcels are made up only while a thread sends all it has borrowed. The owner collects when a bin runs empty and when it looks at the clock. Pushing parcels and taking
 * all at once has no ABA problem: nobody takes a single block off the shared list. Every order in which that may happen
 * is tried in tests/heap/schedule_test.c.
 */
#ifndef CUBBY_HEAP_REMOTE_H
#define CUBBY_HEAP_REMOTE_H

#include "heap/heap.h"

/* Adds a chain of blocks, linked through their first words, to the parcel of thread heap `own` for its heap `owner`. */
void remote_give(cubby_heap_t *own, cubby_heap_t *owner, void *first, void *last);

/* Sends a chain of blocks, linked through their first words from `first` to `last`, to a heap that owns pools. */
void remote_push(cubby_heap_t *owner, void *first, void *last);

/* Sends the parcels of a thread's heap, and adds up how many it has sent. */
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
