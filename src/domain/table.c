/* SPDX-License-Identifier: MIT */
/* Tables that serve a domain from a heap: what a runtime calls on every request. ctx is the heap. */
#include "domain/table.h"

#include "domain/libc.h"
#include "heap/checks.h"
#include "heap/heap.h"
#include "heap/malloc.h"
#include "heap/thread.h"

static void *mem_malloc(void *ctx, size_t size)
{
    return heap_malloc((cubby_heap_t *)ctx, size);
}

static void *obj_malloc(void *ctx, size_t size)
{
    return heap_malloc_obj((cubby_heap_t *)ctx, size);
}

static void *mem_calloc(void *ctx, size_t count, size_t size)
{
    return heap_calloc((cubby_heap_t *)ctx, count, size, false);
}

static void *obj_calloc(void *ctx, size_t count, size_t size)
{
    return heap_calloc((cubby_heap_t *)ctx, count, size, true);
}

/* What the fast free leaves over: large blocks, NULL, and blocks of others. */
static __attribute__((noinline)) void table_free_slow(cubby_heap_t *heap, void *block, cubby_domain_t domain)
{
    if (heap_free_slow(heap, block, CHECKS_SIZE_UNKNOWN)) {
        return;
    }
    const cubby_allocator_t *foreign = heap->foreign[domain];
    if (foreign != NULL && block_heap(block) == NULL) {
        foreign->free(foreign->ctx, block);
        return;
    }
    heap_free_refuse(heap, block);
}

static inline void table_free(cubby_heap_t *heap, void *block, cubby_domain_t domain)
{
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    table_free_slow(heap, block, domain);
}

/* Large blocks, and blocks of others. */
static __attribute__((noinline)) void *table_realloc_slow(cubby_heap_t *heap, void *block, size_t size,
                                                          cubby_domain_t domain)
{
    const cubby_allocator_t *foreign = heap->foreign[domain];
    if (foreign != NULL && block_heap(block) == NULL) {
        return foreign->realloc(foreign->ctx, block, size);
    }
    return heap_realloc(heap, block, size, domain == CUBBY_DOMAIN_OBJ);
}

/* A new list's first buffer is a realloc of NULL. */
static inline void *table_realloc(cubby_heap_t *heap, void *block, size_t size, cubby_domain_t domain)
{
    if (block == NULL) {
        return domain == CUBBY_DOMAIN_OBJ ? heap_malloc_obj(heap, size) : heap_malloc(heap, size);
    }
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        return pool_block_resize(heap, block, size_class, size, domain == CUBBY_DOMAIN_OBJ);
    }
    return table_realloc_slow(heap, block, size, domain);
}

static void raw_free(void *ctx, void *block)
{
    table_free((cubby_heap_t *)ctx, block, CUBBY_DOMAIN_RAW);
}

static void mem_free(void *ctx, void *block)
{
    table_free((cubby_heap_t *)ctx, block, CUBBY_DOMAIN_MEM);
}

static void obj_free(void *ctx, void *block)
{
    table_free((cubby_heap_t *)ctx, block, CUBBY_DOMAIN_OBJ);
}

static void *raw_realloc(void *ctx, void *block, size_t size)
{
    return table_realloc((cubby_heap_t *)ctx, block, size, CUBBY_DOMAIN_RAW);
}

static void *mem_realloc(void *ctx, void *block, size_t size)
{
    return table_realloc((cubby_heap_t *)ctx, block, size, CUBBY_DOMAIN_MEM);
}

static void *obj_realloc(void *ctx, void *block, size_t size)
{
    return table_realloc((cubby_heap_t *)ctx, block, size, CUBBY_DOMAIN_OBJ);
}

cubby_allocator_t cubby_heap_allocator(cubby_heap_t *heap, cubby_domain_t domain, const cubby_allocator_t *foreign)
{
    cubby_allocator_t checked;
    heap->foreign[domain] = foreign;
    if (heap->kind == HEAP_CHECKED && heap_checks->table(heap, (int)domain, foreign, &checked)) {
        return checked;
    }
    switch (domain) {
    case CUBBY_DOMAIN_RAW:
        return (cubby_allocator_t){heap, mem_malloc, mem_calloc, raw_realloc, raw_free};
    case CUBBY_DOMAIN_MEM:
        return (cubby_allocator_t){heap, mem_malloc, mem_calloc, mem_realloc, mem_free};
    default:
        return (cubby_allocator_t){heap, obj_malloc, obj_calloc, obj_realloc, obj_free};
    }
}

/* ---- The same for any thread: ctx is who takes blocks that are not Cubby's ---- */

void *thread_mem_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return heap_malloc(thread_heap, size);
}

void *thread_obj_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return heap_malloc_obj(thread_heap, size);
}

void *thread_mem_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return heap_calloc(thread_heap, count, size, false);
}

void *thread_obj_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return heap_calloc(thread_heap, count, size, true);
}

/* Blocks of other threads' heaps, large blocks, NULL, and blocks of others. */
static __attribute__((noinline)) void thread_free_slow(const cubby_allocator_t *foreign, void *block)
{
    if (plain_free_slow(block, CHECKS_SIZE_UNKNOWN)) {
        return;
    }
    if (foreign != NULL) {
        foreign->free(foreign->ctx, block);
        return;
    }
    heap_free_refuse(NULL, block);
}

void thread_free(void *ctx, void *block)
{
    cubby_heap_t *heap = thread_heap;
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    thread_free_slow(ctx, block);
}

static void *thread_realloc(const cubby_allocator_t *foreign, void *block, size_t size, bool obj)
{
    if (foreign != NULL && block != NULL && span_tag_fast((uintptr_t)block) == 0 && block_heap(block) == NULL) {
        return foreign->realloc(foreign->ctx, block, size);
    }
    return plain_realloc(block, size, obj);
}

void *thread_mem_realloc(void *ctx, void *block, size_t size)
{
    return thread_realloc(ctx, block, size, false);
}

void *thread_obj_realloc(void *ctx, void *block, size_t size)
{
    return thread_realloc(ctx, block, size, true);
}

cubby_allocator_t cubby_thread_allocator(cubby_domain_t domain, const cubby_allocator_t *foreign)
{
    cubby_allocator_t table = {(void *)(uintptr_t)foreign, thread_mem_malloc, thread_mem_calloc, thread_mem_realloc,
                               thread_free};
    if (heap_checks != NULL && heap_checks->table(NULL, (int)domain, foreign, &table)) {
        return table;
    }
    if (domain == CUBBY_DOMAIN_OBJ) {
        table.malloc = thread_obj_malloc;
        table.calloc = thread_obj_calloc;
        table.realloc = thread_obj_realloc;
    }
    return table;
}

bool table_has_sizes(const cubby_allocator_t *table)
{
    return table->malloc == mem_malloc || table->malloc == obj_malloc || table->malloc == thread_mem_malloc ||
           table->malloc == thread_obj_malloc || table->malloc == libc_malloc ||
           (heap_checks != NULL && heap_checks->is_table(table));
}
