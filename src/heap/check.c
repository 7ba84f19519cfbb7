/* SPDX-License-Identifier: MIT */
#include "heap/check.h"

#ifndef NDEBUG

#include "os/os.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void visit_refuse(const cubby_heap_t *heap, const char *why)
{
    char text[128];
    int length = snprintf(text, sizeof text, "cubby: heap %p: %s\n", (const void *)heap, why);
    os.write_error(text, (size_t)length);
    abort();
}

cubby_heap_t *heap_visit_begin(cubby_heap_t *heap)
{
    uintptr_t self = (uintptr_t)pthread_self();
    if (heap == NULL || heap_is_front(heap)) {
        return NULL;
    }
    if (heap->kind != HEAP_LOCK && heap->thread != self) {
        visit_refuse(heap, "it belongs to another thread; blocks of it may be freed here with cubby_free()");
    }
    uintptr_t inside = 0;
    if (__atomic_compare_exchange_n(&heap->visitor, &inside, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return heap;
    }
    if (inside != self) {
        visit_refuse(heap, "two threads are in it at once; its lock is not held");
    }
    return NULL;
}

void heap_visit_end(cubby_heap_t **heap)
{
    if (*heap != NULL) {
        __atomic_store_n(&(*heap)->visitor, 0, __ATOMIC_RELEASE);
    }
}

#endif
