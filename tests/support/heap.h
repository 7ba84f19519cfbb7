/* SPDX-License-Identifier: MIT */
/* One heap on a fake system for each test, which must leave both in order. */
#ifndef CUBBY_TESTS_SUPPORT_HEAP_H
#define CUBBY_TESTS_SUPPORT_HEAP_H

#include "support/fake_os.h"
#include "support/test.h"

#include "heap/heap.h"

#include <errno.h>
#include <string.h>

static cubby_heap_t *heap;

static inline int heap_start(void **state)
{
    (void)state;
    fake_install();
    heap = cubby_heap_create();
    return heap == NULL ? -1 : 0;
}

static inline bool everything_is_valid(void)
{
    return heap_is_valid(heap) && span_is_valid() && fake.bad_ranges == 0;
}

static inline cubby_stats_t stats_now(void)
{
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    stats.lock_takes = 0; /* asking takes locks */
    return stats;
}

static inline int heap_end(void **state)
{
    (void)state;
    fake_relent();
    bool good = everything_is_valid();
    cubby_heap_destroy(heap);
    good = good && span_is_valid() && stats_now().in_spans == 0 && stats_now().heaps == 0;
    span_reset();
    good = good && fake_reservations() == 0;
    os = os_linux;
    return good ? 0 : -1;
}

#define HEAP_TEST(name) cmocka_unit_test_setup_teardown(name, heap_start, heap_end)

/* Writes a block full of a pattern of its own. */
static inline void block_fill(void *block, size_t bytes, uint64_t seed)
{
    unsigned char *at = block;
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(seed * 31 + i * 7 + (i >> 8));
    }
}

static inline bool block_holds(const void *block, size_t bytes, uint64_t seed)
{
    const unsigned char *at = block;
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != (unsigned char)(seed * 31 + i * 7 + (i >> 8))) {
            return false;
        }
    }
    return true;
}

static inline bool block_is_zero(const void *block, size_t bytes)
{
    const unsigned char *at = block;
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

static inline void pointers_shuffle(void **pointers, size_t count, test_random_t *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(random, i);
        void *swapped = pointers[i - 1];
        pointers[i - 1] = pointers[j];
        pointers[j] = swapped;
    }
}

#endif
