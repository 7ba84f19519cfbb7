/* SPDX-License-Identifier: MIT */
#include "support/check.h"

static void a_freed_block_is_not_used_again_while_it_is_held(void **state)
{
    (void)state;
    char *first = cubby_malloc(100);
    uintptr_t address = (uintptr_t)first;
    cubby_free(first);
    for (int i = 0; i < 600; i++) { /* 60,000 of 65,536 bytes */
        char *block = cubby_malloc(100);
        assert_true((uintptr_t)block != address);
        cubby_free(block);
    }
}

static void a_late_write_is_seen_when_the_block_leaves(void **state)
{
    (void)state;
    char *first = cubby_malloc(100);
    char *stale = hidden(first);
    cubby_free(first);
    stale[99] = 'A';
    size_t frees = 0;
    while (reported.count == 0 && frees < 1000) {
        cubby_free(cubby_malloc(1000));
        frees++;
    }
    assert_int_equal(frees, 66); /* the first is out when 65,536 bytes are exceeded */
    assert_true(was_reported("write to a freed block", "bytes 99 to 99 of the block"));
}

static void a_block_larger_than_all_that_may_be_held_leaves_at_once(void **state)
{
    (void)state;
    char *large = cubby_malloc(65537);
    char *stale = hidden(large);
    cubby_free(large);
    cubby_free(stale);
    assert_true(was_reported("no block is there", ""));
}

static void a_trim_lets_everything_leave(void **state)
{
    (void)state;
    char *block = cubby_malloc(1000);
    char *stale = hidden(block);
    cubby_free(block);
    stale[0] = 'A';
    (void)cubby_trim();
    assert_true(was_reported("write to a freed block", "when it left the queue"));
    (void)cubby_trim();
    assert_true(nothing_was_reported());
}

static void more_damaged_blocks_than_one_call_reports_leave_in_turn(void **state)
{
    (void)state;
    enum { BLOCKS = 20 };
    for (int i = 0; i < BLOCKS; i++) {
        char *block = cubby_malloc(100);
        char *stale = hidden(block);
        cubby_free(block);
        stale[0] = 'A';
    }
    (void)cubby_trim();
    assert_int_equal(reported.count, BLOCKS);
    reported.count = 0;
}

static void a_heap_that_goes_takes_only_its_own_blocks_along(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    char *other = cubby_malloc(100);
    char *stale = hidden(other);
    cubby_heap_free(heap, cubby_heap_malloc(heap, 50));
    cubby_free(other);
    cubby_heap_free(heap, cubby_heap_malloc(heap, 50));
    cubby_heap_destroy(heap);
    cubby_free(stale);
    assert_true(was_reported("the block was freed before", ""));
    cubby_free(cubby_malloc(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_freed_block_is_not_used_again_while_it_is_held),
        CHECK_TEST(a_late_write_is_seen_when_the_block_leaves),
        CHECK_TEST(a_block_larger_than_all_that_may_be_held_leaves_at_once),
        CHECK_TEST(a_trim_lets_everything_leave),
        CHECK_TEST(more_damaged_blocks_than_one_call_reports_leave_in_turn),
        CHECK_TEST(a_heap_that_goes_takes_only_its_own_blocks_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
