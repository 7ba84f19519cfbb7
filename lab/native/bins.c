/* SPDX-License-Identifier: MIT */
/*
 * What it costs that a bin looks after itself, part by part: a pair of pop and push of an inline free list, and 64 pops
 * before 64 pushes, beside the same list without the part. Nothing else happens, so this is the most that a part can
 * weigh, and what no design that has it goes below.
 *
 *   heap              the list is found through a pointer, and a pop that finds none would carve: a bin without limits
 *   limit             and a push compares the block with a word of the bin that nobody changes
 *   store             and a push stores a word beside the list
 *   count             and a push counts down in place and tests: what the library does
 *   count, in steps   the same as a load, a subtraction and a store
 *   count in pop      a pop counts down and tests, a push does not
 *   count in head     no word more: the count is in the upper bits of the list's head
 *   array             no links: the blocks are in an array, and its top is at the limit or not; nothing is counted
 *   array, counted    and a push counts down and tests
 *
 * With --json one line of JSON, else a table.
 */
#include "rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64, BLOCK_WORDS = 4, ROOM = 256, COUNT_SHIFT = 48 };

typedef enum design {
    DESIGN_LIST,
    DESIGN_HEAP,
    DESIGN_LIMIT,
    DESIGN_STORE,
    DESIGN_COUNT,
    DESIGN_STEPS,
    DESIGN_POP,
    DESIGN_HEAD,
    DESIGN_ARRAY,
    DESIGN_COUNTED_ARRAY,
} design_t;

typedef struct bin {
    uintptr_t *free;
    char *fresh;
    char *fresh_end;
    int32_t room;
    uint32_t size;
    uintptr_t limit; /* of DESIGN_LIMIT: bits of which a block that is looked at has none */
    uintptr_t note;  /* of DESIGN_STORE */
} bin_t;

/* On pages of their own, as a heap and its pools are. */
static uintptr_t blocks[BATCH][BLOCK_WORDS] __attribute__((aligned(4096)));
static uintptr_t *list_head; /* of DESIGN_LIST */
static bin_t bins[2] __attribute__((aligned(4096)));
static bin_t *volatile the_bin = &bins[1]; /* of the others */
static uintptr_t *stack[ROOM] __attribute__((aligned(ROOM * sizeof(uintptr_t *))));

static inline bool likely(bool condition)
{
    return __builtin_expect(condition, 1);
}

/* What a heap does when a bin has run empty: never here. */
static __attribute__((noinline, cold, noreturn)) void refill(const bin_t *bin)
{
    fprintf(stderr, "cubby-bins: a bin of %u bytes is empty\n", bin->size);
    exit(1);
}

/* The array has no place left: never here, either. */
static __attribute__((noinline, cold, noreturn)) void is_full(const bin_t *bin)
{
    fprintf(stderr, "cubby-bins: the array of a bin of %u bytes is full\n", bin->size);
    exit(1);
}

/* What a heap does when the room is used up, without the measure. */
static __attribute__((noinline, cold)) void overflow(bin_t *bin, uintptr_t *block)
{
    bin->room = ROOM;
    block[0] = (uintptr_t)bin->free;
    bin->free = block;
}

static inline __attribute__((always_inline)) bool bin_count(bin_t *bin, bool in_steps)
{
    if (in_steps) {
        int32_t room = bin->room - 1;
        __asm__("" : "+r"(room)); /* keeps the three apart */
        bin->room = room;
        return likely(room >= 0);
    }
    return likely(--bin->room >= 0);
}

static inline __attribute__((always_inline)) uintptr_t *bin_pop(bin_t *bin, design_t design)
{
    if (design == DESIGN_ARRAY || design == DESIGN_COUNTED_ARRAY) {
        uintptr_t **top = (uintptr_t **)bin->free;
        uintptr_t *block = top[-1];
        bin->free = (uintptr_t *)(top - 1);
        if (!likely(block != NULL)) {
            refill(bin);
        }
        return block;
    }
    if (design == DESIGN_POP && !bin_count(bin, false)) {
        bin->room = ROOM;
    }
    if (design == DESIGN_HEAD) {
        uintptr_t head = (uintptr_t)bin->free;
        uintptr_t *block = (uintptr_t *)(head << (64 - COUNT_SHIFT) >> (64 - COUNT_SHIFT));
        if (!likely(block != NULL)) {
            refill(bin);
        }
        bin->free = (uintptr_t *)(block[0] + (head ^ (uintptr_t)block));
        return block;
    }
    uintptr_t *block = bin->free;
    if (likely(block != NULL)) {
        bin->free = (uintptr_t *)block[0];
        return block;
    }
    block = (uintptr_t *)bin->fresh;
    if (likely((char *)block != bin->fresh_end)) {
        bin->fresh += bin->size;
        return block;
    }
    refill(bin);
}

static inline __attribute__((always_inline)) void bin_push(bin_t *bin, uintptr_t *block, design_t design)
{
    if (design == DESIGN_ARRAY || design == DESIGN_COUNTED_ARRAY) {
        uintptr_t **top = (uintptr_t **)bin->free;
        if (design == DESIGN_COUNTED_ARRAY && !bin_count(bin, false)) {
            bin->room = ROOM;
        }
        if (!likely((uintptr_t)top % sizeof stack != 0)) {
            is_full(bin);
        }
        top[0] = block;
        bin->free = (uintptr_t *)(top + 1);
        return;
    }
    if (design == DESIGN_HEAD) {
        uintptr_t head = (uintptr_t)bin->free - ((uintptr_t)1 << COUNT_SHIFT);
        if (!likely((intptr_t)head >= 0)) {
            head += (uintptr_t)ROOM << COUNT_SHIFT;
        }
        block[0] = head << (64 - COUNT_SHIFT) >> (64 - COUNT_SHIFT);
        bin->free = (uintptr_t *)((head ^ block[0]) + (uintptr_t)block);
        return;
    }
    bool room = true;
    if (design == DESIGN_LIMIT) {
        room = likely((bin->limit & (uintptr_t)block) != 0);
    } else if (design == DESIGN_STORE) {
        bin->note = 1;
    } else if (design == DESIGN_COUNT || design == DESIGN_STEPS) {
        room = bin_count(bin, design == DESIGN_STEPS);
    }
    if (room) {
        block[0] = (uintptr_t)bin->free;
        bin->free = block;
        return;
    }
    overflow(bin, block);
}

static inline __attribute__((always_inline)) uintptr_t *pop(bin_t *bin, design_t design)
{
    if (design != DESIGN_LIST) {
        return bin_pop(bin, design);
    }
    uintptr_t *block = list_head;
    if (!likely(block != NULL)) {
        refill(bin);
    }
    list_head = (uintptr_t *)block[0];
    return block;
}

static inline __attribute__((always_inline)) void push(bin_t *bin, uintptr_t *block, design_t design)
{
    if (design != DESIGN_LIST) {
        bin_push(bin, block, design);
        return;
    }
    block[0] = (uintptr_t)list_head;
    list_head = block;
}

/* An empty list, then all blocks on it. */
static bin_t *bin_fill(design_t design)
{
    bin_t *bin = the_bin;
    *bin = (bin_t){.room = ROOM, .size = sizeof blocks[0], .limit = ~(uintptr_t)0};
    if (design == DESIGN_ARRAY || design == DESIGN_COUNTED_ARRAY) {
        stack[0] = NULL; /* under the lowest block */
        bin->free = (uintptr_t *)&stack[1];
    }
    list_head = NULL;
    for (size_t i = 0; i < BATCH; i++) {
        push(bin, blocks[i], design);
    }
    return bin;
}

static inline __attribute__((always_inline)) void pair(size_t count, design_t design)
{
    bin_t *bin = bin_fill(design);
    for (size_t i = 0; i < count; i++) {
        uintptr_t *block = pop(bin, design);
        timing_use(block);
        push(bin, block, design);
        timing_barrier();
    }
}

static inline __attribute__((always_inline)) void batch(size_t count, design_t design)
{
    uintptr_t *taken[BATCH];
    bin_t *bin = bin_fill(design);
    for (size_t i = 0; i < count / BATCH; i++) {
        for (size_t j = 0; j < BATCH; j++) {
            taken[j] = pop(bin, design);
            timing_use(taken[j]);
        }
        for (size_t j = BATCH; j > 0; j--) {
            timing_use(taken[j - 1]);
            push(bin, taken[j - 1], design);
            timing_barrier();
        }
    }
}

#define ARMS(name, design)                                                                                             \
    static void name##_pair(size_t count)                                                                              \
    {                                                                                                                  \
        pair(count, design);                                                                                           \
    }                                                                                                                  \
    static void name##_batch(size_t count)                                                                             \
    {                                                                                                                  \
        batch(count, design);                                                                                          \
    }

ARMS(list, DESIGN_LIST)
ARMS(heap, DESIGN_HEAP)
ARMS(limit, DESIGN_LIMIT)
ARMS(store, DESIGN_STORE)
ARMS(count, DESIGN_COUNT)
ARMS(steps, DESIGN_STEPS)
ARMS(in_pop, DESIGN_POP)
ARMS(in_head, DESIGN_HEAD)
ARMS(array, DESIGN_ARRAY)
ARMS(counted_array, DESIGN_COUNTED_ARRAY)

static const row_t rows[] = {
    {"heap, pair", "bare free list", heap_pair, list_pair},
    {"heap, batch", "bare free list", heap_batch, list_batch},
    {"limit, pair", "bare free list", limit_pair, list_pair},
    {"limit, batch", "bare free list", limit_batch, list_batch},
    {"store, pair", "bare free list", store_pair, list_pair},
    {"store, batch", "bare free list", store_batch, list_batch},
    {"count, pair", "bare free list", count_pair, list_pair},
    {"count, batch", "bare free list", count_batch, list_batch},
    {"count, in steps, pair", "bare free list", steps_pair, list_pair},
    {"count, in steps, batch", "bare free list", steps_batch, list_batch},
    {"count in pop, pair", "bare free list", in_pop_pair, list_pair},
    {"count in pop, batch", "bare free list", in_pop_batch, list_batch},
    {"count in head, pair", "bare free list", in_head_pair, list_pair},
    {"count in head, batch", "bare free list", in_head_batch, list_batch},
    {"array, pair", "bare free list", array_pair, list_pair},
    {"array, batch", "bare free list", array_batch, list_batch},
    {"array, counted, pair", "bare free list", counted_array_pair, list_pair},
    {"array, counted, batch", "bare free list", counted_array_batch, list_batch},
};

int main(int argc, char **argv)
{
    bool json;
    if (!rows_options_take("cubby-bins", argc, argv, &json)) {
        return 2;
    }
    rows_run(rows, sizeof rows / sizeof rows[0], json);
    return 0;
}
