/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include "heap/check.h"
#include "heap/checks.h"
#include "heap/shared.h"
#include "heap/words.h"

#include <errno.h>
#include <string.h>

/* A block stays when the new size fits and uses more than KEEP_NUMERATOR / KEEP_DENOMINATOR of it: pymalloc's rule. */
enum { KEEP_NUMERATOR = 3, KEEP_DENOMINATOR = 4 };

/* A block aligned to 8 only must not stay for a caller who counts on 16. */
bool block_may_stay(const void *block, size_t block_bytes, size_t size, bool obj)
{
    return size <= block_bytes && size * KEEP_DENOMINATOR > block_bytes * KEEP_NUMERATOR &&
           (obj || (uintptr_t)block % 16 == 0);
}

/* List buffers take this path at every growth step: two bins, and a copy of a few words. */
void *pool_block_resize(cubby_heap_t *heap, void *block, uint32_t size_class, size_t size, bool obj)
{
    size_t old_size = heap->bins[size_class].size;
    size_t held = block_held(block, old_size);
    if (block_may_stay(block, old_size, size, obj)) {
        block_resized(block, held, old_size, size);
        return block;
    }
    void *moved = obj ? heap_malloc_obj(heap, size) : heap_malloc(heap, size);
    if (moved == NULL) {
        return NULL;
    }
    size_t bytes = old_size < size ? old_size : size;
    block_open(block, held, old_size);
    if (!obj && CUBBY_LIKELY(size_class < CUBBY_CLASS_ODD)) { /* both are of 16-byte classes */
        words_copy(moved, block, bytes);
    } else {
        memcpy(moved, block, bytes);
    }
    heap_free_block(heap, block, size_class);
    return moved;
}

/* A large block that grows from this size on is placed where it can go on growing without another copy. */
enum { GROWING_BYTES = 1024 * 1024 };

void *large_block_resize(cubby_heap_t *heap, void *block, size_t size, bool obj)
{
    span_t *span = span_find(block);
    size_t old_size = span_bytes(span);
    size_t held = block_held(block, old_size);
    if (heap_large_resize(span, size)) {
        block_resized(block, held, span_bytes(span), size);
        return block;
    }
    void *moved;
    if (old_size >= GROWING_BYTES && size > old_size) {
        moved = heap_large_alloc_growing(heap, size);
    } else {
        moved = obj ? heap_malloc_obj(heap, size) : heap_malloc(heap, size);
    }
    if (moved == NULL && heap_large_resize(span, size)) { /* what the host gave back may lie right behind it */
        block_resized(block, held, span_bytes(span), size);
        return block;
    }
    if (moved == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    size_t bytes = old_size < size ? old_size : size;
    block_open(block, held, old_size);
    memcpy(moved, block, bytes);
    heap_copied_add(bytes);
    block_given(block, old_size);
    heap_large_free(heap, span);
    return moved;
}

void *heap_realloc(cubby_heap_t *heap, void *block, size_t size, bool obj)
{
    if (block == NULL) {
        return obj ? heap_malloc_obj(heap, size) : heap_malloc(heap, size);
    }
    uint32_t size_class = span_tag(block) ^ heap->tag;
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        return pool_block_resize(heap, block, size_class, size, obj);
    }
    if (heap->kind == HEAP_CHECKED) {
        void *moved = NULL;
        if (heap_checks->resize(heap, block, size, &moved)) {
            return moved;
        }
    }
    const cubby_heap_t *owner = block_owner(block);
    if (heap->kind == HEAP_SHARED && owner == heap->inner) {
        return shared_heap_realloc(heap, block, size, obj);
    }
    if (owner != heap) {
        heap_refuse("realloc", block, "not a block of this heap");
        errno = EINVAL;
        return NULL;
    }
    return large_block_resize(heap, block, size, obj);
}

void *cubby_heap_realloc(cubby_heap_t *heap, void *block, size_t size)
{
    HEAP_VISIT(heap);
    return heap_realloc(heap, block, size, false);
}
