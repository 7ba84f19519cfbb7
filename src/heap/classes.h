/* SPDX-License-Identifier: MIT */
/*
 * Size classes.
 *
 *   class    block sizes                 why
 *   0        16                          a request for zero bytes: any block will do, so that (size + 15) / 16 needs no test
 *   1..32    16, 32 .. 512               16-byte steps, as pymalloc has: class = size / 16 rounded up, no table
 *   33..40   8, 24 .. 120                what 8-byte steps add to them, for types that are content with 8-byte alignment
 *   41..88   576, 640 .. 32,768          eight steps to each of the six doublings from 512
 *
 * Waste. A block is at most 15 bytes too large up to 512 bytes. Above, a doubling from b to 2b has steps of b/8, so the
 * worst request, one byte above b, takes 9b/8: 12.5 % more than it asked for, a ninth of the block. Over all sizes from
 * 513 to 32,768 the mean is 4.1 % of the block.
 *
 * Pools. A pool is a run of pages cut into blocks of one class. Small blocks take 16 KiB, pymalloc's size: 32 blocks
 * of 512 bytes, and at most 496 bytes (3 %) are left over at its end. Larger blocks take the fewest pages, doubling
 * from 16 KiB, that hold at least four blocks and leave over no more than 1/16: 16 KiB for 4 KiB blocks, 128 KiB for
 * 32 KiB, 512 KiB for the one worst fit, 26 KiB. Fewer blocks in a pool means fewer that must all be free before
 * another size can have its pages; with eight instead of four, an interpreter that only starts is 80 KB larger. The
 * pages of a pool are touched only as its blocks are carved.
 *
 * First pools. A thread uses many classes for a block or two, and where pages are huge what a pool has not carved is
 * resident all the same: 40 classes of 16 KiB for each of 64 threads are 40 MiB. So while huge pages are asked for, the
 * pools of a class in a thread's heap begin with one page, then two, if a page holds at least four blocks. 16 KiB of
 * such pages are taken at once, and what is not needed yet waits among the spare spans: no more turns of the span lock
 * than a whole pool takes.
 */
#ifndef CUBBY_HEAP_CLASSES_H
#define CUBBY_HEAP_CLASSES_H

#include <cubby/cubby.h>

#include "span/span.h"

enum {
    CLASS_MEDIUM = CUBBY_CLASS_ODD + CUBBY_ODD_MAX / 16, /* the first class above CUBBY_SMALL_MAX */
    CLASS_STEPS = 8,                                     /* to a doubling */
    CLASS_24 = CUBBY_CLASS_ODD + 1,
    CLASS_LARGE = 255, /* in tags: a block of its own span */
    MEDIUM_MAX = 32768,
    SMALL_SHIFT = 9, /* log2 CUBBY_SMALL_MAX */
    POOL_PAGES_LEAST = 4,
    POOL_BLOCKS_LEAST = 4,
    POOL_WASTE_SHARE = 16,
    FIRST_POOL_BLOCK_MOST = PAGE_BYTES / POOL_BLOCKS_LEAST, /* of classes whose first pools are smaller */
};

static_assert(1 << SMALL_SHIFT == CUBBY_SMALL_MAX, "medium classes start where small ones end");
static_assert(CLASS_MEDIUM + 6 * CLASS_STEPS == CUBBY_CLASS_COUNT, "six doublings from 512 to 32,768");
static_assert((int)CUBBY_CLASS_COUNT < (int)CLASS_LARGE, "a tag's class byte tells pools from large blocks");

/* Class of a request of CUBBY_SMALL_MAX < size <= MEDIUM_MAX. */
static inline unsigned class_of_medium(size_t size)
{
    unsigned doubling = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^doubling < size <= 2^(doubling + 1) */
    unsigned step = (unsigned)((size - 1) >> (doubling - 3)) - CLASS_STEPS;
    return CLASS_MEDIUM + (doubling - SMALL_SHIFT) * CLASS_STEPS + step;
}

/* Class of a request of at most MEDIUM_MAX bytes, aligned to 16. */
static inline unsigned class_of(size_t size)
{
    return CUBBY_LIKELY(size <= CUBBY_SMALL_MAX) ? (unsigned)((size + 15) / 16) : class_of_medium(size);
}

/*
 * Class of a request of the obj domain of at most MEDIUM_MAX bytes. 17 to 24 bytes take 24: the size of an object is a
 * multiple of its alignment, so one of 24 bytes needs no more than 8, and one of 17 to 23 no more than 4.
 */
static inline unsigned class_of_obj(size_t size)
{
    return size - 17 < 8 ? CLASS_24 : class_of(size);
}

/* Block size of a class. */
static inline size_t class_size(unsigned size_class)
{
    if (size_class < CUBBY_CLASS_ODD) {
        return size_class == 0 ? 16 : (size_t)size_class * 16;
    }
    if (size_class < CLASS_MEDIUM) {
        return (size_t)(size_class - CUBBY_CLASS_ODD) * 16 + 8;
    }
    unsigned doubling = (size_class - CLASS_MEDIUM) / CLASS_STEPS;
    unsigned step = (size_class - CLASS_MEDIUM) % CLASS_STEPS;
    return (size_t)(CLASS_STEPS + step + 1) << (doubling + SMALL_SHIFT - 3);
}

/* Pages of a pool of blocks of `size` bytes. */
static inline size_t class_pool_pages(size_t size)
{
    size_t pages = POOL_PAGES_LEAST;
    for (;; pages *= 2) {
        size_t bytes = pages << PAGE_SHIFT;
        if (bytes / size >= POOL_BLOCKS_LEAST && bytes % size <= bytes / POOL_WASTE_SHARE) {
            return pages;
        }
    }
}

#endif
