/* SPDX-License-Identifier: MIT */
/*
 * A long random run of every operation on list objects beside a plain array of numbers. Slices take any bounds, outside
 * the list too, so what they mean is worked out here a second time.
 *
 *   CUBBY_TEST_STEPS   how many steps
 *   CUBBY_TEST_SEED    repeats a run
 */
#include "support/object.h"

enum { STEPS = TEST_SANITIZED ? 200000 : 2000000, STEPS_TO_CHECK = 5000, LENGTH_MOST = 600, KINDS = 40 };

static cubby_object_t *list;
static cubby_object_t *kinds[KINDS]; /* the items there are; a list holds some of them many times */
static int model[2 * LENGTH_MOST];
static size_t model_size;

static void model_replace(size_t from, size_t count, const int *numbers, size_t number_count)
{
    int built[2 * LENGTH_MOST];
    size_t rest = model_size - from - count;
    memcpy(built, numbers, number_count * sizeof *built);
    memmove(model + from + number_count, model + from + count, rest * sizeof *model);
    memcpy(model + from, built, number_count * sizeof *model);
    model_size = from + number_count + rest;
}

/* From two lengths before the first item to one behind the last, and now and then the ends of the type. */
static int64_t bound_draw(test_random_t *random)
{
    if (random_below(random, 16) == 0) {
        return random_below(random, 2) == 0 ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)random_below(random, 3 * model_size + 1) - (int64_t)(2 * model_size);
}

static size_t bound_meant(int64_t bound)
{
    int64_t size = (int64_t)model_size;
    if (bound < -size) {
        return 0;
    }
    return (size_t)(bound < 0 ? bound + size : bound > size ? size : bound);
}

typedef struct slice_drawn {
    int64_t from, to;
    size_t first, count;
} slice_drawn_t;

static slice_drawn_t slice_draw(test_random_t *random)
{
    int64_t from = bound_draw(random), to = bound_draw(random);
    size_t first = bound_meant(from), end = bound_meant(to);
    return (slice_drawn_t){from, to, first, end > first ? end - first : 0};
}

static void same_check(const cubby_object_t *object, const int *numbers, size_t count)
{
    assert_int_equal(cubby_list_object_size(object), count);
    const cubby_list_t *items = &((const cubby_list_object_t *)(const void *)object)->list;
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(items->items[i], kinds[numbers[i]]);
    }
}

/* Each item has one reference of the test's own, and one for each place in the list. */
static void references_check(void)
{
    size_t seen[KINDS] = {0};
    for (size_t i = 0; i < model_size; i++) {
        seen[model[i]]++;
    }
    for (size_t i = 0; i < KINDS; i++) {
        assert_int_equal(kinds[i]->references, 1 + seen[i]);
    }
}

static void item_step(test_random_t *random)
{
    int number = (int)random_below(random, KINDS);
    size_t place = random_below(random, model_size + 1);
    int64_t index =
        random_below(random, 2) == 0 || place == model_size ? (int64_t)place : (int64_t)place - (int64_t)model_size;
    switch (random_below(random, 4)) {
    case 0:
        assert_true(cubby_list_object_append(runtime, list, kinds[number]));
        model_replace(model_size, 0, &number, 1);
        break;
    case 1:
        assert_true(cubby_list_object_insert(runtime, list, index, kinds[number]));
        model_replace(place, 0, &number, 1);
        break;
    case 2:
        assert_int_equal(cubby_list_object_set(runtime, list, index, kinds[number]), place < model_size);
        model_replace(place, place < model_size, &number, place < model_size);
        break;
    default: {
        cubby_object_t *popped = cubby_list_object_pop(runtime, list, index);
        assert_ptr_equal(popped, place < model_size ? kinds[model[place]] : NULL);
        if (popped != NULL) {
            release(popped);
            model_replace(place, 1, model, 0);
        }
    }
    }
}

static void slice_get_step(slice_drawn_t slice)
{
    cubby_object_t *part = cubby_list_object_slice_get(runtime, list, slice.from, slice.to);
    same_check(part, model + slice.first, slice.count);
    release(part);
}

/* In place of one slice comes another one of the same list, or the list itself where that is short enough. */
static void slice_set_step(slice_drawn_t slice, slice_drawn_t other)
{
    if (model_size <= LENGTH_MOST / 2 && slice.count % 2 == 1) {
        assert_true(cubby_list_object_slice_set(runtime, list, slice.from, slice.to, list));
        model_replace(slice.first, slice.count, model, model_size);
        return;
    }
    cubby_object_t *part = cubby_list_object_slice_get(runtime, list, other.from, other.to);
    assert_true(cubby_list_object_slice_set(runtime, list, slice.from, slice.to, part));
    model_replace(slice.first, slice.count, model + other.first, other.count);
    release(part);
}

static void step_do(test_random_t *random)
{
    slice_drawn_t slice = slice_draw(random), other = slice_draw(random);
    size_t draw = random_below(random, 16);
    if (model_size > LENGTH_MOST || draw == 0) {
        cubby_list_object_slice_delete(runtime, list, slice.from, slice.to);
        model_replace(slice.first, slice.count, model, 0);
    } else if (draw == 1) {
        slice_set_step(slice, other);
    } else if (draw == 2) {
        slice_get_step(slice);
    } else if (draw == 3 && model_size <= LENGTH_MOST / 2) {
        assert_true(cubby_list_object_extend(runtime, list, list));
        model_replace(model_size, 0, model, model_size);
    } else {
        item_step(random);
    }
}

static void a_list_object_holds_what_an_array_holds_through_a_long_random_run(void **state)
{
    (void)state;
    test_random_t random = test_random("object/list_object_model");
    size_t steps = (size_t)test_number("CUBBY_TEST_STEPS", STEPS), longest = 0;
    list = cubby_list_object_new(runtime);
    for (int i = 0; i < KINDS; i++) {
        kinds[i] = int_of(1000 + i);
    }
    for (size_t i = 0; i < steps; i++) {
        step_do(&random);
        assert_int_equal(cubby_list_object_size(list), model_size);
        longest = model_size > longest ? model_size : longest;
        if (i % STEPS_TO_CHECK < 100) {
            same_check(list, model, model_size);
            references_check();
        }
    }
    assert_true(steps < STEPS || longest > LENGTH_MOST);
    cubby_error_clear(runtime);
    release(list);
    model_size = 0;
    references_check();
    for (int i = 0; i < KINDS; i++) {
        release(kinds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(a_list_object_holds_what_an_array_holds_through_a_long_random_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
