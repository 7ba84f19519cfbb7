/* SPDX-License-Identifier: MIT */
/*
 * Blocks that grow by small steps, as lists and byte arrays do. In child processes, whose peak is theirs alone; what a
 * growing block costs is told by bytes copied and by the most that was resident.
 */
#include "support/child.h"

#include <cubby/cubby.h>

#include "support/memory.h"

#include <string.h>

static const size_t MIB = (size_t)1 << 20;

static size_t copied(void)
{
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    return stats.bytes_copied;
}

typedef struct growing {
    char *block;
    size_t size;
} growing_t;

/* Grows a block by a step and writes what is new. */
static bool grow(cubby_heap_t *heap, growing_t *growing, size_t step)
{
    char *block = cubby_heap_realloc(heap, growing->block, growing->size + step);
    if (block == NULL) {
        return false;
    }
    memset(block + growing->size, (int)(growing->size / step % 100) + 1, step);
    growing->block = block;
    growing->size += step;
    return true;
}

static bool holds(const growing_t *growing, size_t step)
{
    for (size_t at = 0; at < growing->size; at += step) {
        if (growing->block[at] != (char)(at / step % 100 + 1) || growing->block[at + step - 1] != growing->block[at]) {
            return false;
        }
    }
    return true;
}

/* What the sanitizers add to a process is not Cubby's. */
static bool peak_is_within(size_t before, size_t live)
{
    return TEST_SANITIZED || memory_peak() - before <= live + live * 15 / 100 + 4 * MIB;
}

enum { STEP_BYTES = 64 * 1024 };

static int one_block_body(void)
{
    const size_t final = (TEST_SANITIZED ? 256 : 1024) * MIB;
    cubby_heap_t *heap = cubby_heap_create();
    size_t before = memory_peak();
    growing_t growing = {NULL, 0};
    while (growing.size < final) {
        STEP(grow(heap, &growing, STEP_BYTES));
    }
    printf("# copied %.3f of the final size, peak %.3f\n", (double)copied() / (double) final,
           (double)(memory_peak() - before) / (double) final);
    STEP(copied() < final / 10 * 11);
    STEP(peak_is_within(before, final));
    STEP(holds(&growing, STEP_BYTES));
    return 0;
}

static void a_block_that_grows_copies_little_and_takes_no_more_than_it_is(void **state)
{
    (void)state;
    assert_int_equal(in_child(one_block_body), 0);
}

/* Small blocks that are taken and kept in between stand in the way of growing in place. */
static int among_small_body(void)
{
    enum { KEPT = 8192, KEPT_BYTES = 3000 };
    const size_t final = 256 * MIB;
    cubby_heap_t *heap = cubby_heap_create();
    size_t before = memory_peak();
    growing_t growing = {NULL, 0};
    size_t kept = 0;
    while (growing.size < final) {
        STEP(grow(heap, &growing, STEP_BYTES));
        for (int i = 0; i < 2 && kept < KEPT; i++, kept++) {
            char *block = cubby_heap_malloc(heap, KEPT_BYTES);
            STEP(block != NULL);
            memset(block, 1, KEPT_BYTES);
        }
        char *passing = cubby_heap_malloc(heap, 40000);
        STEP(passing != NULL);
        cubby_heap_free(heap, passing);
    }
    size_t live = final + kept * KEPT_BYTES * 9 / 8;
    printf("# copied %.3f of the final size, peak %.3f of what is live\n", (double)copied() / (double) final,
           (double)(memory_peak() - before) / (double)live);
    STEP(copied() < final / 10 * 11);
    STEP(peak_is_within(before, live));
    STEP(holds(&growing, STEP_BYTES));
    return 0;
}

static void a_block_that_grows_among_small_ones_does_as_well(void **state)
{
    (void)state;
    assert_int_equal(in_child(among_small_body), 0);
}

/* They stand in each other's way. */
static int two_blocks_body(void)
{
    const size_t final = 256 * MIB;
    cubby_heap_t *heap = cubby_heap_create();
    size_t before = memory_peak();
    growing_t one = {NULL, 0};
    growing_t other = {NULL, 0};
    while (other.size < final) {
        STEP(grow(heap, &one, STEP_BYTES));
        STEP(grow(heap, &other, STEP_BYTES));
    }
    printf("# copied %.3f of the final sizes, peak %.3f\n", (double)copied() / (double)(2 * final),
           (double)(memory_peak() - before) / (double)(2 * final));
    STEP(copied() < 2 * final / 10 * 11);
    STEP(peak_is_within(before, 2 * final));
    STEP(holds(&one, STEP_BYTES));
    STEP(holds(&other, STEP_BYTES));
    return 0;
}

static void two_blocks_that_grow_in_turn_do_as_well(void **state)
{
    (void)state;
    assert_int_equal(in_child(two_blocks_body), 0);
}

/* On a heap that has huge pages already, and holes of what others left. */
static int late_blocks_body(void)
{
    enum { COUNT = 64 };
    const size_t final = 128 * MIB;
    cubby_heap_t *heap = cubby_heap_create();
    char *others[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        others[i] = cubby_heap_malloc(heap, MIB);
        STEP(others[i] != NULL);
        memset(others[i], 1, MIB);
    }
    for (size_t i = 0; i < COUNT; i += 2) {
        cubby_heap_free(heap, others[i]);
    }
    size_t before = copied();
    growing_t four[4] = {{NULL, 0}};
    while (four[3].size < final) {
        for (int i = 0; i < 4; i++) {
            STEP(grow(heap, &four[i], STEP_BYTES));
        }
    }
    printf("# copied %.3f of the final sizes\n", (double)(copied() - before) / (double)(4 * final));
    STEP(copied() - before < 4 * final / 10 * 11);
    for (int i = 0; i < 4; i++) {
        STEP(holds(&four[i], STEP_BYTES));
    }
    return 0;
}

static void blocks_that_grow_in_a_heap_of_huge_pages_do_as_well(void **state)
{
    (void)state;
    assert_int_equal(in_child(late_blocks_body), 0);
}

/* The pages behind the new end are anybody's, and leave memory. */
static int shrinking_body(void)
{
    cubby_heap_t *heap = cubby_heap_create();
    const size_t size = 64 * MIB;
    char *block = cubby_heap_malloc(heap, size);
    STEP(block != NULL);
    memset(block, 3, size);
    cubby_stats_t before;
    cubby_stats_t after;
    cubby_stats_get(&before);
    char *same = cubby_heap_realloc(heap, block, 10 * MIB + 1);
    STEP(same == block);
    cubby_stats_get(&after);
    STEP(cubby_usable_size(block) == 10 * MIB + 4096);
    STEP(before.in_spans - after.in_spans == 54 * MIB - 4096);
    STEP(after.bytes_copied == 0);
    STEP(cubby_heap_trim(heap) >= 54 * MIB - 4096);
    STEP(memory_resident_in(block + 10 * MIB + 4096, 54 * MIB - 4096) <= 2 * MIB);
    for (size_t i = 0; i < 10 * MIB; i += 1000) {
        STEP(block[i] == 3);
    }
    return 0;
}

static void a_block_that_shrinks_gives_whole_pages_back(void **state)
{
    (void)state;
    assert_int_equal(in_child(shrinking_body), 0);
}

/* Nobody touches 65,536 pages to make zeroes of them: the block is there at once, and costs memory where it is used. */
static int calloc_body(void)
{
    cubby_heap_t *heap = cubby_heap_create();
    const size_t size = 256 * MIB;
    char *block = cubby_heap_malloc(heap, size);
    STEP(block != NULL);
    memset(block, 7, size);
    cubby_heap_free(heap, block);
    long faults = memory_faults();
    char *zeroed = cubby_heap_calloc(heap, 1, size);
    STEP(zeroed != NULL);
    STEP(TEST_SANITIZED || memory_faults() - faults < 1000);
    STEP(memory_resident_in(zeroed, size) <= 16 * MIB);
    for (size_t i = 0; i < size; i += 997) {
        STEP(zeroed[i] == 0);
    }
    return 0;
}

static void a_large_calloc_after_a_dirty_free_touches_nothing(void **state)
{
    (void)state;
    assert_int_equal(in_child(calloc_body), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_grows_copies_little_and_takes_no_more_than_it_is),
        cmocka_unit_test(a_block_that_grows_among_small_ones_does_as_well),
        cmocka_unit_test(two_blocks_that_grow_in_turn_do_as_well),
        cmocka_unit_test(blocks_that_grow_in_a_heap_of_huge_pages_do_as_well),
        cmocka_unit_test(a_block_that_shrinks_gives_whole_pages_back),
        cmocka_unit_test(a_large_calloc_after_a_dirty_free_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
