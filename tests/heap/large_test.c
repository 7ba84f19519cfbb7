/* SPDX-License-Identifier: MIT */
#include "support/heap.h"

static size_t pages_up(size_t size)
{
    return (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void a_large_block_takes_whole_pages_and_no_power_of_two(void **state)
{
    (void)state;
    for (size_t size = MEDIUM_MAX + 1; size < (size_t)100 << 20; size = size * 9 / 7 + 3) {
        size_t before = stats_now().in_spans;
        void *block = cubby_heap_malloc(heap, size);
        assert_non_null(block);
        assert_int_equal(cubby_usable_size(block), pages_up(size));
        assert_int_equal(stats_now().in_spans - before, pages_up(size));
        assert_int_equal((uintptr_t)block % PAGE_BYTES, 0);
        if (size % 2 == 0) {
            cubby_heap_free(heap, block);
            assert_int_equal(stats_now().in_spans, before);
        }
        assert_true(everything_is_valid());
    }
}

static void large_blocks_are_freed_in_any_order(void **state)
{
    (void)state;
    test_random_t random = test_random("large");
    static void *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        blocks[i] = cubby_heap_malloc(heap, 33000 + i * 500);
        *(size_t *)blocks[i] = 33000 + i * 500;
    }
    pointers_shuffle(blocks, 300, &random);
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(cubby_usable_size(blocks[i]), pages_up(*(size_t *)blocks[i]));
        cubby_heap_free(heap, blocks[i]);
        assert_false(cubby_owns(blocks[i]));
        assert_true(everything_is_valid());
    }
    assert_null(heap->large);
    assert_int_equal(stats_now().in_spans, span_bytes(heap->home));
}

static void what_a_large_block_leaves_is_used_by_small_ones(void **state)
{
    (void)state;
    char *large = cubby_heap_malloc(heap, (size_t)8 << 20);
    char *guard = cubby_heap_malloc(heap, 40000);
    cubby_heap_free(heap, large);
    for (size_t i = 0; i < 7 << 20 >> 8; i++) {
        char *block = cubby_heap_malloc(heap, 256);
        assert_true(block >= large && block < large + ((size_t)8 << 20));
    }
    cubby_heap_free(heap, guard);
}

static void a_block_that_shrinks_a_little_keeps_its_pages(void **state)
{
    (void)state;
    size_t size = (size_t)80 * PAGE_BYTES;
    char *block = cubby_heap_malloc(heap, size);
    block_fill(block, size, 1);
    assert_ptr_equal(cubby_heap_realloc(heap, block, size - (size_t)10 * PAGE_BYTES), block);
    assert_int_equal(cubby_usable_size(block), size);
    assert_ptr_equal(cubby_heap_realloc(heap, block, size), block);
    assert_true(block_holds(block, size, 1));
}

static void a_block_that_shrinks_a_lot_gives_the_rest_back_in_place(void **state)
{
    (void)state;
    size_t size = (size_t)80 * PAGE_BYTES;
    char *block = cubby_heap_malloc(heap, size);
    char *guard = cubby_heap_malloc(heap, 40000);
    block_fill(block, size, 1);
    size_t before = stats_now().in_spans;
    assert_ptr_equal(cubby_heap_realloc(heap, block, (size_t)69 * PAGE_BYTES), block);
    assert_int_equal(cubby_usable_size(block), 69 * PAGE_BYTES);
    assert_int_equal(stats_now().in_spans, before - (size_t)11 * PAGE_BYTES);
    assert_ptr_equal(cubby_heap_realloc(heap, block, 40000), block);
    assert_int_equal(cubby_usable_size(block), pages_up(40000));
    assert_true(block_holds(block, 40000, 1));
    cubby_heap_free(heap, guard);
}

static void a_block_that_becomes_small_moves_to_a_pool(void **state)
{
    (void)state;
    char *block = cubby_heap_malloc(heap, 100000);
    block_fill(block, 100000, 1);
    char *small = cubby_heap_realloc(heap, block, 100);
    assert_ptr_not_equal(small, block);
    assert_int_equal(cubby_usable_size(small), 112);
    assert_true(block_holds(small, 100, 1));
    assert_false(cubby_owns(block));
    assert_null(heap->large);
}

static void a_refused_large_block_changes_nothing(void **state)
{
    (void)state;
    assert_non_null(cubby_heap_malloc(heap, 50000));
    fake_refuse_all();
    cubby_stats_t before = stats_now();
    span_t *first = heap->large;
    errno = 0;
    assert_null(cubby_heap_malloc(heap, (size_t)2 << 30));
    assert_int_equal(errno, ENOMEM);
    cubby_stats_t after = stats_now();
    assert_memory_equal(&before, &after, sizeof before);
    assert_ptr_equal(heap->large, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_large_block_takes_whole_pages_and_no_power_of_two),
        HEAP_TEST(large_blocks_are_freed_in_any_order),
        HEAP_TEST(what_a_large_block_leaves_is_used_by_small_ones),
        HEAP_TEST(a_block_that_shrinks_a_little_keeps_its_pages),
        HEAP_TEST(a_block_that_shrinks_a_lot_gives_the_rest_back_in_place),
        HEAP_TEST(a_block_that_becomes_small_moves_to_a_pool),
        HEAP_TEST(a_refused_large_block_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
