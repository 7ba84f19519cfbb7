/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <errno.h>

static cubby_list_t *list_of(cubby_object_t *object)
{
    return &((cubby_list_object_t *)(void *)object)->list;
}

static const cubby_list_t *list_seen(const cubby_object_t *object)
{
    return &((const cubby_list_object_t *)(const void *)object)->list;
}

cubby_object_t *cubby_list_object_new(cubby_runtime_t *runtime)
{
    cubby_list_object_t *made = cubby_new(runtime->heap, cubby_list_object_t);
    if (made == NULL) {
        return memory_fail(runtime);
    }
    *made = (cubby_list_object_t){.object = {1, &cubby_list_type}};
    return &made->object;
}

bool cubby_list_object_append(cubby_runtime_t *runtime, cubby_object_t *list, cubby_object_t *item)
{
    if (!cubby_list_append(runtime->heap, list_of(list), item)) {
        cubby_error_memory_(runtime);
        return false;
    }
    (void)cubby_object_retain(item);
    return true;
}

/* Of objects that a list has just been given; it holds them from here on. */
static void items_retain(void *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)cubby_object_retain(items[i]);
    }
}

/* Where the items are to come from must be a list, too. */
static bool source_check(cubby_runtime_t *runtime, const cubby_object_t *source)
{
    if (cubby_is_list(source)) {
        return true;
    }
    cubby_error_set(runtime, CUBBY_ERROR_TYPE, "a list takes its new items from a list, not from a %s",
                    source->type->name);
    return false;
}

bool cubby_list_object_extend(cubby_runtime_t *runtime, cubby_object_t *list, const cubby_object_t *other)
{
    if (!source_check(runtime, other)) {
        return false;
    }
    cubby_list_t *own = list_of(list);
    size_t before = own->size;
    if (!cubby_list_extend(runtime->heap, own, list_seen(other)->items, list_seen(other)->size)) {
        cubby_error_memory_(runtime);
        return false;
    }
    items_retain(own->items + before, own->size - before);
    return true;
}

/* The place that an index means, up to `end`. */
static bool place_find(cubby_runtime_t *runtime, const cubby_list_t *list, int64_t index, size_t end, size_t *place)
{
    uint64_t found = index < 0 ? (uint64_t)index + list->size : (uint64_t)index;
    if (found >= end) {
        cubby_error_set(runtime, CUBBY_ERROR_INDEX, "index %lld is outside a list of %zu items", (long long)index,
                        list->size);
        return false;
    }
    *place = (size_t)found;
    return true;
}

bool cubby_list_object_insert(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index, cubby_object_t *item)
{
    size_t place;
    if (!place_find(runtime, list_of(list), index, list_of(list)->size + 1, &place)) {
        return false;
    }
    if (!cubby_list_insert(runtime->heap, list_of(list), place, item)) {
        cubby_error_memory_(runtime);
        return false;
    }
    (void)cubby_object_retain(item);
    return true;
}

cubby_object_t *cubby_list_object_get(cubby_runtime_t *runtime, const cubby_object_t *list, int64_t index)
{
    size_t place;
    const cubby_list_t *own = list_seen(list);
    return place_find(runtime, own, index, own->size, &place) ? own->items[place] : NULL;
}

bool cubby_list_object_set(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index, cubby_object_t *item)
{
    size_t place;
    if (!place_find(runtime, list_of(list), index, list_of(list)->size, &place)) {
        return false;
    }
    cubby_object_t *old = list_of(list)->items[place];
    list_of(list)->items[place] = cubby_object_retain(item);
    cubby_object_release(runtime, old);
    return true;
}

cubby_object_t *cubby_list_object_pop(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index)
{
    size_t place;
    if (!place_find(runtime, list_of(list), index, list_of(list)->size, &place)) {
        return NULL;
    }
    if (place + 1 == list_of(list)->size) {
        return cubby_list_pop(runtime->heap, list_of(list));
    }
    return cubby_list_remove(runtime->heap, list_of(list), place);
}

/* The list is empty before the first item is released: what is freed may look at it. */
void cubby_list_object_clear(cubby_runtime_t *runtime, cubby_object_t *list)
{
    cubby_list_t items = *list_of(list);
    *list_of(list) = (cubby_list_t)CUBBY_LIST_EMPTY;
    for (size_t i = 0; i < items.size; i++) {
        cubby_object_release(runtime, items.items[i]);
    }
    cubby_list_clear(runtime->heap, &items);
}

/* ---- Slices ---- */

typedef struct slice {
    size_t from;
    size_t count;
} slice_t;

/* The place that a bound means: never outside. */
static size_t bound_find(const cubby_list_t *list, int64_t bound)
{
    if (bound < 0) {
        uint64_t back = -(uint64_t)bound;
        return back > list->size ? 0 : list->size - (size_t)back;
    }
    return (uint64_t)bound > list->size ? list->size : (size_t)bound;
}

static slice_t slice_find(const cubby_list_t *list, int64_t from, int64_t to)
{
    size_t first = bound_find(list, from), end = bound_find(list, to);
    return (slice_t){first, end > first ? end - first : 0};
}

static void items_reverse(void **items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        void *item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* Makes the slice the list's last items; those behind it keep their order. Takes no memory. */
static void slice_move_last(cubby_list_t *list, slice_t slice)
{
    void **items = list->items + slice.from;
    size_t rest = list->size - slice.from - slice.count;
    if (slice.count > 0 && rest > 0) {
        items_reverse(items, slice.count);
        items_reverse(items + slice.count, rest);
        items_reverse(items, slice.count + rest);
    }
}

/* What is freed may look at the list: it holds all items that are in it, all the time. */
static void slice_delete(cubby_runtime_t *runtime, cubby_list_t *list, slice_t slice)
{
    slice_move_last(list, slice);
    while (slice.count-- > 0) {
        cubby_object_release(runtime, cubby_list_pop(runtime->heap, list));
    }
}

/*
 * What may fail comes first: the items that are more than those of the slice, put behind it. Then each place of the slice
 * gets its new item, or is deleted. `items` is not the list's own buffer.
 */
static bool slice_replace(cubby_runtime_t *runtime, cubby_list_t *list, slice_t slice, const cubby_list_t *items)
{
    size_t common = items->size < slice.count ? items->size : slice.count, more = items->size - common;
    if (more > 0) {
        size_t behind = slice.from + slice.count;
        if (!cubby_list_replace(runtime->heap, list, behind, 0, items->items + common, more)) {
            cubby_error_memory_(runtime);
            return false;
        }
        items_retain(list->items + behind, more);
    }
    for (size_t i = 0; i < common; i++) {
        cubby_object_t *old = list->items[slice.from + i];
        list->items[slice.from + i] = cubby_object_retain(items->items[i]);
        cubby_object_release(runtime, old);
    }
    slice_delete(runtime, list, (slice_t){slice.from + common, slice.count - common});
    return true;
}

cubby_object_t *cubby_list_object_slice_get(cubby_runtime_t *runtime, const cubby_object_t *list, int64_t from,
                                            int64_t to)
{
    slice_t slice = slice_find(list_seen(list), from, to);
    cubby_object_t *made = cubby_list_object_new(runtime);
    if (made == NULL || slice.count == 0) {
        return made;
    }
    if (!cubby_list_extend(runtime->heap, list_of(made), list_seen(list)->items + slice.from, slice.count)) {
        cubby_object_release(runtime, made);
        return memory_fail(runtime);
    }
    items_retain(list_of(made)->items, slice.count);
    return made;
}

bool cubby_list_object_slice_set(cubby_runtime_t *runtime, cubby_object_t *list, int64_t from, int64_t to,
                                 const cubby_object_t *items)
{
    slice_t slice = slice_find(list_of(list), from, to);
    if (!source_check(runtime, items)) {
        return false;
    }
    if (items != list) {
        return slice_replace(runtime, list_of(list), slice, list_seen(items));
    }
    cubby_object_t *copy = cubby_list_object_slice_get(runtime, list, 0, INT64_MAX);
    if (copy == NULL) {
        return false;
    }
    bool done = slice_replace(runtime, list_of(list), slice, list_seen(copy));
    cubby_object_release(runtime, copy);
    return done;
}

void cubby_list_object_slice_delete(cubby_runtime_t *runtime, cubby_object_t *list, int64_t from, int64_t to)
{
    slice_delete(runtime, list_of(list), slice_find(list_of(list), from, to));
}

/* ---- The type ---- */

static void destroy_slot(cubby_runtime_t *runtime, cubby_object_t *object)
{
    cubby_delete(runtime->heap, (cubby_list_object_t *)(void *)object);
}

static bool equal_slot(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    const cubby_list_t *left = list_seen(object);
    *equal = cubby_is_list(other) && left->size == list_seen(other)->size;
    for (size_t i = 0; *equal && i < left->size; i++) {
        const cubby_object_t *item = left->items[i], *facing = list_seen(other)->items[i];
        if (item != facing && !cubby_object_equal(runtime, item, facing, equal)) {
            return false;
        }
    }
    return true;
}

static bool repr_slot(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    const cubby_list_t *list = list_seen(object);
    bool well = cubby_text_add(runtime, text, "[", 1);
    for (size_t i = 0; well && i < list->size; i++) {
        well = cubby_text_add(runtime, text, ", ", i > 0 ? 2 : 0) && cubby_object_repr(runtime, list->items[i], text);
    }
    return well && cubby_text_add(runtime, text, "]", 1);
}

static size_t bytes_slot(const cubby_object_t *object)
{
    return sizeof(cubby_list_object_t) + list_seen(object)->capacity * sizeof(void *);
}

const cubby_type_t cubby_list_type = {
    .name = "list",
    .size = sizeof(cubby_list_object_t),
    .drop = cubby_list_object_clear,
    .destroy = destroy_slot,
    .equal = equal_slot,
    .repr = repr_slot,
    .bytes = bytes_slot,
};
