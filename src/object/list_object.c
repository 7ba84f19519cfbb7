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

bool cubby_list_object_extend(cubby_runtime_t *runtime, cubby_object_t *list, const cubby_object_t *other)
{
    cubby_list_t *own = list_of(list);
    size_t before = own->size;
    if (!cubby_list_extend(runtime->heap, own, list_seen(other)->items, list_seen(other)->size)) {
        cubby_error_memory_(runtime);
        return false;
    }
    for (size_t i = before; i < own->size; i++) {
        (void)cubby_object_retain(own->items[i]);
    }
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
