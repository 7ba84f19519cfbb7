/* SPDX-License-Identifier: MIT */
/*
 * A list beside a plain array that goes through the same steps. After each step both hold the same, or the step was
 * refused with the right errno and the list is as it was. Anything else ends the process with a message.
 */
#ifndef CUBBY_TESTS_SUPPORT_LIST_MODEL_H
#define CUBBY_TESTS_SUPPORT_LIST_MODEL_H

#include <cubby/limit.h>
#include <cubby/list.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODEL_MOST = 300000,         /* items; a step that would lead beyond is left out */
    MODEL_COMPARED_ALWAYS = 600, /* longer lists are compared whole from time to time only */
    MODEL_STEPS_TO_COMPARE = 64,
    MODEL_OTHERS = 256, /* items that come from outside, at once */
};

typedef enum model_step {
    MODEL_APPEND,
    MODEL_POP,
    MODEL_INSERT,
    MODEL_REMOVE,
    MODEL_EXTEND,
    MODEL_EXTEND_OWN,
    MODEL_REPLACE,
    MODEL_REPLACE_OWN,
    MODEL_RESERVE,
    MODEL_RESIZE,
    MODEL_SHRINK,
    MODEL_CLEAR,
    MODEL_STARVE, /* from now on the heap gets no pages; and next time it does again */
    MODEL_OVERFLOW,
    MODEL_STEP_COUNT,
} model_step_t;

typedef struct list_model {
    cubby_heap_t *heap;
    cubby_list_t list;
    void **items; /* what the list should hold; MODEL_MOST at most */
    size_t size;
    void **copy; /* working room */
    void *others[MODEL_OTHERS];
    uintptr_t last; /* the number that was last given out as an item */
    size_t steps;
    size_t refused; /* steps for which there was no memory */
    bool starved;
} list_model_t;

#define MODEL_CHECK(condition)                                                                                         \
    ((condition) ? (void)0 : list_model_fail(#condition, model->steps, model->size, model->list.size))

static inline void list_model_fail(const char *condition, size_t step, size_t size, size_t list_size)
{
    fprintf(stderr, "list model: step %zu, %zu items (the list: %zu): not true: %s\n", step, size, list_size,
            condition);
    abort();
}

/* One model at a time. */
static inline void list_model_begin(list_model_t *model, cubby_heap_t *heap)
{
    static void *items[MODEL_MOST], *copy[MODEL_MOST];
    *model = (list_model_t){.heap = heap, .items = items, .copy = copy};
}

static inline void *list_model_item(list_model_t *model)
{
    model->last += 8;
    return (void *)model->last;
}

static inline void list_model_others_draw(list_model_t *model, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        model->others[i] = list_model_item(model);
    }
}

/* ---- The same on the array ---- */

static inline void list_model_replace(list_model_t *model, size_t from, size_t count, void *const *items,
                                      size_t item_count)
{
    if (item_count > 0) {
        memcpy(model->copy, items, item_count * sizeof *items);
    }
    memmove(model->items + from + item_count, model->items + from + count,
            (model->size - from - count) * sizeof *model->items);
    memcpy(model->items + from, model->copy, item_count * sizeof *items);
    model->size = model->size - count + item_count;
}

/* ---- Comparing ---- */

static inline void list_model_compare(list_model_t *model)
{
    const cubby_list_t *list = &model->list;
    MODEL_CHECK(list->size == model->size);
    MODEL_CHECK(list->size <= list->capacity);
    MODEL_CHECK((list->items == NULL) == (list->capacity == 0));
    MODEL_CHECK(list->capacity == cubby_usable_size(list->items) / sizeof(void *));
    if (model->size > 0 && (model->size <= MODEL_COMPARED_ALWAYS || model->steps % MODEL_STEPS_TO_COMPARE == 0)) {
        MODEL_CHECK(memcmp(list->items, model->items, model->size * sizeof *model->items) == 0);
    }
}

/* After a step that was granted or not. True: it was, and is now to be done on the array. */
static inline bool list_model_granted(list_model_t *model, bool granted, const cubby_list_t *before)
{
    if (granted) {
        return true;
    }
    MODEL_CHECK(errno == ENOMEM);
    MODEL_CHECK(model->starved);
    MODEL_CHECK(memcmp(&model->list, before, sizeof *before) == 0);
    MODEL_CHECK(model->size == 0 || memcmp(model->list.items, model->items, model->size * sizeof *model->items) == 0);
    model->refused++;
    return false;
}

/* ---- The steps ---- */

static inline void list_model_insert(list_model_t *model, size_t index)
{
    cubby_list_t before = model->list;
    void *item = list_model_item(model);
    if (list_model_granted(model, cubby_list_insert(model->heap, &model->list, index, item), &before)) {
        list_model_replace(model, index, 0, &item, 1);
    }
}

static inline void list_model_append(list_model_t *model)
{
    cubby_list_t before = model->list;
    void *item = list_model_item(model);
    if (list_model_granted(model, cubby_list_append(model->heap, &model->list, item), &before)) {
        model->items[model->size++] = item;
    }
}

static inline void list_model_remove(list_model_t *model, size_t index)
{
    void *expected = model->items[index];
    errno = 77;
    MODEL_CHECK(cubby_list_remove(model->heap, &model->list, index) == expected);
    MODEL_CHECK(errno == 77);
    list_model_replace(model, index, 1, NULL, 0);
}

static inline void list_model_pop(list_model_t *model)
{
    errno = 77;
    void *expected = model->size == 0 ? NULL : model->items[model->size - 1];
    MODEL_CHECK(cubby_list_pop(model->heap, &model->list) == expected);
    MODEL_CHECK(errno == 77);
    model->size -= model->size > 0;
}

static inline void list_model_extend(list_model_t *model, size_t count)
{
    cubby_list_t before = model->list;
    list_model_others_draw(model, count);
    if (list_model_granted(model, cubby_list_extend(model->heap, &model->list, model->others, count), &before)) {
        list_model_replace(model, model->size, 0, model->others, count);
    }
}

static inline void list_model_extend_own(list_model_t *model, size_t from, size_t count)
{
    cubby_list_t before = model->list;
    bool granted = cubby_list_extend(model->heap, &model->list, model->list.items + from, count);
    if (list_model_granted(model, granted, &before)) {
        list_model_replace(model, model->size, 0, model->items + from, count);
    }
}

static inline void list_model_slice(list_model_t *model, size_t from, size_t count, size_t more)
{
    cubby_list_t before = model->list;
    list_model_others_draw(model, more);
    bool granted = cubby_list_replace(model->heap, &model->list, from, count, model->others, more);
    if (list_model_granted(model, granted, &before)) {
        list_model_replace(model, from, count, model->others, more);
    }
}

static inline void list_model_slice_own(list_model_t *model, size_t from, size_t count, size_t source, size_t more)
{
    cubby_list_t before = model->list;
    bool granted = cubby_list_replace(model->heap, &model->list, from, count, model->list.items + source, more);
    if (list_model_granted(model, granted, &before)) {
        list_model_replace(model, from, count, model->items + source, more);
    }
}

static inline void list_model_resize(list_model_t *model, size_t size)
{
    cubby_list_t before = model->list;
    if (list_model_granted(model, cubby_list_resize(model->heap, &model->list, size), &before)) {
        for (; model->size < size; model->size++) {
            model->items[model->size] = NULL;
        }
        model->size = size;
    }
}

static inline void list_model_reserve(list_model_t *model, size_t capacity)
{
    cubby_list_t before = model->list;
    if (list_model_granted(model, cubby_list_reserve(model->heap, &model->list, capacity), &before)) {
        MODEL_CHECK(model->list.capacity >= capacity);
    }
}

static inline void list_model_starve(list_model_t *model)
{
    model->starved = !model->starved;
    cubby_heap_limit_set(model->heap, model->starved ? cubby_heap_limit_get(model->heap).used : SIZE_MAX);
}

/* Sizes that no list can have, and places that this one has not. */
static inline void list_model_overflow(list_model_t *model, size_t choice)
{
    cubby_list_t before = model->list;
    size_t size = SIZE_MAX / sizeof(void *) - choice % 3 + 1;
    bool granted = choice % 2 == 0 ? cubby_list_reserve(model->heap, &model->list, size)
                                   : cubby_list_extend(model->heap, &model->list, model->others, size);
    MODEL_CHECK(!granted && errno == ENOMEM);
    errno = 0;
    MODEL_CHECK(!cubby_list_insert(model->heap, &model->list, model->size + 1 + choice, NULL) && errno == EINVAL);
    MODEL_CHECK(memcmp(&model->list, &before, sizeof before) == 0);
}

/* One step; a, b and c are any numbers, and are brought into range. */
static inline void list_model_step(list_model_t *model, model_step_t step, size_t a, size_t b, size_t c)
{
    size_t size = model->size;
    size_t from = a % (size + 1);
    size_t count = b % (size - from + 1);
    size_t source = c % (size + 1);
    size_t own = (a ^ b) % (size - source + 1);
    size_t others = c % MODEL_OTHERS;
    bool full = size > MODEL_MOST / 2 - MODEL_OTHERS;
    model->steps++;
    switch (step) {
    case MODEL_APPEND:
        for (size_t i = 0; !full && i <= a % 20; i++) {
            list_model_append(model);
        }
        break;
    case MODEL_POP:
        for (size_t i = 0; i <= a % 20; i++) {
            list_model_pop(model);
        }
        break;
    case MODEL_INSERT:
        full ? list_model_resize(model, 0) : list_model_insert(model, from);
        break;
    case MODEL_REMOVE:
        from < size ? list_model_remove(model, from) : list_model_pop(model);
        break;
    case MODEL_EXTEND:
        full ? list_model_resize(model, count) : list_model_extend(model, others);
        break;
    case MODEL_EXTEND_OWN:
        full ? list_model_resize(model, count) : list_model_extend_own(model, from, count);
        break;
    case MODEL_REPLACE:
        full ? list_model_resize(model, count) : list_model_slice(model, from, count, others);
        break;
    case MODEL_REPLACE_OWN:
        full ? list_model_resize(model, count) : list_model_slice_own(model, from, count, source, own);
        break;
    case MODEL_RESERVE:
        list_model_reserve(model, a % 65536);
        break;
    case MODEL_RESIZE:
        list_model_resize(model, a % 32 != 0 ? b % 128 : b % 65536);
        break;
    case MODEL_SHRINK:
        cubby_list_shrink(model->heap, &model->list);
        break;
    case MODEL_CLEAR:
        cubby_list_clear(model->heap, &model->list);
        model->size = 0;
        break;
    case MODEL_STARVE:
        list_model_starve(model);
        break;
    default:
        list_model_overflow(model, a);
        break;
    }
    list_model_compare(model);
}

/* Ends with an empty list, and a heap that has nothing of it. */
static inline void list_model_end(list_model_t *model)
{
    cubby_heap_stats_t stats;
    model->steps = 0; /* compared whole */
    list_model_compare(model);
    cubby_heap_limit_set(model->heap, SIZE_MAX);
    cubby_list_clear(model->heap, &model->list);
    cubby_heap_stats_get(model->heap, &stats);
    MODEL_CHECK(stats.blocks_used == 0 && stats.large_blocks == 0);
    MODEL_CHECK(cubby_heap_check(model->heap));
}

#endif
