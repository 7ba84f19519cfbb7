/* SPDX-License-Identifier: MIT */
/* Asking the host for memory back, before a request fails. No lock of Cubby's is held. */
#ifndef CUBBY_HEAP_PRESSURE_H
#define CUBBY_HEAP_PRESSURE_H

#include <cubby/limit.h>

#include "heap/heap.h"

#pragma GCC visibility push(hidden)

/* Asks the host: true when the request should be tried again. False within the host's own answer, and without a host. */
bool pressure_ask(const cubby_pressure_t *pressure);

/*
 * The same for a request of pages that a heap was refused, by its own limit or by the span layer; NULL when a heap
 * itself could not be made. False for a heap behind a lock: what stands before it asks, when the lock is released. The
 * host may have done anything to the heap meanwhile, but destroy it.
 */
bool heap_pressure(cubby_heap_t *heap, size_t pages);

#pragma GCC visibility pop

#endif
