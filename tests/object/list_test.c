/* SPDX-License-Identifier: MIT */
#include "support/list.h"

#include "heap/classes.h"

static void an_empty_list_is_all_zero_and_has_no_buffer(void **state)
{
    (void)state;
    cubby_list_t list = CUBBY_LIST_EMPTY;
    cubby_list_t zero;
    memset(&zero, 0, sizeof zero);
    assert_memory_equal(&list, &zero, sizeof list);
    assert_null(cubby_list_pop(heap, &zero));
    cubby_list_clear(heap, &zero);
    cubby_list_shrink(heap, &zero);
    assert_true(cubby_list_resize(heap, &zero, 0));
    assert_memory_equal(&list, &zero, sizeof list);
}

static void the_capacity_is_what_the_block_holds_at_every_size(void **state)
{
    (void)state;
    cubby_list_t list = CUBBY_LIST_EMPTY;
    for (size_t i = 0; i < 300000; i++) {
        size_t before = list.capacity;
        assert_true(cubby_list_append(heap, &list, item(i)));
        if (list.capacity != before) {
            assert_buffer(&list);
        }
    }
    assert_counts(&list, 0, list.size, 0);
    for (size_t i = list.size; i > 0; i--) {
        size_t before = list.capacity;
        assert_ptr_equal(cubby_list_pop(heap, &list), item(i - 1));
        if (list.capacity != before) {
            assert_buffer(&list);
        }
    }
    assert_null(list.items);
    assert_int_equal(list.capacity, 0);
}

static void growing_item_by_item_leaves_no_more_room_than_the_rule_says(void **state)
{
    (void)state;
    cubby_list_t list = CUBBY_LIST_EMPTY;
    while (list.size < 3000000) {
        size_t before = list.capacity;
        assert_true(cubby_list_append(heap, &list, item(list.size)));
        if (list.capacity == before) {
            continue;
        }
        /* The rule's share, and what the class or the page rounds up: see src/object/list.c. */
        size_t bytes = list.size * 8;
        size_t room = (list.capacity - list.size) * 8;
        if (bytes <= 512) {
            assert_true(room <= bytes / 2 + 24);
        } else if (bytes <= 32768) {
            assert_true(list.capacity <= list.size * 45 / 32);
        } else {
            assert_true(room <= bytes / (bytes <= (size_t)1 << 20 ? 4 : 8) + PAGE_BYTES);
        }
    }
    cubby_list_clear(heap, &list);
}

static void a_list_that_grows_alone_to_ten_million_copies_no_more_than_its_first_mebibyte(void **state)
{
    (void)state;
    size_t before = stats_now().bytes_copied;
    cubby_list_t list = CUBBY_LIST_EMPTY;
    for (size_t i = 0; i < 10000000; i++) {
        assert_true(cubby_list_append(heap, &list, NULL));
    }
    assert_true(stats_now().bytes_copied - before <= (size_t)5 << 20);
    cubby_list_clear(heap, &list);
}

static void a_list_made_at_once_takes_the_closest_class(void **state)
{
    (void)state;
    for (size_t size = 1; size < 6000; size = size < 80 ? size + 1 : size * 9 / 8) {
        cubby_list_t reserved = CUBBY_LIST_EMPTY;
        cubby_list_t resized = CUBBY_LIST_EMPTY;
        cubby_list_t extended = CUBBY_LIST_EMPTY;
        assert_true(cubby_list_reserve(heap, &reserved, size));
        assert_int_equal(reserved.size, 0);
        assert_true(cubby_list_resize(heap, &resized, size));
        assert_true(cubby_list_extend(heap, &extended, resized.items, size));
        size_t bytes = size * 8;
        size_t block = bytes <= 512          ? class_size(cubby_class_(bytes, 8))
                       : bytes <= MEDIUM_MAX ? class_size(class_of(bytes))
                                             : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        assert_int_equal(reserved.capacity, block / 8);
        assert_int_equal(resized.capacity, block / 8);
        assert_int_equal(extended.capacity, block / 8);
        assert_buffer(&reserved);
        cubby_list_clear(heap, &reserved);
        cubby_list_clear(heap, &resized);
        cubby_list_clear(heap, &extended);
        assert_true(everything_is_valid());
    }
}

static void new_items_of_a_resize_are_null_and_resizing_to_zero_frees_the_buffer(void **state)
{
    (void)state;
    cubby_list_t list = list_of(10);
    memset(list.items + 10, 0xFF, (list.capacity - 10) * sizeof(void *));
    assert_true(cubby_list_resize(heap, &list, 5000));
    assert_counts(&list, 0, 10, 0);
    for (size_t i = 10; i < 5000; i++) {
        assert_null(list.items[i]);
    }
    assert_buffer(&list);
    assert_true(cubby_list_resize(heap, &list, 3));
    assert_counts(&list, 0, 3, 0);
    assert_int_equal(list.capacity, 3);
    assert_true(cubby_list_resize(heap, &list, 0));
    assert_null(list.items);
    assert_int_equal(list.capacity, 0);
    cubby_heap_stats_t stats;
    cubby_heap_stats_get(heap, &stats);
    assert_int_equal(stats.blocks_used + stats.large_blocks, 0);
}

static void items_are_inserted_and_removed_at_every_place(void **state)
{
    (void)state;
    for (size_t size = 0; size < 80; size++) {
        for (size_t at = 0; at <= size; at++) {
            cubby_list_t list = list_of(size);
            assert_true(cubby_list_insert(heap, &list, at, item(1000)));
            assert_int_equal(list.size, size + 1);
            assert_counts(&list, 0, at, 0);
            assert_ptr_equal(list.items[at], item(1000));
            assert_counts(&list, at + 1, size + 1, at);
            assert_buffer(&list);
            assert_ptr_equal(cubby_list_remove(heap, &list, at), item(1000));
            assert_int_equal(list.size, size);
            assert_counts(&list, 0, size, 0);
            cubby_list_clear(heap, &list);
        }
    }
}

static void a_list_is_extended_by_any_part_of_itself(void **state)
{
    (void)state;
    for (size_t size = 1; size < 70; size += size < 10 ? 1 : 7) {
        for (size_t from = 0; from < size; from++) {
            cubby_list_t list = list_of(size);
            assert_true(cubby_list_extend(heap, &list, list.items + from, size - from));
            assert_int_equal(list.size, 2 * size - from);
            assert_counts(&list, 0, size, 0);
            assert_counts(&list, size, list.size, from);
            assert_buffer(&list);
            cubby_list_clear(heap, &list);
        }
    }
    cubby_list_t large = list_of(100000);
    assert_true(cubby_list_extend(heap, &large, large.items, large.size));
    assert_counts(&large, 0, 100000, 0);
    assert_counts(&large, 100000, 200000, 0);
    cubby_list_clear(heap, &large);
}

static void a_slice_is_replaced_by_fewer_and_by_more_items(void **state)
{
    (void)state;
    void *others[50];
    for (size_t i = 0; i < 50; i++) {
        others[i] = item(1000 + i);
    }
    for (size_t from = 0; from <= 40; from += 5) {
        for (size_t count = 0; count <= 40 - from; count += 5) {
            for (size_t more = 0; more <= 50; more += 10) {
                cubby_list_t list = list_of(40);
                assert_true(cubby_list_replace(heap, &list, from, count, others, more));
                assert_int_equal(list.size, 40 - count + more);
                assert_counts(&list, 0, from, 0);
                assert_counts(&list, from, from + more, 1000);
                assert_counts(&list, from + more, list.size, from + count);
                assert_buffer(&list);
                cubby_list_clear(heap, &list);
            }
        }
    }
}

static void a_slice_is_replaced_by_any_part_of_the_list_itself(void **state)
{
    (void)state;
    const size_t length = 12;
    for (size_t choice = 0; choice < length * length * length * length; choice++) {
        size_t from = choice % length;
        size_t count = choice / length % (length - from + 1);
        size_t source = choice / (length * length) % length;
        size_t more = choice / (length * length * length) % (length - source + 1);
        cubby_list_t list = list_of(length);
        assert_true(cubby_list_replace(heap, &list, from, count, list.items + source, more));
        assert_int_equal(list.size, length - count + more);
        assert_counts(&list, 0, from, 0);
        assert_counts(&list, from, from + more, source);
        assert_counts(&list, from + more, list.size, from + count);
        cubby_list_clear(heap, &list);
    }
}

static void a_list_that_loses_half_its_items_gives_memory_back_and_does_not_bounce(void **state)
{
    (void)state;
    cubby_list_t list = list_of(100000);
    while (list.size > 1) {
        (void)cubby_list_pop(heap, &list);
        assert_true(list.capacity <= 8 || list.size >= list.capacity / 2);
    }
    cubby_list_clear(heap, &list);

    /* Up and down by one, at every size: the buffer changes once at most. */
    for (size_t size = 1; size < 300; size++) {
        list = list_of(size);
        size_t changes = 0;
        for (size_t i = 0; i < 20; i++) {
            size_t before = list.capacity;
            assert_true(cubby_list_append(heap, &list, NULL));
            changes += list.capacity != before;
            before = list.capacity;
            (void)cubby_list_pop(heap, &list);
            changes += list.capacity != before;
        }
        assert_true(changes <= 1);
        cubby_list_clear(heap, &list);
    }
}

static void shrinking_leaves_what_the_items_need(void **state)
{
    (void)state;
    cubby_list_t list = list_of(33);
    assert_true(cubby_list_reserve(heap, &list, 2000));
    assert_true(list.capacity >= 2000);
    cubby_list_shrink(heap, &list);
    assert_int_equal(list.capacity, 34);
    assert_counts(&list, 0, 33, 0);
    void **items = list.items;
    cubby_list_shrink(heap, &list);
    assert_ptr_equal(list.items, items);
    assert_true(cubby_list_reserve(heap, &list, 100000));
    cubby_list_shrink(heap, &list);
    assert_int_equal(list.capacity, 34);
    assert_true(cubby_list_resize(heap, &list, 50000));
    assert_true(cubby_list_reserve(heap, &list, 500000));
    cubby_list_shrink(heap, &list);
    assert_true(list.capacity < 50000 + 50000 / 8 + 512);
    assert_buffer(&list);
    assert_counts(&list, 0, 33, 0);
    cubby_list_clear(heap, &list);
}

static void a_size_that_overflows_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    void *one = item(7);
    cubby_list_t list = list_of(3);
    cubby_list_t before = list;
    const size_t sizes[] = {SIZE_MAX,         SIZE_MAX - 1,  SIZE_MAX / 2,      SIZE_MAX / 8,     SIZE_MAX / 8 + 1,
                            SIZE_MAX / 8 - 1, SIZE_MAX / 16, SIZE_MAX / 16 + 1, SIZE_MAX / 16 - 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        errno = 0;
        assert_false(cubby_list_reserve(heap, &list, sizes[i]));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_false(cubby_list_resize(heap, &list, sizes[i]));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_false(cubby_list_extend(heap, &list, &one, test_size(sizes[i])));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_false(cubby_list_extend(heap, &list, list.items, test_size(sizes[i])));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_false(cubby_list_replace(heap, &list, 1, 1, &one, test_size(sizes[i])));
        assert_int_equal(errno, ENOMEM);
        assert_memory_equal(&list, &before, sizeof list);
    }
    assert_counts(&list, 0, 3, 0);
    cubby_list_clear(heap, &list);
}

static void an_index_out_of_range_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    void *one = item(7);
    cubby_list_t list = list_of(3);
    cubby_list_t before = list;
    errno = 0;
    assert_false(cubby_list_insert(heap, &list, 4, one));
    assert_int_equal(errno, EINVAL);
    errno = 0;
    assert_null(cubby_list_remove(heap, &list, 3));
    assert_int_equal(errno, EINVAL);
    errno = 0;
    assert_false(cubby_list_replace(heap, &list, 4, 0, &one, 1));
    assert_int_equal(errno, EINVAL);
    errno = 0;
    assert_false(cubby_list_replace(heap, &list, 1, test_size(SIZE_MAX), &one, 1));
    assert_int_equal(errno, EINVAL);
    assert_memory_equal(&list, &before, sizeof list);
    cubby_list_clear(heap, &list);
}

/* ---- Other kinds of heap ---- */

static void lists_live_on_heaps_of_every_owner(void **state)
{
    (void)state;
    const cubby_owner_t owners[] = {CUBBY_OWNER_LOCK, CUBBY_OWNER_THREAD, CUBBY_OWNER_ANY};
    for (size_t i = 0; i < 3; i++) {
        cubby_heap_t *other = cubby_heap_create_for(owners[i]);
        cubby_list_t list = CUBBY_LIST_EMPTY;
        for (size_t n = 0; n < 200000; n++) {
            assert_true(cubby_list_append(other, &list, item(n)));
        }
        assert_counts(&list, 0, list.size, 0);
        assert_buffer(&list);
        for (size_t n = 200000; n > 100; n--) {
            assert_ptr_equal(cubby_list_pop(other, &list), item(n - 1));
        }
        cubby_list_shrink(other, &list);
        assert_buffer(&list);
        cubby_list_clear(other, &list);
        cubby_list_clear(other, &list);
        assert_int_equal(fake.messages, 0);
        cubby_heap_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(an_empty_list_is_all_zero_and_has_no_buffer),
        HEAP_TEST(the_capacity_is_what_the_block_holds_at_every_size),
        HEAP_TEST(growing_item_by_item_leaves_no_more_room_than_the_rule_says),
        HEAP_TEST(a_list_that_grows_alone_to_ten_million_copies_no_more_than_its_first_mebibyte),
        HEAP_TEST(a_list_made_at_once_takes_the_closest_class),
        HEAP_TEST(new_items_of_a_resize_are_null_and_resizing_to_zero_frees_the_buffer),
        HEAP_TEST(items_are_inserted_and_removed_at_every_place),
        HEAP_TEST(a_list_is_extended_by_any_part_of_itself),
        HEAP_TEST(a_slice_is_replaced_by_fewer_and_by_more_items),
        HEAP_TEST(a_slice_is_replaced_by_any_part_of_the_list_itself),
        HEAP_TEST(a_list_that_loses_half_its_items_gives_memory_back_and_does_not_bounce),
        HEAP_TEST(shrinking_leaves_what_the_items_need),
        HEAP_TEST(a_size_that_overflows_is_refused_and_nothing_changes),
        HEAP_TEST(an_index_out_of_range_is_refused_and_nothing_changes),
        HEAP_TEST(lists_live_on_heaps_of_every_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
