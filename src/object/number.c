/* SPDX-License-Identifier: MIT */
/* Int and float: their types, and arithmetic on both. */
#include "object/object.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(cubby_float_t) == 24, "a float takes 24 bytes");

/* ---- Types ---- */

static void int_destroy(cubby_runtime_t *runtime, cubby_object_t *object)
{
    cubby_freelist_delete(&runtime->ints, (cubby_int_t *)(void *)object);
}

static void float_destroy(cubby_runtime_t *runtime, cubby_object_t *object)
{
    cubby_freelist_delete(&runtime->floats, (cubby_float_t *)(void *)object);
}

/* 2 to the power of 63: the least float that no int reaches; its negative is an int. */
#define INTS_END 9223372036854775808.0

bool float_is_int(double value, int64_t *integer)
{
    if (!(value >= -INTS_END && value < INTS_END)) {
        return false;
    }
    *integer = (int64_t)value;
    return (double)*integer == value;
}

/* The number itself, as in Python: the ints of a loop lie side by side in a dict's index. */
static bool int_hash(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash)
{
    (void)runtime;
    *hash = (uint64_t)cubby_int_value(object);
    return true;
}

static bool float_hash(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash)
{
    (void)runtime;
    double value = cubby_float_value(object);
    int64_t integer;
    if (float_is_int(value, &integer)) {
        *hash = (uint64_t)integer;
    } else {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        /* What differs between nearby floats is in their high bits; an index looks at the low ones. */
        *hash = bits * 0x9E3779B97F4A7C15ULL ^ bits >> 32;
    }
    return true;
}

/* Exact: an int and a float are equal only when the float is that int, not when rounding makes it so. */
static bool int_equals_float(int64_t integer, double value)
{
    int64_t whole;
    return float_is_int(value, &whole) && whole == integer;
}

static bool int_equal(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    (void)runtime;
    int64_t value = cubby_int_value(object);
    *equal = (cubby_is_int(other) && value == cubby_int_value(other)) ||
             (cubby_is_float(other) && int_equals_float(value, cubby_float_value(other)));
    return true;
}

static bool float_equal(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other,
                        bool *equal)
{
    (void)runtime;
    double value = cubby_float_value(object);
    *equal = (cubby_is_float(other) && value == cubby_float_value(other)) ||
             (cubby_is_int(other) && int_equals_float(cubby_int_value(other), value));
    return true;
}

static bool int_repr(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    return text_format(runtime, text, "%lld", (long long)cubby_int_value(object));
}

/* The shortest of 15, 16 or 17 digits that is read back as the same number, and never what looks like an int. */
static bool float_repr(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    char digits[40];
    double value = cubby_float_value(object);
    if (value != value) {
        return text_format(runtime, text, "nan"); /* printf() shows a sign that means nothing */
    }
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    bool whole = strspn(digits, "-0123456789") == strlen(digits);
    return text_format(runtime, text, "%s%s", digits, whole ? ".0" : "");
}

const cubby_type_t cubby_int_type = {
    .name = "int",
    .size = sizeof(cubby_int_t),
    .destroy = int_destroy,
    .hash = int_hash,
    .equal = int_equal,
    .repr = int_repr,
};

const cubby_type_t cubby_float_type = {
    .name = "float",
    .size = sizeof(cubby_float_t),
    .destroy = float_destroy,
    .hash = float_hash,
    .equal = float_equal,
    .repr = float_repr,
};

/* ---- Arithmetic ---- */

typedef struct operation {
    const char *name;
    const char *sign;
    bool (*ints)(int64_t left, int64_t right, int64_t *result); /* false: it does not fit */
    double (*floats)(double left, double right);
} operation_t;

static bool is_number(const cubby_object_t *object)
{
    return cubby_is_int(object) || cubby_is_float(object);
}

static double number_value(const cubby_object_t *object)
{
    return cubby_is_int(object) ? (double)cubby_int_value(object) : cubby_float_value(object);
}

static bool numbers_check(cubby_runtime_t *runtime, const char *name, const cubby_object_t *left,
                          const cubby_object_t *right)
{
    if (is_number(left) && is_number(right)) {
        return true;
    }
    cubby_error_set(runtime, CUBBY_ERROR_TYPE, "cannot %s %s and %s; both must be numbers", name, left->type->name,
                    right->type->name);
    return false;
}

static cubby_object_t *operation_do(cubby_runtime_t *runtime, const operation_t *operation, const cubby_object_t *left,
                                    const cubby_object_t *right)
{
    if (!numbers_check(runtime, operation->name, left, right)) {
        return NULL;
    }
    if (!cubby_is_int(left) || !cubby_is_int(right)) {
        return cubby_float_new(runtime, operation->floats(number_value(left), number_value(right)));
    }
    int64_t a = cubby_int_value(left), b = cubby_int_value(right), result;
    if (!operation->ints(a, b, &result)) {
        cubby_error_set(runtime, CUBBY_ERROR_OVERFLOW, "%lld %s %lld does not fit into 64 bits", (long long)a,
                        operation->sign, (long long)b);
        return NULL;
    }
    return cubby_int_new(runtime, result);
}

static bool ints_add(int64_t left, int64_t right, int64_t *result)
{
    return !__builtin_add_overflow(left, right, result);
}

static double floats_add(double left, double right)
{
    return left + right;
}

static bool ints_subtract(int64_t left, int64_t right, int64_t *result)
{
    return !__builtin_sub_overflow(left, right, result);
}

static double floats_subtract(double left, double right)
{
    return left - right;
}

static bool ints_multiply(int64_t left, int64_t right, int64_t *result)
{
    return !__builtin_mul_overflow(left, right, result);
}

static double floats_multiply(double left, double right)
{
    return left * right;
}

/* Rounds down; C rounds towards zero. The right is not 0. */
static bool ints_divide(int64_t left, int64_t right, int64_t *result)
{
    if (left == INT64_MIN && right == -1) {
        return false;
    }
    int64_t quotient = left / right;
    *result = quotient - (left % right != 0 && (left < 0) != (right < 0));
    return true;
}

static double floats_divide(double left, double right)
{
    return left / right;
}

cubby_object_t *cubby_number_add(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    static const operation_t add = {"add", "+", ints_add, floats_add};
    return operation_do(runtime, &add, left, right);
}

cubby_object_t *cubby_number_subtract(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    static const operation_t subtract = {"subtract", "-", ints_subtract, floats_subtract};
    return operation_do(runtime, &subtract, left, right);
}

cubby_object_t *cubby_number_multiply(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    static const operation_t multiply = {"multiply", "*", ints_multiply, floats_multiply};
    return operation_do(runtime, &multiply, left, right);
}

cubby_object_t *cubby_number_divide(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    static const operation_t divide = {"divide", "/", ints_divide, floats_divide};
    if (is_number(left) && is_number(right) && number_value(right) == 0) {
        cubby_error_set(runtime, CUBBY_ERROR_VALUE, "division by zero");
        return NULL;
    }
    return operation_do(runtime, &divide, left, right);
}

/* Where the float is beyond all ints, its sign tells; otherwise its whole part is compared, then what is behind. */
static bool int_less_float(int64_t integer, double value)
{
    if (!(value >= -INTS_END && value < INTS_END)) {
        return value > 0;
    }
    int64_t whole = (int64_t)value;
    return integer != whole ? integer < whole : (double)whole < value;
}

static bool float_less_int(double value, int64_t integer)
{
    if (!(value >= -INTS_END && value < INTS_END)) {
        return value < 0;
    }
    int64_t whole = (int64_t)value;
    return whole != integer ? whole < integer : value < (double)whole;
}

bool cubby_number_less(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right, bool *less)
{
    *less = false;
    if (!numbers_check(runtime, "compare", left, right)) {
        return false;
    }
    if (cubby_is_int(left)) {
        int64_t value = cubby_int_value(left);
        *less = cubby_is_int(right) ? value < cubby_int_value(right) : int_less_float(value, cubby_float_value(right));
    } else {
        double value = cubby_float_value(left);
        *less = cubby_is_int(right) ? float_less_int(value, cubby_int_value(right)) : value < cubby_float_value(right);
    }
    return true;
}
