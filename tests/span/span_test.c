/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "os/lock.h"
#include "span/span.h"
#include "support/fake_os.h"
#include "support/memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static int system_start(void **state)
{
    (void)state;
    fake_install();
    return 0;
}

/* A test leaves nothing used, no invariant broken and no range that the system was not promised. */
static int system_end(void **state)
{
    (void)state;
    span_stats_t stats;
    span_stats_get(&stats);
    bool valid = span_is_valid() && stats.used == 0 && fake.bad_ranges == 0;
    span_reset();
    os = os_linux;
    return valid ? 0 : -1;
}

static span_stats_t stats_now(void)
{
    span_stats_t stats;
    span_stats_get(&stats);
    return stats;
}

static bool all_zero(const char *start, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (start[i] != 0) {
            return false;
        }
    }
    return true;
}

/* The first purge of a process looks whether it did what it says, and is done twice. */
static void purge_once(void)
{
    span_t *span = span_alloc(64, PAGE_BYTES);
    memset(span_start(span), 1, span_bytes(span));
    span_free(span, span_bytes(span));
    assert_true(span_trim() > 0);
    fake_relent();
    fake.purged_bytes = 0;
}

static void fresh_spans_lie_side_by_side_upwards(void **state)
{
    (void)state;
    span_t *a = span_alloc(3, PAGE_BYTES);
    span_t *b = span_alloc(1, PAGE_BYTES);
    span_t *c = span_alloc(7, PAGE_BYTES);
    assert_ptr_equal(span_start(b), span_start(a) + (size_t)3 * PAGE_BYTES);
    assert_ptr_equal(span_start(c), span_start(b) + PAGE_BYTES);
    assert_int_equal(span_bytes(c), 7 * PAGE_BYTES);
    assert_int_equal(stats_now().used, 11 * PAGE_BYTES);
    span_free(b, 0);
    span_free(a, 0);
    span_free(c, 0);
}

static void neighbours_that_are_freed_become_one_in_any_order(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int order = 0; order < 6; order++) {
        span_t *spans[3];
        for (size_t i = 0; i < 3; i++) {
            spans[i] = span_alloc(4 + i, PAGE_BYTES);
        }
        char *start = span_start(spans[0]);
        span_t *guard = span_alloc(1, PAGE_BYTES);
        for (int i = 0; i < 3; i++) {
            span_free(spans[orders[order][i]], PAGE_BYTES);
            assert_true(span_is_valid());
        }
        span_t *joined = span_alloc(4 + 5 + 6, PAGE_BYTES);
        assert_ptr_equal(span_start(joined), start);
        span_free(joined, 0);
        span_free(guard, 0);
    }
}

static void the_smallest_free_span_that_fits_is_taken(void **state)
{
    (void)state;
    static const size_t pages[5] = {10, 5, 7, 30, 5};
    span_t *spans[5];
    span_t *guards[5];
    char *starts[5];
    for (size_t i = 0; i < 5; i++) {
        spans[i] = span_alloc(pages[i], PAGE_BYTES);
        starts[i] = span_start(spans[i]);
        guards[i] = span_alloc(1, PAGE_BYTES);
    }
    for (size_t i = 0; i < 5; i++) {
        span_free(spans[i], 0);
    }
    spans[0] = span_alloc(8, PAGE_BYTES);
    spans[1] = span_alloc(5, PAGE_BYTES);
    spans[2] = span_alloc(6, PAGE_BYTES);
    spans[3] = span_alloc(11, PAGE_BYTES);
    spans[4] = span_alloc(4, PAGE_BYTES);
    for (size_t i = 0; i < 5; i++) {
        assert_ptr_equal(span_start(spans[i]), starts[i]);
    }
    for (size_t i = 0; i < 5; i++) {
        span_free(spans[i], 0);
        span_free(guards[i], 0);
    }
}

static void a_span_starts_where_its_alignment_asks(void **state)
{
    (void)state;
    for (size_t alignment = PAGE_BYTES; alignment <= (size_t)64 << 20; alignment *= 2) {
        span_t *odd = span_alloc(1, PAGE_BYTES);
        span_t *span = span_alloc(3, alignment);
        assert_non_null(span);
        assert_int_equal((uintptr_t)span_start(span) % alignment, 0);
        assert_int_equal(span->pages, 3);
        assert_true(span_is_valid());
        assert_int_equal(stats_now().used, 4 * PAGE_BYTES);
        span_free(span, 0);
        span_free(odd, 0);
    }
}

static void a_span_grows_into_free_pages_behind_it_and_nowhere_else(void **state)
{
    (void)state;
    span_t *a = span_alloc(4, PAGE_BYTES);
    span_t *b = span_alloc(4, PAGE_BYTES);
    span_t *guard = span_alloc(1, PAGE_BYTES);
    char *start = span_start(a);
    assert_false(span_extend(a, 5));
    assert_int_equal(a->pages, 4);
    span_free(b, 0);
    assert_false(span_extend(a, 9));
    assert_int_equal(a->pages, 4);
    assert_true(span_extend(a, 6));
    assert_int_equal(a->pages, 6);
    assert_ptr_equal(span_start(a), start);
    assert_true(span_is_valid());
    assert_true(span_extend(a, 8));
    assert_true(span_is_valid());
    assert_int_equal(stats_now().used, 9 * PAGE_BYTES);
    span_free(guard, 0);
    span_free(a, 0);
}

static void the_last_span_grows_into_what_was_never_used(void **state)
{
    (void)state;
    span_t *a = span_alloc(4, PAGE_BYTES);
    assert_true(span_extend(a, 100));
    assert_true(span_is_valid());
    span_t *b = span_alloc(6, PAGE_BYTES);
    span_free(b, (size_t)6 * PAGE_BYTES);
    assert_true(span_extend(a, 20000));
    assert_true(span_is_valid());
    span_start(a)[20000 * (size_t)PAGE_BYTES - 1] = 1;
    assert_false(span_extend(a, SIZE_MAX >> PAGE_SHIFT));
    assert_false(span_extend(a, (size_t)1 << 31));
    fake.fail_all[FAKE_COMMIT] = true;
    assert_false(span_extend(a, 1 << 20));
    assert_int_equal(a->pages, 20000);
    assert_true(span_is_valid());
    span_free(a, span_bytes(a));
}

static void a_span_that_shrinks_gives_its_tail_to_others(void **state)
{
    (void)state;
    span_t *a = span_alloc(10, PAGE_BYTES);
    span_t *guard = span_alloc(1, PAGE_BYTES);
    memset(span_start(a), 1, span_bytes(a));
    span_shrink(a, 10);
    assert_int_equal(a->pages, 10);
    span_shrink(a, 3);
    assert_true(span_is_valid());
    assert_int_equal(stats_now().used, 4 * PAGE_BYTES);
    assert_int_equal(stats_now().retained, 7 * PAGE_BYTES);
    span_t *b = span_alloc(7, PAGE_BYTES);
    assert_ptr_equal(span_start(b), span_start(a) + (size_t)3 * PAGE_BYTES);
    assert_false(span_is_clean(b));
    span_free(b, 0);
    span_free(a, 0);
    span_free(guard, 0);
}

static void a_row_is_taken_with_one_turn_of_the_lock_and_freed_piece_by_piece(void **state)
{
    (void)state;
    enum { COUNT = 4, PAGES = 2 };
    span_t *written = span_alloc(PAGES, PAGE_BYTES);
    span_free(written, (size_t)PAGES * PAGE_BYTES); /* the first piece is not clean */
    span_t *row[COUNT];
    size_t takes = lock_takes();
    assert_true(span_alloc_row(PAGES, COUNT, row));
    assert_int_equal(lock_takes() - takes, 1);
    assert_int_equal(stats_now().used, COUNT * PAGES * PAGE_BYTES);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(row[i]->pages, PAGES);
        assert_ptr_equal(span_start(row[i]), span_start(row[0]) + i * PAGES * PAGE_BYTES);
        assert_true(span_is_clean(row[i]) == (i > 0));
    }
    assert_true(span_is_valid());
    for (size_t i = 0; i < COUNT; i++) {
        span_free(row[(i + 1) % COUNT], 0);
        assert_true(span_is_valid());
    }
    assert_int_equal(stats_now().used, 0);
}

static void a_row_for_which_there_is_no_room_takes_nothing(void **state)
{
    (void)state;
    span_t *row[4];
    assert_false(span_alloc_row((size_t)1 << 28, 4, row));
    assert_int_equal(stats_now().used, 0);
    assert_true(span_is_valid());
}

static void clean_pages_stay_clean_when_freed_unwritten(void **state)
{
    (void)state;
    span_t *a = span_alloc(8, PAGE_BYTES);
    assert_true(span_is_clean(a));
    span_start(a)[PAGE_BYTES] = 1;
    span_free(a, PAGE_BYTES + 1);
    assert_int_equal(stats_now().retained, 2 * PAGE_BYTES);
    a = span_alloc(8, PAGE_BYTES);
    assert_false(span_is_clean(a));
    span_zero(a, 0, span_bytes(a));
    assert_true(all_zero(span_start(a), span_bytes(a)));
    span_free(a, 0);
}

static void zeroing_does_not_touch_what_is_known_to_be_zero(void **state)
{
    (void)state;
    memory_small_pages();
    span_t *a = span_alloc(64, PAGE_BYTES);
    size_t page = memory_page();
    span_zero(a, 0, span_bytes(a));
    assert_int_equal(memory_resident_in(span_start(a), span_bytes(a)), 0);
    memset(span_start(a), 1, PAGE_BYTES);
    span_free(a, PAGE_BYTES);
    a = span_alloc(64, PAGE_BYTES);
    span_zero(a, 0, span_bytes(a));
    assert_int_equal(memory_resident_in(span_start(a), span_bytes(a)), page);
    assert_int_equal(span_start(a)[0], 0);
    span_free(a, 0);
}

static void zeroing_stays_within_its_bounds(void **state)
{
    (void)state;
    span_t *a = span_alloc(4, PAGE_BYTES);
    memset(span_start(a), 1, span_bytes(a));
    span_free(a, span_bytes(a));
    a = span_alloc(4, PAGE_BYTES);
    char *start = span_start(a);
    span_zero(a, 100, 2 * PAGE_BYTES + 50);
    assert_int_equal(start[99], 1);
    assert_true(all_zero(start + 100, 2 * PAGE_BYTES - 50));
    assert_int_equal(start[2 * PAGE_BYTES + 50], 1);
    span_free(a, span_bytes(a));
}

static void tags_name_the_owner_until_the_span_is_freed(void **state)
{
    (void)state;
    span_t *a = span_alloc(5, PAGE_BYTES);
    span_tag_all(a, 0x10203);
    for (size_t page = 0; page < 5; page++) {
        const char *inside = span_start(a) + page * PAGE_BYTES + 123;
        assert_int_equal(span_tag(inside), 0x10203);
        assert_int_equal(span_tag_fast((uintptr_t)inside), 0x10203);
        assert_ptr_equal(span_find(inside), a);
    }
    span_tag_all(a, 0);
    span_tag_first(a, 0x777);
    assert_int_equal(span_tag(span_start(a) + PAGE_BYTES - 1), 0x777);
    assert_int_equal(span_tag(span_start(a) + PAGE_BYTES), 0);
    span_tag_first(a, 0);
    span_free(a, 0);
}

static void trimming_gives_back_every_dirty_free_page_once(void **state)
{
    (void)state;
    memory_small_pages();
    span_t *a = span_alloc(256, PAGE_BYTES);
    span_t *b = span_alloc(4, PAGE_BYTES);
    span_t *c = span_alloc(64, PAGE_BYTES);
    span_t *guard = span_alloc(16, PAGE_BYTES);
    memset(span_start(a), 1, span_bytes(a));
    memset(span_start(b), 2, span_bytes(b));
    memset(span_start(c), 3, span_bytes(c));
    const char *start = span_start(a);
    size_t dirty = span_bytes(a) + span_bytes(c);
    span_free(a, span_bytes(a));
    span_free(c, span_bytes(c));
    assert_int_equal(stats_now().retained, dirty);
    assert_int_equal(span_trim(), dirty);
    assert_int_equal(stats_now().retained, 0);
    assert_int_equal(stats_now().purged, dirty);
    assert_int_equal(memory_resident_in(start, (256 + 4 + 64) * (size_t)PAGE_BYTES), span_bytes(b));
    assert_int_equal(span_start(b)[0], 2);
    assert_int_equal(span_trim(), 0);
    assert_true(span_is_valid());
    a = span_alloc(256, PAGE_BYTES);
    assert_true(span_is_clean(a));
    assert_true(all_zero(span_start(a), span_bytes(a)));
    span_free(a, 0);
    span_free(b, 0);
    span_free(guard, 0);
}

static void a_refused_purge_changes_nothing_and_is_tried_again(void **state)
{
    (void)state;
    span_t *a = span_alloc(16, PAGE_BYTES);
    memset(span_start(a), 1, span_bytes(a));
    span_free(a, span_bytes(a));
    fake.fail_all[FAKE_PURGE] = true;
    assert_int_equal(span_trim(), 0);
    assert_int_equal(stats_now().retained, 16 * PAGE_BYTES);
    assert_int_equal(stats_now().purged, 0);
    assert_true(span_is_valid());
    a = span_alloc(16, PAGE_BYTES);
    assert_false(span_is_clean(a));
    span_zero(a, 0, span_bytes(a));
    assert_true(all_zero(span_start(a), span_bytes(a)));
    span_free(a, 0);
    fake_relent();
    assert_int_equal(span_trim(), 16 * PAGE_BYTES);
}

/* With pages of 64 KiB only one of the three that the free span reaches into is free as a whole. */
static void only_whole_system_pages_are_purged(void **state)
{
    (void)state;
    fake.page_size = 65536;
    purge_once();
    span_t *low = span_alloc(3, PAGE_BYTES);
    span_t *a = span_alloc(40, PAGE_BYTES);
    span_t *high = span_alloc(5, PAGE_BYTES);
    memset(span_start(low), 1, span_bytes(low));
    memset(span_start(a), 2, span_bytes(a));
    memset(span_start(high), 3, span_bytes(high));
    span_free(a, span_bytes(a));
    assert_int_equal(span_trim(), 65536);
    assert_int_equal(fake.purged_bytes, 65536);
    assert_int_equal(fake.calls[FAKE_PURGE], 1);
    assert_int_equal(fake.bad_ranges, 0);
    assert_int_equal(span_start(low)[span_bytes(low) - 1], 1);
    assert_int_equal(span_start(high)[0], 3);
    assert_true(span_is_valid());
    a = span_alloc(40, PAGE_BYTES);
    span_zero(a, 0, span_bytes(a));
    assert_true(all_zero(span_start(a), span_bytes(a)));
    span_free(a, span_bytes(a));
    span_free(low, span_bytes(low));
    span_free(high, span_bytes(high));
}

static void errno_is_kept_when_there_is_nothing_to_give(void **state)
{
    (void)state;
    fake_refuse_all();
    errno = 77;
    assert_null(span_alloc(1, PAGE_BYTES));
    assert_null(span_alloc(0, PAGE_BYTES));
    assert_int_equal(errno, 77);
}

static void *thread_run(void *argument)
{
    span_t *spans[32] = {NULL};
    test_random_t random = {(uint64_t)(uintptr_t)argument * 77777 + 1};
    for (int step = 0; step < 20000; step++) {
        span_t **slot = &spans[random_below(&random, 32)];
        if (*slot == NULL) {
            *slot = span_alloc(1 + random_below(&random, 20), PAGE_BYTES);
            *(void **)(void *)span_start(*slot) = slot;
        } else if (*(void **)(void *)span_start(*slot) != slot) {
            return *slot;
        } else {
            span_free(*slot, sizeof(void *));
            *slot = NULL;
        }
    }
    for (int i = 0; i < 32; i++) {
        if (spans[i] != NULL) {
            span_free(spans[i], sizeof(void *));
        }
    }
    return NULL;
}

static void threads_take_and_give_spans_at_the_same_time(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, thread_run, (void *)(i + 1)), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, system_start, system_end)

/*
 * Symptom: growing a span to the pages it has cut an empty span out of what lies behind it. Cause: no pages more were
 * taken for some. Guard: nothing is done, and the span is as long as was asked for.
 */
static void growing_to_the_pages_there_are_changes_nothing(void **state)
{
    (void)state;
    span_t *span = span_alloc(8, PAGE_BYTES);
    span_t *behind = span_alloc(8, PAGE_BYTES);
    span_free(behind, 0);
    assert_true(span_extend(span, 8));
    assert_true(span_extend(span, 3));
    assert_int_equal(span->pages, 8);
    assert_true(span_is_valid());
    span_free(span, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(growing_to_the_pages_there_are_changes_nothing),
        TEST(fresh_spans_lie_side_by_side_upwards),
        TEST(neighbours_that_are_freed_become_one_in_any_order),
        TEST(the_smallest_free_span_that_fits_is_taken),
        TEST(a_span_starts_where_its_alignment_asks),
        TEST(a_span_grows_into_free_pages_behind_it_and_nowhere_else),
        TEST(the_last_span_grows_into_what_was_never_used),
        TEST(a_span_that_shrinks_gives_its_tail_to_others),
        TEST(a_row_is_taken_with_one_turn_of_the_lock_and_freed_piece_by_piece),
        TEST(a_row_for_which_there_is_no_room_takes_nothing),
        TEST(clean_pages_stay_clean_when_freed_unwritten),
        TEST(zeroing_does_not_touch_what_is_known_to_be_zero),
        TEST(zeroing_stays_within_its_bounds),
        TEST(tags_name_the_owner_until_the_span_is_freed),
        TEST(trimming_gives_back_every_dirty_free_page_once),
        TEST(a_refused_purge_changes_nothing_and_is_tried_again),
        TEST(only_whole_system_pages_are_purged),
        TEST(errno_is_kept_when_there_is_nothing_to_give),
        TEST(threads_take_and_give_spans_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
