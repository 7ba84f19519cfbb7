/* SPDX-License-Identifier: MIT */
/*
 * Blocks of other threads' heaps that this thread freed.
 *
 *   free, not of an own pool -----> borrowed[class] -> block -> block      linked through their first words
 *                                       |          \
 *     the bin runs empty, and they      |           \  too many, the bins are handed back,
 *     make up REUSE_BYTES               v            v  or the thread ends
 *                                   own bin      remote list of each owner (remote.h)
 *
 * Where threads hand blocks to each other both ways, each goes on with what it freed last, warm in its cache, and
 * nothing travels. Where one thread only frees, blocks go home in parcels.
 *
 * False sharing. A block that is used again by another thread may share a line of the cache with a block that its
 * first thread still writes. So a few freed blocks are not used again: only when they make up the bytes of eight lines,
 * of which most neighbours, then, were freed by the same thread. The worst case left, blocks that lie apart from each
 * other, one in eight of a line each, costs what such blocks cost anywhere when a free list is shared.
 */
#ifndef CUBBY_HEAP_BORROW_H
#define CUBBY_HEAP_BORROW_H

#include "heap/link.h"

/*
 * How much a thread keeps of others' blocks: 64 KiB, and twice as much, up to 256 KiB, each time that it has used
 * some of them by when they are sent home. Batches that threads pass each other come in bursts; what a thread only
 * frees is not kept.
 */
enum { BORROW_BYTES_LEAST = 65536, BORROW_BYTES_MOST = 262144, REUSE_BYTES = 512 };

/* The owner of blocks of several heaps. */
enum { OWNER_MIXED = 0 };

/* Sends all borrowed blocks home. */
void borrow_send(cubby_heap_t *heap);

/* The same when they are too many; says anew how many may be kept. */
void borrow_overflow(cubby_heap_t *heap);

/* Adds a block, which lies in a pool with that tag. */
static inline void borrow_add(cubby_heap_t *heap, void *block, uint32_t tag)
{
    uint32_t size_class = tag & UINT8_MAX;
    heap_borrowed_t *borrowed = &heap->borrowed[size_class];
    uint32_t owner = tag >> TAG_CLASS_BITS;
    if (borrowed->first == NULL) {
        borrowed->last = block;
        borrowed->owner = owner;
    } else if (borrowed->owner != owner) {
        borrowed->owner = OWNER_MIXED;
    }
    link_give(heap, block, borrowed->first);
    borrowed->first = block;
    borrowed->bytes += heap->bins[size_class].size;
    heap->borrowed_bytes += heap->bins[size_class].size;
}

/* Frees a block of another thread's heap into this one, a thread's own. */
static inline void borrow_free(cubby_heap_t *heap, void *block, uint32_t tag)
{
    borrow_add(heap, block, tag);
    if (CUBBY_LIKELY(heap->borrowed_bytes < heap->borrow_most)) {
        return;
    }
    borrow_overflow(heap);
}

/* Puts what was borrowed of a class into its bin, which must be empty. False when that is too little. */
static inline bool borrow_use(cubby_heap_t *heap, unsigned size_class)
{
    heap_borrowed_t *borrowed = &heap->borrowed[size_class];
    if (borrowed->bytes < REUSE_BYTES) {
        return false;
    }
    heap->bins[size_class].free = borrowed->first;
    heap->borrowed_bytes -= borrowed->bytes;
    borrowed->first = NULL;
    borrowed->bytes = 0;
    heap->borrow_used = true;
    heap->hands_round = true;
    return true;
}

#endif
