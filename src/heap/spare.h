/* SPDX-License-Identifier: MIT */
/*
 * Spans that a thread's heap has just given up and may want again: a few, of up to SPARE_PAGES pages each, so that a
 * pool or a block of some ten pages that comes and goes does not take the span lock each time. They go back to the span
 * layer the oldest first, and all of them when the heap hands its bins back.
 *
 *   released ---> [ 9 | 4 | 16 | 4 | 12 | ... ] ---> taken again by a request that fits        thread heaps only
 *                   \__ the oldest makes room
 *
 * To the span layer they are in use, so it does not know what of them was written: whoever needs zeroes clears all.
 */
#ifndef CUBBY_HEAP_SPARE_H
#define CUBBY_HEAP_SPARE_H

#include "heap/heap.h"

enum { SPARE_PAGES = 32 };

/* A span of `pages`, or up to an eighth more if `roughly`; NULL when there is none. */
span_t *spare_take(cubby_heap_t *heap, size_t pages, bool roughly);

/* Frees a span whose tags are 0, as span_free() does, or keeps it for a while. */
void spare_give(cubby_heap_t *heap, span_t *span, size_t dirty_bytes);

/* Frees all of them. */
void spare_send(cubby_heap_t *heap);

#endif
