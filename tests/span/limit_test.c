/* SPDX-License-Identifier: MIT */
#include "support/span.h"

#include "span/limit.h"

static int limit_end(void **state)
{
    span_limit_set(SIZE_MAX);
    return spans_end(state);
}

static void used_spans_never_hold_more_than_the_limit(void **state)
{
    (void)state;
    span_limit_set(100);
    span_t *first = span_alloc(60, PAGE_BYTES);
    span_t *second = span_alloc(40, PAGE_BYTES);
    assert_non_null(first);
    assert_non_null(second);
    span_stats_t before = spans_stats();
    assert_null(span_alloc(1, PAGE_BYTES));
    assert_null(span_alloc_growing(1));
    assert_false(span_extend(second, 41));
    span_stats_t after = spans_stats();
    assert_memory_equal(&before, &after, sizeof before);
    assert_false(span_limit_allows(1));
    span_free(first, 0);
    assert_true(span_limit_allows(60));
    assert_false(span_limit_allows(61));
    assert_true(span_extend(second, 100));
    assert_false(span_extend(second, 101));
    span_shrink(second, 50);
    first = span_alloc_growing(50);
    assert_non_null(first);
    assert_null(span_alloc(1, PAGE_BYTES));
    span_free(first, 0);
    span_free(second, 0);
}

static void retained_pages_do_not_count(void **state)
{
    (void)state;
    span_limit_set(1000);
    for (int round = 0; round < 5; round++) {
        span_t *span = span_written(1000);
        assert_null(span_alloc(1, PAGE_BYTES));
        span_free_written(span);
        assert_true(spans_stats().retained > 0);
    }
}

static void a_limit_below_what_is_used_refuses_until_enough_is_free(void **state)
{
    (void)state;
    span_t *first = span_alloc(60, PAGE_BYTES);
    span_t *second = span_alloc(40, PAGE_BYTES);
    span_limit_set(50);
    assert_int_equal(span_limit(), 50);
    assert_null(span_alloc(1, PAGE_BYTES));
    assert_false(span_extend(second, 41));
    span_free(first, 0);
    assert_true(span_extend(second, 50));
    assert_null(span_alloc(1, PAGE_BYTES));
    span_limit_set(SIZE_MAX);
    first = span_alloc(1, PAGE_BYTES);
    assert_non_null(first);
    span_free(first, 0);
    span_free(second, 0);
}

static void a_request_of_any_size_is_compared_without_wrapping_round(void **state)
{
    (void)state;
    span_t *span = span_alloc(10, PAGE_BYTES);
    span_limit_set(20);
    assert_false(span_limit_allows(SIZE_MAX));
    assert_false(span_limit_allows(SIZE_MAX - 9));
    assert_true(span_limit_allows(10));
    span_limit_set(0);
    assert_true(span_limit_allows(0) == false);
    span_free(span, 0);
    assert_true(span_limit_allows(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, spans_start, limit_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(used_spans_never_hold_more_than_the_limit),
        TEST(retained_pages_do_not_count),
        TEST(a_limit_below_what_is_used_refuses_until_enough_is_free),
        TEST(a_request_of_any_size_is_compared_without_wrapping_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
