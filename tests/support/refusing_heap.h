/* SPDX-License-Identifier: MIT */
/*
 * Included before a source file by the compiler's option -include: each request for memory that the file makes of a heap
 * asks first whether it is to be refused. So a test can refuse the n-th, whatever the heap has in its bins.
 */
#ifndef CUBBY_TESTS_SUPPORT_REFUSING_HEAP_H
#define CUBBY_TESTS_SUPPORT_REFUSING_HEAP_H

#include "heap/heap.h"

#include <errno.h>

/* Requests that are still granted before one is refused; that one sets it to SIZE_MAX. */
extern size_t requests_granted;
extern size_t requests_refused;

static inline bool request_is_refused(void)
{
    if (requests_granted == SIZE_MAX) {
        return false;
    }
    if (requests_granted-- > 0) {
        return false;
    }
    requests_granted = SIZE_MAX;
    requests_refused++;
    errno = ENOMEM;
    return true;
}

/* A function's name in brackets is the function itself. */
#define cubby_heap_take_(...) (request_is_refused() ? NULL : (cubby_heap_take_)(__VA_ARGS__))
#define cubby_bin_take_(...) (request_is_refused() ? NULL : (cubby_bin_take_)(__VA_ARGS__))
#define cubby_heap_malloc(...) (request_is_refused() ? NULL : (cubby_heap_malloc)(__VA_ARGS__))
#define cubby_heap_calloc(...) (request_is_refused() ? NULL : (cubby_heap_calloc)(__VA_ARGS__))
#define cubby_heap_realloc(...) (request_is_refused() ? NULL : (cubby_heap_realloc)(__VA_ARGS__))
#define heap_malloc_medium(...) (request_is_refused() ? NULL : (heap_malloc_medium)(__VA_ARGS__))
#define heap_realloc(...) (request_is_refused() ? NULL : (heap_realloc)(__VA_ARGS__))

#endif
