/* SPDX-License-Identifier: MIT */
/* Threads and their heaps, all on one fake system: the region lives as long as the process. */
#ifndef CUBBY_TESTS_SUPPORT_THREADS_H
#define CUBBY_TESTS_SUPPORT_THREADS_H

#include "support/heap.h"

#include "heap/thread.h"

#include <pthread.h>

/* Runs a function in a thread of its own, to its end. */
static inline void in_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static inline int threads_begin(void **state)
{
    (void)state;
    fake_install();
    return 0;
}

static inline int threads_start(void **state)
{
    (void)state;
    cubby_free(cubby_malloc(1)); /* the main thread has its heap */
    (void)cubby_trim();
    return 0;
}

static inline int threads_end(void **state)
{
    (void)state;
    (void)cubby_trim();
    bool good = heap_is_valid(thread_heap) && span_is_valid() && thread_heaps_ended() == 0 && stats_now().heaps == 1;
    good = good && fake.bad_ranges == 0 && fake.messages == 0;
    fake.clock_ms = 0;
    return good ? 0 : -1;
}

#define THREADS_TEST(name) cmocka_unit_test_setup_teardown(name, threads_start, threads_end)

#endif
