/* SPDX-License-Identifier: MIT */
/* Pools between the bins and the span layer. Callers hold the heap's lock. */
#ifndef CUBBY_HEAP_POOL_H
#define CUBBY_HEAP_POOL_H

#include "heap/heap.h"

/* Puts a new pool, all of it fresh, behind its class's bin, which must be empty. */
void bin_take_new(cubby_heap_t *heap, span_t *pool);

/* Moves all that a pool on a shelf has to offer into its class's bin, which must be empty. */
void bin_take_over(cubby_heap_t *heap, span_t *pool);

#endif
