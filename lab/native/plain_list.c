/* SPDX-License-Identifier: MIT */
/* <cubby/list.h> on malloc, as far as list objects need it: the same rule of growth, and the block's real size used. */
#include <cubby/list.h>

#include <string.h>

enum { ITEM_BYTES = sizeof(void *), SMALL_MOST = 512 / ITEM_BYTES, MOVING_MOST = (1 << 20) / ITEM_BYTES };

static bool buffer_change(cubby_heap_t *heap, cubby_list_t *list, size_t capacity)
{
    void *items = cubby_heap_realloc(heap, list->items, capacity * ITEM_BYTES);
    if (items == NULL) {
        return false;
    }
    list->items = items;
    list->capacity = cubby_usable_size(items) / ITEM_BYTES;
    return true;
}

/* Room for so many items more. */
static bool room_make(cubby_heap_t *heap, cubby_list_t *list, size_t count)
{
    size_t needed = list->size + count, share = needed <= SMALL_MOST ? 2 : needed <= MOVING_MOST ? 4 : 8;
    return needed <= list->capacity || buffer_change(heap, list, needed + needed / share + 3);
}

bool cubby_list_grow_(cubby_heap_t *heap, cubby_list_t *list)
{
    return room_make(heap, list, 1);
}

/* Shrinks, which need not succeed, or frees the buffer with the last item. */
static void room_cut(cubby_heap_t *heap, cubby_list_t *list)
{
    if (list->size == 0) {
        cubby_list_clear(heap, list);
    } else if (list->capacity > 8 && list->size < list->capacity / 2) {
        (void)buffer_change(heap, list, list->size + list->size / 4 + 1);
    }
}

void *cubby_list_pop_(cubby_heap_t *heap, cubby_list_t *list)
{
    void *item = list->size == 0 ? NULL : list->items[--list->size];
    room_cut(heap, list);
    return item;
}

bool cubby_list_insert(cubby_heap_t *heap, cubby_list_t *list, size_t index, void *item)
{
    if (index > list->size || !room_make(heap, list, 1)) {
        return false;
    }
    memmove(list->items + index + 1, list->items + index, (list->size - index) * ITEM_BYTES);
    list->items[index] = item;
    list->size++;
    return true;
}

void *cubby_list_remove(cubby_heap_t *heap, cubby_list_t *list, size_t index)
{
    if (index >= list->size) {
        return NULL;
    }
    void *item = list->items[index];
    memmove(list->items + index, list->items + index + 1, (--list->size - index) * ITEM_BYTES);
    room_cut(heap, list);
    return item;
}

bool cubby_list_extend(cubby_heap_t *heap, cubby_list_t *list, void *const *items, size_t count)
{
    bool own = items == list->items;
    if (count > 0 && !room_make(heap, list, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(list->items + list->size, own ? list->items : items, count * ITEM_BYTES);
        list->size += count;
    }
    return true;
}

/* The items are never the list's own. */
bool cubby_list_replace(cubby_heap_t *heap, cubby_list_t *list, size_t from, size_t count, void *const *items,
                        size_t item_count)
{
    if (from > list->size || count > list->size - from ||
        (item_count > count && !room_make(heap, list, item_count - count))) {
        return false;
    }
    size_t rest = list->size - from - count;
    if (list->capacity > 0) {
        memmove(list->items + from + item_count, list->items + from + count, rest * ITEM_BYTES);
        memcpy(list->items + from, items, item_count * ITEM_BYTES);
    }
    list->size = from + item_count + rest;
    room_cut(heap, list);
    return true;
}

void cubby_list_clear(cubby_heap_t *heap, cubby_list_t *list)
{
    cubby_heap_free(heap, list->items);
    *list = (cubby_list_t)CUBBY_LIST_EMPTY;
}
