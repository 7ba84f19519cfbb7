/* SPDX-License-Identifier: MIT */
#include "heap/spare.h"

#include "support/threads.h"

static void a_large_block_that_comes_and_goes_takes_no_lock(void **state)
{
    (void)state;
    cubby_free(cubby_malloc(40000));
    cubby_stats_t before, after;
    cubby_stats_get(&before);
    for (int i = 0; i < 10; i++) {
        cubby_free(cubby_malloc(40000));
    }
    cubby_stats_get(&after);
    enum { ASKING_TAKES = 16 };
    assert_in_range(after.lock_takes - before.lock_takes, 0, ASKING_TAKES);
    assert_int_equal(after.in_spans, before.in_spans);
}

static void a_spare_span_serves_a_request_an_eighth_smaller_but_no_less(void **state)
{
    (void)state;
    char *block = cubby_malloc((size_t)18 * PAGE_BYTES);
    cubby_free(block);
    char *smaller = cubby_malloc((size_t)16 * PAGE_BYTES);
    assert_ptr_equal(smaller, block);
    assert_int_equal(cubby_usable_size(smaller), (size_t)18 * PAGE_BYTES);
    cubby_free(smaller);
    char *small = cubby_malloc((size_t)15 * PAGE_BYTES);
    assert_ptr_not_equal(small, block);
    cubby_free(small);
}

static void what_lay_in_a_spare_span_is_not_seen_by_calloc(void **state)
{
    (void)state;
    enum { BYTES = 50000 };
    memset(cubby_malloc(1), 1, 1);
    for (int i = 0; i < 4; i++) {
        char *block = cubby_malloc(BYTES);
        memset(block, 0xa5, BYTES);
        cubby_free(block);
        block = cubby_calloc(1, BYTES);
        assert_true(block_is_zero(block, BYTES));
        memset(block, 0x5a, BYTES);
        cubby_free(block);
    }
    /* And the other way: a pool's worth of pages that was a large block. */
    enum { POOL_BYTES = 32 * PAGE_BYTES, BLOCK = 32768 };
    char *large = cubby_malloc(POOL_BYTES);
    memset(large, 0xa5, POOL_BYTES);
    cubby_free(large);
    char *first = cubby_calloc(1, BLOCK);
    assert_true(first >= large && first < large + POOL_BYTES); /* else it tests nothing */
    assert_true(block_is_zero(first, BLOCK));
    cubby_free(first);
}

/*
 * Symptom: calloc gave a block with old content.
 * Cause: a span was written as a large block, then used as a pool of which little was carved, and went back to the span
 *        layer as clean beyond that.
 * Guard: a span that was ever used again counts as written whole.
 */
static void a_span_used_twice_goes_back_as_written_whole(void **state)
{
    (void)state;
    enum { POOL_BYTES = 32 * PAGE_BYTES, BLOCK = 32768 };
    heap = cubby_heap_create(); /* has no spare spans, so asks the span layer */
    char *large = cubby_malloc(POOL_BYTES);
    memset(large, 0xa5, POOL_BYTES);
    cubby_free(large);
    char *small = cubby_malloc(BLOCK);
    assert_ptr_equal(small, large);
    cubby_free(small);
    heap_flush(thread_heap);
    char *zero = cubby_heap_calloc(heap, 1, POOL_BYTES);
    assert_ptr_equal(zero, large);
    assert_true(block_is_zero(zero, POOL_BYTES));
    cubby_heap_destroy(heap);
}

static void a_freed_spare_is_no_block(void **state)
{
    (void)state;
    void *block = cubby_malloc(40000);
    cubby_free(block);
    assert_false(cubby_owns(block));
    assert_int_equal(cubby_usable_size(block), 0);
}

static void spare_spans_are_few_and_go_back_on_trim(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static void *blocks[COUNT];
    size_t before = stats_now().in_spans;
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = cubby_malloc((9 + i % 24) * PAGE_BYTES);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cubby_free(blocks[i]);
        assert_true(heap_is_valid(thread_heap));
    }
    assert_in_range(stats_now().in_spans - before, 1, (size_t)32 * PAGE_BYTES);
    (void)cubby_trim();
    assert_int_equal(stats_now().in_spans, before);
}

static void *free_all(void *block)
{
    cubby_free(block);
    return NULL;
}

static void a_thread_that_ends_keeps_none(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    void *block = cubby_malloc(40000);
    in_thread(free_all, block);
    assert_int_equal(stats_now().in_spans, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        THREADS_TEST(a_large_block_that_comes_and_goes_takes_no_lock),
        THREADS_TEST(a_spare_span_serves_a_request_an_eighth_smaller_but_no_less),
        THREADS_TEST(what_lay_in_a_spare_span_is_not_seen_by_calloc),
        THREADS_TEST(a_span_used_twice_goes_back_as_written_whole),
        THREADS_TEST(a_freed_spare_is_no_block),
        THREADS_TEST(spare_spans_are_few_and_go_back_on_trim),
        THREADS_TEST(a_thread_that_ends_keeps_none),
    };
    return cmocka_run_group_tests(tests, threads_begin, NULL);
}
