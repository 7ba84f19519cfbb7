/* SPDX-License-Identifier: MIT */
#include <cubby/list.h>

#include "heap/check.h"
#include "heap/classes.h"
#include "heap/heap.h"

#include <errno.h>
#include <string.h>

/*
 * How a list grows, and why so.
 *
 * A buffer that grows by a share s of its items leaves at most s / (1 + s) of itself unused, and a list built item by
 * item has copied each item 1 / s times just before the buffer grows, and (1 + s) / s times just after.
 *
 *   s      copies of an item    unused at worst
 *   1      1 to 2               1/2                doubling
 *   1/2    2 to 3               1/3
 *   1/4    4 to 5               1/5
 *   1/8    8 to 9               1/9                CPython, above its small sizes
 *
 * What the two cost is not the same at every size, so neither is the share.
 *
 *   Up to 512 bytes a copy is at most eight cache lines, and the change itself, a block from one bin and one back to
 *   another, is what costs. So few changes: a half.
 *   Up to 1 MiB copies cost, for each reads one block and writes another. Half as many as CPython's: a quarter.
 *   From 1 MiB on the buffer grows into the room that is kept free behind it (heap/realloc.c), and a change is one lock
 *   and no copy. Only what is unused costs: an eighth.
 *
 * Rounding up to a class adds at most an eighth, and to a page 4 KiB, all of which is capacity: at worst
 * 1 - 1 / (5/4 * 9/8), 29 % of a buffer in a pool, is unused, and 12 % on the average. The first buffer has four items:
 * in the programs of lab/lists/histories 84 % of the lists that begin by an append end with no more.
 * lab/results/lists-growth.txt compares this rule with others: over 421,727 lists of these programs it copies 65 % of
 * what CPython's does, if every change copies, and leaves 65 % of its bytes unused.
 *
 * Shrinking. Less than half in use is what CPython waits for, too. A quarter of room is left, so that a list on its way
 * down is copied at most 1.7 times for each item that goes, and one that turns round grows by a quarter before it
 * changes again. A buffer of one cache line is left alone until it is empty.
 */

enum {
    ITEM_BYTES = sizeof(void *),
    POOLED_MOST = MEDIUM_MAX / ITEM_BYTES,     /* items of a buffer in a pool; more have a span of their own */
    SMALL_MOST = CUBBY_SMALL_MAX / ITEM_BYTES, /* items of a small buffer */
    MOVING_MOST = (1024 * 1024) / ITEM_BYTES,  /* items of a buffer that may still have to move when it grows */
    SHORT_MOST = SMALL_MOST * 2 / 3,           /* items of a list that still has a small buffer when it has grown */
    FIRST_CAPACITY = 4,
    KEPT_CAPACITY = 64 / ITEM_BYTES, /* of a buffer that is too small to be worth shrinking */
    STEPPED_MOST = 16,
    SMALL_SHARE = 2,
    MOVING_SHARE = 4,
    LARGE_SHARE = 8,
    SHRUNK_SHARE = 4,
};

/* How a request is rounded up. */
typedef enum rounding {
    ROUND_CLOSELY, /* to 8 bytes where there is such a class: the list may well stay as long as it is */
    ROUND_GROWING, /* to 16 bytes: it is on its way, and has the block in common with more lists */
} rounding_t;

/* ---- The fast paths ---- */

static size_t slack_of(size_t size)
{
    if (size <= SMALL_MOST) {
        return size <= FIRST_CAPACITY ? FIRST_CAPACITY - size : size / SMALL_SHARE;
    }
    return size / (size <= MOVING_MOST ? MOVING_SHARE : LARGE_SHARE);
}

/*
 * Few items, two at a time, take fewer instructions than the call of memcpy does (heap/words.h says why there is none in
 * the loop).
 */
static inline __attribute__((always_inline)) void items_step(void **to, void *const *from, size_t count)
{
    if (count % 2 != 0) {
        *to++ = *from++;
    }
    for (void *const *end = from + (count & ~(size_t)1); from != end; from += 2, to += 2) {
        __asm__("" : "+r"(to)); /* lest the compiler see a memcpy in the loop, and call it */
        (void)memcpy(to, from, 2 * sizeof *to);
    }
}

static void items_copy(void **to, void *const *from, size_t count)
{
    if (count > STEPPED_MOST) {
        (void)memcpy(to, from, count * ITEM_BYTES);
        return;
    }
    items_step(to, from, count);
}

/* The class of a buffer of 1 to SMALL_MOST items. */
static inline unsigned small_class(size_t capacity)
{
    return (unsigned)(capacity % 2 == 0 ? capacity / 2 : CUBBY_CLASS_ODD + capacity / 2);
}

/*
 * The capacity says which class the block is of, so no table is asked. A heap for any thread has bins that nobody may
 * touch without its lock.
 */
static inline void buffer_give(cubby_heap_t *heap, const cubby_list_t *list)
{
    size_t capacity = list->capacity;
    if (capacity == 0) {
        return;
    }
    if (!CUBBY_LIKELY(capacity <= POOLED_MOST && !heap_is_front(heap))) {
        cubby_heap_free(heap, list->items);
        return;
    }
    bool small = CUBBY_LIKELY(capacity <= SMALL_MOST);
    heap_free_block(heap, list->items, small ? small_class(capacity) : class_of_medium(capacity * ITEM_BYTES));
}

/* A block of the class, all of which is the list's. */
static inline void **buffer_of_class(cubby_heap_t *heap, unsigned size_class, size_t bytes)
{
    return heap_block_taken(heap, heap_bin_take(heap, size_class, bytes, ITEM_BYTES), bytes);
}

static bool list_grow_by_one(cubby_heap_t *heap, cubby_list_t *list);

/*
 * Most growing is of short lists: a block from one bin, the items, a block back to another bin, and no call unless a
 * bin is empty or full. Two items more are one class more. The list is full, so its buffer has its size, and most have
 * none yet.
 */
__attribute__((noinline)) bool cubby_list_grow_(cubby_heap_t *heap, cubby_list_t *list)
{
    HEAP_VISIT(heap);
    size_t size = list->size + 1;
    if (!CUBBY_LIKELY(size <= SHORT_MOST)) {
        return list_grow_by_one(heap, list);
    }
    unsigned size_class = (unsigned)((size + slack_of(size) + 1) / 2);
    void **items = buffer_of_class(heap, size_class, (size_t)size_class * 16);
    if (!CUBBY_LIKELY(items != NULL)) {
        return false;
    }
    if (list->size > 0) {
        items_step(items, list->items, list->size);
        buffer_give(heap, list);
    }
    list->items = items;
    list->capacity = (size_t)size_class * 2;
    return true;
}

void cubby_list_clear(cubby_heap_t *heap, cubby_list_t *list)
{
    HEAP_VISIT(heap);
    buffer_give(heap, list);
    *list = (cubby_list_t)CUBBY_LIST_EMPTY;
}

/* ---- Buffers: where capacity and block are one and the same ---- */

static unsigned buffer_class(size_t bytes, rounding_t rounding)
{
    if (bytes > CUBBY_SMALL_MAX) {
        return class_of_medium(bytes);
    }
    return cubby_class_(bytes, rounding == ROUND_CLOSELY ? 8 : 16);
}

/* Takes a buffer for `capacity` items or more; the caller has seen to it that their bytes do not overflow. */
static cubby_list_t buffer_take(cubby_heap_t *heap, size_t capacity, rounding_t rounding)
{
    size_t bytes = capacity * ITEM_BYTES;
    if (capacity > POOLED_MOST) {
        void **items = heap_malloc_medium(heap, bytes);
        return (cubby_list_t){items, 0, cubby_usable_size(items) / ITEM_BYTES};
    }
    unsigned size_class = buffer_class(bytes, rounding);
    bytes = class_size(size_class);
    return (cubby_list_t){buffer_of_class(heap, size_class, bytes), 0, bytes / ITEM_BYTES};
}

/* Gives the list a buffer for `capacity` items, at least its size and not 0. False, and nothing changed: no memory. */
static bool buffer_change(cubby_heap_t *heap, cubby_list_t *list, size_t capacity, rounding_t rounding)
{
    if (list->capacity > POOLED_MOST && capacity > POOLED_MOST) {
        void **items = heap_realloc(heap, list->items, capacity * ITEM_BYTES, false);
        if (items == NULL) {
            return false;
        }
        list->items = items;
        list->capacity = cubby_usable_size(items) / ITEM_BYTES;
        return true;
    }
    cubby_list_t changed = buffer_take(heap, capacity, rounding);
    if (changed.items == NULL) {
        return false;
    }
    items_copy(changed.items, list->items, list->size);
    buffer_give(heap, list);
    list->items = changed.items;
    list->capacity = changed.capacity;
    return true;
}

/* ---- Growing ---- */

/* Items that fit into the address space; one more is refused before anything is computed from it. */
static bool size_is_possible(size_t size)
{
    if (size <= PTRDIFF_MAX / ITEM_BYTES) {
        return true;
    }
    errno = ENOMEM;
    return false;
}

static bool sum_is_possible(size_t size, size_t more)
{
    return size_is_possible(more) && size_is_possible(size + more);
}

/* Grows the buffer for a list that is about to have `size` items, which do not fit. */
static bool list_grow(cubby_heap_t *heap, cubby_list_t *list, size_t size)
{
    size_t capacity = size + slack_of(size);
    if (size_is_possible(capacity) && buffer_change(heap, list, capacity, ROUND_GROWING)) {
        return true;
    }
    /* What has no room to spare may still do. */
    return size > POOLED_MOST && buffer_change(heap, list, size, ROUND_CLOSELY);
}

/*
 * Makes room for `size` items, `more` of them new. A list that is made at once gets what it asks for, and so does a
 * step larger than the slack: such steps are as rare as those that growing item by item leads to.
 */
static bool list_make_room(cubby_heap_t *heap, cubby_list_t *list, size_t size, size_t more)
{
    if (size <= list->capacity) {
        return true;
    }
    if (list->size == 0 || more > slack_of(size)) {
        return buffer_change(heap, list, size, ROUND_CLOSELY);
    }
    return list_grow(heap, list, size);
}

/* More than a short list, and not inlined: the path of short ones needs no stack for it. */
static __attribute__((noinline)) bool list_grow_by_one(cubby_heap_t *heap, cubby_list_t *list)
{
    return size_is_possible(list->size + 1) && list_grow(heap, list, list->size + 1);
}

bool cubby_list_reserve(cubby_heap_t *heap, cubby_list_t *list, size_t capacity)
{
    HEAP_VISIT(heap);
    return capacity <= list->capacity ||
           (size_is_possible(capacity) && buffer_change(heap, list, capacity, ROUND_CLOSELY));
}

/* ---- Shrinking ---- */

/* A smaller block that cannot be had is done without. */
static void buffer_shrink(cubby_heap_t *heap, cubby_list_t *list, size_t capacity)
{
    int error = errno;
    (void)buffer_change(heap, list, capacity, ROUND_CLOSELY);
    errno = error;
}

/* Makes the list `size` items long, which it was or longer, and gives back what that leaves unused. */
static void list_cut(cubby_heap_t *heap, cubby_list_t *list, size_t size)
{
    list->size = size;
    if (size == 0) {
        cubby_list_clear(heap, list);
    } else if (size < list->capacity / 2 && list->capacity > KEPT_CAPACITY) {
        buffer_shrink(heap, list, size + size / SHRUNK_SHARE);
    }
}

void cubby_list_shrink(cubby_heap_t *heap, cubby_list_t *list)
{
    HEAP_VISIT(heap);
    if (list->size == 0) {
        cubby_list_clear(heap, list);
        return;
    }
    if (list->capacity > POOLED_MOST || buffer_class(list->size * ITEM_BYTES, ROUND_CLOSELY) !=
                                            buffer_class(list->capacity * ITEM_BYTES, ROUND_CLOSELY)) {
        buffer_shrink(heap, list, list->size);
    }
}

__attribute__((noinline)) void *cubby_list_pop_(cubby_heap_t *heap, cubby_list_t *list)
{
    HEAP_VISIT(heap);
    if (list->size == 0) {
        return NULL;
    }
    void *item = list->items[list->size - 1];
    list_cut(heap, list, list->size - 1);
    return item;
}

/* ---- Whole operations ---- */

static bool index_refuse(void)
{
    errno = EINVAL;
    return false;
}

bool cubby_list_resize(cubby_heap_t *heap, cubby_list_t *list, size_t size)
{
    HEAP_VISIT(heap);
    if (size < list->size || size == 0) {
        list_cut(heap, list, size);
        return true;
    }
    if (!size_is_possible(size) || !list_make_room(heap, list, size, size - list->size)) {
        return false;
    }
    (void)memset(list->items + list->size, 0, (size - list->size) * ITEM_BYTES);
    list->size = size;
    return true;
}

bool cubby_list_insert(cubby_heap_t *heap, cubby_list_t *list, size_t index, void *item)
{
    if (index > list->size) {
        return index_refuse();
    }
    if (list->size == list->capacity && !cubby_list_grow_(heap, list)) {
        return false;
    }
    void **place = list->items + index;
    (void)memmove(place + 1, place, (list->size - index) * ITEM_BYTES);
    *place = item;
    list->size++;
    return true;
}

void *cubby_list_remove(cubby_heap_t *heap, cubby_list_t *list, size_t index)
{
    HEAP_VISIT(heap);
    if (index >= list->size) {
        (void)index_refuse();
        return NULL;
    }
    void **place = list->items + index;
    void *item = *place;
    (void)memmove(place, place + 1, (list->size - index - 1) * ITEM_BYTES);
    list_cut(heap, list, list->size - 1);
    return item;
}

/* True when the items lie in the list's own buffer. */
static bool list_holds(const cubby_list_t *list, void *const *items)
{
    return (uintptr_t)items - (uintptr_t)list->items < list->size * ITEM_BYTES;
}

bool cubby_list_extend(cubby_heap_t *heap, cubby_list_t *list, void *const *items, size_t count)
{
    HEAP_VISIT(heap);
    if (count == 0) {
        return true;
    }
    bool own = list_holds(list, items);
    size_t from = own ? (size_t)(items - list->items) : 0;
    if (!sum_is_possible(list->size, count) || !list_make_room(heap, list, list->size + count, count)) {
        return false;
    }
    items_copy(list->items + list->size, own ? list->items + from : items, count);
    list->size += count;
    return true;
}

/* Puts the list together anew in a buffer of its own: nothing is overwritten that is still to be read. */
static bool list_rebuild(cubby_heap_t *heap, cubby_list_t *list, size_t from, size_t count, void *const *items,
                         size_t item_count)
{
    size_t size = list->size - count + item_count;
    cubby_list_t built = buffer_take(heap, size, ROUND_CLOSELY);
    if (built.items == NULL) {
        return false;
    }
    items_copy(built.items, list->items, from);
    items_copy(built.items + from, items, item_count);
    items_copy(built.items + from + item_count, list->items + from + count, list->size - from - count);
    built.size = size;
    buffer_give(heap, list);
    *list = built;
    return true;
}

bool cubby_list_replace(cubby_heap_t *heap, cubby_list_t *list, size_t from, size_t count, void *const *items,
                        size_t item_count)
{
    HEAP_VISIT(heap);
    if (from > list->size || count > list->size - from) {
        return index_refuse();
    }
    size_t rest = list->size - from - count;
    if (!sum_is_possible(from + rest, item_count)) {
        return false;
    }
    size_t size = from + rest + item_count;
    if (item_count > 0 && list_holds(list, items)) {
        return list_rebuild(heap, list, from, count, items, item_count);
    }
    if (size > list->size && !list_make_room(heap, list, size, size - list->size)) {
        return false;
    }
    if (size > 0) {
        (void)memmove(list->items + from + item_count, list->items + from + count, rest * ITEM_BYTES);
        items_copy(list->items + from, items, item_count);
    }
    if (size < list->size) {
        list_cut(heap, list, size);
    }
    list->size = size;
    return true;
}
