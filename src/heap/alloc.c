/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"
#include "heap/borrow.h"
#include "heap/check.h"
#include "heap/checks.h"
#include "heap/limit.h"
#include "heap/pool.h"
#include "heap/pressure.h"
#include "heap/remote.h"
#include "heap/shared.h"
#include "heap/spare.h"
#include "heap/words.h"

#include <errno.h>
#include <string.h>

/*
 * The fast allocation. Up to CUBBY_SMALL_MAX the class is arithmetic, so the chain of loads is bin, block: one before
 * the block is known (bin->free), a second for its successor. Branches: size, bin empty.
 */
void *cubby_heap_malloc(cubby_heap_t *heap, size_t size)
{
    HEAP_VISIT(heap);
    return heap_malloc(heap, size);
}

void *heap_malloc_medium(cubby_heap_t *heap, size_t size)
{
    if (CUBBY_LIKELY(size <= MEDIUM_MAX)) {
        void *block = heap_bin_take(heap, class_of_medium(size), size, BLOCK_ALIGNMENT);
        return heap_block_taken(heap, block, size);
    }
    void *block = heap_large_alloc(heap, size, BLOCK_ALIGNMENT);
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

static bool bin_is_empty(const cubby_bin_t *bin)
{
    return bin->free == NULL && bin->fresh == bin->fresh_end;
}

/* Pages of a new pool for the class: the first ones of a thread's heap may be smaller (classes.h). */
static uint32_t pool_pages_next(const cubby_heap_t *heap, unsigned size_class)
{
    const heap_class_t *class = &heap->classes[size_class];
    const span_t *latest = class->shelf[SHELF_FULL]; /* the other shelves are empty, or no pool would be needed */
    uint32_t wish = latest == NULL ? 1 : 2 * latest->pages;
    bool small = heap->kind == HEAP_THREAD && heap->bins[size_class].size <= FIRST_POOL_BLOCK_MOST;
    return small && wish < class->pages && span_pages_are_huge() ? wish : class->pages;
}

/* Pages for a pool. Of smaller ones several are taken together: the others wait among the spare spans. */
static span_t *pages_take(cubby_heap_t *heap, uint32_t pages)
{
    span_t *row[POOL_PAGES_LEAST];
    size_t count = POOL_PAGES_LEAST / pages;
    if (count <= 1 || !span_alloc_row(pages, count, row)) {
        return span_alloc(pages, PAGE_BYTES);
    }
    for (size_t i = 1; i < count; i++) {
        spare_give(heap, row[i], 0);
    }
    return row[0];
}

/* A new pool for the class, all of it fresh. False when a limit is reached, or the system gives no more. */
static bool bin_carve_new(cubby_heap_t *heap, unsigned size_class)
{
    heap_class_t *class = &heap->classes[size_class];
    uint32_t pages = pool_pages_next(heap, size_class);
    if (!heap_has_room(heap, pages)) {
        return false;
    }
    span_t *pool = spare_take(heap, pages, false);
    class->fresh_zero = false;
    if (pool == NULL) {
        pool = pages_take(heap, pages);
        if (pool == NULL) {
            return false;
        }
        class->fresh_zero = span_is_clean(pool);
    }
    pool->heap = heap;
    pool->size_class = (uint8_t)size_class;
    heap->pool_pages += pool->pages;
    span_tag_all(pool, heap->tag | size_class);
    bin_take_new(heap, pool);
    return true;
}

/* Fills an empty bin from the fullest pool that has anything. */
static bool bin_fill_from_shelf(cubby_heap_t *heap, unsigned size_class)
{
    heap_class_t *class = &heap->classes[size_class];
    for (int shelf = 0; shelf < SHELF_COUNT; shelf++) {
        if (class->shelf[shelf] != NULL) {
            class->fresh_zero = false;
            bin_take_over(heap, class->shelf[shelf]);
            return true;
        }
    }
    return false;
}

/*
 * Hands the bins back because the heap grows. Where that gives up a quarter of the heap or more, the next time is when
 * it has grown beyond what it was: a heap that goes through many classes again and again, a growing list in a loop, say,
 * would otherwise lose its pools, make them anew and by that lose them again.
 */
enum { THRASH_SHARE = 4 };

static __attribute__((noinline)) void heap_flush_growing(cubby_heap_t *heap)
{
    uint32_t pages = heap->pool_pages;
    heap_flush_bins(heap);
    uint32_t given_up = pages - heap->pool_pages;
    if (given_up >= pages / THRASH_SHARE) {
        heap->flush_pages += given_up;
    }
}

/* Fills an empty bin: from a pool of the class, else with a new one. */
static bool bin_fill(cubby_heap_t *heap, unsigned size_class)
{
    if (bin_fill_from_shelf(heap, size_class)) {
        return true;
    }
    if (heap->pool_pages >= heap->flush_pages) {
        heap_flush_growing(heap);
    }
    return bin_carve_new(heap, size_class);
}

/* When all else has failed: with what the host gives back, if it does. */
static __attribute__((noinline)) bool bin_fill_pressed(cubby_heap_t *heap, unsigned size_class)
{
    if (!heap_pressure(heap, heap->classes[size_class].pages)) {
        return false;
    }
    (void)remote_collect(heap);
    heap_flush(heap);
    return bin_fill(heap, size_class);
}

/*
 * What other threads freed comes first. Other classes may sit on empty pools: before a request fails, they give them
 * up, and it is tried once more; and once more after the host was asked.
 */
void *heap_bin_refill(cubby_heap_t *heap, unsigned size_class, size_t size, size_t alignment)
{
    if (heap_is_front(heap)) {
        return front_take(heap, size_class, size, alignment);
    }
    if (borrow_use(heap, size_class)) {
        heap_tick(heap, EVENT_BORROW);
        return cubby_bin_take_(heap, size_class);
    }
    heap_tick(heap, EVENT_REFILL);
    (void)remote_collect(heap);
    if (!bin_is_empty(&heap->bins[size_class])) { /* the look at the clock may have collected, too */
        return cubby_bin_take_(heap, size_class);
    }
    if (!bin_fill(heap, size_class)) {
        heap_flush(heap);
        if (!bin_fill(heap, size_class) && !bin_fill_pressed(heap, size_class)) {
            errno = ENOMEM;
            return NULL;
        }
    }
    return cubby_bin_take_(heap, size_class);
}

void *cubby_bin_refill_(cubby_heap_t *heap, unsigned size_class)
{
    return heap_bin_refill(heap, size_class, class_size(size_class), BLOCK_ALIGNMENT);
}

/* Without a freed block: zeroes a new one, or knows that it is zero, when it is fresh from a pool of clean pages. */
static __attribute__((noinline)) void *bin_take_fresh_zeroed(cubby_heap_t *heap, unsigned size_class, size_t size)
{
    const cubby_bin_t *bin = &heap->bins[size_class];
    void *block = heap_bin_take(heap, size_class, size, BLOCK_ALIGNMENT);
    if (block == NULL) {
        return NULL;
    }
    bool fresh = bin->fresh == (char *)block + bin->size;
    bool zero = fresh && heap->classes[size_class].fresh_zero;
    if (zero) {
        return block_taken(block, size, CONTENT_ZERO);
    }
    return memset(heap_block_taken(heap, block, size), 0, size);
}

/* A block freed before is what a list's new buffer usually is. */
static inline void *bin_take_zeroed(cubby_heap_t *heap, unsigned size_class, size_t size)
{
    cubby_bin_t *bin = &heap->bins[size_class];
    void *block = bin->free;
    if (CUBBY_LIKELY(block != NULL)) {
        bin->free = cubby_link_take_(heap, block);
        (void)block_taken(block, size, CONTENT_NONE);
        if (CUBBY_LIKELY(size_class < CUBBY_CLASS_ODD)) {
            words_zero(block, size);
        } else {
            memset(block, 0, size);
        }
        return block;
    }
    return bin_take_fresh_zeroed(heap, size_class, size);
}

static __attribute__((noinline)) void *heap_calloc_large(cubby_heap_t *heap, size_t size)
{
    if (size <= MEDIUM_MAX) {
        return bin_take_zeroed(heap, class_of_medium(size), size);
    }
    if (heap->kind == HEAP_CHECKED) {
        return heap_checks->alloc_zeroed(heap, size);
    }
    void *block = heap_large_alloc(heap, size, BLOCK_ALIGNMENT);
    if (block == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    span_t *span = span_find(block);
    if (span->reused) {
        memset(block, 0, size);
    } else {
        span_zero(span, 0, size);
        memory_show(block, size);
    }
    return block;
}

void *heap_calloc(cubby_heap_t *heap, size_t count, size_t size, bool obj)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (CUBBY_LIKELY(bytes <= CUBBY_SMALL_MAX)) {
        return bin_take_zeroed(heap, obj ? class_of_obj(bytes) : class_of(bytes), bytes);
    }
    return heap_calloc_large(heap, bytes);
}

void *cubby_heap_calloc(cubby_heap_t *heap, size_t count, size_t size)
{
    HEAP_VISIT(heap);
    return heap_calloc(heap, count, size, false);
}

/*
 * Pools start on a page, so a block is aligned when its class's size is a multiple of the alignment. Of a size rounded
 * up to the alignment the class is: within a doubling the classes are all multiples of an eighth of it, so a size that
 * is a multiple of a larger power of two is a class, and to a smaller one every class is a multiple.
 */
void *heap_aligned_alloc(cubby_heap_t *heap, size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    if (alignment <= 16) {
        return heap_malloc(heap, size);
    }
    if (alignment <= PAGE_BYTES && size <= MEDIUM_MAX) {
        size_t rounded = size == 0 ? alignment : (size + alignment - 1) & ~(alignment - 1);
        void *block = heap_bin_take(heap, class_of(rounded), size, alignment);
        return heap_block_taken(heap, block, size);
    }
    void *block = heap_large_alloc(heap, size, alignment);
    if (block == NULL) {
        errno = ENOMEM;
    }
    return block;
}

void *cubby_typed_take_(cubby_heap_t *heap, size_t size, size_t alignment)
{
    if (size <= CUBBY_SMALL_MAX && alignment <= 16) {
        void *block = heap_bin_take(heap, cubby_class_(size, alignment), size, alignment);
        return heap_block_taken(heap, block, size);
    }
    return cubby_heap_aligned_alloc(heap, alignment, size);
}

void *cubby_heap_aligned_alloc(cubby_heap_t *heap, size_t alignment, size_t size)
{
    HEAP_VISIT(heap);
    return heap_aligned_alloc(heap, alignment, size);
}
