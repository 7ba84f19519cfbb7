/* SPDX-License-Identifier: MIT */
/* A heap's limit, in pages of its pools and large blocks. The caller is the heap's owner, or holds its lock. */
#ifndef CUBBY_HEAP_LIMIT_H
#define CUBBY_HEAP_LIMIT_H

#include "heap/heap.h"

static inline size_t heap_pages(const cubby_heap_t *heap)
{
    return heap->pool_pages + heap->large_pages;
}

/* True when the heap may take so many pages more. Only asked where pages are taken: no fast path knows of limits. */
static inline bool heap_has_room(const cubby_heap_t *heap, size_t pages)
{
    size_t used = heap_pages(heap);
    return used <= heap->limit_pages && pages <= heap->limit_pages - used;
}

#endif
