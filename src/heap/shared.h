/* SPDX-License-Identifier: MIT */
/* Heaps that stand before another: what their slow paths do. */
#ifndef CUBBY_HEAP_SHARED_H
#define CUBBY_HEAP_SHARED_H

#include "heap/heap.h"

/* A block of a class, or a large block, for any front. NULL as cubby_bin_refill_() and heap_large_alloc() say. */
void *front_take(cubby_heap_t *front, unsigned size_class, size_t size, size_t alignment);
void *front_large_alloc(cubby_heap_t *front, size_t size, size_t alignment, bool growing);

/* The calling thread's heap, made if there is none yet; NULL: no memory, and the host has none to give back. */
cubby_heap_t *front_thread_heap(void);

/* The lock under which a front calls the heap behind it; no lock for a heap that is no front. */
void front_lock(const cubby_heap_t *heap);
void front_unlock(const cubby_heap_t *heap);

/* A heap for any thread, or NULL. */
cubby_heap_t *shared_heap_create(void);

/* What heap_free_slow(), heap_realloc() and heap_flush() do for it, with blocks that are its own. */
void shared_heap_free(cubby_heap_t *front, void *block);
void *shared_heap_realloc(cubby_heap_t *front, void *block, size_t size, bool obj);
void shared_heap_flush(cubby_heap_t *front);

#endif
