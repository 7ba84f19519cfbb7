/* SPDX-License-Identifier: MIT */
/*
 * The heaps behind cubby_malloc(): one a thread.
 *
 * A thread gets its heap with its first request: that of a thread that has ended, with all that still lives in it, or a
 * new one. When a thread ends its heap goes on the list of ended heaps; from time to time the threads that go on take
 * in what was freed there meanwhile, and destroy those that hold nothing any more. So there are never more heaps than
 * there were threads at once, and the memory of ended threads comes home.
 *
 * A thread may still allocate after its heap was put away (other destructors of thread-local values run later): it then
 * uses a heap that all such threads share.
 */
#ifndef CUBBY_HEAP_THREAD_H
#define CUBBY_HEAP_THREAD_H

#include "heap/heap.h"

/*
 * The calling thread's heap, or heap_plain. Eight bytes of static thread-local storage: small enough for a library that
 * is opened late, and one load away wherever the code is.
 */
extern __thread cubby_heap_t *thread_heap __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A heap for the thread, which from now on has it, or a shared one when the thread is ending. NULL: no memory. */
cubby_heap_t *thread_heap_acquire(void);

/* Looks after the heaps of ended threads. The caller has a heap. */
void thread_heaps_tidy(void);

/* Heaps on the list of ended ones, for tests. */
size_t thread_heaps_ended(void);

#endif
