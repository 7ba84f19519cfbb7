/* SPDX-License-Identifier: MIT */
/*
 * Included before a source file by the compiler's option -include: what the file asks of a heap goes to malloc and its
 * like, which a preloaded allocator replaces. So the objects of src/object run on any allocator, by the same text and
 * without a branch or a call more than they would have there.
 */
#ifndef CUBBY_LAB_NATIVE_OVER_MALLOC_H
#define CUBBY_LAB_NATIVE_OVER_MALLOC_H

#include <cubby/cubby.h>

#include <malloc.h>
#include <stdlib.h>

#define OBJECTS_ON "libc"

/* NULL is a heap like any other here. */
static inline void *over_malloc(const cubby_heap_t *heap, size_t size, size_t alignment)
{
    (void)heap, (void)alignment; /* at most 16, as malloc gives it */
    return malloc(size);
}

static inline void over_free(const cubby_heap_t *heap, void *block, size_t size, size_t alignment)
{
    (void)heap, (void)size, (void)alignment;
    free(block);
}

#define cubby_heap_take_(heap, size, alignment) over_malloc(heap, size, alignment)
#define cubby_heap_give_(heap, block, size, alignment) over_free(heap, block, size, alignment)
#define cubby_heap_malloc(heap, size) over_malloc(heap, size, 16)
#define cubby_heap_calloc(heap, count, size) ((void)(heap), calloc(count, size))
#define cubby_heap_realloc(heap, block, size) ((void)(heap), realloc(block, size))
#define cubby_heap_free(heap, block) over_free(heap, block, 0, 16)
#define cubby_heap_free_sized(heap, block, size) over_free(heap, block, size, 16)
#define cubby_usable_size(block) malloc_usable_size(block)

#endif
