/* SPDX-License-Identifier: MIT */
/* Lists where every allocation fails: nothing is lost, and removing goes on. */
#include "support/list.h"

#include "heap/classes.h"

#include <cubby/limit.h>

enum { DRAINED_MOST = 40000 };
static void *drained[DRAINED_MOST];
static size_t drained_count;

/* Takes every block that the heap has left, of every class: from now on every allocation fails. */
static void heap_drain(void)
{
    cubby_heap_limit_set(heap, 0);
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        for (void *block; (block = heap_bin_take(heap, size_class, size, BLOCK_ALIGNMENT)) != NULL;) {
            assert_true(drained_count < DRAINED_MOST);
            drained[drained_count++] = heap_block_taken(heap, block, size);
        }
    }
}

static void heap_refill(void)
{
    cubby_heap_limit_set(heap, SIZE_MAX);
    while (drained_count > 0) {
        cubby_heap_free(heap, drained[--drained_count]);
    }
}

typedef bool (*step_t)(cubby_list_t *list);

static bool step_append(cubby_list_t *list)
{
    return cubby_list_append(heap, list, item(0));
}

static bool step_insert(cubby_list_t *list)
{
    return cubby_list_insert(heap, list, 0, item(0));
}

static bool step_reserve(cubby_list_t *list)
{
    return cubby_list_reserve(heap, list, list->capacity + 1);
}

static bool step_resize(cubby_list_t *list)
{
    return cubby_list_resize(heap, list, list->capacity + 1);
}

static bool step_extend(cubby_list_t *list)
{
    return cubby_list_extend(heap, list, list->items, list->size);
}

static bool step_replace(cubby_list_t *list)
{
    return cubby_list_replace(heap, list, 0, 1, list->items, list->size);
}

static void a_list_is_as_it_was_when_there_is_no_memory_to_make_it_longer(void **state)
{
    (void)state;
    const step_t steps[] = {step_append, step_insert, step_reserve, step_resize, step_extend, step_replace};
    for (size_t size = 1; size < 200000; size = size * 3 / 2 + 1) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            cubby_list_t list = list_of(size);
            while (list.size < list.capacity) {
                assert_true(cubby_list_append(heap, &list, item(list.size)));
            }
            cubby_list_t before = list;
            heap_drain();
            errno = 0;
            assert_false(steps[i](&list));
            assert_int_equal(errno, ENOMEM);
            assert_memory_equal(&list, &before, sizeof list);
            assert_counts(&list, 0, list.size, 0);
            heap_refill();
            assert_true(steps[i](&list));
            assert_buffer(&list);
            cubby_list_clear(heap, &list);
        }
    }
    cubby_list_t empty = CUBBY_LIST_EMPTY;
    cubby_list_t before = empty;
    heap_drain();
    assert_false(cubby_list_append(heap, &empty, NULL));
    assert_memory_equal(&empty, &before, sizeof empty);
    heap_refill();
}

static void removing_never_fails_and_keeps_errno_when_there_is_no_memory_for_a_smaller_buffer(void **state)
{
    (void)state;
    cubby_list_t list = list_of(30000);
    heap_drain();
    for (size_t i = list.size; i > 0; i--) {
        errno = 77;
        void *last = i % 2 == 0 ? cubby_list_pop(heap, &list) : cubby_list_remove(heap, &list, i - 1);
        assert_ptr_equal(last, item(i - 1));
        assert_int_equal(errno, 77);
        if (i == 1000) {
            cubby_list_shrink(heap, &list);
            assert_int_equal(errno, 77);
            assert_counts(&list, 0, i - 1, 0);
        }
    }
    assert_null(list.items);
    heap_refill();
}

static void a_list_that_cannot_have_room_to_spare_gets_what_it_needs(void **state)
{
    (void)state;
    cubby_list_t list = CUBBY_LIST_EMPTY;
    assert_true(cubby_list_resize(heap, &list, (size_t)100 * 512));
    assert_int_equal(list.capacity, (size_t)100 * 512);
    cubby_heap_limit_set(heap, cubby_heap_limit_get(heap).used + PAGE_BYTES);
    assert_true(cubby_list_append(heap, &list, item(5)));
    assert_int_equal(list.capacity, (size_t)101 * 512);
    cubby_heap_limit_set(heap, SIZE_MAX);
    cubby_list_clear(heap, &list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_list_is_as_it_was_when_there_is_no_memory_to_make_it_longer),
        HEAP_TEST(removing_never_fails_and_keeps_errno_when_there_is_no_memory_for_a_smaller_buffer),
        HEAP_TEST(a_list_that_cannot_have_room_to_spare_gets_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
