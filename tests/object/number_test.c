/* SPDX-License-Identifier: MIT */
#include "support/object.h"

#include <math.h>

typedef cubby_object_t *(*operation_t)(cubby_runtime_t *, const cubby_object_t *, const cubby_object_t *);

/* Takes the references. */
static cubby_object_t *calculate(operation_t operation, cubby_object_t *left, cubby_object_t *right)
{
    cubby_object_t *result = operation(runtime, left, right);
    release(left);
    release(right);
    return result;
}

static bool less(cubby_object_t *left, cubby_object_t *right)
{
    bool result;
    assert_true(cubby_number_less(runtime, left, right, &result));
    release(left);
    release(right);
    return result;
}

static void a_float_takes_24_bytes_and_so_does_an_int(void **state)
{
    (void)state;
    cubby_object_t *half = float_of(0.5), *large = int_of(1000);
    assert_int_equal(cubby_usable_size(half), 24);
    assert_int_equal(cubby_usable_size(large), 24);
    assert_int_equal(cubby_object_bytes(half), 24);
    release(half);
    release(large);
}

static void small_ints_are_shared_and_large_ones_are_not(void **state)
{
    (void)state;
    size_t before = heap_blocks();
    for (int64_t value = CUBBY_SMALL_INT_LEAST; value <= CUBBY_SMALL_INT_MOST; value++) {
        cubby_object_t *one = int_of(value), *other = int_of(value);
        assert_ptr_equal(one, other);
        assert_int_equal(cubby_int_value(one), value);
        release(one);
        release(other);
    }
    assert_int_equal(heap_blocks(), before);
    static const int64_t outside[] = {-6, 257, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        cubby_object_t *one = int_of(outside[i]), *other = int_of(outside[i]);
        assert_ptr_not_equal(one, other);
        assert_true(equals(one, other));
        release(one);
        release(other);
    }
}

static void runtimes_share_nothing(void **state)
{
    (void)state;
    cubby_runtime_t *second = cubby_runtime_create(heap, NULL);
    cubby_object_t *here = int_of(7), *there = cubby_int_new(second, 7);
    assert_ptr_not_equal(here, there);
    release(here);
    cubby_object_release(second, there);
    cubby_runtime_destroy(second);
}

static void arithmetic_of_ints_is_exact_and_with_a_float_is_a_float(void **state)
{
    (void)state;
    assert_repr(calculate(cubby_number_add, int_of(40), int_of(2)), "42");
    assert_repr(calculate(cubby_number_subtract, int_of(0), int_of(INT64_MAX)), "-9223372036854775807");
    assert_repr(calculate(cubby_number_multiply, int_of(1LL << 31), int_of(1LL << 31)), "4611686018427387904");
    assert_repr(calculate(cubby_number_divide, int_of(7), int_of(2)), "3");
    assert_repr(calculate(cubby_number_divide, int_of(-7), int_of(2)), "-4");
    assert_repr(calculate(cubby_number_divide, int_of(7), int_of(-2)), "-4");
    assert_repr(calculate(cubby_number_divide, int_of(-8), int_of(-2)), "4");
    assert_repr(calculate(cubby_number_add, int_of(1), float_of(0.5)), "1.5");
    assert_repr(calculate(cubby_number_subtract, float_of(1.5), int_of(1)), "0.5");
    assert_repr(calculate(cubby_number_multiply, float_of(0.1), float_of(3)), "0.30000000000000004");
    assert_repr(calculate(cubby_number_divide, float_of(7), int_of(2)), "3.5");
}

static void what_does_not_fit_is_an_overflow_and_not_a_wrong_number(void **state)
{
    (void)state;
    assert_null(calculate(cubby_number_add, int_of(INT64_MAX), int_of(1)));
    assert_error(CUBBY_ERROR_OVERFLOW, "9223372036854775807 + 1 does not fit into 64 bits");
    assert_null(calculate(cubby_number_subtract, int_of(INT64_MIN), int_of(1)));
    assert_error(CUBBY_ERROR_OVERFLOW, "does not fit");
    assert_null(calculate(cubby_number_multiply, int_of(1LL << 32), int_of(1LL << 31)));
    assert_error(CUBBY_ERROR_OVERFLOW, "*");
    assert_null(calculate(cubby_number_divide, int_of(INT64_MIN), int_of(-1)));
    assert_error(CUBBY_ERROR_OVERFLOW, "/ -1");
    assert_null(calculate(cubby_number_divide, int_of(1), int_of(0)));
    assert_error(CUBBY_ERROR_VALUE, "division by zero");
    assert_null(calculate(cubby_number_divide, float_of(1), float_of(-0.0)));
    assert_error(CUBBY_ERROR_VALUE, "division by zero");
    assert_null(calculate(cubby_number_add, int_of(1), str_of("a")));
    assert_error(CUBBY_ERROR_TYPE, "cannot add int and str; both must be numbers");
}

static void ints_and_floats_compare_exactly(void **state)
{
    (void)state;
    assert_true(less(int_of(1), int_of(2)));
    assert_false(less(int_of(2), int_of(2)));
    assert_true(less(int_of(1), float_of(1.5)));
    assert_false(less(float_of(1.5), int_of(1)));
    assert_true(less(float_of(-1.5), int_of(-1)));
    assert_true(less(int_of(9007199254740992), float_of(9007199254740994.0)));
    assert_true(less(float_of(9007199254740992.0), int_of(9007199254740993)));
    assert_false(less(int_of(9007199254740993), float_of(9007199254740992.0)));
    assert_true(less(int_of(INT64_MAX), float_of(0x1p63)));
    assert_false(less(float_of(0x1p63), int_of(INT64_MAX)));
    assert_true(less(float_of(-INFINITY), int_of(INT64_MIN)));
    assert_false(less(float_of(NAN), int_of(1)));
    assert_false(less(int_of(1), float_of(NAN)));
}

static void equal_numbers_have_equal_hashes(void **state)
{
    (void)state;
    static const int64_t whole[] = {0, 1, -1, 300, 1LL << 40, INT64_MIN};
    for (size_t i = 0; i < 6; i++) {
        cubby_object_t *integer = int_of(whole[i]), *number = float_of((double)whole[i]);
        uint64_t one, other;
        assert_true(equals(integer, number));
        assert_true(equals(number, integer));
        assert_true(cubby_object_hash(runtime, integer, &one));
        assert_true(cubby_object_hash(runtime, number, &other));
        assert_int_equal(one, other);
        release(integer);
        release(number);
    }
}

static void a_float_is_shown_so_that_it_is_read_back_as_itself(void **state)
{
    (void)state;
    assert_repr(float_of(1), "1.0");
    assert_repr(float_of(-0.0), "-0.0");
    assert_repr(float_of(0.1), "0.1");
    assert_repr(float_of(1e22), "1e+22");
    assert_repr(float_of(INFINITY), "inf");
    assert_repr(float_of(NAN), "nan");
    assert_repr(float_of(-NAN), "nan");
    test_random_t random = test_random("number");
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        cubby_object_t *number = float_of(value);
        cubby_text_t text = {0};
        assert_true(cubby_object_repr(runtime, number, &text));
        assert_true(value != value || strtod(text.bytes, NULL) == value);
        cubby_text_free(runtime, &text);
        release(number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(a_float_takes_24_bytes_and_so_does_an_int),
        RUNTIME_TEST(small_ints_are_shared_and_large_ones_are_not),
        RUNTIME_TEST(runtimes_share_nothing),
        RUNTIME_TEST(arithmetic_of_ints_is_exact_and_with_a_float_is_a_float),
        RUNTIME_TEST(what_does_not_fit_is_an_overflow_and_not_a_wrong_number),
        RUNTIME_TEST(ints_and_floats_compare_exactly),
        RUNTIME_TEST(equal_numbers_have_equal_hashes),
        RUNTIME_TEST(a_float_is_shown_so_that_it_is_read_back_as_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
