/* SPDX-License-Identifier: MIT */
#include "support/object.h"

static cubby_object_t *objects[10000];

static void floats_take(cubby_runtime_t *own, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        objects[i] = cubby_float_new(own, (double)i);
        assert_non_null(objects[i]);
    }
}

static void floats_give(cubby_runtime_t *own, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cubby_object_release(own, objects[i]);
    }
}

static void what_floats_leave_behind_is_as_the_policy_says(void **state)
{
    (void)state;
    static const struct {
        cubby_freelist_policy_t policy;
        size_t kept, compacted;
    } policies[] = {
        {CUBBY_FREELIST_NONE, 0, 0},
        {CUBBY_FREELIST_BOUNDED, 100, 2400},
        {CUBBY_FREELIST_BLOCKS, 244, 244000}, /* 10,000 floats, 41 to a block */
    };
    for (size_t i = 0; i < 3; i++) {
        cubby_runtime_options_t options = {.float_policy = policies[i].policy};
        cubby_runtime_t *own = cubby_runtime_create(heap, &options);
        size_t before = heap_blocks();
        floats_take(own, 10000);
        floats_give(own, 10000);
        assert_int_equal(heap_blocks() - before, policies[i].kept);
        assert_int_equal(cubby_runtime_compact(own), policies[i].compacted);
        assert_int_equal(heap_blocks(), before);
        cubby_runtime_destroy(own);
    }
}

static void ints_and_floats_may_have_different_policies(void **state)
{
    (void)state;
    cubby_runtime_options_t options = {
        .int_policy = CUBBY_FREELIST_BLOCKS, .float_policy = CUBBY_FREELIST_BOUNDED, .float_cap = 3};
    cubby_runtime_t *own = cubby_runtime_create(heap, &options);
    floats_take(own, 10);
    floats_give(own, 10);
    cubby_object_release(own, cubby_int_new(own, 1000));
    cubby_freelist_stats_t ints, floats;
    cubby_freelist_stats_get(&own->ints, &ints);
    cubby_freelist_stats_get(&own->floats, &floats);
    assert_int_equal(ints.blocks, 1);
    assert_int_equal(ints.cached, 41);
    assert_int_equal(floats.cached, 3);
    assert_int_equal(floats.overflows, 7);
    cubby_runtime_destroy(own);
}

static void no_such_policy_is_refused(void **state)
{
    (void)state;
    cubby_runtime_options_t options = {.int_policy = (cubby_freelist_policy_t)7};
    errno = 0;
    assert_null(cubby_runtime_create(heap, &options));
    assert_int_equal(errno, EINVAL);
}

static void the_latest_error_stays_until_it_is_cleared(void **state)
{
    (void)state;
    cubby_error_set(runtime, CUBBY_ERROR_HOST, "first %d", 1);
    cubby_error_set(runtime, CUBBY_ERROR_VALUE, "then: %s", cubby_error_get(runtime)->text);
    cubby_object_release(runtime, cubby_int_new(runtime, 12345));
    assert_error(CUBBY_ERROR_VALUE, "then: first 1");
    char text[500];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    cubby_error_set(runtime, CUBBY_ERROR_HOST, "%s", text);
    assert_int_equal(strlen(cubby_error_get(runtime)->text), sizeof runtime->error.text - 1);
    cubby_error_clear(runtime);
}

static void destroying_no_runtime_does_nothing(void **state)
{
    (void)state;
    cubby_runtime_destroy(NULL);
}

static void the_heap_alone_frees_a_runtime_and_all_its_objects(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    cubby_heap_t *own = cubby_heap_create();
    cubby_runtime_t *second = cubby_runtime_create(own, NULL);
    cubby_object_t *list = cubby_list_object_new(second);
    for (int i = 0; i < 100000; i++) {
        assert_true(cubby_list_object_append(second, list, cubby_float_new(second, i)));
    }
    cubby_heap_destroy(own);
    assert_int_equal(stats_now().in_spans, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(what_floats_leave_behind_is_as_the_policy_says),
        RUNTIME_TEST(ints_and_floats_may_have_different_policies),
        RUNTIME_TEST(no_such_policy_is_refused),
        RUNTIME_TEST(the_latest_error_stays_until_it_is_cleared),
        RUNTIME_TEST(destroying_no_runtime_does_nothing),
        RUNTIME_TEST(the_heap_alone_frees_a_runtime_and_all_its_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
