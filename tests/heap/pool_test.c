/* SPDX-License-Identifier: MIT */
#include "heap/pool.h"

#include "heap/remote.h"
#include "support/heap.h"

enum { MANY = 20000 };

static void *blocks[MANY];

static void blocks_take(size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        blocks[i] = cubby_heap_malloc(heap, size);
        assert_non_null(blocks[i]);
    }
}

static void blocks_drop(size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
}

static size_t home_bytes(void)
{
    return span_bytes(heap->home);
}

static void an_empty_pool_starts_afresh_ascending(void **state)
{
    (void)state;
    test_random_t random = test_random("pool");
    for (size_t size = 16; size <= 4096; size *= 4) {
        size_t count = (size_t)3 * heap->classes[class_of(size)].capacity;
        blocks_take(count, size);
        char *first = blocks[0];
        pointers_shuffle(blocks, count, &random);
        blocks_drop(0, count);
        heap_flush(heap);
        assert_true(everything_is_valid());
        for (size_t i = 0; i < heap->classes[class_of(size)].capacity; i++) {
            assert_ptr_equal(cubby_heap_malloc(heap, size), first + i * size);
        }
    }
}

/* Of 32 blocks a pool: one of them a quarter empty, one half, one three quarters. */
static void the_fullest_pool_is_taken_from_first(void **state)
{
    (void)state;
    static const size_t freed[4] = {24, 16, 4, 0};
    size_t capacity = heap->classes[class_of(512)].capacity;
    assert_int_equal(capacity, 32);
    blocks_take(4 * capacity, 512);
    for (size_t pool = 0; pool < 4; pool++) {
        blocks_drop(pool * capacity, freed[pool]);
    }
    heap_flush(heap);
    assert_true(everything_is_valid());
    static const size_t order[3] = {2, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        char *start = blocks[order[i] * capacity];
        for (size_t taken = 0; taken < freed[order[i]]; taken++) {
            char *block = cubby_heap_malloc(heap, 512);
            assert_true(block >= start && block < start + capacity * 512);
        }
    }
    /* Only then a new pool. */
    char *fresh = cubby_heap_malloc(heap, 512);
    assert_true(fresh >= (char *)blocks[4 * capacity - 1] + 512);
}

static void a_pool_changes_its_shelf_exactly_at_the_quarters(void **state)
{
    (void)state;
    for (size_t size = 100; size <= 30000; size *= 5) {
        unsigned size_class = class_of(size);
        size_t capacity = heap->classes[size_class].capacity;
        blocks_take(capacity, size);
        span_t *pool = span_find(blocks[0]);
        assert_int_equal(pool->shelf, SHELF_FULL);
        for (size_t i = 0; i + 1 < capacity; i++) {
            pool_free(heap, blocks[i]);
            assert_int_equal(pool->shelf, (i + 1) * SHELF_COUNT / capacity);
            assert_true(everything_is_valid());
        }
        size_t before = stats_now().in_spans;
        pool_free(heap, blocks[capacity - 1]);
        assert_int_equal(stats_now().in_spans, before - (size_t)pool->pages * PAGE_BYTES);
    }
}

static void empty_pools_can_be_used_by_any_other_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {64, 1024, 24, 6000, 512, 30000, 100000, 16};
    blocks_take(4 << 20 >> 9, 512);
    blocks_drop(0, 4 << 20 >> 9);
    uint32_t top = regions[0].top;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t count = ((size_t)3 << 20) / sizes[i];
        count = count > MANY ? MANY : count;
        blocks_take(count, sizes[i]);
        blocks_drop(0, count);
        assert_true(everything_is_valid());
    }
    /* The bins and unfinished pools of the other sizes may hold some; 3 MiB of each would be 768 pages. */
    assert_true(regions[0].top <= top + 128);
}

static void freed_blocks_leave_only_what_the_bins_hold(void **state)
{
    (void)state;
    test_random_t random = test_random("pool, freed");
    for (int order = 0; order < 3; order++) {
        blocks_take(MANY, 64);
        assert_true(stats_now().in_spans >= (size_t)MANY * 64);
        if (order == 1) {
            pointers_shuffle(blocks, MANY, &random);
        } else if (order == 2) {
            for (size_t i = 0; i < MANY / 2; i++) {
                void *swapped = blocks[i];
                blocks[i] = blocks[MANY - 1 - i];
                blocks[MANY - 1 - i] = swapped;
            }
        }
        blocks_drop(0, MANY);
        /* A bin pins as many pools of 16 KiB as it holds blocks at most, however many there were. */
        size_t pinned = (stats_now().in_spans - home_bytes()) / 16384;
        assert_true(pinned <= BIN_ROOM_MOST + BIN_MEASURE_MOST + 1);
        assert_true(order == 1 || pinned <= 8);
        heap_flush(heap);
        assert_int_equal(stats_now().in_spans, home_bytes());
        assert_true(everything_is_valid());
    }
}

static void flushing_keeps_every_block_in_use_as_it_is(void **state)
{
    (void)state;
    test_random_t random = test_random("pool, flush");
    for (size_t i = 0; i < 4000; i++) {
        blocks[i] = cubby_heap_malloc(heap, 16 + i % 1000);
        block_fill(blocks[i], 16 + i % 1000, i);
    }
    for (size_t i = 0; i < 4000; i++) {
        if (random_below(&random, 3) != 0) {
            cubby_heap_free(heap, blocks[i]);
            blocks[i] = NULL;
        }
        if (i % 500 == 0) {
            heap_flush(heap);
            assert_true(everything_is_valid());
        }
    }
    heap_flush(heap);
    for (size_t i = 0; i < 4000; i++) {
        if (blocks[i] != NULL) {
            assert_true(block_holds(blocks[i], 16 + i % 1000, i));
            cubby_heap_free(heap, blocks[i]);
        }
    }
}

static void the_unused_rest_of_a_pool_is_carved_on_after_a_flush(void **state)
{
    (void)state;
    char *first = cubby_heap_malloc(heap, 256);
    assert_ptr_equal(cubby_heap_malloc(heap, 256), first + 256);
    heap_flush(heap);
    assert_true(everything_is_valid());
    for (size_t i = 2; i < 64; i++) {
        assert_ptr_equal(cubby_heap_malloc(heap, 256), first + i * 256);
    }
    assert_ptr_not_equal(span_find(cubby_heap_malloc(heap, 256)), span_find(first));
}

/*
 * A tenth of the blocks stays alive, spread over all pools. Then half of them at a time go and as many come: the new
 * ones go to the fuller pools.
 */
static void memory_compacts_without_moving_anything(void **state)
{
    (void)state;
    test_random_t random = test_random("pool, compaction");
    blocks_take(MANY, 64);
    size_t live = MANY / 10;
    pointers_shuffle(blocks, MANY, &random);
    blocks_drop(live, MANY - live);
    heap_flush(heap);
    size_t before = stats_now().in_spans;
    for (int round = 0; round < 20; round++) {
        pointers_shuffle(blocks, live, &random);
        blocks_drop(0, live / 2);
        blocks_take(live / 2, 64);
        assert_true(everything_is_valid());
    }
    heap_flush(heap);
    assert_true(stats_now().in_spans < before / 2);
}

/*
 * Symptom: a small list built in a loop spent its time making pools. Cause: handing the bins back because the heap had
 * grown emptied the pools, and making them anew counted as growth again. Guard: spans are taken in the first rounds only.
 */
static void a_block_that_grows_through_many_classes_again_and_again_keeps_its_pools(void **state)
{
    (void)state;
    fake.clock_ms = 1000;
    size_t takes = 0;
    for (size_t round = 0; round < 200; round++) {
        cubby_stats_t stats;
        cubby_stats_get(&stats);
        takes = round == 20 ? stats.lock_takes : takes;
        void *block = cubby_heap_malloc(heap, 32);
        for (size_t size = 64; size <= MEDIUM_MAX; size = size * 5 / 4) {
            block = cubby_heap_realloc(heap, block, size);
            assert_non_null(block);
        }
        cubby_heap_free(heap, block);
    }
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    assert_true(stats.lock_takes - takes < 1000);
}

/* ---- The room of bins ---- */

enum { ROOM_SIZE = 1024, ROOM_BLOCKS = 400, ROOM_ROUNDS = 20 };

/* Frees a part of the blocks and takes as many again, many times. Returns the room that their bin has then. */
static int32_t room_after_swings(cubby_heap_t *on)
{
    for (int round = 0; round < ROOM_ROUNDS; round++) {
        for (size_t i = 0; i < ROOM_BLOCKS / 4; i++) {
            cubby_heap_free(on, blocks[i]);
        }
        for (size_t i = 0; i < ROOM_BLOCKS / 4; i++) {
            blocks[i] = cubby_heap_malloc(on, ROOM_SIZE);
            assert_non_null(blocks[i]);
        }
        assert_true(on->room_grown <= (size_t)on->pool_pages << PAGE_SHIFT);
        assert_true(heap_is_valid(on));
    }
    return on->classes[class_of(ROOM_SIZE)].room;
}

static void blocks_take_from(cubby_heap_t *on)
{
    for (size_t i = 0; i < ROOM_BLOCKS; i++) {
        blocks[i] = cubby_heap_malloc(on, ROOM_SIZE);
        assert_non_null(blocks[i]);
    }
}

static void blocks_drop_to(cubby_heap_t *on)
{
    for (size_t i = 0; i < ROOM_BLOCKS; i++) {
        cubby_heap_free(on, blocks[i]);
    }
}

static void a_bin_of_a_thread_that_wants_back_what_it_spilled_gets_room_for_it(void **state)
{
    (void)state;
    cubby_heap_t *own = heap_create(HEAP_THREAD);
    assert_non_null(own);
    unsigned size_class = class_of(ROOM_SIZE);
    int32_t first = own->classes[size_class].room;
    blocks_take_from(own);
    int32_t grown = room_after_swings(own);
    assert_in_range(grown, 2 * first, BIN_ROOM_MOST);
    assert_int_equal(own->room_grown, (size_t)(grown - first) * ROOM_SIZE);
    /* Now such a swing stays in the bin: no pool hears of it. */
    uint32_t heard = 0;
    for (size_t i = 0; i < ROOM_BLOCKS / 4; i++) {
        cubby_heap_free(own, blocks[i]);
        heard += own->classes[size_class].spilling;
    }
    assert_int_equal(heard, 0);
    for (size_t i = 0; i < ROOM_BLOCKS / 4; i++) {
        blocks[i] = cubby_heap_malloc(own, ROOM_SIZE);
    }
    heap_flush(own);
    assert_int_equal(own->classes[size_class].room, first);
    assert_int_equal(own->room_grown, 0);
    blocks_drop_to(own);
    cubby_heap_destroy(own);
}

static void a_bin_that_only_spills_gets_no_more_room(void **state)
{
    (void)state;
    cubby_heap_t *own = heap_create(HEAP_THREAD);
    assert_non_null(own);
    int32_t first = own->classes[class_of(ROOM_SIZE)].room;
    blocks_take_from(own);
    blocks_drop_to(own);
    assert_int_equal(own->classes[class_of(ROOM_SIZE)].room, first);
    cubby_heap_destroy(own);
}

static void room_that_all_bins_have_been_given_is_no_more_than_the_pools(void **state)
{
    (void)state;
    cubby_heap_t *own = heap_create(HEAP_THREAD);
    assert_non_null(own);
    enum { SIZES = 16, EACH = 24 };
    for (int round = 0; round < ROOM_ROUNDS; round++) {
        for (size_t i = 0; i < (size_t)SIZES * EACH; i++) {
            blocks[i] = cubby_heap_malloc(own, 9000 + 1400 * (i % SIZES));
            assert_non_null(blocks[i]);
        }
        /* Every room was doubled while that was within the pools, which were no more than they are now. */
        assert_true(own->room_grown <= (size_t)own->pool_pages << PAGE_SHIFT);
        for (size_t i = 0; i < (size_t)SIZES * EACH; i++) {
            cubby_heap_free(own, blocks[i]);
        }
    }
    assert_true(own->room_grown > 0);
    cubby_heap_destroy(own);
}

static void a_bin_of_a_thread_that_hands_blocks_round_keeps_its_room(void **state)
{
    (void)state;
    cubby_heap_t *own = heap_create(HEAP_THREAD);
    assert_non_null(own);
    int32_t first = own->classes[class_of(ROOM_SIZE)].room;
    blocks_take_from(own);
    void *home = cubby_heap_malloc(own, 64); /* one that another thread freed */
    link_give(own, home, NULL);
    remote_push(own, home, home);
    assert_true(remote_collect(own));
    assert_int_equal(room_after_swings(own), first);
    heap_flush(own);
    assert_in_range(room_after_swings(own), 2 * first, BIN_ROOM_MOST);
    blocks_drop_to(own);
    cubby_heap_destroy(own);
}

static void a_heap_of_a_lock_keeps_the_room_it_began_with(void **state)
{
    (void)state;
    int32_t first = heap->classes[class_of(ROOM_SIZE)].room;
    blocks_take_from(heap);
    assert_int_equal(room_after_swings(heap), first);
    blocks_drop_to(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(an_empty_pool_starts_afresh_ascending),
        HEAP_TEST(the_fullest_pool_is_taken_from_first),
        HEAP_TEST(a_pool_changes_its_shelf_exactly_at_the_quarters),
        HEAP_TEST(empty_pools_can_be_used_by_any_other_size),
        HEAP_TEST(freed_blocks_leave_only_what_the_bins_hold),
        HEAP_TEST(flushing_keeps_every_block_in_use_as_it_is),
        HEAP_TEST(the_unused_rest_of_a_pool_is_carved_on_after_a_flush),
        HEAP_TEST(memory_compacts_without_moving_anything),
        HEAP_TEST(a_block_that_grows_through_many_classes_again_and_again_keeps_its_pools),
        HEAP_TEST(a_bin_of_a_thread_that_wants_back_what_it_spilled_gets_room_for_it),
        HEAP_TEST(a_bin_that_only_spills_gets_no_more_room),
        HEAP_TEST(room_that_all_bins_have_been_given_is_no_more_than_the_pools),
        HEAP_TEST(a_bin_of_a_thread_that_hands_blocks_round_keeps_its_room),
        HEAP_TEST(a_heap_of_a_lock_keeps_the_room_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
