/* SPDX-License-Identifier: MIT */
/* One runtime in a heap of its own for each test, which must leave no block behind. */
#ifndef CUBBY_TESTS_SUPPORT_OBJECT_H
#define CUBBY_TESTS_SUPPORT_OBJECT_H

/* First: what is inlined there has a parameter called heap. */
#include "object/object.h"

#include "support/heap.h"

static cubby_runtime_t *runtime;

static inline size_t heap_blocks(void)
{
    cubby_heap_stats_t held;
    cubby_heap_stats_get(heap, &held);
    return held.blocks_used + held.large_blocks;
}

static inline int runtime_start(void **state)
{
    if (heap_start(state) != 0) {
        return -1;
    }
    runtime = cubby_runtime_create(heap, NULL);
    return runtime == NULL ? -1 : 0;
}

static inline int runtime_end(void **state)
{
    fake_relent();
    bool idle = runtime->depth == 0 && !runtime->dropping && runtime->dropped == NULL;
    for (int i = 0; i < CUBBY_SMALL_INT_COUNT; i++) {
        if (runtime->small_ints[i].object.references != 1) {
            print_error("int %d has %zu references left\n", i + CUBBY_SMALL_INT_LEAST,
                        runtime->small_ints[i].object.references);
            idle = false;
        }
    }
    cubby_runtime_destroy(runtime);
    size_t left = heap_blocks();
    if (left != 0) {
        print_error("%zu blocks are left in the heap\n", left);
    }
    return heap_end(state) == 0 && left == 0 && idle ? 0 : -1;
}

#define RUNTIME_TEST(name) cmocka_unit_test_setup_teardown(name, runtime_start, runtime_end)

static inline cubby_object_t *int_of(int64_t value)
{
    cubby_object_t *made = cubby_int_new(runtime, value);
    assert_non_null(made);
    return made;
}

static inline cubby_object_t *float_of(double value)
{
    cubby_object_t *made = cubby_float_new(runtime, value);
    assert_non_null(made);
    return made;
}

static inline cubby_object_t *str_of(const char *text)
{
    cubby_object_t *made = cubby_str_new(runtime, text, strlen(text));
    assert_non_null(made);
    return made;
}

static inline void release(cubby_object_t *object)
{
    cubby_object_release(runtime, object);
}

static inline bool equals(const cubby_object_t *left, const cubby_object_t *right)
{
    bool equal;
    assert_true(cubby_object_equal(runtime, left, right, &equal));
    return equal;
}

/* What the object looks like; takes the reference. */
static inline void assert_repr(cubby_object_t *object, const char *expected)
{
    cubby_text_t text = {0};
    assert_true(cubby_object_repr(runtime, object, &text));
    assert_string_equal(text.bytes, expected);
    cubby_text_free(runtime, &text);
    release(object);
}

/* The latest error is this one, and says so with these words; it is cleared. */
static inline void assert_error(cubby_error_code_t code, const char *words)
{
    const cubby_error_t *error = cubby_error_get(runtime);
    assert_int_equal(error->code, code);
    if (strstr(error->text, words) == NULL) {
        fail_msg("the error says: %s", error->text);
    }
    cubby_error_clear(runtime);
    assert_int_equal(cubby_error_get(runtime)->code, CUBBY_ERROR_NONE);
}

#endif
