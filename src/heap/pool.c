/* SPDX-License-Identifier: MIT */
#include "heap/pool.h"

#include "heap/borrow.h"
#include "heap/spare.h"

static heap_class_t *pool_class(cubby_heap_t *heap, const span_t *pool)
{
    return &heap->classes[pool->size_class];
}

/* Only for pools that some block of is in use: with all blocks free there is no pool to shelve. */
static unsigned pool_shelf(const span_t *pool)
{
    return pool->free_count == 0 ? SHELF_FULL : pool->free_count * SHELF_COUNT / pool->capacity;
}

/* Frees until one makes the pool change its shelf: that one is not counted, it finds zero. */
static uint32_t pool_countdown(const span_t *pool, unsigned shelf)
{
    if (shelf == SHELF_FULL) {
        return 0;
    }
    uint32_t boundary = ((shelf + 1) * pool->capacity + SHELF_COUNT - 1) / SHELF_COUNT;
    return boundary - pool->free_count - 1;
}

static void pool_unshelve(cubby_heap_t *heap, span_t *pool)
{
    guard(pool->previous == NULL ? pool_class(heap, pool)->shelf[pool->shelf] == pool : pool->previous->next == pool,
          pool, "the list of pools does not lead to this one");
    guard(pool->next == NULL || pool->next->previous == pool, pool, "the list of pools does not lead back to this one");
    if (pool->previous != NULL) {
        pool->previous->next = pool->next;
    } else {
        pool_class(heap, pool)->shelf[pool->shelf] = pool->next;
    }
    if (pool->next != NULL) {
        pool->next->previous = pool->previous;
    }
}

static void pool_shelve(cubby_heap_t *heap, span_t *pool)
{
    unsigned shelf = pool_shelf(pool);
    span_t **head = &pool_class(heap, pool)->shelf[shelf];
    pool->shelf = (uint8_t)shelf;
    pool->countdown = pool_countdown(pool, shelf);
    pool->previous = NULL;
    pool->next = *head;
    if (*head != NULL) {
        (*head)->previous = pool;
    }
    *head = pool;
}

static void pool_release(cubby_heap_t *heap, span_t *pool)
{
    heap->pool_pages -= pool->pages;
    span_tag_all(pool, 0);
#ifdef CUBBY_GUARD
    pool->heap = NULL; /* pool_has() says no, also while the span is a spare one */
#endif
    spare_give(heap, pool, (size_t)pool->carved * heap->bins[pool->size_class].size);
}

void pool_reshelve(cubby_heap_t *heap, span_t *pool)
{
    uint32_t weight = 1 + pool->capacity / FREES_PER_EVENT;
    heap->events += weight < EVENT_RESHELVE_MOST ? weight : EVENT_RESHELVE_MOST;
    guard(pool->free_count <= pool->capacity, pool, "the pool has more free blocks than blocks");
    pool_unshelve(heap, pool);
    if (pool->free_count == pool->capacity) {
        pool_release(heap, pool);
        return;
    }
    pool_shelve(heap, pool);
}

#ifdef CUBBY_GUARD
void pool_refuse(const cubby_heap_t *heap, const span_t *pool, const void *block)
{
    guard(pool_has(heap, pool, block), block, "this is no block: the pointer is not what the program was given");
    cubby_guarded_free_twice_(block);
}
#endif

void pool_free_far(cubby_heap_t *heap, void *block)
{
    span_t *pool = span_find_far(block);
    pool_put(heap, pool, block, (uintptr_t)block - (uintptr_t)span_start(pool));
}

/* Others read it to tell whether a pointer is a block. */
static void pool_set_carved(span_t *pool, uint32_t carved)
{
    __atomic_store_n(&pool->carved, carved, __ATOMIC_RELAXED);
}

int32_t bin_room_first(const cubby_heap_t *heap, size_t block_bytes)
{
    size_t least = heap->kind == HEAP_THREAD ? BIN_ROOM_LEAST_THREAD : BIN_ROOM_LEAST;
    size_t room = BIN_BYTES / block_bytes;
    room = room < least ? least : room;
    return (int32_t)(room > BIN_ROOM_MOST ? BIN_ROOM_MOST : room);
}

/*
 * Doubles the room of a bin that spilled and wants its blocks back, within what the heap may give. Where blocks go from
 * thread to thread they come in bursts, which a larger bin would only keep until they are cold.
 */
static void bin_room_grow(cubby_heap_t *heap, unsigned size_class)
{
    heap_class_t *class = &heap->classes[size_class];
    size_t more = (size_t) class->room * heap->bins[size_class].size;
    size_t most = ((size_t)heap->pool_pages << PAGE_SHIFT) / BIN_GROWTH_SHARE;
    if (heap->kind == HEAP_THREAD && !heap->hands_round && class->room <= BIN_ROOM_MOST / 2 &&
        heap->room_grown + more <= most) {
        heap->room_grown += more;
        class->room *= 2;
    }
}

/* The pool is on no shelf; it goes on SHELF_FULL, having nothing left of its own. */
static void bin_take_all(cubby_heap_t *heap, span_t *pool)
{
    heap_class_t *class = pool_class(heap, pool);
    cubby_bin_t *bin = &heap->bins[pool->size_class];
    bin->free = pool->free;
    if (class->spilling) {
        bin_room_grow(heap, pool->size_class);
        class->spilling = false;
    }
    bin->room = class->room;
    if (pool->carved < pool->capacity) {
        bin->fresh = span_start(pool) + (size_t)pool->carved * bin->size;
        bin->fresh_end = span_start(pool) + (size_t)pool->capacity * bin->size;
        class->carving = pool;
    }
    pool_set_carved(pool, pool->capacity);
    pool->free = NULL;
    pool->free_count = 0;
    pool_shelve(heap, pool);
}

/* First pools may have fewer pages than others of their class. */
static uint32_t pool_capacity(cubby_heap_t *heap, const span_t *pool)
{
    const heap_class_t *class = pool_class(heap, pool);
    return pool->pages == class->pages ? class->capacity
                                       : (uint32_t)(span_bytes(pool) / heap->bins[pool->size_class].size);
}

void bin_take_new(cubby_heap_t *heap, span_t *pool)
{
    memory_hide(span_start(pool), span_bytes(pool));
    pool->free = NULL;
    pool_set_carved(pool, 0);
    pool->capacity = pool_capacity(heap, pool);
    bin_take_all(heap, pool);
}

void bin_take_over(cubby_heap_t *heap, span_t *pool)
{
    pool_unshelve(heap, pool);
    bin_take_all(heap, pool);
}

/* Gives the part of a pool that its bin has not carved back to the pool. */
static void bin_return_fresh(cubby_heap_t *heap, unsigned size_class)
{
    cubby_bin_t *bin = &heap->bins[size_class];
    span_t *pool = heap->classes[size_class].carving;
    uint32_t left = (uint32_t)((size_t)(bin->fresh_end - bin->fresh) / bin->size);
    bin->fresh = NULL;
    bin->fresh_end = NULL;
    heap->classes[size_class].carving = NULL;
    heap->classes[size_class].fresh_zero = false;
    if (left == 0) {
        return;
    }
    pool_set_carved(pool, pool->capacity - left);
    pool->free_count += left;
    pool_reshelve(heap, pool);
}

/* A block from a bin goes back where it came from. */
static void bin_return(cubby_heap_t *heap, void *block)
{
    if (CUBBY_LIKELY(span_find(block)->heap == heap)) {
        pool_free(heap, block);
    } else {
        borrow_add(heap, block, span_tag(block));
    }
}

void heap_flush_bins(cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        cubby_bin_t *bin = &heap->bins[size_class];
        void *block = bin->free;
        bin->free = NULL;
        bin->room = heap->classes[size_class].room;
        heap->classes[size_class].spilling = false;
        if (bin->fresh != bin->fresh_end) {
            bin_return_fresh(heap, size_class);
        }
        while (block != NULL) {
            void *next = link_take(heap, block);
            bin_return(heap, block);
            block = next;
        }
    }
    if (heap->borrowed_bytes >= heap->borrow_most) {
        borrow_send(heap);
    }
    spare_send(heap);
    uint32_t growth = heap->pool_pages / FLUSH_GROWTH_SHARE;
    heap->flush_pages = heap->pool_pages + (growth > FLUSH_GROWTH_LEAST ? growth : FLUSH_GROWTH_LEAST);
}

/* Bins learn anew how much room they need. */
static void bin_rooms_reset(cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT && heap->room_grown > 0; size_class++) {
        heap->classes[size_class].room = bin_room_first(heap, heap->bins[size_class].size);
    }
    heap->room_grown = 0;
    heap->hands_round = false;
}

void heap_flush(cubby_heap_t *heap)
{
    bin_rooms_reset(heap);
    heap_flush_bins(heap);
    if (heap->borrowed_bytes > 0) {
        borrow_send(heap);
    }
}
