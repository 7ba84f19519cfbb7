/* SPDX-License-Identifier: MIT */
#include "support/object.h"

#include <pthread.h>

/* ---- A host's own type ---- */

typedef struct pair {
    cubby_object_t object;
    cubby_object_t *first;
    cubby_object_t *second;
} pair_t;

static size_t pairs_dropped;

static pair_t *pair_of(const cubby_object_t *object)
{
    return (pair_t *)(uintptr_t)object;
}

static void pair_drop(cubby_runtime_t *own, cubby_object_t *object)
{
    pairs_dropped++;
    cubby_object_release(own, pair_of(object)->first);
    cubby_object_release(own, pair_of(object)->second);
}

static bool pair_hash(cubby_runtime_t *own, const cubby_object_t *object, uint64_t *hash)
{
    uint64_t first, second;
    if (!cubby_object_hash(own, pair_of(object)->first, &first) ||
        !cubby_object_hash(own, pair_of(object)->second, &second)) {
        return false;
    }
    *hash = first * 31 + second;
    return true;
}

static bool pair_equal(cubby_runtime_t *own, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    *equal = other->type == object->type;
    return !*equal || (cubby_object_equal(own, pair_of(object)->first, pair_of(other)->first, equal) &&
                       (!*equal || cubby_object_equal(own, pair_of(object)->second, pair_of(other)->second, equal)));
}

static bool pair_repr(cubby_runtime_t *own, const cubby_object_t *object, cubby_text_t *text)
{
    return cubby_object_repr(own, pair_of(object)->first, text) && cubby_text_add(own, text, " & ", 3) &&
           cubby_object_repr(own, pair_of(object)->second, text);
}

static size_t pair_bytes(const cubby_object_t *object)
{
    return pair_of(object)->object.type->size + 1;
}

static const cubby_type_t pair_type = {
    .name = "pair",
    .size = sizeof(pair_t),
    .drop = pair_drop,
    .hash = pair_hash,
    .equal = pair_equal,
    .repr = pair_repr,
    .bytes = pair_bytes,
};

/* Takes the references. */
static cubby_object_t *pair_new(cubby_object_t *first, cubby_object_t *second)
{
    cubby_object_t *pair = cubby_object_new(runtime, &pair_type);
    assert_non_null(pair);
    pair_of(pair)->first = first;
    pair_of(pair)->second = second;
    return pair;
}

static void a_type_of_the_hosts_own_is_compared_hashed_shown_and_freed_by_its_slots(void **state)
{
    (void)state;
    cubby_object_t *pair = pair_new(int_of(1000), str_of("a")), *twin = pair_new(float_of(1000), str_of("a"));
    cubby_object_t *dict = cubby_dict_new(runtime), *value;
    assert_true(equals(pair, twin));
    assert_false(equals(pair, pair_of(pair)->first));
    assert_true(cubby_dict_set(runtime, dict, pair, pair_of(pair)->second));
    assert_true(cubby_dict_find(runtime, dict, twin, &value));
    assert_ptr_equal(value, pair_of(pair)->second);
    assert_int_equal(cubby_object_bytes(pair), sizeof(pair_t) + 1);
    assert_repr(cubby_object_retain(dict), "{1000 & 'a': 'a'}");
    pairs_dropped = 0;
    release(twin);
    release(pair);
    assert_int_equal(pairs_dropped, 1);
    release(dict);
    assert_int_equal(pairs_dropped, 2);
}

static void a_slot_that_fails_fails_the_call_and_changes_nothing(void **state)
{
    (void)state;
    cubby_object_t *pair = pair_new(int_of(1), cubby_list_object_new(runtime)), *dict = cubby_dict_new(runtime);
    assert_false(cubby_dict_set(runtime, dict, pair, pair));
    assert_error(CUBBY_ERROR_TYPE, "a list cannot be a key");
    assert_int_equal(cubby_dict_size(dict), 0);
    release(pair);
    release(dict);
}

/* Nothing but a name and a size. */
static void a_type_without_slots_is_equal_to_itself_alone(void **state)
{
    (void)state;
    static const cubby_type_t token_type = {.name = "token", .size = 48};
    cubby_object_t *token = cubby_object_new(runtime, &token_type), *other = cubby_object_new(runtime, &token_type);
    cubby_object_t *one = int_of(1);
    uint64_t hash;
    assert_true(block_is_zero(token + 1, 48 - sizeof *token));
    assert_true(equals(token, token));
    assert_false(equals(token, other));
    assert_false(equals(one, token));
    assert_false(cubby_object_hash(runtime, token, &hash));
    assert_error(CUBBY_ERROR_TYPE, "a token cannot be a key");
    assert_int_equal(cubby_object_bytes(token), 48);
    assert_repr(token, "<token>");
    release(other);
    release(one);
}

static void a_type_smaller_than_a_header_is_refused(void **state)
{
    (void)state;
    static const cubby_type_t small_type = {.name = "small", .size = 8};
    assert_null(cubby_object_new(runtime, &small_type));
    assert_error(CUBBY_ERROR_TYPE, "small is smaller than the header");
}

/* A number type of the host's that knows ints, while ints do not know it. */
static bool always_equal(cubby_runtime_t *own, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    (void)own, (void)object, (void)other;
    *equal = true;
    return true;
}

static void of_two_types_one_that_says_equal_is_enough(void **state)
{
    (void)state;
    static const cubby_type_t any_type = {.name = "any", .size = sizeof(cubby_object_t), .equal = always_equal};
    cubby_object_t *any = cubby_object_new(runtime, &any_type), *one = int_of(1);
    assert_true(equals(any, one));
    assert_true(equals(one, any));
    release(any);
    release(one);
}

/* ---- Depth ---- */

/* One level more, of one of three kinds; takes the reference. */
static cubby_object_t *level_add(cubby_object_t *inner, int kind)
{
    cubby_object_t *outer, *key;
    if (kind == 2) {
        return pair_new(inner, int_of(0));
    }
    if (kind == 1) {
        outer = cubby_dict_new(runtime);
        key = int_of(0);
        assert_true(cubby_dict_set(runtime, outer, key, inner));
        release(key);
    } else {
        outer = cubby_list_object_new(runtime);
        assert_true(cubby_list_object_append(runtime, outer, inner));
    }
    release(inner);
    return outer;
}

static void *release_in_thread(void *object)
{
    release(object);
    return NULL;
}

static void release_on_small_stack(cubby_object_t *object)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 262144), 0);
    assert_int_equal(pthread_create(&thread, &attributes, release_in_thread, object), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&attributes);
}

static void a_list_of_a_million_levels_is_freed_on_a_small_stack_and_without_memory(void **state)
{
    (void)state;
    size_t before = heap_blocks();
    cubby_object_t *deep = cubby_list_object_new(runtime);
    for (int i = 0; i < 1000000; i++) {
        deep = level_add(deep, 0);
    }
    fake_refuse_all();
    release_on_small_stack(deep);
    assert_int_equal(heap_blocks(), before);
}

static void levels_of_lists_dicts_and_a_hosts_type_are_freed_likewise(void **state)
{
    (void)state;
    size_t before = heap_blocks();
    cubby_object_t *deep = str_of("within"), *held = cubby_object_retain(deep);
    for (int i = 0; i < 200000; i++) {
        deep = level_add(deep, i % 3);
    }
    release_on_small_stack(deep);
    assert_int_equal(held->references, 1);
    release(held);
    assert_int_equal(heap_blocks(), before);
}

static void what_is_nested_too_deeply_to_compare_or_show_is_said(void **state)
{
    (void)state;
    cubby_object_t *one = str_of(""), *other = str_of("");
    for (int i = 0; i < CUBBY_DEPTH_MOST + 5; i++) {
        if (i == CUBBY_DEPTH_MOST - 2) {
            assert_true(equals(one, other));
        }
        one = level_add(one, i % 3);
        other = level_add(other, i % 3);
    }
    bool equal;
    assert_false(cubby_object_equal(runtime, one, other, &equal));
    assert_error(CUBBY_ERROR_DEPTH, "nested more than 200 deep");
    cubby_text_t text = {0};
    assert_false(cubby_object_repr(runtime, one, &text));
    assert_error(CUBBY_ERROR_DEPTH, "nested more than 200 deep");
    cubby_text_free(runtime, &text);
    release(one);
    release(other);
}

static void a_list_that_holds_itself_goes_with_its_heap(void **state)
{
    (void)state;
    cubby_heap_t *own = cubby_heap_create();
    cubby_runtime_t *second = cubby_runtime_create(own, NULL);
    cubby_object_t *list = cubby_list_object_new(second);
    assert_true(cubby_list_object_append(second, list, list));
    cubby_text_t text = {0};
    assert_false(cubby_object_repr(second, list, &text));
    assert_int_equal(cubby_error_get(second)->code, CUBBY_ERROR_DEPTH);
    cubby_heap_destroy(own);
}

/* ---- Text ---- */

static void text_grows_and_ends_with_a_zero(void **state)
{
    (void)state;
    cubby_text_t text = {0};
    for (size_t i = 0; i < 1000; i++) {
        assert_true(cubby_text_add(runtime, &text, "0123456789", 10));
        assert_int_equal(text.size, i * 10 + 10);
        assert_int_equal(text.bytes[text.size], '\0');
    }
    assert_memory_equal(text.bytes + 9990, "0123456789", 11);
    assert_false(cubby_text_add(runtime, &text, "", test_size(SIZE_MAX - 5)));
    assert_error(CUBBY_ERROR_MEMORY, "no memory");
    assert_int_equal(text.size, 10000);
    cubby_text_free(runtime, &text);
    assert_null(text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(a_type_of_the_hosts_own_is_compared_hashed_shown_and_freed_by_its_slots),
        RUNTIME_TEST(a_slot_that_fails_fails_the_call_and_changes_nothing),
        RUNTIME_TEST(a_type_without_slots_is_equal_to_itself_alone),
        RUNTIME_TEST(a_type_smaller_than_a_header_is_refused),
        RUNTIME_TEST(of_two_types_one_that_says_equal_is_enough),
        RUNTIME_TEST(a_list_of_a_million_levels_is_freed_on_a_small_stack_and_without_memory),
        RUNTIME_TEST(levels_of_lists_dicts_and_a_hosts_type_are_freed_likewise),
        RUNTIME_TEST(what_is_nested_too_deeply_to_compare_or_show_is_said),
        RUNTIME_TEST(a_list_that_holds_itself_goes_with_its_heap),
        RUNTIME_TEST(text_grows_and_ends_with_a_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
