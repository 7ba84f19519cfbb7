/* SPDX-License-Identifier: MIT */
/*
 * What it costs to guard a link, part by part: a pair of pop and push of an inline free list, and 64 pops before 64
 * pushes, beside the same list without the part. Nothing else happens, so this is the most that a part can weigh, and
 * what no design that has it goes below.
 *
 *   exclusive-or      the link is stored exclusive-or a key: two operations in the chain from block to block
 *   second word       a constant is stored beside the link
 *   twin              the link exclusive-or the key is stored beside it
 *   twin, looked at   a pop compares the two
 *   twin, cleared     and clears the twin, so that a block in use has none
 *   all               and a push makes sure that there is none: what the guarded library does
 *   all, one store    the same with link and twin stored as one of 16 bytes
 *
 * With --json one line of JSON, else a table.
 */
#include "rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };

typedef enum parts {
    PART_NONE = 0,
    PART_XOR = 1,
    PART_WORD = 2,
    PART_TWIN = 4,
    PART_LOOK = 8,
    PART_CLEAR = 16,
    PART_TWICE = 32,
    PART_WIDE = 64,
    TWIN_LOOKED_AT = PART_TWIN | PART_LOOK,
    TWIN_CLEARED = TWIN_LOOKED_AT | PART_CLEAR,
    ALL = TWIN_CLEARED | PART_TWICE,
} parts_t;

typedef struct list {
    uintptr_t head;
    uintptr_t key;
} list_t;

typedef uintptr_t pair_of_words_t __attribute__((vector_size(16), aligned(16)));

static pair_of_words_t blocks[BATCH][2]; /* of 32 bytes */
static list_t the_list = {.key = (uintptr_t)0x9e3779b97f4a7c15};

static __attribute__((noreturn, cold, noinline)) void stop(void)
{
    fprintf(stderr, "cubby-links: a link and its twin contradict each other\n");
    exit(1);
}

static inline __attribute__((always_inline)) uintptr_t *list_pop(list_t *list, parts_t parts)
{
    uintptr_t *block = (uintptr_t *)list->head;
    if (__builtin_expect(block == NULL, 0)) {
        stop();
    }
    uintptr_t next = block[0];
    if (parts & PART_XOR) {
        next ^= list->key;
    }
    if ((parts & PART_LOOK) && __builtin_expect((block[1] ^ list->key) != next, 0)) {
        stop();
    }
    if (parts & PART_CLEAR) {
        block[1] = 0;
    }
    list->head = next;
    return block;
}

static inline __attribute__((always_inline)) void list_push(list_t *list, uintptr_t *block, parts_t parts)
{
    uintptr_t next = list->head;
    uintptr_t key = list->key;
    if ((parts & PART_TWICE) && __builtin_expect((block[0] ^ block[1]) == key, 0)) {
        stop();
    }
    if (parts & PART_WIDE) {
        *(pair_of_words_t *)(void *)block = (pair_of_words_t){next, next ^ key};
    } else {
        block[0] = parts & PART_XOR ? next ^ key : next;
        __asm__("" : "+m"(block[0])); /* keeps it a store of its own */
        if (parts & PART_TWIN) {
            block[1] = next ^ key;
        } else if (parts & PART_WORD) {
            block[1] = 1;
        }
    }
    list->head = (uintptr_t)block;
}

/* An empty list, then all blocks on it. */
static void list_fill(parts_t parts)
{
    the_list.head = 0;
    memset(blocks, 0, sizeof blocks);
    for (size_t i = 0; i < BATCH; i++) {
        list_push(&the_list, (uintptr_t *)blocks[i], parts);
    }
}

static inline __attribute__((always_inline)) void pair(size_t count, parts_t parts)
{
    list_t *list = &the_list;
    list_fill(parts);
    for (size_t i = 0; i < count; i++) {
        uintptr_t *block = list_pop(list, parts);
        timing_use(block);
        list_push(list, block, parts);
        timing_barrier();
    }
}

static inline __attribute__((always_inline)) void batch(size_t count, parts_t parts)
{
    list_t *list = &the_list;
    uintptr_t *taken[BATCH];
    list_fill(parts);
    for (size_t i = 0; i < count / BATCH; i++) {
        for (size_t j = 0; j < BATCH; j++) {
            taken[j] = list_pop(list, parts);
            timing_use(taken[j]);
        }
        for (size_t j = BATCH; j > 0; j--) {
            timing_use(taken[j - 1]);
            list_push(list, taken[j - 1], parts);
            timing_barrier();
        }
    }
}

#define ARMS(name, parts)                                                                                              \
    static void name##_pair(size_t count)                                                                              \
    {                                                                                                                  \
        pair(count, parts);                                                                                            \
    }                                                                                                                  \
    static void name##_batch(size_t count)                                                                             \
    {                                                                                                                  \
        batch(count, parts);                                                                                           \
    }

ARMS(plain, PART_NONE)
ARMS(xor, PART_XOR)
ARMS(word, PART_WORD)
ARMS(twin, PART_TWIN)
ARMS(looked_at, TWIN_LOOKED_AT)
ARMS(cleared, TWIN_CLEARED)
ARMS(all, ALL)
ARMS(wide, ALL | PART_WIDE)

static const row_t rows[] = {
    {"exclusive-or, pair", "bare free list", xor_pair, plain_pair},
    {"exclusive-or, batch", "bare free list", xor_batch, plain_batch},
    {"second word, pair", "bare free list", word_pair, plain_pair},
    {"second word, batch", "bare free list", word_batch, plain_batch},
    {"twin, pair", "bare free list", twin_pair, plain_pair},
    {"twin, batch", "bare free list", twin_batch, plain_batch},
    {"twin, looked at, pair", "bare free list", looked_at_pair, plain_pair},
    {"twin, looked at, batch", "bare free list", looked_at_batch, plain_batch},
    {"twin, cleared, pair", "bare free list", cleared_pair, plain_pair},
    {"twin, cleared, batch", "bare free list", cleared_batch, plain_batch},
    {"all, pair", "bare free list", all_pair, plain_pair},
    {"all, batch", "bare free list", all_batch, plain_batch},
    {"all, one store, pair", "bare free list", wide_pair, plain_pair},
    {"all, one store, batch", "bare free list", wide_batch, plain_batch},
};

int main(int argc, char **argv)
{
    bool json;
    if (!rows_options_take("cubby-links", argc, argv, &json)) {
        return 2;
    }
    rows_run(rows, sizeof rows / sizeof rows[0], json);
    return 0;
}
