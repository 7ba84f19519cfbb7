/* SPDX-License-Identifier: MIT */
#include "heap/thread.h"

#include "heap/remote.h"
#include "heap/shared.h"
#include "os/lock.h"

#include <pthread.h>

__thread cubby_heap_t *thread_heap __attribute__((tls_model("initial-exec"))) = &heap_plain;

/* The thread's heap was put away. */
static __thread bool thread_ending __attribute__((tls_model("initial-exec")));

static cubby_heap_t *ended; /* under LOCK_ENDED_HEAPS */

static pthread_key_t key;
static bool key_made;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* The latest, whose memory is warm, or NULL. */
static cubby_heap_t *ended_pop(void)
{
    lock_take(LOCK_ENDED_HEAPS);
    cubby_heap_t *heap = ended;
    if (heap != NULL) {
        ended = heap->next_ended;
    }
    lock_drop(LOCK_ENDED_HEAPS);
    return heap;
}

/* Puts a chain of heaps back. */
static void ended_push(cubby_heap_t *first, cubby_heap_t *last)
{
    lock_take(LOCK_ENDED_HEAPS);
    last->next_ended = ended;
    ended = first;
    lock_drop(LOCK_ENDED_HEAPS);
}

/* Takes in what was freed in a heap whose thread has ended. */
static void ended_tidy(cubby_heap_t *heap)
{
    heap->thread = (uintptr_t)pthread_self();
    (void)remote_collect(heap);
    heap_flush(heap);
}

/* A thread's destructor. */
static void thread_end(void *own)
{
    cubby_heap_t *heap = own;
    thread_heap = &heap_plain;
    thread_ending = true;
    ended_tidy(heap);
    if (heap_is_empty(heap)) {
        cubby_heap_destroy(heap);
        return;
    }
    ended_push(heap, heap);
}

static void key_make(void)
{
    key_made = pthread_key_create(&key, thread_end) == 0;
}

/* For threads that are ending, or of which the system would not tell when they end. */
static cubby_heap_t *shared_heap(void)
{
    static cubby_heap_t *shared;
    cubby_heap_t *heap = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (heap != NULL) {
        return heap;
    }
    heap = shared_heap_create();
    cubby_heap_t *other = NULL;
    if (heap != NULL &&
        !__atomic_compare_exchange_n(&shared, &other, heap, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        cubby_heap_destroy(heap);
        heap = other;
    }
    return heap;
}

cubby_heap_t *thread_heap_acquire(void)
{
    if (thread_heap != &heap_plain || heap_plain.kind == HEAP_CHECKED) {
        return thread_heap;
    }
    (void)pthread_once(&key_once, key_make);
    if (thread_ending || !key_made) {
        return shared_heap();
    }
    cubby_heap_t *heap = ended_pop();
    heap = heap != NULL ? heap : heap_create(HEAP_THREAD);
    if (heap == NULL) {
        return NULL;
    }
    heap->thread = (uintptr_t)pthread_self();
    thread_heap = heap;
    if (pthread_setspecific(key, heap) != 0) {
        thread_end(heap);
        return shared_heap();
    }
    return heap;
}

void thread_heaps_tidy(void)
{
    lock_take(LOCK_ENDED_HEAPS);
    cubby_heap_t *heap = ended;
    ended = NULL;
    lock_drop(LOCK_ENDED_HEAPS);
    cubby_heap_t *first = NULL;
    cubby_heap_t *last = NULL;
    while (heap != NULL) {
        cubby_heap_t *next = heap->next_ended;
        ended_tidy(heap);
        if (heap_is_empty(heap)) {
            cubby_heap_destroy(heap);
        } else {
            heap->next_ended = first;
            first = heap;
            last = last == NULL ? heap : last;
        }
        heap = next;
    }
    if (first != NULL) {
        ended_push(first, last);
    }
}

size_t thread_heaps_ended(void)
{
    size_t count = 0;
    lock_take(LOCK_ENDED_HEAPS);
    for (const cubby_heap_t *heap = ended; heap != NULL; heap = heap->next_ended) {
        count++;
    }
    lock_drop(LOCK_ENDED_HEAPS);
    return count;
}
