/* SPDX-License-Identifier: MIT */
/*
 * Where should a free find its block's size class? The experiment behind "metadata by arithmetic" in the heap layer.
 *
 *   header   in the first cache line of the block's pool, found by clearing the low bits of its address
 *   table    in an array outside the blocks, four bytes a page, found by shifting its offset from the region's base
 *
 * Both arms do what a free does: class, bin, push. They differ in one load. Pools of 16 KiB hold blocks of 48 bytes,
 * from 64 bytes on in both arms, so that blocks and their order are the same. Each pattern lists the blocks to free:
 *
 *   hot           the same 64 blocks of one pool, again and again: everything is cached
 *   one a pool    one block from each of 256 pools in turn: the headers share few sets of the first-level cache
 *   random 4 MiB   blocks of the whole heap in random order; and the same for 64 and 512 MiB
 */
#include "timing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_BYTES = 16384, HEADER_BYTES = 64, BLOCK_BYTES = 48, PAGE_LOG = 12, ROUNDS = 41, BINS = 128, CLASS = 3 };

typedef struct bin {
    void *free;
    uint32_t room;
    uint32_t size;
} bin_t;

static bin_t bins[BINS];
static char *base;
static size_t heap_bytes;
static uint32_t *table;
static char **order; /* what to free, one after the other */

static inline void bin_push(uint32_t size_class, void *block)
{
    bin_t *bin = &bins[size_class];
    bin->room--;
    *(void **)block = bin->free;
    bin->free = block;
}

/* Not inlined, as a free is not. */
static __attribute__((noinline)) void header_free(void *block)
{
    const uint32_t *header = (const uint32_t *)((uintptr_t)block & ~(uintptr_t)(POOL_BYTES - 1));
    uint32_t size_class = *header;
    if (size_class < BINS) {
        bin_push(size_class, block);
    }
}

static __attribute__((noinline)) void table_free(void *block)
{
    uintptr_t offset = (uintptr_t)block - (uintptr_t)base;
    if (offset < heap_bytes) {
        uint32_t size_class = table[offset >> PAGE_LOG];
        if (size_class < BINS) {
            bin_push(size_class, block);
        }
    }
}

static void header_arm(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        header_free(order[i]);
    }
}

static void table_arm(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        table_free(order[i]);
    }
}

static uint64_t random_state = 88172645463325252U;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static char *block_at(size_t pool, size_t index)
{
    return base + pool * POOL_BYTES + HEADER_BYTES + index * BLOCK_BYTES;
}

/* A heap of so many pools, all blocks in use. False when there is no memory for it. */
static bool heap_build(size_t pools)
{
    heap_bytes = pools * POOL_BYTES;
    base = aligned_alloc(POOL_BYTES, heap_bytes);
    table = calloc(heap_bytes >> PAGE_LOG, sizeof *table);
    if (base == NULL || table == NULL) {
        return false;
    }
    memset(base, 1, heap_bytes);
    for (size_t pool = 0; pool < pools; pool++) {
        *(uint32_t *)(void *)(base + pool * POOL_BYTES) = CLASS;
    }
    for (size_t page = 0; page < heap_bytes >> PAGE_LOG; page++) {
        table[page] = CLASS;
    }
    return true;
}

static void heap_drop(void)
{
    free(base);
    free(table);
}

typedef struct pattern {
    const char *name;
    size_t pools;
    size_t frees;
    char *(*block)(size_t i, size_t pools);
} pattern_t;

static char *block_hot(size_t i, size_t pools)
{
    (void)pools;
    return block_at(0, i % 64);
}

static char *block_one_a_pool(size_t i, size_t pools)
{
    return block_at(i % pools, i % pools % 300);
}

static char *block_random(size_t i, size_t pools)
{
    (void)i;
    uint64_t random = random_next();
    return block_at(random % pools, (random >> 32) % ((POOL_BYTES - HEADER_BYTES) / BLOCK_BYTES));
}

static const pattern_t patterns[] = {
    {"hot", 1, 200000, block_hot},
    {"one a pool", 256, 200000, block_one_a_pool},
    {"random 4 MiB", 256, 200000, block_random},
    {"random 64 MiB", 4096, 400000, block_random},
    {"random 512 MiB", 32768, 400000, block_random},
};

int main(void)
{
    printf("%-15s %9s %9s %8s\n", "frees", "table ns", "header ns", "ratio");
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        const pattern_t *pattern = &patterns[p];
        order = calloc(pattern->frees, sizeof *order);
        if (order == NULL || !heap_build(pattern->pools)) {
            fprintf(stderr, "cubby-metadata: no memory for %s\n", pattern->name);
            return 1;
        }
        for (size_t i = 0; i < pattern->frees; i++) {
            order[i] = pattern->block(i, pattern->pools);
        }
        timing_pair_t result = timing_compare(table_arm, header_arm, pattern->frees, ROUNDS);
        printf("%-15s %9.2f %9.2f %8.3f\n", pattern->name, result.nanoseconds, result.against, result.ratio);
        heap_drop();
        free(order);
    }
    return 0;
}
