/* SPDX-License-Identifier: MIT */
/*
 * The shortest loops there are, each beside what cannot be beaten: a free list of the caller's own.
 *
 *   typed, pair       cubby_new and cubby_delete of 32 bytes          an inline pop and push
 *   typed, batch      64 of them made, then deleted, last first       64 pops, then 64 pushes
 *   library, pair     cubby_heap_malloc and cubby_heap_free           the pop and the push behind a call each
 *   library, batch    64 of them                                      64 of those
 *   libc, pair        malloc and free                                 as for library
 *   table, pair       cubby_domain_malloc and cubby_domain_free       the same table's functions called directly
 *   hook, pair        the same through one hook that passes on        cubby_domain_malloc and cubby_domain_free
 *
 * With --json one line of JSON for `cubby bench`, else a table.
 */
#include "rows.h"

#include <cubby/domain.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct object {
    uint64_t count;
    void *type;
    uint64_t value[2];
} object_t;

enum { BATCH = 64 };

static cubby_heap_t *heap;
static void *list_head;

static inline void *list_pop(void)
{
    void *block = list_head;
    if (CUBBY_LIKELY(block != NULL)) {
        list_head = *(void **)block;
        return block;
    }
    return malloc(sizeof(object_t));
}

static inline void list_push(void *block)
{
    *(void **)block = list_head;
    list_head = block;
}

static __attribute__((noinline)) void *list_pop_call(size_t size)
{
    __asm__ volatile("" : : "r"(size));
    return list_pop();
}

static __attribute__((noinline)) void list_push_call(void *block)
{
    list_push(block);
}

/* The barriers keep the compiler from merging a push with the pop that follows it, in every arm alike. */
#define PAIR_ARM(name, take, give)                                                                                     \
    static void name##_pair(size_t count)                                                                              \
    {                                                                                                                  \
        cubby_heap_t *own = heap;                                                                                      \
        (void)own;                                                                                                     \
        for (size_t i = 0; i < count; i++) {                                                                           \
            object_t *block = take;                                                                                    \
            timing_use(block);                                                                                         \
            give;                                                                                                      \
            timing_barrier();                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_batch(size_t count)                                                                             \
    {                                                                                                                  \
        object_t *blocks[BATCH];                                                                                       \
        cubby_heap_t *own = heap;                                                                                      \
        (void)own;                                                                                                     \
        for (size_t i = 0; i < count / BATCH; i++) {                                                                   \
            for (size_t j = 0; j < BATCH; j++) {                                                                       \
                object_t *block = take;                                                                                \
                timing_use(block);                                                                                     \
                blocks[j] = block;                                                                                     \
            }                                                                                                          \
            for (size_t j = BATCH; j > 0; j--) {                                                                       \
                object_t *block = blocks[j - 1];                                                                       \
                timing_use(block);                                                                                     \
                give;                                                                                                  \
                timing_barrier();                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

PAIR_ARM(typed, cubby_new(own, object_t), cubby_delete(own, block))
PAIR_ARM(library, cubby_heap_malloc(own, sizeof(object_t)), cubby_heap_free(own, block))
PAIR_ARM(libc, malloc(sizeof(object_t)), free(block))
PAIR_ARM(list, list_pop(), list_push(block))
PAIR_ARM(list_call, list_pop_call(sizeof(object_t)), list_push_call(block))

/*
 * What the tables cost. The direct arm calls what the table in force holds, by its address but without the library
 * looking it up; the mem domain has no hook and the obj domain one, both on each thread's own heap.
 */
static cubby_allocator_t direct;

static void *hook_malloc(void *ctx, const cubby_allocator_t *below, size_t size)
{
    (void)ctx;
    return below->malloc(below->ctx, size);
}

static void *hook_calloc(void *ctx, const cubby_allocator_t *below, size_t count, size_t size)
{
    (void)ctx;
    return below->calloc(below->ctx, count, size);
}

static void *hook_realloc(void *ctx, const cubby_allocator_t *below, void *block, size_t size)
{
    (void)ctx;
    return below->realloc(below->ctx, block, size);
}

static void hook_free(void *ctx, const cubby_allocator_t *below, void *block)
{
    (void)ctx;
    below->free(below->ctx, block);
}

static const cubby_hook_t hook = {
    .name = "pass on", .malloc = hook_malloc, .calloc = hook_calloc, .realloc = hook_realloc, .free = hook_free};

PAIR_ARM(direct, direct.malloc(direct.ctx, sizeof(object_t)), direct.free(direct.ctx, block))
PAIR_ARM(table, cubby_domain_malloc(CUBBY_DOMAIN_MEM, sizeof(object_t)), cubby_domain_free(CUBBY_DOMAIN_MEM, block))
PAIR_ARM(hooked, cubby_domain_malloc(CUBBY_DOMAIN_OBJ, sizeof(object_t)), cubby_domain_free(CUBBY_DOMAIN_OBJ, block))

static const row_t rows[] = {
    {"typed, pair", "inline free list", typed_pair, list_pair},
    {"typed, batch", "inline free list", typed_batch, list_batch},
    {"library, pair", "free list behind calls", library_pair, list_call_pair},
    {"library, batch", "free list behind calls", library_batch, list_call_batch},
    {"libc, pair", "free list behind calls", libc_pair, list_call_pair},
    {"libc, batch", "free list behind calls", libc_batch, list_call_batch},
    {"table, pair", "table's functions", table_pair, direct_pair},
    {"table, batch", "table's functions", table_batch, direct_batch},
    {"hook, pair", "table without a hook", hooked_pair, table_pair},
    {"hook, batch", "table without a hook", hooked_batch, table_batch},
};

int main(int argc, char **argv)
{
    bool json;
    if (!rows_options_take("cubby-micro", argc, argv, &json)) {
        return 2;
    }
    heap = cubby_heap_create();
    if (heap == NULL) {
        perror("cubby-micro: no heap");
        return 1;
    }
    direct = cubby_domain_get(CUBBY_DOMAIN_MEM);
    if (!cubby_domain_wrap(CUBBY_DOMAIN_OBJ, &hook)) {
        fprintf(stderr, "cubby-micro: no hook: %s\n", cubby_refusal_text(cubby_refusal_get()));
        return 1;
    }
    rows_run(rows, sizeof rows / sizeof rows[0], json);
    cubby_heap_destroy(heap);
    return 0;
}
