/* SPDX-License-Identifier: MIT */
/* Pools between the bins and the span layer. Callers hold the heap's lock. */
#ifndef CUBBY_HEAP_POOL_H
#define CUBBY_HEAP_POOL_H

#include "heap/heap.h"

/* After its free_count changed: on to another shelf, or, nothing of it being in use, back to the span layer. */
void pool_reshelve(cubby_heap_t *heap, span_t *pool);

/* Puts a block back on its pool, one of this heap's. */
static inline void pool_free(cubby_heap_t *heap, void *block)
{
    span_t *pool = span_find(block);
    *(void **)block = pool->free;
    pool->free = block;
    pool->free_count++;
    if (CUBBY_LIKELY(pool->countdown != 0)) {
        pool->countdown--;
        return;
    }
    pool_reshelve(heap, pool);
}

/* Puts a new pool, all of it fresh, behind its class's bin, which must be empty. */
void bin_take_new(cubby_heap_t *heap, span_t *pool);

/* Moves all that a pool on a shelf has to offer into its class's bin, which must be empty. */
void bin_take_over(cubby_heap_t *heap, span_t *pool);

#endif
