/* SPDX-License-Identifier: MIT */
#include "support/heap.h"

#include <cubby/limit.h>

static const size_t MIB = (size_t)1 << 20;
static const cubby_owner_t owners[3] = {CUBBY_OWNER_LOCK, CUBBY_OWNER_THREAD, CUBBY_OWNER_ANY};

enum { MOST_BLOCKS = 100000 };
static void *blocks[MOST_BLOCKS];

static int limit_end(void **state)
{
    cubby_limit_set(SIZE_MAX);
    return heap_end(state);
}

/* Takes blocks until one is refused. */
static size_t blocks_take(cubby_heap_t *from, size_t size)
{
    size_t count = 0;
    errno = 0;
    while (count < MOST_BLOCKS && (blocks[count] = cubby_heap_malloc(from, size)) != NULL) {
        count++;
    }
    assert_int_equal(errno, ENOMEM);
    return count;
}

static void blocks_free(cubby_heap_t *from, size_t count)
{
    while (count > 0) {
        cubby_heap_free(from, blocks[--count]);
    }
}

static void a_heap_of_any_owner_stays_within_its_limit_and_others_do_not_care(void **state)
{
    (void)state;
    static const size_t sizes[4] = {32, 1000, 20000, 100000};
    for (size_t i = 0; i < 3; i++) {
        cubby_heap_t *limited = cubby_heap_create_for(owners[i]);
        cubby_heap_limit_set(limited, 2 * MIB);
        for (size_t j = 0; j < 4; j++) {
            size_t count = blocks_take(limited, sizes[j]);
            cubby_limit_t limit = cubby_heap_limit_get(limited);
            assert_int_equal(limit.bytes, 2 * MIB);
            assert_in_range(limit.used, 2 * MIB * 9 / 10, 2 * MIB);
            assert_true(count * sizes[j] <= limit.used);
            assert_true(count * sizes[j] > 2 * MIB * 3 / 4);
            cubby_heap_free(heap, cubby_heap_malloc(heap, sizes[j]));
            blocks_free(limited, count);
            (void)cubby_heap_trim(limited);
            assert_int_equal(cubby_heap_limit_get(limited).used, 0);
        }
        cubby_heap_destroy(limited);
    }
}

/* Blocks that lie idle in bins and pools of one size do not keep another size from the limit. */
static void what_was_freed_is_found_again_whatever_the_size(void **state)
{
    (void)state;
    cubby_heap_limit_set(heap, MIB);
    for (size_t size = 24; size < 500000; size = size * 2 + 10) {
        size_t count = blocks_take(heap, size);
        assert_true(count * size > MIB / 2);
        blocks_free(heap, count);
    }
}

static void a_refused_request_changes_nothing(void **state)
{
    (void)state;
    cubby_heap_limit_set(heap, MIB);
    char *block = cubby_heap_malloc(heap, 600000);
    block_fill(block, 600000, 1);
    cubby_heap_free(heap, cubby_heap_malloc(heap, 10));
    (void)cubby_heap_trim(heap);
    cubby_stats_t before = stats_now();
    cubby_limit_t limit = cubby_heap_limit_get(heap);
    errno = 0;
    assert_null(cubby_heap_malloc(heap, 600000));
    assert_null(cubby_heap_calloc(heap, 6, 100000));
    assert_null(cubby_heap_aligned_alloc(heap, 65536, 600000));
    assert_null(cubby_heap_realloc(heap, block, 2 * MIB));
    assert_int_equal(errno, ENOMEM);
    cubby_stats_t after = stats_now();
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(cubby_heap_limit_get(heap).used, limit.used);
    assert_true(block_holds(block, 600000, 1));
    assert_true(everything_is_valid());
}

/* Growing in place is bounded as well, and shrinking makes room. */
static void a_block_grows_in_place_up_to_the_limit(void **state)
{
    (void)state;
    cubby_heap_limit_set(heap, MIB);
    size_t size = 100000;
    char *block = cubby_heap_malloc(heap, size);
    block_fill(block, size, 1);
    char *start = block;
    while ((block = cubby_heap_realloc(heap, start, size + 4096)) != NULL) {
        assert_ptr_equal(block, start);
        size += 4096;
        assert_true(cubby_heap_limit_get(heap).used <= MIB);
    }
    assert_true(size > MIB - 8192);
    assert_true(block_holds(start, 100000, 1));
    assert_ptr_equal(cubby_heap_realloc(heap, start, 200000), start);
    assert_in_range(cubby_heap_limit_get(heap).used, 200000, 200000 + PAGE_BYTES);
    assert_non_null(cubby_heap_malloc(heap, 700000));
    assert_true(everything_is_valid());
}

static void a_limit_changes_at_any_time_and_takes_nothing_away(void **state)
{
    (void)state;
    assert_int_equal(cubby_heap_limit_get(heap).bytes, SIZE_MAX);
    char *block = cubby_heap_malloc(heap, MIB);
    block_fill(block, MIB, 1);
    cubby_heap_limit_set(heap, MIB / 2 + 77);
    assert_int_equal(cubby_heap_limit_get(heap).bytes, MIB / 2);
    assert_int_equal(cubby_heap_limit_get(heap).used, MIB);
    assert_null(cubby_heap_malloc(heap, 1));
    assert_true(block_holds(block, MIB, 1));
    assert_ptr_equal(cubby_heap_realloc(heap, block, MIB / 4), block);
    assert_non_null(cubby_heap_malloc(heap, 1));
    cubby_heap_limit_set(heap, SIZE_MAX);
    assert_non_null(cubby_heap_malloc(heap, 10 * MIB));
}

static void the_processs_limit_bounds_all_heaps_together(void **state)
{
    (void)state;
    cubby_heap_t *other = cubby_heap_create();
    cubby_limit_set(4 * MIB);
    assert_int_equal(cubby_limit_get().bytes, 4 * MIB);
    char *block = cubby_heap_malloc(other, 3 * MIB);
    assert_non_null(block);
    size_t count = blocks_take(heap, 100);
    assert_in_range(count * 112, MIB / 2, MIB);
    assert_true(cubby_limit_get().used <= 4 * MIB);
    assert_int_equal(cubby_limit_get().used, stats_now().in_spans);
    errno = 0;
    assert_null(cubby_heap_realloc(other, block, 4 * MIB));
    assert_int_equal(errno, ENOMEM);
    assert_null(cubby_heap_create());
    cubby_heap_destroy(other);
    assert_non_null(cubby_heap_malloc(heap, 2 * MIB));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heap_start, limit_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_heap_of_any_owner_stays_within_its_limit_and_others_do_not_care),
        TEST(what_was_freed_is_found_again_whatever_the_size),
        TEST(a_refused_request_changes_nothing),
        TEST(a_block_grows_in_place_up_to_the_limit),
        TEST(a_limit_changes_at_any_time_and_takes_nothing_away),
        TEST(the_processs_limit_bounds_all_heaps_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
