/* SPDX-License-Identifier: MIT */
#include "heap/limit.h"

#include <cubby/limit.h>

#include "heap/check.h"
#include "heap/shared.h"
#include "span/limit.h"

static size_t pages_down(size_t bytes)
{
    return bytes == SIZE_MAX ? SIZE_MAX : bytes >> PAGE_SHIFT;
}

static cubby_limit_t limit_of(size_t limit_pages, size_t used_pages)
{
    return (cubby_limit_t){limit_pages == SIZE_MAX ? SIZE_MAX : limit_pages << PAGE_SHIFT, used_pages << PAGE_SHIFT};
}

void cubby_limit_set(size_t bytes)
{
    span_limit_set(pages_down(bytes));
}

cubby_limit_t cubby_limit_get(void)
{
    span_stats_t stats;
    span_stats_get(&stats);
    return limit_of(span_limit(), stats.used >> PAGE_SHIFT);
}

/* ---- Heaps: a front's limit is that of the heap behind it, which may need a lock ---- */

static cubby_heap_t *limit_enter(cubby_heap_t *heap)
{
    front_lock(heap);
    return heap->inner != NULL ? heap->inner : heap;
}

void cubby_heap_limit_set(cubby_heap_t *heap, size_t bytes)
{
    HEAP_VISIT(heap);
    limit_enter(heap)->limit_pages = pages_down(bytes);
    front_unlock(heap);
}

cubby_limit_t cubby_heap_limit_get(cubby_heap_t *heap)
{
    HEAP_VISIT(heap);
    const cubby_heap_t *owner = limit_enter(heap);
    cubby_limit_t limit = limit_of(owner->limit_pages, heap_pages(owner));
    front_unlock(heap);
    return limit;
}
