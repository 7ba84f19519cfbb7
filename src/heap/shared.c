/* SPDX-License-Identifier: MIT */
#include "heap/shared.h"

#include "heap/thread.h"
#include "os/lock.h"

#include <errno.h>

/* ---- Any front ---- */

void *front_take(cubby_heap_t *front, unsigned size_class)
{
    if (front->kind == HEAP_SHARED) {
        lock_take(LOCK_SHARED_HEAPS);
        void *block = cubby_bin_take_(front->inner, size_class);
        lock_drop(LOCK_SHARED_HEAPS);
        return block;
    }
    cubby_heap_t *heap = thread_heap_acquire();
    if (heap == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return cubby_bin_take_(heap, size_class);
}

void *front_large_alloc(cubby_heap_t *front, size_t size, size_t alignment, bool growing)
{
    bool shared = front->kind == HEAP_SHARED;
    cubby_heap_t *heap = shared ? front->inner : thread_heap_acquire();
    if (heap == NULL) {
        return NULL;
    }
    if (shared) {
        lock_take(LOCK_SHARED_HEAPS);
    }
    void *block = growing ? heap_large_alloc_growing(heap, size) : heap_large_alloc(heap, size, alignment);
    if (shared) {
        lock_drop(LOCK_SHARED_HEAPS);
    }
    return block;
}

/* ---- Heaps for any thread ---- */

cubby_heap_t *shared_heap_create(void)
{
    cubby_heap_t *front = heap_create(HEAP_SHARED);
    cubby_heap_t *inner = heap_create(HEAP_LOCK);
    if (front == NULL || inner == NULL) {
        cubby_heap_destroy(front);
        cubby_heap_destroy(inner);
        return NULL;
    }
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        front->bins[size_class].room = 0; /* so that cubby_delete() ends in a slow path, too */
    }
    front->inner = inner;
    inner->front = front;
    return front;
}

void shared_heap_free(cubby_heap_t *front, void *block)
{
    lock_take(LOCK_SHARED_HEAPS);
    cubby_heap_free(front->inner, block);
    lock_drop(LOCK_SHARED_HEAPS);
}

void *shared_heap_realloc(cubby_heap_t *front, void *block, size_t size, bool obj)
{
    lock_take(LOCK_SHARED_HEAPS);
    void *moved = heap_realloc(front->inner, block, size, obj);
    lock_drop(LOCK_SHARED_HEAPS);
    return moved;
}

void shared_heap_flush(cubby_heap_t *front)
{
    lock_take(LOCK_SHARED_HEAPS);
    heap_flush(front->inner);
    lock_drop(LOCK_SHARED_HEAPS);
}
