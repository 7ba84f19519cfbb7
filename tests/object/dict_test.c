/* SPDX-License-Identifier: MIT */
#include "support/object.h"

#include "object/dict.h"

#include <math.h>

static cubby_object_t *dict;

static const cubby_dict_t *inside(void)
{
    return (const cubby_dict_t *)(const void *)dict;
}

static void dict_begin(void)
{
    dict = cubby_dict_new(runtime);
    assert_non_null(dict);
}

static void dict_end(void)
{
    assert_true(dict_is_valid(inside()));
    release(dict);
}

/* All take the references that they are given. */
static void set(cubby_object_t *key, cubby_object_t *value)
{
    assert_true(cubby_dict_set(runtime, dict, key, value));
    release(key);
    release(value);
}

static cubby_object_t *get(cubby_object_t *key)
{
    cubby_object_t *value;
    assert_true(cubby_dict_find(runtime, dict, key, &value));
    release(key);
    return value;
}

static bool removes(cubby_object_t *key)
{
    bool removed = cubby_dict_remove(runtime, dict, key);
    release(key);
    return removed;
}

static void keys_may_be_ints_floats_and_strs(void **state)
{
    (void)state;
    dict_begin();
    set(int_of(1), str_of("int"));
    set(float_of(0.5), str_of("float"));
    set(str_of("1"), str_of("str"));
    assert_string_equal(cubby_str_bytes(get(int_of(1))), "int");
    assert_string_equal(cubby_str_bytes(get(float_of(0.5))), "float");
    assert_string_equal(cubby_str_bytes(get(str_of("1"))), "str");
    assert_null(get(int_of(2)));
    assert_null(get(str_of("")));
    assert_int_equal(cubby_dict_size(dict), 3);
    dict_end();
}

static void one_and_one_point_zero_are_the_same_key_and_the_first_stays(void **state)
{
    (void)state;
    dict_begin();
    set(int_of(1), str_of("a"));
    set(float_of(1.0), str_of("b"));
    set(float_of(-0.0), str_of("c"));
    set(int_of(0), str_of("d"));
    set(float_of(-0x1p63), str_of("e"));
    set(int_of(INT64_MIN), str_of("f"));
    cubby_object_t *shown = dict;
    (void)cubby_object_retain(dict);
    assert_repr(shown, "{1: 'b', -0.0: 'd', -9.223372036854776e+18: 'f'}");
    /* 2 to the power of 53, and one more, which no float is. */
    set(int_of(9007199254740993), str_of("g"));
    assert_null(get(float_of(9007199254740992.0)));
    assert_null(get(float_of(0x1p63)));
    dict_end();
}

static void a_nan_is_found_only_as_the_object_it_is(void **state)
{
    (void)state;
    dict_begin();
    cubby_object_t *nan = float_of(NAN);
    assert_true(cubby_dict_set(runtime, dict, nan, nan));
    assert_ptr_equal(get(cubby_object_retain(nan)), nan);
    assert_null(get(float_of(NAN)));
    set(float_of(NAN), int_of(1));
    assert_int_equal(cubby_dict_size(dict), 2);
    release(nan);
    dict_end();
}

static void entries_keep_the_order_in_which_keys_were_first_set(void **state)
{
    (void)state;
    dict_begin();
    for (int64_t i = 0; i < 10; i++) {
        set(int_of(i * 1000), int_of(i));
    }
    assert_true(removes(int_of(3000)));
    set(int_of(0), int_of(-1));
    set(int_of(3000), int_of(-2));
    size_t position = 0;
    cubby_object_t *key, *value;
    static const int64_t expected[] = {0, 1000, 2000, 4000, 5000, 6000, 7000, 8000, 9000, 3000};
    for (int i = 0; i < 10; i++) {
        assert_true(cubby_dict_next(dict, &position, &key, &value));
        assert_int_equal(cubby_int_value(key), expected[i]);
    }
    assert_false(cubby_dict_next(dict, &position, &key, &value));
    dict_end();
}

static void keys_may_be_removed_while_the_entries_are_gone_through(void **state)
{
    (void)state;
    dict_begin();
    for (int i = 0; i < 1000; i++) {
        set(int_of(i), int_of(i));
    }
    size_t position = 0, seen = 0;
    for (cubby_object_t *key, *value; cubby_dict_next(dict, &position, &key, &value); seen++) {
        assert_true(cubby_dict_remove(runtime, dict, key));
    }
    assert_int_equal(seen, 1000);
    assert_int_equal(cubby_dict_size(dict), 0);
    dict_end();
}

static void a_dict_without_keys_has_no_tables(void **state)
{
    (void)state;
    dict_begin();
    size_t before = heap_blocks();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            set(int_of(i), int_of(0));
        }
        assert_int_equal(heap_blocks(), before + 2);
        for (int i = 0; i < 100; i++) {
            assert_true(removes(int_of(i)));
        }
        assert_int_equal(heap_blocks(), before);
        assert_null(inside()->entries);
        assert_null(inside()->index);
    }
    set(int_of(0), int_of(1));
    cubby_dict_clear(runtime, dict);
    assert_int_equal(heap_blocks(), before);
    dict_end();
}

static void the_index_is_as_narrow_as_its_entries_allow(void **state)
{
    (void)state;
    dict_begin();
    for (int i = 0; i < 50000; i++) {
        set(int_of(i), int_of(0));
        size_t places = index_places(inside()->index_bits);
        size_t width = index_width(inside()->index_bits);
        assert_true(places >= inside()->count * 3 / 2);
        assert_int_equal(width, places <= 128 ? 1 : places <= 32768 ? 2 : 4);
        if (i % 5000 == 0) {
            assert_true(dict_is_valid(inside()));
        }
    }
    for (int i = 0; i < 50000; i++) {
        assert_non_null(get(int_of(i)));
    }
    dict_end();
}

static void a_dict_whose_keys_come_and_go_stays_small(void **state)
{
    (void)state;
    dict_begin();
    for (int i = 0; i < 100000; i++) {
        set(int_of(i), int_of(0));
        if (i >= 10) {
            assert_true(removes(int_of(i - 10)));
        }
        assert_true(inside()->capacity <= 40);
        assert_true(index_places(inside()->index_bits) <= 32);
    }
    dict_end();
}

static void a_dict_that_was_large_gives_its_tables_back(void **state)
{
    (void)state;
    dict_begin();
    for (int i = 0; i < 100000; i++) {
        set(int_of(i), int_of(0));
    }
    for (int i = 5; i < 100000; i++) {
        assert_true(removes(int_of(i)));
    }
    /* The next time the index is full of what was removed. */
    for (int i = 0; i < 100000; i++) {
        set(int_of(1000000 + i), int_of(0));
        assert_true(removes(int_of(1000000 + i)));
    }
    assert_true(cubby_object_bytes(dict) < 4096);
    dict_end();
}

static void what_is_missing_or_cannot_be_a_key_is_said(void **state)
{
    (void)state;
    dict_begin();
    cubby_object_t *keys[] = {int_of(7000), float_of(0.5), str_of("seven"), cubby_list_object_new(runtime)};
    assert_null(cubby_dict_get(runtime, dict, keys[0]));
    assert_error(CUBBY_ERROR_KEY, "no key 7000 in the dict");
    assert_false(cubby_dict_remove(runtime, dict, keys[1]));
    assert_error(CUBBY_ERROR_KEY, "no key 0.5 in the dict");
    assert_null(cubby_dict_get(runtime, dict, keys[2]));
    assert_error(CUBBY_ERROR_KEY, "no key 'seven' in the dict");
    assert_false(cubby_dict_set(runtime, dict, keys[3], keys[0]));
    assert_error(CUBBY_ERROR_TYPE, "a list cannot be a key; use an int, a float or a str");
    cubby_object_t *value;
    assert_false(cubby_dict_find(runtime, dict, dict, &value));
    assert_error(CUBBY_ERROR_TYPE, "a dict cannot be a key");
    for (size_t i = 0; i < 4; i++) {
        release(keys[i]);
    }
    dict_end();
}

static void dicts_are_equal_when_their_keys_and_values_are(void **state)
{
    (void)state;
    dict_begin();
    cubby_object_t *other = dict;
    set(int_of(1), str_of("one"));
    set(str_of("two"), float_of(2.0));
    dict_begin();
    set(str_of("two"), int_of(2));
    assert_false(equals(dict, other));
    set(float_of(1.0), str_of("one"));
    assert_true(equals(dict, other));
    set(float_of(1.0), str_of("uno"));
    assert_false(equals(dict, other));
    assert_true(removes(int_of(1)));
    set(int_of(3), str_of("one"));
    assert_false(equals(dict, other));
    release(other);
    dict_end();
}

/* ---- Against a simple reference ---- */

/*
 * KEYS numbers stand for keys: of three in a row the first is an int or the float equal to it, the second a str, the
 * third a float that is no int. The reference has each key's value and the moment in which it was first set.
 */
enum { KEYS = 3000 };
static int64_t model_values[KEYS];
static uint64_t model_since[KEYS]; /* 0: not there */
static size_t model_count;
static uint64_t now;

static cubby_object_t *model_key(size_t number, bool as_float)
{
    char text[32];
    if (number % 3 == 0) {
        /* Some share their low bits, so that they meet in the index. */
        int64_t value = (int64_t)(number % 2 == 0 ? number : number << 32);
        return as_float ? float_of((double)value) : int_of(value);
    }
    if (number % 3 == 1) {
        (void)snprintf(text, sizeof text, "key %zu", number);
        return str_of(text);
    }
    return float_of((double)number + 0.25);
}

static void model_check_entries(void)
{
    size_t position = 0, seen = 0;
    uint64_t last = 0;
    cubby_object_t *key, *value;
    assert_true(dict_is_valid(inside()));
    while (cubby_dict_next(dict, &position, &key, &value)) {
        size_t number = (size_t)cubby_int_value(value) % KEYS;
        assert_true(model_since[number] > last);
        assert_int_equal(cubby_int_value(value), model_values[number]);
        last = model_since[number];
        seen++;
    }
    assert_int_equal(seen, model_count);
}

static void model_set(size_t number, cubby_object_t *key)
{
    model_values[number] = (int64_t)(number + KEYS * now);
    if (model_since[number] == 0) {
        model_since[number] = now;
        model_count++;
    }
    set(key, int_of(model_values[number]));
}

static void model_remove(size_t number, cubby_object_t *key)
{
    assert_int_equal(removes(key), model_since[number] != 0);
    model_count -= model_since[number] != 0;
    model_since[number] = 0;
}

static void model_get(size_t number, cubby_object_t *key)
{
    const cubby_object_t *value = get(key);
    assert_int_equal(value != NULL, model_since[number] != 0);
    assert_true(value == NULL || cubby_int_value(value) == model_values[number]);
}

static void millions_of_random_steps_agree_with_a_simple_reference(void **state)
{
    (void)state;
    test_random_t random = test_random("dict");
    uint64_t steps = test_number("CUBBY_TEST_STEPS", TEST_SANITIZED ? 300000 : 3000000);
    memset(model_since, 0, sizeof model_since);
    model_count = 0;
    dict_begin();
    size_t range = KEYS, sets = 5;
    for (now = 1; now <= steps; now++) {
        if (now % 20000 == 1) {
            /* A phase: how many keys there are to choose from, and how often one is set rather than removed. */
            range = random_below(&random, 2) == 0 ? 12 : KEYS;
            sets = 1 + random_below(&random, 9);
            model_check_entries();
        }
        size_t number = random_below(&random, range);
        cubby_object_t *key = model_key(number, random_below(&random, 2) == 0);
        size_t choice = random_below(&random, 15);
        if (choice < sets) {
            model_set(number, key);
        } else if (choice < 10) {
            model_remove(number, key);
        } else {
            model_get(number, key);
        }
        assert_int_equal(cubby_dict_size(dict), model_count);
        if (random_below(&random, 200000) == 0) {
            cubby_dict_clear(runtime, dict);
            memset(model_since, 0, sizeof model_since);
            model_count = 0;
        }
    }
    model_check_entries();
    cubby_error_clear(runtime);
    dict_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(keys_may_be_ints_floats_and_strs),
        RUNTIME_TEST(one_and_one_point_zero_are_the_same_key_and_the_first_stays),
        RUNTIME_TEST(a_nan_is_found_only_as_the_object_it_is),
        RUNTIME_TEST(entries_keep_the_order_in_which_keys_were_first_set),
        RUNTIME_TEST(keys_may_be_removed_while_the_entries_are_gone_through),
        RUNTIME_TEST(a_dict_without_keys_has_no_tables),
        RUNTIME_TEST(the_index_is_as_narrow_as_its_entries_allow),
        RUNTIME_TEST(a_dict_whose_keys_come_and_go_stays_small),
        RUNTIME_TEST(a_dict_that_was_large_gives_its_tables_back),
        RUNTIME_TEST(what_is_missing_or_cannot_be_a_key_is_said),
        RUNTIME_TEST(dicts_are_equal_when_their_keys_and_values_are),
        RUNTIME_TEST(millions_of_random_steps_agree_with_a_simple_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
