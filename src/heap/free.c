/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"
#include "heap/check.h"
#include "heap/checks.h"
#include "heap/pool.h"
#include "heap/shared.h"

/* What the fast free leaves over. Not inlined, so that the fast path needs no stack. */
static void heap_free_rest(cubby_heap_t *heap, void *block, size_t size);

/*
 * The fast free. The page's tag, exclusive-or the heap's own, is the size class if the block is in one of this heap's
 * pools and a larger number for everything else, so one comparison decides. The chain of loads is tag, bin. Branches:
 * in the region, class, room.
 */
void cubby_heap_free(cubby_heap_t *heap, void *block)
{
    HEAP_VISIT(heap);
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    heap_free_rest(heap, block, CHECKS_SIZE_UNKNOWN);
}

static __attribute__((noinline)) void heap_free_rest(cubby_heap_t *heap, void *block, size_t size)
{
    if (!heap_free_slow(heap, block, size)) {
        heap_free_refuse(heap, block);
    }
}

/* True when the list has at least `length` blocks. */
static bool list_is_long(const cubby_heap_t *heap, const void *block, size_t length)
{
    while (block != NULL && length > 0) {
        block = link_next(heap, block);
        length--;
    }
    return length == 0;
}

/* Measures a bin whose room is used up: gives it new room, or has it spill. */
static __attribute__((noinline)) void bin_measure(cubby_heap_t *heap, void *block, unsigned size_class)
{
    cubby_bin_t *bin = &heap->bins[size_class];
    heap_class_t *class = &heap->classes[size_class];
    heap_tick(heap, (uint32_t) class->room / FREES_PER_EVENT);
    class->spilling = list_is_long(heap, bin->free, bin_measure_most((size_t) class->room));
    if (class->spilling) {
        pool_free(heap, block);
        return;
    }
    bin->room = class->room;
    cubby_bin_give_(heap, block, size_class);
}

/* A free that finds no room where no bin spills. */
static __attribute__((noinline)) void bin_overflow_rest(cubby_heap_t *heap, void *block, unsigned size_class)
{
    if (heap->kind == HEAP_CHECKED) {
        heap_checks->release_typed(heap, block, size_class);
        return;
    }
    if (heap_is_front(heap)) {
        cubby_heap_free(heap, block);
        return;
    }
    bin_measure(heap, block, size_class);
}

/*
 * A free that finds no room: of many blocks in a row, as a rule, so the way to the pool is short too. Only heaps that own
 * pools have bins that spill, so that is asked first.
 */
void cubby_bin_overflow_(cubby_heap_t *heap, void *block, unsigned size_class)
{
    heap->bins[size_class].room = 0;
    if (CUBBY_LIKELY(heap->classes[size_class].spilling)) {
        pool_free(heap, block);
        return;
    }
    bin_overflow_rest(heap, block, size_class);
}

/*
 * The size is not trusted with the class: realloc leaves a block that shrinks a little where it is, in a class larger
 * than its size says. The tag costs one load more. Only debug checks look at the size.
 */
void cubby_heap_free_sized(cubby_heap_t *heap, void *block, size_t size)
{
    HEAP_VISIT(heap);
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    heap_free_rest(heap, block, size);
}

void cubby_typed_give_(cubby_heap_t *heap, void *block, size_t size, size_t alignment)
{
    if (size <= CUBBY_SMALL_MAX && alignment <= 16 && !heap_is_front(heap)) {
        heap_free_block(heap, block, cubby_class_(size, alignment));
        return;
    }
    cubby_heap_free(heap, block);
}

bool heap_free_slow(cubby_heap_t *heap, void *block, size_t size)
{
    if (block == NULL) {
        return true;
    }
    if (heap->kind == HEAP_CHECKED) {
        return heap_checks->release(heap, block, size);
    }
    uint32_t size_class = span_tag(block) ^ heap->tag;
    if (size_class < CUBBY_CLASS_COUNT) {
        heap_free_block(heap, block, size_class);
        return true;
    }
    cubby_heap_t *owner = block_owner(block);
    if (heap->kind == HEAP_SHARED && owner == heap->inner) {
        shared_heap_free(heap, block);
        return true;
    }
    if (owner != heap) {
        return false;
    }
    span_t *span = span_find(block);
    block_given(block, span_bytes(span));
    heap_large_free(heap, span);
    return true;
}

void heap_free_refuse(const cubby_heap_t *heap, const void *block)
{
    const cubby_heap_t *owner = block_heap(block);
    heap_refuse("free", block,
                owner == NULL || owner == heap ? "not a block of a Cubby heap" : "a block of another heap");
}
