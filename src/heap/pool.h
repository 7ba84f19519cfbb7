/* SPDX-License-Identifier: MIT */
/* Pools between the bins and the span layer. Callers hold the heap's lock. */
#ifndef CUBBY_HEAP_POOL_H
#define CUBBY_HEAP_POOL_H

#include "heap/heap.h"
#include "heap/link.h"

/* After its free_count changed: on to another shelf, or, nothing of it being in use, back to the span layer. */
void pool_reshelve(cubby_heap_t *heap, span_t *pool);

#ifdef CUBBY_GUARD
/*
 * True when a block of this heap starts there. A pool that was released has no heap, and a span that is not used no heap
 * that there is. A division would take as long as all the rest, so what is asked is whether offset * inverse, of which
 * only the low 64 bits are kept, is less than inverse, which is 2^64 / size rounded up. Of a multiple q of the size the
 * product is q * (inverse * size - 2^64), and the factor is less than the size: less than inverse, as q * size is an
 * offset in a pool and far less. Of what is r more than a multiple, r * inverse is added, which is at least inverse and,
 * r being less than the size, does not come around.
 */
static inline bool pool_has(const cubby_heap_t *heap, const span_t *pool, const void *block)
{
    uintptr_t base = CUBBY_LIKELY(pool->region == 0) ? regions[0].base : regions[pool->region].base;
    size_t offset = (uintptr_t)block - base - ((uintptr_t)pool->first << PAGE_SHIFT);
    uint64_t inverse = pool->size_class < CUBBY_CLASS_COUNT ? heap->inverses[pool->size_class] : 0;
    return pool->heap == heap && offset * inverse < inverse &&
           offset <= span_bytes(pool) - heap->bins[pool->size_class].size;
}
/* Frees that a bin of such blocks has room for at first. */
int32_t bin_room_first(const cubby_heap_t *heap, size_t block_bytes);

#endif

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

/* Frees that a bin of such blocks has room for at first. */
int32_t bin_room_first(const cubby_heap_t *heap, size_t block_bytes);

#endif
