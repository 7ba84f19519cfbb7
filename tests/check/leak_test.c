/* SPDX-License-Identifier: MIT */
#include "support/check.h"

static int leaks_start(void **state)
{
    (void)state;
    return checks_start((cubby_check_options_t){.hold_bytes = 65536, .leaks = true}) ? 0 : -1;
}

static int leaks_start_traced(void **state)
{
    (void)state;
    return checks_start((cubby_check_options_t){.hold_bytes = 65536, .stack_depth = 4}) ? 0 : -1;
}

static void a_heap_that_goes_with_blocks_in_it_is_reported(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    (void)!cubby_heap_malloc(heap, 100);
    (void)!cubby_heap_malloc(heap, 50000);
    cubby_heap_free(heap, cubby_heap_malloc(heap, 7));
    cubby_heap_destroy(heap);
    assert_true(was_reported("2 blocks of 50100 bytes in all not freed\n", "when their heap was destroyed"));
    heap = cubby_heap_create();
    cubby_heap_free(heap, cubby_heap_malloc(heap, 100));
    cubby_heap_destroy(heap);
    assert_true(nothing_was_reported());
}

static void only_the_blocks_of_the_heap_in_question_count(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    char *other = cubby_malloc(33);
    char *own = cubby_heap_malloc(heap, 44);
    assert_int_equal(cubby_check_leaks(heap), 1);
    assert_true(was_reported("1 block of 44 bytes in all not freed\n", "44 bytes, domain none"));
    assert_int_equal(cubby_check_leaks(NULL), 2);
    assert_true(was_reported("2 blocks of 77 bytes in all not freed\n", "33 bytes, domain none"));
    cubby_free(other);
    cubby_free(own);
    assert_int_equal(cubby_check_leaks(NULL), 0);
    assert_true(nothing_was_reported());
    cubby_heap_destroy(heap);
}

static void the_oldest_and_the_largest_are_shown(void **state)
{
    (void)state;
    enum { BLOCKS = 40 };
    char *blocks[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = cubby_malloc(1000 + (i * 7) % BLOCKS);
    }
    assert_int_equal(cubby_check_leaks(NULL), BLOCKS);
    char line[64];
    for (size_t size = 1000; size < 1000 + BLOCKS; size++) {
        (void)snprintf(line, sizeof line, ", %zu bytes, domain", size);
        assert_int_equal(strstr(reported.text, line) != NULL, size == 1000 || size >= 1000 + BLOCKS - 8);
    }
    assert_true(was_reported("40 blocks", "oldest     "));
    for (size_t i = 0; i < BLOCKS; i++) {
        cubby_free(blocks[i]);
    }
}

static void blocks_of_one_place_are_added_up(void **state)
{
    (void)state;
    char *blocks[10];
    for (int i = 0; i < 10; i++) {
        blocks[i] = cubby_malloc(100);
    }
    char *other = cubby_malloc(50);
    assert_int_equal(cubby_check_leaks(NULL), 11);
    assert_non_null(strstr(reported.text, "  50 bytes in 1 block\n  allocated at\n"));
    assert_true(was_reported("11 blocks of 1050 bytes", "  1000 bytes in 10 blocks\n  allocated at\n"));
    for (int i = 0; i < 10; i++) {
        cubby_free(blocks[i]);
    }
    cubby_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_heap_that_goes_with_blocks_in_it_is_reported, leaks_start, check_end_plain),
        CHECK_TEST(only_the_blocks_of_the_heap_in_question_count),
        CHECK_TEST(the_oldest_and_the_largest_are_shown),
        cmocka_unit_test_setup_teardown(blocks_of_one_place_are_added_up, leaks_start_traced, check_end_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
