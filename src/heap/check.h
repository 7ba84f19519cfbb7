/* SPDX-License-Identifier: MIT */
/*
 * Builds with assertions check who calls: each public function that names a heap is a visit to it. A visit while
 * another thread is inside, or to a heap that is another thread's, stops the program with a message. Typed allocation
 * is inlined in the caller and not checked.
 */
#ifndef CUBBY_HEAP_CHECK_H
#define CUBBY_HEAP_CHECK_H

#include "heap/heap.h"

#ifdef NDEBUG

static inline void heap_visit(const cubby_heap_t *heap)
{
    (void)heap;
}

#define HEAP_VISIT(heap) heap_visit(heap)
#define HEAP_VISIT_LAST(heap) heap_visit(heap)

#else

/* Begins a visit; returns the heap if heap_visit_end() is to end it, NULL for visits within a visit. */
cubby_heap_t *heap_visit_begin(cubby_heap_t *heap);
void heap_visit_end(cubby_heap_t **heap);

/* A macro, for the visit ends where the caller's scope does. */
#define HEAP_VISIT(heap) cubby_heap_t *visit_ __attribute__((cleanup(heap_visit_end), unused)) = heap_visit_begin(heap)
/* A visit after which there is no heap. */
#define HEAP_VISIT_LAST(heap) (void)heap_visit_begin(heap)

#endif

#endif
