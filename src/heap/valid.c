/* SPDX-License-Identifier: MIT */
#include "heap/borrow.h"

/*
 * Blocks on a list, or more than `most` when there are more, or it runs in a circle, or one is not of the class, or of
 * another heap, unless they may be borrowed.
 */
static size_t list_length(const cubby_heap_t *heap, unsigned size_class, const void *block, size_t most, bool borrowed)
{
    size_t length = 0;
    for (; block != NULL && length <= most; block = link_look(block)) {
        uint32_t tag = span_tag(block);
        bool good =
            borrowed ? (tag & TAG_BORROWABLE) != 0 && (tag & UINT8_MAX) == size_class : tag == (heap->tag | size_class);
        if (!good) {
            return most + 1;
        }
        length++;
    }
    return length;
}

/* As its class says; but the first ones of a thread's heap may be smaller. */
static bool pool_is_sized(const cubby_heap_t *heap, const heap_class_t *class, const span_t *pool)
{
    if (pool->pages == class->pages) {
        return pool->capacity == class->capacity;
    }
    size_t size = heap->bins[pool->size_class].size;
    return heap->kind == HEAP_THREAD && size <= FIRST_POOL_BLOCK_MOST && pool->pages < POOL_PAGES_LEAST &&
           pool->capacity == span_bytes(pool) / size;
}

static bool pool_is_valid(const cubby_heap_t *heap, unsigned size_class, unsigned shelf, const span_t *pool)
{
    const heap_class_t *class = &heap->classes[size_class];
    if (pool->state != SPAN_USED || pool->heap != heap || pool->size_class != size_class || pool->shelf != shelf ||
        !pool_is_sized(heap, class, pool) || pool->carved > pool->capacity || pool->free_count >= pool->capacity) {
        return false;
    }
    unsigned expected = pool->free_count == 0 ? SHELF_FULL : pool->free_count * SHELF_COUNT / pool->capacity;
    size_t never_carved = pool->capacity - pool->carved;
    size_t given_back = pool->free_count - never_carved;
    return expected == shelf && pool->free_count >= never_carved &&
           list_length(heap, size_class, pool->free, given_back, false) == given_back &&
           span_tag(span_start(pool)) == (heap->tag | size_class);
}

static bool class_is_valid(const cubby_heap_t *heap, unsigned size_class)
{
    const cubby_bin_t *bin = &heap->bins[size_class];
    const heap_class_t *class = &heap->classes[size_class];
    size_t blocks = 0;
    for (unsigned shelf = 0; shelf <= SHELF_FULL; shelf++) {
        const span_t *previous = NULL;
        for (const span_t *pool = class->shelf[shelf]; pool != NULL; previous = pool, pool = pool->next) {
            if (pool->previous != previous || !pool_is_valid(heap, size_class, shelf, pool)) {
                return false;
            }
            blocks += pool->capacity - pool->free_count;
        }
    }
    if (bin->fresh != bin->fresh_end) {
        const span_t *pool = class->carving;
        const char *end = span_start(pool) + (size_t)pool->capacity * bin->size;
        if (bin->fresh < span_start(pool) || bin->fresh_end != end || (size_t)(end - bin->fresh) % bin->size != 0) {
            return false;
        }
    }
    bool borrows = heap->kind == HEAP_THREAD;
    blocks += borrows ? BORROW_BYTES_MOST / bin->size : 0;
    return list_length(heap, size_class, bin->free, blocks, borrows) <= blocks;
}

/* What is kept of other heaps' blocks, and of spans, adds up. */
static bool kept_is_valid(const cubby_heap_t *heap)
{
    size_t bytes = 0;
    size_t pages = 0;
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        const heap_borrowed_t *borrowed = &heap->borrowed[size_class];
        size_t count = borrowed->bytes / heap->bins[size_class].size;
        if (list_length(heap, size_class, borrowed->first, count, true) != count) {
            return false;
        }
        bytes += borrowed->bytes;
    }
    for (size_t i = 0; i < SPARE_COUNT; i++) {
        const heap_spare_t *spare = &heap->spares[i];
        if (spare->pages != 0 && (spare->span->state != SPAN_USED || spare->span->pages != spare->pages ||
                                  span_tag(span_start(spare->span)) != 0)) {
            return false;
        }
        pages += spare->pages;
    }
    return bytes == heap->borrowed_bytes && pages == heap->spare_pages;
}

bool heap_is_valid(const cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        if (!class_is_valid(heap, size_class)) {
            return false;
        }
    }
    if (!kept_is_valid(heap)) {
        return false;
    }
    size_t large_pages = 0;
    const span_t *previous = NULL;
    for (const span_t *span = heap->large; span != NULL; previous = span, span = span->next) {
        if (span->previous != previous || span->heap != heap || span->size_class != CLASS_LARGE ||
            span_tag(span_start(span)) != (heap->tag | CLASS_LARGE)) {
            return false;
        }
        large_pages += span->pages;
    }
    return large_pages == heap->large_pages;
}
