/* SPDX-License-Identifier: MIT */
/*
 * The shortest loops there are, each beside what cannot be beaten: a free list of the caller's own.
 *
 *   typed, pair       cubby_new and cubby_delete of 32 bytes          an inline pop and push
 *   typed, batch      64 of them made, then deleted, last first       64 pops, then 64 pushes
 *   library, pair     cubby_heap_malloc and cubby_heap_free           the pop and the push behind a call each
 *   library, batch    64 of them                                      64 of those
 *   libc, pair        malloc and free                                 as for library
 *
 * With --json one line of JSON for `cubby bench`, else a table.
 */
#include "timing.h"

#include <cubby/cubby.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct object {
    uint64_t count;
    void *type;
    uint64_t value[2];
} object_t;

enum { BATCH = 64, ROUNDS = 301, OPERATIONS = 20000 };

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

typedef struct row {
    const char *name;
    const char *against;
    timing_arm_t arm;
    timing_arm_t rival;
} row_t;

static const row_t rows[] = {
    {"typed, pair", "inline free list", typed_pair, list_pair},
    {"typed, batch", "inline free list", typed_batch, list_batch},
    {"library, pair", "free list behind calls", library_pair, list_call_pair},
    {"library, batch", "free list behind calls", library_batch, list_call_batch},
    {"libc, pair", "free list behind calls", libc_pair, list_call_pair},
    {"libc, batch", "free list behind calls", libc_batch, list_call_batch},
};

int main(int argc, char **argv)
{
    bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !json) {
        fprintf(stderr, "usage: cubby-micro [--json]\n");
        return 2;
    }
    heap = cubby_heap_create();
    if (heap == NULL) {
        perror("cubby-micro: no heap");
        return 1;
    }
    printf(json ? "{\"rows\": [" : "%-16s %10s %10s %7s\n", "", "ns", "against", "ratio");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        timing_pair_t result = timing_compare(rows[i].arm, rows[i].rival, OPERATIONS, ROUNDS);
        if (json) {
            printf("%s{\"name\": \"%s\", \"nanoseconds\": %.3f, \"ratio\": %.3f, \"against\": \"%s\"}",
                   i == 0 ? "" : ", ", rows[i].name, result.nanoseconds, result.ratio, rows[i].against);
        } else {
            printf("%-16s %10.2f %10.2f %7.3f   %s\n", rows[i].name, result.nanoseconds, result.against, result.ratio,
                   rows[i].against);
        }
    }
    printf(json ? "]}\n" : "");
    cubby_heap_destroy(heap);
    return 0;
}
