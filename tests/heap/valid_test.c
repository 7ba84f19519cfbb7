/* SPDX-License-Identifier: MIT */
/* The walker finds what is broken on purpose. */
#include "support/heap.h"

static span_t *pool;

/* Two pools of 512 bytes: one given out whole, with some blocks back on it; one in the making; and large blocks. */
static void heap_fill(void)
{
    void *blocks[40];
    for (int i = 0; i < 40; i++) {
        blocks[i] = cubby_heap_malloc(heap, 512);
    }
    for (int i = 0; i < 10; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    assert_non_null(cubby_heap_malloc(heap, 50000));
    assert_non_null(cubby_heap_malloc(heap, 60000));
    heap_flush(heap);
    cubby_heap_free(heap, blocks[11]);
    pool = span_find(blocks[20]);
    assert_int_equal(pool->free_count, 10);
    assert_true(heap_is_valid(heap));
}

/* Breaks one field, sees that found, and mends it. */
#define ASSERT_FOUND(field, broken)                                                                                    \
    do {                                                                                                               \
        __typeof__(field) mended = (field);                                                                            \
        (field) = (broken);                                                                                            \
        bool valid = heap_is_valid(heap);                                                                              \
        (field) = mended;                                                                                              \
        assert_false(valid);                                                                                           \
        assert_true(heap_is_valid(heap));                                                                              \
    } while (0)

static TEST_UNCHECKED void a_broken_pool_is_found(void **state)
{
    (void)state;
    heap_fill();
    ASSERT_FOUND(pool->free_count, 9);
    ASSERT_FOUND(pool->free_count, 11);
    ASSERT_FOUND(pool->free_count, pool->capacity);
    ASSERT_FOUND(pool->carved, pool->capacity + 1);
    ASSERT_FOUND(pool->carved, pool->capacity - 11);
    ASSERT_FOUND(pool->shelf, pool->shelf + 1);
    ASSERT_FOUND(pool->size_class, 3);
    ASSERT_FOUND(pool->capacity, 31);
    ASSERT_FOUND(pool->state, SPAN_FREE);
    ASSERT_FOUND(pool->heap, NULL);
    ASSERT_FOUND(pool->previous, pool);
    ASSERT_FOUND(pool->free, NULL);
    ASSERT_FOUND(*(void **)pool->free, pool->free);
    ASSERT_FOUND(regions[0].tags[pool->first], 0);
}

static TEST_UNCHECKED void a_broken_bin_is_found(void **state)
{
    (void)state;
    heap_fill();
    int local = 0;
    cubby_bin_t *bin = &heap->bins[class_of(512)];
    assert_non_null(bin->free);
    ASSERT_FOUND(bin->free, test_launder(&local));
    ASSERT_FOUND(*(void **)bin->free, bin->free);
    ASSERT_FOUND(bin->free, cubby_heap_malloc(heap, 50));
    assert_non_null(cubby_heap_malloc(heap, 600));
    cubby_bin_t *fresh = &heap->bins[class_of(600)];
    ASSERT_FOUND(fresh->fresh, fresh->fresh + 16);
    ASSERT_FOUND(fresh->fresh_end, fresh->fresh_end - fresh->size);
}

static TEST_UNCHECKED void a_broken_large_block_is_found(void **state)
{
    (void)state;
    heap_fill();
    ASSERT_FOUND(heap->large->previous, heap->large);
    ASSERT_FOUND(heap->large->heap, NULL);
    ASSERT_FOUND(heap->large->size_class, 3);
    ASSERT_FOUND(regions[0].tags[heap->large->first], 0);
    ASSERT_FOUND(heap->large->next->previous, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_broken_pool_is_found),
        HEAP_TEST(a_broken_bin_is_found),
        HEAP_TEST(a_broken_large_block_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
