/* SPDX-License-Identifier: MIT */
/* Spans on a fake system whose clock moves when it is told to; each test must leave nothing used and all in order. */
#ifndef CUBBY_TESTS_SUPPORT_SPAN_H
#define CUBBY_TESTS_SUPPORT_SPAN_H

#include "support/fake_os.h"
#include "support/test.h"

#include "span/bits.h"
#include "span/counts.h"
#include "span/retain.h"
#include "span/span.h"

#include <string.h>

static const size_t MIB = (size_t)1 << 20;
enum { PAGES_PER_MIB = 256 };

/* The usual window of retention and its parts, in milliseconds, and a clock that starts with a part. */
enum { WINDOW_MS = 1000, PART_MS = 125, CLOCK_START_MS = 1000000 };

static inline int spans_start(void **state)
{
    (void)state;
    fake_install();
    fake.clock_ms = CLOCK_START_MS;
    span_tick(fake.clock_ms);
    return 0;
}

static inline span_stats_t spans_stats(void)
{
    span_stats_t stats;
    span_stats_get(&stats);
    return stats;
}

static inline int spans_end(void **state)
{
    (void)state;
    fake_relent();
    bool good = span_is_valid() && spans_stats().used == 0 && fake.bad_ranges == 0;
    span_reset();
    good = good && fake_reservations() == 0;
    os = os_linux;
    settings_read();
    return good ? 0 : -1;
}

#define SPAN_TEST(name) cmocka_unit_test_setup_teardown(name, spans_start, spans_end)

/* A span of which every page was written. */
static inline span_t *span_written(size_t pages)
{
    span_t *span = span_alloc(pages, PAGE_BYTES);
    assert_non_null(span);
    for (size_t page = 0; page < pages; page++) {
        span_start(span)[page << PAGE_SHIFT] = 1;
    }
    return span;
}

static inline void span_free_written(span_t *span)
{
    span_free(span, span_bytes(span));
}

/* Moves the clock and lets what is due then happen, as slow paths of ordinary activity would. */
static inline void time_passes(uint64_t ms)
{
    for (uint64_t end = fake.clock_ms + ms; fake.clock_ms < end;) {
        fake.clock_ms++;
        span_tick(fake.clock_ms);
    }
}

static inline bool bytes_are_zero(const char *start, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (start[i] != 0) {
            return false;
        }
    }
    return true;
}

#endif
