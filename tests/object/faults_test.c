/* SPDX-License-Identifier: MIT */
/*
 * Every request for memory that the objects make is refused in turn. The sources of src/object are compiled into this
 * program with support/refusing_heap.h before them.
 */
#include "support/object.h"

#include "object/dict.h"

size_t requests_granted = SIZE_MAX;
size_t requests_refused;

enum { ITEMS = 150 };

static cubby_runtime_t *own;
static cubby_object_t *list, *dict;

static bool refused_before(size_t refusals)
{
    return requests_refused > refusals;
}

/* What a failed step must not have changed. */
typedef struct state_seen {
    size_t blocks, list_size, dict_size, refused;
} state_seen_t;

static state_seen_t state_see(void)
{
    return (state_seen_t){heap_blocks(), list == NULL ? 0 : cubby_list_object_size(list),
                          dict == NULL ? 0 : cubby_dict_size(dict), requests_refused};
}

static void state_check(const state_seen_t *before)
{
    assert_true(refused_before(before->refused));
    assert_int_equal(cubby_error_get(own)->code, CUBBY_ERROR_MEMORY);
    cubby_error_clear(own);
    assert_true(dict == NULL || dict_is_valid((const cubby_dict_t *)(const void *)dict));
    state_seen_t now = state_see();
    assert_int_equal(now.list_size, before->list_size);
    assert_int_equal(now.dict_size, before->dict_size);
}

/* A step that fails must say so, change nothing, and succeed when it is tried again. */
#define STEP(step)                                                                                                     \
    do {                                                                                                               \
        state_seen_t before_ = state_see();                                                                            \
        if (!(step)) {                                                                                                 \
            state_check(&before_);                                                                                     \
            assert_true(step);                                                                                         \
        }                                                                                                              \
    } while (0)

static void items_build(void)
{
    for (int i = 0; i < ITEMS; i++) {
        cubby_object_t *integer, *number, *text, *half;
        char name[64];
        int size = snprintf(name, sizeof name, "a key of more or less %d bytes", i);
        STEP((integer = cubby_int_new(own, 1000 + i)) != NULL);
        STEP((number = cubby_float_new(own, i + 0.5)) != NULL);
        STEP((text = cubby_str_new(own, name, (size_t)size)) != NULL);
        STEP((half = cubby_number_divide(own, integer, number)) != NULL);
        STEP(cubby_list_object_append(own, list, integer));
        STEP(cubby_list_object_insert(own, list, i / 2, half));
        STEP(cubby_dict_set(own, dict, text, number));
        STEP(cubby_dict_set(own, dict, integer, text));
        if (i % 3 == 0) {
            STEP(cubby_dict_remove(own, dict, integer));
        }
        cubby_object_release(own, integer);
        cubby_object_release(own, number);
        cubby_object_release(own, text);
        cubby_object_release(own, half);
    }
}

/* `list` comes out as it went in. */
static void slices_use(void)
{
    cubby_object_t *part;
    STEP((part = cubby_list_object_slice_get(own, list, 10, -10)) != NULL);
    assert_int_equal(cubby_list_object_size(part), 2 * ITEMS - 20);
    cubby_list_object_slice_delete(own, list, 10, -10);
    assert_int_equal(cubby_list_object_size(list), 20);
    STEP(cubby_list_object_slice_set(own, list, 10, 10, part));
    STEP(cubby_list_object_slice_set(own, part, 20, 30, part));
    assert_int_equal(cubby_list_object_size(part), 2 * (2 * ITEMS - 20) - 10);
    cubby_object_release(own, part);
}

static void items_use(void)
{
    cubby_object_t *copy, *joined, *left, *right;
    cubby_text_t text = {0};
    STEP((copy = cubby_list_object_new(own)) != NULL);
    STEP(cubby_list_object_extend(own, copy, list));
    STEP(cubby_list_object_extend(own, copy, copy));
    slices_use();
    STEP((left = cubby_str_new(own, "left", 4)) != NULL);
    STEP((right = cubby_str_new(own, "right", 5)) != NULL);
    STEP((joined = cubby_str_concat(own, left, right)) != NULL);
    cubby_object_release(own, left);
    cubby_object_release(own, right);
    cubby_object_release(own, joined);
    cubby_object_release(own, copy);
    if (!cubby_object_repr(own, dict, &text)) {
        assert_int_equal(cubby_error_get(own)->code, CUBBY_ERROR_MEMORY);
        cubby_error_clear(own);
        assert_int_equal(own->depth, 0);
    }
    cubby_text_free(own, &text);
}

static void result_check(void)
{
    assert_int_equal(cubby_list_object_size(list), 2 * ITEMS);
    assert_int_equal(cubby_dict_size(dict), 2 * ITEMS - ITEMS / 3);
    for (int i = 0; i < ITEMS; i++) {
        cubby_object_t *key = cubby_int_new(own, 1000 + i), *value;
        assert_true(cubby_dict_find(own, dict, key, &value));
        assert_int_equal(value != NULL, i % 3 != 0);
        cubby_object_release(own, key);
    }
}

/* Refuses request number n. False when there were not so many. */
static bool run_refusing(size_t n, const cubby_runtime_options_t *options)
{
    requests_granted = n;
    requests_refused = 0;
    list = dict = NULL;
    own = cubby_runtime_create(heap, options);
    if (own == NULL) {
        assert_int_equal(requests_refused, 1);
        own = cubby_runtime_create(heap, options);
        assert_non_null(own);
    }
    STEP((list = cubby_list_object_new(own)) != NULL);
    STEP((dict = cubby_dict_new(own)) != NULL);
    items_build();
    items_use();
    requests_granted = SIZE_MAX;
    result_check();
    cubby_object_release(own, list);
    cubby_object_release(own, dict);
    for (int i = 0; i < CUBBY_SMALL_INT_COUNT; i++) {
        assert_int_equal(own->small_ints[i].object.references, 1);
    }
    cubby_runtime_destroy(own);
    assert_int_equal(heap_blocks(), 0);
    return requests_refused > 0;
}

/* All of the first ones, where a run goes through each kind of step, and then each seventh. */
static size_t refuse_each(const cubby_runtime_options_t *options)
{
    size_t n = 0;
    while (run_refusing(n, options)) {
        n += n < 500 ? 1 : TEST_SANITIZED ? 13 : 3;
    }
    return n;
}

static void a_refused_request_loses_nothing_and_leaks_nothing(void **state)
{
    (void)state;
    cubby_runtime_options_t none = {0};
    assert_true(refuse_each(&none) > (size_t)4 * ITEMS);
}

static void nor_does_it_with_freelists(void **state)
{
    (void)state;
    cubby_runtime_options_t bounded = {.int_policy = CUBBY_FREELIST_BOUNDED, .float_policy = CUBBY_FREELIST_BLOCKS};
    assert_true(refuse_each(&bounded) > (size_t)2 * ITEMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_refused_request_loses_nothing_and_leaks_nothing),
        HEAP_TEST(nor_does_it_with_freelists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
