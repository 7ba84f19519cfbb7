/* SPDX-License-Identifier: MIT */
#include "heap/shared.h"

#include "heap/checks.h"
#include "heap/pressure.h"
#include "heap/thread.h"
#include "os/lock.h"

#include <errno.h>

/* ---- Any front: where the heap behind it fails, the host is asked without the lock ---- */

cubby_heap_t *front_thread_heap(void)
{
    cubby_heap_t *heap = thread_heap_acquire();
    return heap == NULL && heap_pressure(NULL, HEAP_HOME_PAGES) ? thread_heap_acquire() : heap;
}

static bool front_rank(const cubby_heap_t *heap, lock_rank_t *rank)
{
    *rank = heap->kind == HEAP_CHECKED ? LOCK_CHECKS : LOCK_SHARED_HEAPS;
    return heap->kind == HEAP_CHECKED || heap->kind == HEAP_SHARED;
}

void front_lock(const cubby_heap_t *heap)
{
    lock_rank_t rank;
    if (front_rank(heap, &rank)) {
        lock_take(rank);
    }
}

void front_unlock(const cubby_heap_t *heap)
{
    lock_rank_t rank;
    if (front_rank(heap, &rank)) {
        lock_drop(rank);
    }
}

static void *shared_heap_take(cubby_heap_t *front, unsigned size_class)
{
    lock_take(LOCK_SHARED_HEAPS);
    void *block = cubby_bin_take_(front->inner, size_class);
    lock_drop(LOCK_SHARED_HEAPS);
    return block;
}

void *front_take(cubby_heap_t *front, unsigned size_class, size_t size, size_t alignment)
{
    if (front->kind == HEAP_CHECKED) {
        return heap_checks->alloc(front, size, alignment);
    }
    if (front->kind == HEAP_SHARED) {
        void *block = shared_heap_take(front, size_class);
        if (block == NULL && heap_pressure(front, front->classes[size_class].pages)) {
            block = shared_heap_take(front, size_class);
        }
        return block;
    }
    cubby_heap_t *heap = front_thread_heap();
    if (heap == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return cubby_bin_take_(heap, size_class);
}

static void *large_alloc(cubby_heap_t *heap, size_t size, size_t alignment, bool growing)
{
    return growing ? heap_large_alloc_growing(heap, size) : heap_large_alloc(heap, size, alignment);
}

static void *shared_large_alloc(cubby_heap_t *front, size_t size, size_t alignment, bool growing)
{
    lock_take(LOCK_SHARED_HEAPS);
    void *block = large_alloc(front->inner, size, alignment, growing);
    lock_drop(LOCK_SHARED_HEAPS);
    return block;
}

static size_t pages_of(size_t size)
{
    return (size >> PAGE_SHIFT) + 1;
}

void *front_large_alloc(cubby_heap_t *front, size_t size, size_t alignment, bool growing)
{
    if (front->kind == HEAP_CHECKED) {
        return heap_checks->alloc(front, size, alignment);
    }
    if (front->kind == HEAP_SHARED) {
        void *block = shared_large_alloc(front, size, alignment, growing);
        if (block == NULL && heap_pressure(front, pages_of(size))) {
            block = shared_large_alloc(front, size, alignment, growing);
        }
        return block;
    }
    cubby_heap_t *heap = front_thread_heap();
    return heap == NULL ? NULL : large_alloc(heap, size, alignment, growing);
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

static void *shared_realloc(cubby_heap_t *front, void *block, size_t size, bool obj)
{
    lock_take(LOCK_SHARED_HEAPS);
    void *moved = heap_realloc(front->inner, block, size, obj);
    lock_drop(LOCK_SHARED_HEAPS);
    return moved;
}

void *shared_heap_realloc(cubby_heap_t *front, void *block, size_t size, bool obj)
{
    void *moved = shared_realloc(front, block, size, obj);
    if (moved == NULL && size <= PTRDIFF_MAX && heap_pressure(front, pages_of(size))) {
        moved = shared_realloc(front, block, size, obj);
    }
    return moved;
}

void shared_heap_flush(cubby_heap_t *front)
{
    lock_take(LOCK_SHARED_HEAPS);
    heap_flush(front->inner);
    lock_drop(LOCK_SHARED_HEAPS);
}
