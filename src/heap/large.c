/* SPDX-License-Identifier: MIT */
/* Blocks above MEDIUM_MAX: each a span of its own, as many pages as it needs. */
#include "heap/heap.h"
#include "heap/limit.h"
#include "heap/pressure.h"
#include "heap/shared.h"
#include "heap/spare.h"

/*
 * A large block that shrinks keeps pages while they are less than 1/SLACK_SHARE of it, so that one that moves up and
 * down a little does not split and join spans each time.
 */
enum { SLACK_SHARE = 8 };

static size_t pages_of(size_t size)
{
    return size == 0 ? 1 : (size + PAGE_BYTES - 1) >> PAGE_SHIFT;
}

/*
 * Enters a span as a large block of the heap; NULL for NULL. Those of thread heaps belong to no thread: whoever frees
 * one gives its span back at once.
 */
static void *large_take(cubby_heap_t *heap, span_t *span, size_t size)
{
    if (span == NULL) {
        return NULL;
    }
    memory_hide(span_start(span) + size, span_bytes(span) - size);
    (void)block_taken(span_start(span), size, CONTENT_NONE);
    span->size_class = CLASS_LARGE;
    if (heap->kind == HEAP_THREAD) {
        span->heap = &heap_plain;
        span_tag_first(span, heap_plain.tag | CLASS_LARGE);
        return span_start(span);
    }
    span->heap = heap;
    span->previous = NULL;
    span->next = heap->large;
    if (heap->large != NULL) {
        heap->large->previous = span;
    }
    heap->large = span;
    heap->large_pages += span->pages;
    span_tag_first(span, heap->tag | CLASS_LARGE);
    return span_start(span);
}

/* Where a large block goes: to any place, or to one with room to grow on. */
typedef struct place {
    size_t size; /* asked for */
    size_t pages;
    size_t alignment;
    bool growing;
} place_t;

static span_t *large_span(const cubby_heap_t *heap, place_t place)
{
    if (!heap_has_room(heap, place.pages)) {
        return NULL;
    }
    return place.growing ? span_alloc_growing(place.pages) : span_alloc(place.pages, place.alignment);
}

/* Bins may sit on pools that hold nothing else; then the host may have something to give back. */
static void *large_alloc(cubby_heap_t *heap, place_t place)
{
    span_t *span = place.alignment == PAGE_BYTES && !place.growing ? spare_take(heap, place.pages, true) : NULL;
    if (span != NULL) {
        heap_tick(heap, EVENT_SPARE);
        return large_take(heap, span, place.size);
    }
    heap_tick(heap, EVENT_LARGE);
    span = large_span(heap, place);
    if (span == NULL) {
        heap_flush(heap);
        span = large_span(heap, place);
    }
    if (span == NULL && heap_pressure(heap, place.pages)) {
        heap_flush(heap);
        span = large_span(heap, place);
    }
    return large_take(heap, span, place.size);
}

void *heap_large_alloc(cubby_heap_t *heap, size_t size, size_t alignment)
{
    if (size > PTRDIFF_MAX) {
        return NULL;
    }
    if (heap_is_front(heap)) {
        return front_large_alloc(heap, size, alignment, false);
    }
    alignment = alignment < PAGE_BYTES ? PAGE_BYTES : alignment;
    return large_alloc(heap, (place_t){size, pages_of(size), alignment, false});
}

void *heap_large_alloc_growing(cubby_heap_t *heap, size_t size)
{
    if (size > PTRDIFF_MAX) {
        return NULL;
    }
    if (heap_is_front(heap)) {
        return front_large_alloc(heap, size, BLOCK_ALIGNMENT, true);
    }
    return large_alloc(heap, (place_t){size, pages_of(size), PAGE_BYTES, true});
}

void heap_large_free(cubby_heap_t *heap, span_t *span)
{
    if (span->heap == &heap_plain) {
        span_tag_first(span, 0);
        spare_give(heap, span, span_bytes(span));
        return;
    }
    if (span->previous != NULL) {
        span->previous->next = span->next;
    } else {
        heap->large = span->next;
    }
    if (span->next != NULL) {
        span->next->previous = span->previous;
    }
    heap->large_pages -= span->pages;
    span_tag_first(span, 0);
    span_free(span, span_bytes(span));
}

/* Large blocks of thread heaps belong to no heap, and to no heap's limit. */
static bool large_extend(span_t *span, size_t pages)
{
    cubby_heap_t *heap = span->heap;
    size_t more = pages - span->pages;
    if (heap == &heap_plain) {
        return span_extend(span, pages);
    }
    if (!heap_has_room(heap, more) || !span_extend(span, pages)) {
        return false;
    }
    heap->large_pages += more;
    return true;
}

static void large_shrink(span_t *span, size_t pages)
{
    if (span->heap != &heap_plain) {
        span->heap->large_pages -= span->pages - pages;
    }
    span_shrink(span, pages);
}

bool heap_large_resize(span_t *span, size_t size)
{
    if (size <= MEDIUM_MAX || size > PTRDIFF_MAX) {
        return false;
    }
    size_t pages = pages_of(size);
    if (pages > span->pages) {
        return large_extend(span, pages);
    }
    if (span->pages - pages > span->pages / SLACK_SHARE) {
        large_shrink(span, pages);
    }
    return true;
}
