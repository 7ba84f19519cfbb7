/* SPDX-License-Identifier: MIT */
/* Pools between the bins and the span layer. Callers hold the heap's lock. */
#ifndef CUBBY_HEAP_POOL_H
#define CUBBY_HEAP_POOL_H

#include "heap/heap.h"
#include "heap/link.h"

/* After its free_count changed: on to another shelf, or, nothing of it being in use, back to the span layer. */
void pool_reshelve(cubby_heap_t *heap, span_t *pool);

#ifdef CUBBY_GUARD
/* The low and the high half are what one instruction leaves in two registers. */
__extension__ typedef unsigned __int128 pool_product_t;

/*
 * True when a block of this heap starts so many bytes from the pool's start. A pool that was released has no heap, and
 * a span that is not used no heap that there is. A division would take as long as all the rest, so the offset is
 * multiplied by the class's inverse, 2^64 / size rounded up (0 for what is no class), and the low 64 bits of the product
 * compared with it: of a multiple q of the size they are q * (inverse * size - 2^64), and the factor is less than the
 * size, so they are less than inverse, as q * size is an offset in a pool and far less. Of what is r more than a
 * multiple, r * inverse is added, which is at least inverse and, r being less than the size, does not come around. The
 * high 64 bits are then q, the number of the block in its pool.
 */
static inline bool pool_has_at(const cubby_heap_t *heap, const span_t *pool, size_t offset)
{
    uint64_t inverse = heap->inverses[pool->size_class];
    pool_product_t product = (pool_product_t)offset * inverse;
    return pool->heap == heap && (uint64_t)product < inverse && (uint32_t)(product >> 64) < pool->capacity;
}

static inline bool pool_has(const cubby_heap_t *heap, const span_t *pool, const void *block)
{
    return pool_has_at(heap, pool, (uintptr_t)block - (uintptr_t)span_start(pool));
}
#endif

#ifdef CUBBY_GUARD
/* Stops the program for a block that pool_put() does not take. Not declared so: it shall be jumped to. */
void pool_refuse(const cubby_heap_t *heap, const span_t *pool, const void *block);
#endif

/* Puts a block on its pool, so many bytes from the pool's start. */
static inline void pool_put(cubby_heap_t *heap, span_t *pool, void *block, size_t offset)
{
#ifdef CUBBY_GUARD
    if (!CUBBY_LIKELY(pool_has_at(heap, pool, offset) && !link_is_whole(heap, block))) {
        pool_refuse(heap, pool, block);
        return;
    }
#else
    (void)offset;
#endif
    link_give_used(heap, block, pool->free);
    pool->free = block;
    pool->free_count++;
    if (CUBBY_LIKELY(pool->countdown != 0)) {
        pool->countdown--;
        return;
    }
    pool_reshelve(heap, pool);
}

void pool_free_far(cubby_heap_t *heap, void *block); /* pool_free() beyond the first region */

/* Puts a block back on its pool, one of this heap's. Whatever else is called is called last: no stack is needed. */
static inline void pool_free(cubby_heap_t *heap, void *block)
{
    size_t offset = span_offset(block);
    if (!span_is_near(offset)) {
        pool_free_far(heap, block);
        return;
    }
    span_t *pool = span_find_near(offset);
    pool_put(heap, pool, block, offset - ((size_t)pool->first << PAGE_SHIFT));
}

/* Puts a new pool, all of it fresh, behind its class's bin, which must be empty. */
void bin_take_new(cubby_heap_t *heap, span_t *pool);

/* Moves all that a pool on a shelf has to offer into its class's bin, which must be empty. */
void bin_take_over(cubby_heap_t *heap, span_t *pool);

/* Frees that a bin of such blocks has room for at first. */
int32_t bin_room_first(const cubby_heap_t *heap, size_t block_bytes);

#endif
