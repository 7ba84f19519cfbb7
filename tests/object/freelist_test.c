/* SPDX-License-Identifier: MIT */
#include "support/heap.h"

#include <cubby/freelist.h>
#include <cubby/limit.h>

typedef struct thing {
    size_t in_use;
    void *type;
    size_t value;
} thing_t;

#define BLOCK_THINGS ((size_t)41) /* (1,000 - 16) / 24 */

static cubby_freelist_t list;
static thing_t *things[1000];

static void list_begin(cubby_freelist_policy_t policy, size_t cap, const cubby_freelist_state_t *kept)
{
    assert_true(cubby_freelist_begin(&list, heap, sizeof(thing_t), _Alignof(thing_t), policy, cap, kept));
}

static void things_take(size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        things[i] = cubby_freelist_new(&list, thing_t);
        assert_non_null(things[i]);
        *things[i] = (thing_t){1, &list, i};
    }
}

static void things_give(size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        assert_int_equal(things[i]->value, i);
        cubby_freelist_delete(&list, things[i]);
    }
}

static size_t blocks_in_heap(void)
{
    cubby_heap_stats_t held;
    cubby_heap_stats_get(heap, &held);
    return held.blocks_used;
}

static cubby_freelist_stats_t list_stats(void)
{
    cubby_freelist_stats_t stats;
    cubby_freelist_stats_get(&list, &stats);
    return stats;
}

static void list_end_clean(void)
{
    cubby_freelist_end(&list);
    assert_int_equal(list_stats().cached, 0);
    assert_int_equal(list_stats().blocks, 0);
    assert_int_equal(blocks_in_heap(), 0);
}

static void without_a_policy_objects_are_blocks_of_the_heap_and_go_back_at_once(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_NONE, 0, NULL);
    things_take(0, 500);
    assert_int_equal(blocks_in_heap(), 500);
    assert_int_equal(cubby_usable_size(things[0]), 24);
    things_give(0, 500);
    assert_int_equal(blocks_in_heap(), 0);
    assert_int_equal(cubby_freelist_compact(&list), 0);
    assert_int_equal(list_stats().hits + list_stats().misses, 0);
    list_end_clean();
}

static void a_bounded_list_keeps_its_cap_and_takes_the_last_one_first(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_BOUNDED, 10, NULL);
    things_take(0, 30);
    things_give(0, 30);
    cubby_freelist_stats_t stats = list_stats();
    assert_int_equal(stats.cached, 10);
    assert_int_equal(stats.overflows, 20);
    assert_int_equal(stats.misses, 30);
    assert_int_equal(stats.hits, 0);
    assert_int_equal(stats.bytes_held, 10 * sizeof(thing_t));
    assert_int_equal(blocks_in_heap(), 10);
    for (size_t i = 10; i-- > 0;) {
        thing_t *again = cubby_freelist_new(&list, thing_t);
        assert_ptr_equal(again, things[i]);
        again->in_use = 1;
    }
    assert_int_equal(list_stats().hits, 10);
    assert_int_equal(list_stats().cached, 0);
    for (size_t i = 0; i < 10; i++) {
        things[i]->value = i;
    }
    things_give(0, 10);
    assert_int_equal(cubby_freelist_compact(&list), 10 * sizeof(thing_t));
    assert_int_equal(blocks_in_heap(), 0);
    assert_int_equal(list_stats().hits, 10);
    things_take(0, 1);
    assert_int_equal(list_stats().misses, 31);
    things_give(0, 1);
    list_end_clean();
}

static void a_bounded_list_without_a_cap_keeps_a_hundred(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_BOUNDED, 0, NULL);
    things_take(0, 300);
    things_give(0, 300);
    assert_int_equal(list_stats().cached, 100);
    list_end_clean();
}

static void blocks_are_filled_from_above_and_never_go_back_by_themselves(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_BLOCKS, 0, NULL);
    things_take(0, 2 * BLOCK_THINGS);
    assert_int_equal(list_stats().blocks, 2);
    assert_int_equal(blocks_in_heap(), 2);
    assert_int_equal(list_stats().misses, 2);
    assert_int_equal(list_stats().hits, 2 * BLOCK_THINGS - 2);
    for (size_t i = 1; i < BLOCK_THINGS; i++) {
        assert_ptr_equal(things[i], things[i - 1] - 1);
    }
    things_give(0, 2 * BLOCK_THINGS);
    assert_int_equal(blocks_in_heap(), 2);
    assert_int_equal(list_stats().cached, 2 * BLOCK_THINGS);
    things_take(0, 2 * BLOCK_THINGS);
    assert_int_equal(list_stats().misses, 2);
    things_give(0, 2 * BLOCK_THINGS);
    list_end_clean();
}

static void compaction_frees_the_blocks_in_which_nothing_lives_and_no_other(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_BLOCKS, 0, NULL);
    things_take(0, 10 * BLOCK_THINGS);
    /* One lives in the third block, all in the last. */
    things_give(0, 2 * BLOCK_THINGS + 7);
    things_give(2 * BLOCK_THINGS + 8, 9 * BLOCK_THINGS);
    assert_int_equal(cubby_freelist_compact(&list), 8 * 1000);
    assert_int_equal(list_stats().blocks, 2);
    assert_int_equal(blocks_in_heap(), 2);
    assert_int_equal(list_stats().cached, BLOCK_THINGS - 1);
    assert_int_equal(things[2 * BLOCK_THINGS + 7]->value, 2 * BLOCK_THINGS + 7);
    /* The places that were left are taken before there is a new block. */
    things_take(0, BLOCK_THINGS - 1);
    assert_int_equal(list_stats().blocks, 2);
    things_take(BLOCK_THINGS - 1, BLOCK_THINGS);
    assert_int_equal(list_stats().blocks, 3);
    things_give(0, BLOCK_THINGS);
    things_give(2 * BLOCK_THINGS + 7, 2 * BLOCK_THINGS + 8);
    things_give(9 * BLOCK_THINGS, 10 * BLOCK_THINGS);
    assert_int_equal(cubby_freelist_compact(&list), 3 * 1000);
    assert_int_equal(blocks_in_heap(), 0);
    list_end_clean();
}

static void ending_a_list_of_blocks_takes_them_from_under_what_lives(void **state)
{
    (void)state;
    list_begin(CUBBY_FREELIST_BLOCKS, 0, NULL);
    things_take(0, 100);
    list_end_clean();
}

/* ---- Objects that keep something ---- */

static size_t constructed, destructed, constructions_left;

static bool thing_construct(void *ctx, void *object)
{
    assert_ptr_equal(ctx, &constructed);
    if (constructions_left-- == 0) {
        return false;
    }
    ((thing_t *)object)->value = 1000 + constructed++;
    return true;
}

static void thing_destruct(void *ctx, void *object)
{
    assert_ptr_equal(ctx, &constructed);
    assert_true(((thing_t *)object)->value >= 1000);
    destructed++;
}

static const cubby_freelist_state_t kept_value = {thing_construct, thing_destruct, &constructed};

static void state_begin(size_t constructions)
{
    constructed = destructed = 0;
    constructions_left = constructions;
}

static void state_is_made_once_and_cleared_when_the_object_goes(void **state)
{
    (void)state;
    for (cubby_freelist_policy_t policy = CUBBY_FREELIST_NONE; policy <= CUBBY_FREELIST_BLOCKS; policy++) {
        state_begin(SIZE_MAX);
        list_begin(policy, 5, &kept_value);
        for (int round = 0; round < 4; round++) {
            for (size_t i = 0; i < 60; i++) {
                things[i] = cubby_freelist_new(&list, thing_t);
                things[i]->in_use = 1;
                assert_true(things[i]->value >= 1000);
            }
            for (size_t i = 0; i < 60; i++) {
                cubby_freelist_delete(&list, things[i]);
            }
        }
        size_t expected = policy == CUBBY_FREELIST_NONE ? 240 : policy == CUBBY_FREELIST_BOUNDED ? 60 + 3 * 55 : 82;
        assert_int_equal(constructed, expected);
        list_end_clean();
        assert_int_equal(destructed, constructed);
    }
}

static void a_state_that_cannot_be_made_is_no_memory_and_leaves_nothing(void **state)
{
    (void)state;
    for (cubby_freelist_policy_t policy = CUBBY_FREELIST_NONE; policy <= CUBBY_FREELIST_BLOCKS; policy++) {
        state_begin(policy == CUBBY_FREELIST_BLOCKS ? 20 : 0);
        list_begin(policy, 5, &kept_value);
        errno = 0;
        assert_null(cubby_freelist_new(&list, thing_t));
        assert_int_equal(errno, ENOMEM);
        assert_int_equal(destructed, constructed);
        assert_int_equal(list_stats().misses, 0);
        list_end_clean();
    }
}

static void without_memory_the_list_stays_as_it_was(void **state)
{
    (void)state;
    for (cubby_freelist_policy_t policy = CUBBY_FREELIST_NONE; policy <= CUBBY_FREELIST_BLOCKS; policy++) {
        list_begin(policy, 0, NULL);
        cubby_heap_t *own = list.heap = cubby_heap_create();
        cubby_heap_limit_set(own, 0);
        errno = 0;
        assert_null(cubby_freelist_new(&list, thing_t));
        assert_int_equal(errno, ENOMEM);
        assert_int_equal(list_stats().misses, 0);
        cubby_heap_limit_set(own, SIZE_MAX);
        things_take(0, 3);
        things_give(0, 3);
        cubby_freelist_end(&list);
        cubby_heap_destroy(own);
    }
}

static void what_cannot_be_a_list_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t size, alignment;
        int policy;
    } wrong[] = {
        {24, 8, 3},
        {24, 8, -1},
        {8, 8, CUBBY_FREELIST_BOUNDED},
        {8, 8, CUBBY_FREELIST_BLOCKS},
        {0, 8, CUBBY_FREELIST_NONE},
        {24, 0, CUBBY_FREELIST_NONE},
        {24, 3, CUBBY_FREELIST_NONE},
        {32, 32, CUBBY_FREELIST_BLOCKS},
        {24, 16, CUBBY_FREELIST_BLOCKS},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        errno = 0;
        assert_false(cubby_freelist_begin(&list, heap, wrong[i].size, wrong[i].alignment,
                                          (cubby_freelist_policy_t)wrong[i].policy, 0, NULL));
        assert_int_equal(errno, EINVAL);
    }
}

static void objects_larger_than_a_block_still_come_several_at_once(void **state)
{
    (void)state;
    void *objects[9];
    assert_true(cubby_freelist_begin(&list, heap, 4096, 16, CUBBY_FREELIST_BLOCKS, 0, NULL));
    for (int i = 0; i < 9; i++) {
        objects[i] = cubby_freelist_take_(&list, 4096, 16);
        assert_int_equal((uintptr_t)objects[i] % 16, 0);
        memset(objects[i], 1, 4096);
    }
    assert_int_equal(list_stats().blocks, 3);
    for (int i = 0; i < 9; i++) {
        cubby_freelist_give_(&list, objects[i], 4096, 16);
    }
    assert_true(cubby_freelist_compact(&list) >= (size_t)9 * 4096);
    list_end_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(without_a_policy_objects_are_blocks_of_the_heap_and_go_back_at_once),
        HEAP_TEST(a_bounded_list_keeps_its_cap_and_takes_the_last_one_first),
        HEAP_TEST(a_bounded_list_without_a_cap_keeps_a_hundred),
        HEAP_TEST(blocks_are_filled_from_above_and_never_go_back_by_themselves),
        HEAP_TEST(compaction_frees_the_blocks_in_which_nothing_lives_and_no_other),
        HEAP_TEST(ending_a_list_of_blocks_takes_them_from_under_what_lives),
        HEAP_TEST(state_is_made_once_and_cleared_when_the_object_goes),
        HEAP_TEST(a_state_that_cannot_be_made_is_no_memory_and_leaves_nothing),
        HEAP_TEST(without_memory_the_list_stays_as_it_was),
        HEAP_TEST(what_cannot_be_a_list_is_refused),
        HEAP_TEST(objects_larger_than_a_block_still_come_several_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
