/* SPDX-License-Identifier: MIT */
#include "support/span.h"

#include "span/free.h"
#include "span/purge.h"
#include "support/memory.h"

#include <pthread.h>

enum { PEAK_PAGES = 64 * PAGES_PER_MIB };

/* What may stay when nothing is in use. */
enum { SLACK_BYTES = 2 << 20 };

/* The first purge of a process looks whether it did what it says, and is done twice. */
static void purge_once(void)
{
    span_free_written(span_written(64));
    assert_true(span_trim() > 0);
    fake_relent();
    fake.purged_bytes = 0;
    fake.purge_largest = 0;
}

/* A peak that is built and dropped, in spans of `pages`. */
static void peak(size_t pages)
{
    static span_t *spans[PEAK_PAGES];
    size_t count = PEAK_PAGES / pages;
    for (size_t i = 0; i < count; i++) {
        spans[i] = span_written(pages);
    }
    for (size_t i = 0; i < count; i++) {
        span_free_written(spans[i]);
    }
}

/* ---- When ---- */

static void no_call_that_frees_purges(void **state)
{
    (void)state;
    purge_once();
    static span_t *spans[1000];
    for (size_t i = 0; i < 1000; i++) {
        spans[i] = span_written(16);
    }
    fake_relent();
    for (size_t i = 0; i < 1000; i++) {
        /* Another thread has just looked at the clock: by the rule, all of it may go. */
        fake.clock_ms += (uint64_t)10 * WINDOW_MS;
        span_lock();
        retain_advance(fake.clock_ms);
        span_unlock();
        i % 2 == 0 ? span_free_written(spans[i]) : span_shrink(spans[i], 1);
        assert_int_equal(fake_calls(), 0);
    }
    for (size_t i = 1; i < 1000; i += 2) {
        span_free_written(spans[i]);
    }
    assert_int_equal(fake_calls(), 0);
    assert_true(spans_stats().retained > 50 * MIB);
}

/* The steady state costs neither a system call nor a page fault. */
static void what_is_built_and_dropped_within_the_window_stays_in_place(void **state)
{
    (void)state;
    memory_small_pages();
    static const size_t sizes[] = {4, 100, 1000, 4096};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        peak(sizes[size]);
        fake_relent();
        long faults = memory_faults();
        for (int cycle = 0; cycle < 30; cycle++) {
            for (int i = 0; i < 9; i++) {
                fake.clock_ms += 100;
                span_tick(fake.clock_ms);
            }
            peak(sizes[size]);
        }
        assert_int_equal(fake_calls(), 0);
        assert_true(TEST_SANITIZED || memory_faults() - faults < 100);
        span_reset();
        span_tick(fake.clock_ms);
    }
}

static void what_is_not_wanted_for_a_window_leaves_within_a_part_more(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 100, 4096};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        time_passes(50);
        peak(sizes[size]);
        size_t dropped = spans_stats().retained;
        assert_true(dropped >= 60 * MIB);
        time_passes(WINDOW_MS);
        assert_int_equal(spans_stats().retained, dropped);
        time_passes(PART_MS);
        assert_true(spans_stats().retained <= SLACK_BYTES);
        time_passes(WINDOW_MS);
        assert_int_equal(spans_stats().retained, 0);
    }
}

/* However much there is to give back, a tick gives back a little, and the next one goes on. */
static void a_tick_purges_a_little(void **state)
{
    (void)state;
    setting_set(SETTING_HUGE_PAGES, 0);
    purge_once();
    peak(1000);
    fake_relent();
    fake.clock_ms += (uint64_t)10 * WINDOW_MS;
    size_t ticks = 0;
    for (; spans_stats().retained > SLACK_BYTES; ticks++) {
        assert_true(ticks < 100);
        size_t before = fake.calls[FAKE_PURGE];
        span_tick(fake.clock_ms);
        assert_in_range(fake.calls[FAKE_PURGE] - before, 1, 4);
        fake.clock_ms++;
    }
    assert_true(ticks > 2);

    /* Then there is nothing to do before the window moves on. */
    fake_relent();
    time_passes((uint64_t)10 * WINDOW_MS);
    assert_int_equal(fake_calls(), 0);
}

/* The first request after a long pause does not pay for the whole peak that was before it. */
static void a_request_pays_for_a_few_purges_at_most(void **state)
{
    (void)state;
    setting_set(SETTING_HUGE_PAGES, 0);
    purge_once();
    peak(1000);
    fake.clock_ms += (uint64_t)10 * WINDOW_MS;
    fake_relent();
    span_tick(fake.clock_ms);
    span_t *span = span_alloc(1, PAGE_BYTES);
    assert_in_range(fake.calls[FAKE_PURGE], 1, 8);
    span_free(span, 0);
}

/* Pages touched anew while others are free are given back elsewhere: both together stay below what was in use. */
static void a_heap_is_no_larger_than_what_was_in_use(void **state)
{
    (void)state;
    setting_set(SETTING_HUGE_PAGES, 0);
    enum { COUNT = 400, PAGES = 100 };
    static span_t *spans[COUNT];
    span_tick(fake.clock_ms);
    for (size_t i = 0; i < COUNT; i++) {
        spans[i] = span_written(PAGES);
    }
    size_t most = spans_stats().used;
    for (size_t i = 0; i < COUNT; i += 2) {
        span_free_written(spans[i]);
    }
    /* None of these fits a hole. */
    static span_t *larger[COUNT / 2];
    for (size_t i = 0; i < COUNT / 2; i++) {
        larger[i] = span_written(PAGES + 1);
        size_t used = spans_stats().used;
        size_t bound = used > most ? used : most;
        assert_true(used + spans_stats().retained <= bound + SLACK_BYTES + bound / 64);
    }
    for (size_t i = 0; i < COUNT / 2; i++) {
        span_free_written(larger[i]);
        span_free_written(spans[2 * i + 1]);
    }
}

/* ---- How much at once ---- */

static void one_purge_is_bounded(void **state)
{
    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        setting_set(SETTING_HUGE_PAGES, (uint64_t)huge);
        purge_once();
        peak(PEAK_PAGES);
        time_passes((uint64_t)3 * WINDOW_MS);
        assert_true(spans_stats().retained <= SLACK_BYTES);
        assert_in_range(fake.purge_largest, 1, (huge ? 34 : 4) * MIB);
        peak(PEAK_PAGES);
        assert_true(span_trim() >= 60 * MIB);
        assert_in_range(fake.purge_largest, 1, (huge ? 34 : 4) * MIB);
        span_reset();
        fake.purge_largest = 0;
    }
}

/* ---- Without the lock ---- */

static bool was_asked;

static void ask_in_between(void *start, size_t size)
{
    (void)start;
    (void)size;
    fake.on_purge = NULL;
    span_t *span = span_alloc(50, PAGE_BYTES);
    assert_non_null(span);
    /* What is being purged is nobody's meanwhile. */
    assert_true(span_start(span) + span_bytes(span) <= (char *)start || span_start(span) >= (char *)start + size);
    memset(span_start(span), 5, span_bytes(span));
    span_free_written(span);
    was_asked = true;
}

static void *other_thread(void *unused)
{
    span_t *span = span_alloc(20, PAGE_BYTES);
    memset(span_start(span), 5, span_bytes(span));
    span_free_written(span);
    return unused;
}

static void ask_from_another_thread(void *start, size_t size)
{
    (void)start;
    (void)size;
    pthread_t thread;
    fake.on_purge = NULL;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    was_asked = true;
}

/* By a deadlock, this test does not end. */
static void others_take_spans_while_the_system_purges(void **state)
{
    (void)state;
    void (*const askers[])(void *, size_t) = {ask_in_between, ask_from_another_thread};
    setting_set(SETTING_HUGE_PAGES, 0);
    (void)alarm(60);
    for (int i = 0; i < 6; i++) {
        span_tick(fake.clock_ms);
        peak(500);
        was_asked = false;
        fake.on_purge = askers[i % 2];
        if (i < 2) {
            (void)span_trim();
        } else if (i < 4) {
            time_passes((uint64_t)2 * WINDOW_MS);
        } else { /* the window is over, and a request comes before a tick */
            span_lock();
            retain_advance(fake.clock_ms += (uint64_t)5 * WINDOW_MS);
            span_unlock();
            span_free(span_alloc(1, PAGE_BYTES), 0);
        }
        assert_true(was_asked);
        assert_true(span_is_valid());
        (void)span_trim();
    }
    (void)alarm(0);
}

/* ---- Refusal ---- */

static void a_refused_purge_is_tried_once_in_a_part_of_the_window(void **state)
{
    (void)state;
    purge_once();
    span_tick(fake.clock_ms);
    peak(500);
    fake.fail_all[FAKE_PURGE] = true;
    time_passes((uint64_t)2 * WINDOW_MS);
    fake.calls[FAKE_PURGE] = 0;
    for (int part = 0; part < 16; part++) {
        size_t before = fake.calls[FAKE_PURGE];
        for (int i = 0; i < PART_MS; i++) {
            fake.clock_ms++;
            span_tick(fake.clock_ms);
            span_free(span_alloc(1 + (size_t)i, PAGE_BYTES), 0);
        }
        assert_in_range(fake.calls[FAKE_PURGE] - before, 1, 2);
    }
    assert_true(spans_stats().retained >= 60 * MIB);
    assert_true(span_is_valid());
    fake_relent();
    time_passes((uint64_t)2 * PART_MS);
    assert_true(spans_stats().retained <= SLACK_BYTES);
}

/* ---- Zeroes ---- */

/*
 * One system page of 16 that holds both clean and dirty pages, on a system whose purge is refused or does nothing.
 * What the test of that leaves behind must not be taken for zeroes.
 */
static void a_purge_that_leaves_the_content_is_not_believed(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        fake.page_size = 65536;
        span_t *guard = span_alloc(16, 65536);
        span_t *clean = span_alloc(8, PAGE_BYTES);
        span_t *dirty = span_written(24);
        span_t *end = span_alloc(1, PAGE_BYTES);
        span_free(clean, 0);
        span_free_written(dirty);
        fake.purge_keeps = way == 0;
        fake.fail_all[FAKE_PURGE] = way == 1;
        assert_int_equal(span_trim(), 0);
        assert_int_equal(spans_stats().purged, 0);
        for (int round = 0; round < 3; round++) {
            span_t *span = span_alloc(32, PAGE_BYTES);
            span_zero(span, 0, span_bytes(span));
            assert_true(bytes_are_zero(span_start(span), span_bytes(span)));
            memset(span_start(span), 9, span_bytes(span));
            span_free_written(span);
            fake.clock_ms += (uint64_t)5 * WINDOW_MS;
            span_tick(fake.clock_ms);
            (void)span_trim();
        }
        fake_relent();
        fake.purge_keeps = false;
        span_free(guard, 0);
        span_free(end, 0);
        assert_true(span_is_valid());
        span_reset();
    }
}

/* Once found out, such a system is not asked any more. */
static void a_useless_purge_is_tried_once(void **state)
{
    (void)state;
    fake.purge_keeps = true;
    peak(100);
    (void)span_trim();
    assert_in_range(fake.calls[FAKE_PURGE], 1, 2);
    for (int i = 0; i < 3; i++) {
        peak(100);
        time_passes((uint64_t)3 * WINDOW_MS);
        (void)span_trim();
    }
    assert_in_range(fake.calls[FAKE_PURGE], 1, 2);
    assert_int_equal(spans_stats().purged, 0);
}

static void purged_pages_read_as_zero_and_leave_memory(void **state)
{
    (void)state;
    memory_small_pages();
    setting_set(SETTING_HUGE_PAGES, 0);
    span_t *span = span_written(2000);
    char *start = span_start(span);
    size_t bytes = span_bytes(span);
    span_tick(fake.clock_ms);
    span_free_written(span);
    assert_int_equal(memory_resident_in(start, bytes), bytes);
    time_passes((uint64_t)2 * WINDOW_MS);
    assert_int_equal(memory_resident_in(start, bytes), spans_stats().retained);
    (void)span_trim();
    assert_int_equal(memory_resident_in(start, bytes), 0);
    span = span_alloc(2000, PAGE_BYTES);
    assert_ptr_equal(span_start(span), start);
    assert_true(span_is_clean(span));
    assert_true(bytes_are_zero(start, bytes));
    span_free(span, bytes);
}

/* ---- Pages of the system ---- */

static void only_whole_system_pages_are_given_back(void **state)
{
    (void)state;
    for (size_t page = 4096; page <= 65536; page *= 4) {
        fake.page_size = page;
        test_random_t random = test_random("span/purge");
        span_t *spans[300];
        for (size_t i = 0; i < 300; i++) {
            spans[i] = span_alloc(1 + random_below(&random, 40), PAGE_BYTES);
            memset(span_start(spans[i]), (int)i % 100 + 1, span_bytes(spans[i]));
        }
        span_tick(fake.clock_ms);
        for (size_t i = 0; i < 300; i += 3) {
            span_free_written(spans[i]);
        }
        for (size_t i = 1; i < 300; i += 3) {
            span_free_written(spans[i]);
        }
        time_passes((uint64_t)2 * WINDOW_MS);
        (void)span_trim();
        assert_int_equal(fake.bad_ranges, 0);
        assert_true(span_is_valid());
        for (size_t i = 2; i < 300; i += 3) {
            const char *start = span_start(spans[i]);
            for (size_t byte = 0; byte < span_bytes(spans[i]); byte += 64) {
                assert_int_equal(start[byte], (int)i % 100 + 1);
            }
            span_free_written(spans[i]);
        }
        span_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPAN_TEST(no_call_that_frees_purges),
        SPAN_TEST(what_is_built_and_dropped_within_the_window_stays_in_place),
        SPAN_TEST(what_is_not_wanted_for_a_window_leaves_within_a_part_more),
        SPAN_TEST(a_tick_purges_a_little),
        SPAN_TEST(a_request_pays_for_a_few_purges_at_most),
        SPAN_TEST(a_heap_is_no_larger_than_what_was_in_use),
        SPAN_TEST(one_purge_is_bounded),
        SPAN_TEST(others_take_spans_while_the_system_purges),
        SPAN_TEST(a_refused_purge_is_tried_once_in_a_part_of_the_window),
        SPAN_TEST(a_purge_that_leaves_the_content_is_not_believed),
        SPAN_TEST(a_useless_purge_is_tried_once),
        SPAN_TEST(purged_pages_read_as_zero_and_leave_memory),
        SPAN_TEST(only_whole_system_pages_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
