/* SPDX-License-Identifier: MIT */
/* Pools between the bins and the span layer. Callers hold the heap's lock. */
#ifndef CUBBY_HEAP_POOL_H
#define CUBBY_HEAP_POOL_H

#include "heap/heap.h"
#include "heap/link.h"

/* After its free_count changed: on to another shelf, or, nothing of it being in use, back to the span layer. */
void pool_reshelve(cubby_heap_t *heap, span_t *pool);

/* True when a used block of this heap starts there. */
static inline bool pool_has(const cubby_heap_t *heap, const span_t *pool, const void *block)
{
    size_t offset = (size_t)((const char *)block - span_start(pool));
    size_t size = heap->bins[pool->size_class].size;
    return pool->state == SPAN_USED && pool->heap == heap && offset % size == 0 && offset / size < pool->capacity &&
           pool->free_count < pool->capacity;
}

/* Puts a block back on its pool, one of this heap's. */
static inline void pool_free(cubby_heap_t *heap, void *block)
{
    span_t *pool = span_find(block);
    guard(pool_has(heap, pool, block), block, "this is no block: the pointer is not what the program was given");
    link_give(heap, block, pool->free);
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
