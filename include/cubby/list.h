/* SPDX-License-Identifier: MIT */
/*
 * A growing vector of pointers for any host. It knows nothing of what they point to: it counts no references and frees
 * no item; whoever takes items out of a list, or ends it, sees to that first.
 *
 *     cubby_list_t list = CUBBY_LIST_EMPTY;
 *     if (!cubby_list_append(heap, &list, item)) ...
 *     for (size_t i = 0; i < list.size; i++) ... list.items[i] ...
 *     cubby_list_clear(heap, &list);
 *
 * The members may be read at any time and items[0 .. size) written. The buffer belongs to the list: one heap is named in
 * all calls for a list, and destroying that heap ends the list with it.
 *
 * The buffer
 *   The capacity is what the block really holds, so nothing is lost to rounding up.
 *   A list without items has no buffer, unless one was reserved. Whatever leaves it without items frees the buffer.
 *   Growing item by item leaves room for a half more up to 512 bytes, for a quarter up to 1 MiB, for an eighth beyond,
 *   where the buffer grows in place as a rule. src/object/list.c derives that.
 *   Removing items shrinks the buffer when less than half of more than 64 bytes is used, and leaves a quarter of room.
 *
 * Failure (no memory, or a size that overflows) is false with errno ENOMEM, and nothing has changed. An index out of
 * range is EINVAL, and nothing has changed. Only what makes a list longer can run out of memory. Removing keeps errno.
 *
 * Threads: a list is used by one thread at a time, which is one that may use the heap.
 */
#ifndef CUBBY_LIST_H
#define CUBBY_LIST_H

#include <cubby/cubby.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is an empty list. */
typedef struct cubby_list {
    void **items;
    size_t size;     /* items in use */
    size_t capacity; /* items that fit into the buffer; 0: there is none */
} cubby_list_t;

#define CUBBY_LIST_EMPTY                                                                                               \
    {                                                                                                                  \
        NULL, 0, 0                                                                                                     \
    }

/* The ways out of the inlined paths below. Not for direct use. */
CUBBY_API bool cubby_list_grow_(cubby_heap_t *heap, cubby_list_t *list);
CUBBY_API void *cubby_list_pop_(cubby_heap_t *heap, cubby_list_t *list);

/* Adds an item behind the last one. One comparison and two stores while there is room. */
static inline bool cubby_list_append(cubby_heap_t *heap, cubby_list_t *list, void *item)
{
    if (!CUBBY_LIKELY(list->size < list->capacity) && !cubby_list_grow_(heap, list)) {
        return false;
    }
    list->items[list->size++] = item;
    return true;
}

/* Takes the last item off the list and returns it; NULL when there is none. */
static inline void *cubby_list_pop(cubby_heap_t *heap, cubby_list_t *list)
{
    if (CUBBY_LIKELY(list->size > 1 && list->size > list->capacity / 2)) {
        return list->items[--list->size];
    }
    return cubby_list_pop_(heap, list);
}

/* Makes room for `capacity` items in all, and for no more than the block holds that they need. Never shrinks. */
CUBBY_API bool cubby_list_reserve(cubby_heap_t *heap, cubby_list_t *list, size_t capacity);

/* Makes the list `size` items long. New ones are NULL. */
CUBBY_API bool cubby_list_resize(cubby_heap_t *heap, cubby_list_t *list, size_t size);

/* Puts an item before the one at `index`, or behind the last one when that is the list's size. */
CUBBY_API bool cubby_list_insert(cubby_heap_t *heap, cubby_list_t *list, size_t index, void *item);

/* Takes the item at `index` out of the list and returns it; NULL with EINVAL when there is none. */
CUBBY_API void *cubby_list_remove(cubby_heap_t *heap, cubby_list_t *list, size_t index);

/* Adds `count` items behind the last one. They may be items of this very list. */
CUBBY_API bool cubby_list_extend(cubby_heap_t *heap, cubby_list_t *list, void *const *items, size_t count);

/*
 * Puts `item_count` items where the `count` items from index `from` on are. They may be items of this very list. What
 * was there is forgotten: the host reads it first if it has to.
 */
CUBBY_API bool cubby_list_replace(cubby_heap_t *heap, cubby_list_t *list, size_t from, size_t count, void *const *items,
                                  size_t item_count);

/*
 * Gives back the room that the items do not need, as far as there is a smaller block that they fit into; of a buffer
 * above 32 KiB, when that is more than an eighth.
 */
CUBBY_API void cubby_list_shrink(cubby_heap_t *heap, cubby_list_t *list);

/* Forgets all items and frees the buffer. */
CUBBY_API void cubby_list_clear(cubby_heap_t *heap, cubby_list_t *list);

#ifdef __cplusplus
}
#endif
#endif
