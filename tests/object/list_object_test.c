/* SPDX-License-Identifier: MIT */
#include "support/object.h"

static cubby_object_t *list_from(const int64_t *values, size_t count)
{
    cubby_object_t *list = cubby_list_object_new(runtime);
    for (size_t i = 0; i < count; i++) {
        cubby_object_t *item = int_of(values[i]);
        assert_true(cubby_list_object_append(runtime, list, item));
        release(item);
    }
    return list;
}

static const int64_t tens[] = {1000, 1010, 1020, 1030};

static void an_index_counts_from_either_end(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(cubby_int_value(cubby_list_object_get(runtime, list, i)), tens[i]);
        assert_ptr_equal(cubby_list_object_get(runtime, list, i - 4), cubby_list_object_get(runtime, list, i));
    }
    release(list);
}

static void an_index_outside_is_said_and_changes_nothing(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 4), *item = int_of(5000);
    static const int64_t outside[] = {4, -5, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        assert_null(cubby_list_object_get(runtime, list, outside[i]));
        assert_error(CUBBY_ERROR_INDEX, "is outside a list of 4 items");
        assert_false(cubby_list_object_set(runtime, list, outside[i], item));
        assert_error(CUBBY_ERROR_INDEX, "is outside a list of 4 items");
        assert_null(cubby_list_object_pop(runtime, list, outside[i]));
        assert_error(CUBBY_ERROR_INDEX, "is outside a list of 4 items");
        if (outside[i] != 4) {
            assert_false(cubby_list_object_insert(runtime, list, outside[i], item));
            assert_error(CUBBY_ERROR_INDEX, "is outside a list of 4 items");
        }
    }
    assert_int_equal(item->references, 1);
    release(item);
    assert_repr(list, "[1000, 1010, 1020, 1030]");
}

static void a_list_holds_its_items_and_lets_them_go(void **state)
{
    (void)state;
    cubby_object_t *list = cubby_list_object_new(runtime), *item = str_of("item");
    assert_true(cubby_list_object_append(runtime, list, item));
    assert_true(cubby_list_object_insert(runtime, list, 0, item));
    assert_true(cubby_list_object_extend(runtime, list, list));
    assert_int_equal(cubby_list_object_size(list), 4);
    assert_int_equal(item->references, 5);
    cubby_object_t *popped = cubby_list_object_pop(runtime, list, -1);
    assert_ptr_equal(popped, item);
    assert_int_equal(item->references, 5);
    release(popped);
    cubby_object_t *other = int_of(7000);
    assert_true(cubby_list_object_set(runtime, list, 1, other));
    release(other);
    assert_int_equal(item->references, 3);
    assert_repr(cubby_object_retain(list), "['item', 7000, 'item']");
    cubby_list_object_clear(runtime, list);
    assert_int_equal(item->references, 1);
    assert_int_equal(cubby_list_object_size(list), 0);
    release(item);
    release(list);
}

static void an_item_may_be_set_in_its_own_place(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 1);
    assert_true(cubby_list_object_set(runtime, list, 0, cubby_list_object_get(runtime, list, 0)));
    assert_repr(list, "[1000]");
}

static void items_are_put_in_and_taken_out_anywhere(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 4), *item = int_of(1);
    assert_true(cubby_list_object_insert(runtime, list, 4, item));
    assert_true(cubby_list_object_insert(runtime, list, -1, item));
    assert_true(cubby_list_object_insert(runtime, list, 1, item));
    release(item);
    assert_repr(cubby_object_retain(list), "[1000, 1, 1010, 1020, 1030, 1, 1]");
    release(cubby_list_object_pop(runtime, list, 0));
    release(cubby_list_object_pop(runtime, list, -3));
    assert_repr(list, "[1, 1010, 1020, 1, 1]");
}

static void lists_are_equal_when_their_items_are(void **state)
{
    (void)state;
    cubby_object_t *one = list_from(tens, 4), *other = list_from(tens, 4), *shorter = list_from(tens, 3);
    assert_true(equals(one, other));
    assert_false(equals(one, shorter));
    cubby_object_t *same = float_of(1010.0);
    assert_true(cubby_list_object_set(runtime, other, 1, same));
    assert_true(equals(one, other));
    assert_true(cubby_list_object_set(runtime, other, 2, same));
    assert_false(equals(one, other));
    assert_false(equals(one, same));
    release(same);
    release(one);
    release(other);
    release(shorter);
}

static void a_list_without_items_has_no_buffer(void **state)
{
    (void)state;
    size_t before = heap_blocks();
    cubby_object_t *list = list_from(tens, 4);
    while (cubby_list_object_size(list) > 0) {
        release(cubby_list_object_pop(runtime, list, -1));
    }
    assert_int_equal(heap_blocks(), before + 1);
    assert_int_equal(cubby_object_bytes(list), sizeof(cubby_list_object_t));
    assert_repr(list, "[]");
}

static void a_slice_is_a_new_list_of_the_same_items(void **state)
{
    (void)state;
    static const struct {
        int64_t from, to;
        const char *expected;
    } slices[] = {
        {1, 3, "[1010, 1020]"},
        {0, INT64_MAX, "[1000, 1010, 1020, 1030]"},
        {-3, -1, "[1010, 1020]"},
        {INT64_MIN, 2, "[1000, 1010]"},
        {2, 2, "[]"},
        {3, 1, "[]"},
        {9, 12, "[]"},
        {INT64_MIN, INT64_MIN, "[]"},
        {3, 9, "[1030]"},
    };
    cubby_object_t *list = list_from(tens, 4);
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        cubby_object_t *slice = cubby_list_object_slice_get(runtime, list, slices[i].from, slices[i].to);
        assert_non_null(slice);
        assert_ptr_not_equal(slice, list);
        assert_repr(slice, slices[i].expected);
    }
    assert_int_equal(cubby_list_object_get(runtime, list, 1)->references, 1);
    release(list);
}

static void a_slice_is_replaced_by_more_items_or_fewer(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 4), *two = list_from(tens + 2, 2), *none = list_from(tens, 0);
    assert_true(cubby_list_object_slice_set(runtime, list, 1, 2, two));
    assert_repr(cubby_object_retain(list), "[1000, 1020, 1030, 1020, 1030]");
    assert_true(cubby_list_object_slice_set(runtime, list, 0, -1, two));
    assert_repr(cubby_object_retain(list), "[1020, 1030, 1030]");
    assert_true(cubby_list_object_slice_set(runtime, list, 3, 1, two));
    assert_repr(cubby_object_retain(list), "[1020, 1030, 1030, 1020, 1030]");
    assert_true(cubby_list_object_slice_set(runtime, list, 1, 2, list));
    assert_repr(cubby_object_retain(list), "[1020, 1020, 1030, 1030, 1020, 1030, 1030, 1020, 1030]");
    assert_true(cubby_list_object_slice_set(runtime, list, 1, INT64_MAX, none));
    assert_int_equal(cubby_list_object_get(runtime, two, 0)->references, 2);
    assert_int_equal(cubby_list_object_get(runtime, two, 1)->references, 1);
    assert_repr(list, "[1020]");
    release(two);
    release(none);
}

static void a_deleted_slice_lets_its_items_go_and_keeps_the_order_of_the_others(void **state)
{
    (void)state;
    size_t before = heap_blocks();
    cubby_object_t *list = list_from(tens, 4), *first = cubby_object_retain(cubby_list_object_get(runtime, list, 0));
    cubby_list_object_slice_delete(runtime, list, 0, 2);
    assert_int_equal(first->references, 1);
    release(first);
    cubby_list_object_slice_delete(runtime, list, 1, 1);
    assert_repr(cubby_object_retain(list), "[1020, 1030]");
    cubby_list_object_slice_delete(runtime, list, INT64_MIN, INT64_MAX);
    assert_int_equal(heap_blocks(), before + 1);
    assert_repr(list, "[]");
}

static void only_a_list_gives_a_list_its_items(void **state)
{
    (void)state;
    cubby_object_t *list = list_from(tens, 4), *number = float_of(1.5);
    assert_false(cubby_list_object_slice_set(runtime, list, 0, 2, number));
    assert_error(CUBBY_ERROR_TYPE, "a list takes its new items from a list, not from a float");
    assert_false(cubby_list_object_extend(runtime, list, number));
    assert_error(CUBBY_ERROR_TYPE, "a list takes its new items from a list, not from a float");
    release(number);
    assert_repr(list, "[1000, 1010, 1020, 1030]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(an_index_counts_from_either_end),
        RUNTIME_TEST(an_index_outside_is_said_and_changes_nothing),
        RUNTIME_TEST(a_list_holds_its_items_and_lets_them_go),
        RUNTIME_TEST(an_item_may_be_set_in_its_own_place),
        RUNTIME_TEST(items_are_put_in_and_taken_out_anywhere),
        RUNTIME_TEST(lists_are_equal_when_their_items_are),
        RUNTIME_TEST(a_list_without_items_has_no_buffer),
        RUNTIME_TEST(a_slice_is_a_new_list_of_the_same_items),
        RUNTIME_TEST(a_slice_is_replaced_by_more_items_or_fewer),
        RUNTIME_TEST(a_deleted_slice_lets_its_items_go_and_keeps_the_order_of_the_others),
        RUNTIME_TEST(only_a_list_gives_a_list_its_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
