/* SPDX-License-Identifier: MIT */
/* What stays bounded whatever a program does: mappings, tables, system calls. */
#include "support/child.h"
#include "support/heap.h"
#include "support/memory.h"

static const size_t MIB = (size_t)1 << 20;

/* ---- System calls ---- */

enum { MANY = TEST_SANITIZED ? 200000 : 1000000 };

/* Sizes of a runtime: mostly small, some medium, few large. */
static size_t size_mixed(test_random_t *random)
{
    size_t kind = random_below(random, 1000);
    if (kind < 950) {
        return 1 + random_below(random, 128);
    }
    return kind < 999 ? 1 + random_below(random, 2000) : 33000 + random_below(random, 100000);
}

static void freeing_a_million_blocks_in_any_order_asks_the_system_for_nothing(void **state)
{
    (void)state;
    test_random_t random = test_random("heap/bounds");
    static void *blocks[MANY];
    fake.clock_ms = 1000000;
    for (size_t i = 0; i < MANY; i++) {
        size_t size = size_mixed(&random);
        blocks[i] = cubby_heap_malloc(heap, size);
        assert_non_null(blocks[i]);
        *(char *)blocks[i] = 1;
    }
    size_t live = stats_now().in_spans;
    pointers_shuffle(blocks, MANY, &random);
    fake_relent();
    for (size_t i = 0; i < MANY; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    assert_int_equal(fake_calls(), 0);
    assert_true(everything_is_valid());

    /* All of it is there for the next peak, which costs nothing either. */
    heap_flush(heap);
    assert_int_equal(stats_now().in_spans, span_bytes(heap->home));
    assert_true(stats_now().retained >= live / 10 * 9);
    for (size_t i = 0; i < MANY / 2; i++) {
        blocks[i] = cubby_heap_malloc(heap, 64);
        assert_non_null(blocks[i]);
    }
    assert_int_equal(fake_calls(), 0);
    for (size_t i = 0; i < MANY / 2; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    assert_int_equal(fake_calls(), 0);
}

/* Dropped for good, it is given back in few calls. */
static void giving_back_a_peak_takes_few_calls(void **state)
{
    (void)state;
    static void *blocks[4000];
    fake.clock_ms = 1000000;
    for (size_t i = 0; i < 4000; i++) {
        blocks[i] = cubby_heap_malloc(heap, 50000);
        memset(blocks[i], 1, 50000);
    }
    for (size_t i = 0; i < 4000; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    fake_relent();
    for (int i = 0; i < 3000; i++) {
        fake.clock_ms++;
        cubby_heap_free(heap, cubby_heap_malloc(heap, 40000));
    }
    assert_true(stats_now().retained <= 2 * MIB);
    /* 200 MB in pieces of 4 to 32 MiB, the advice taken back, and what the calls of this test wrote. */
    assert_in_range(fake_calls(), 1, 100);
}

/* ---- Tables ---- */

enum { LIVE_BYTES = 200 << 20 };

/* Resident bytes of tables, as a share of what is live, in thousandths; 10 is one per cent. */
static size_t tables_share(size_t size)
{
    cubby_heap_t *mine = cubby_heap_create();
    const region_t *region = &regions[0];
    for (size_t live = 0; live < LIVE_BYTES; live += size) {
        char *block = cubby_heap_malloc(mine, size);
        if (block == NULL) {
            return SIZE_MAX;
        }
        *block = 1;
    }
    size_t tables = memory_resident_in(region->reservation, region->base - (uintptr_t)region->reservation);
    cubby_heap_destroy(mine);
    (void)cubby_trim();
    return tables * 1000 / LIVE_BYTES;
}

static int tables_body(void)
{
    static const size_t sizes[] = {24, 512, 5000, 33000, 100000, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        STEP(tables_share(sizes[i]) < 10);
    }
    return 0;
}

static void tables_take_less_than_a_hundredth_of_200_mebibytes(void **state)
{
    (void)state;
    if (TEST_SANITIZED) {
        skip(); /* a sanitizer's own pages lie between */
    }
    assert_int_equal(in_child(tables_body), 0);
}

/* ---- Mappings ---- */

static uint64_t moved_clock_ms = 1000000;

static uint64_t clock_that_moves(void)
{
    return moved_clock_ms;
}

enum { SLOTS = 600 };

static int mix_body(void)
{
    test_random_t random = test_random("heap/bounds");
    static void *blocks[SLOTS];
    size_t before = memory_mappings();
    size_t most = 0;
    os.clock_ms = clock_that_moves;
    cubby_heap_t *mine = cubby_heap_create();
    for (int step = 0; step < (TEST_SANITIZED ? 20000 : 100000); step++) {
        size_t i = random_below(&random, SLOTS);
        size_t kind = random_below(&random, 100);
        size_t size = random_below(&random, kind < 60 ? 600 : kind < 85 ? 33000 : kind < 98 ? 400000 : 6000000);
        if (blocks[i] == NULL) {
            blocks[i] = kind % 2 == 0 ? cubby_heap_malloc(mine, size) : cubby_heap_calloc(mine, 1, size);
            STEP(blocks[i] != NULL);
            memset(blocks[i], 1, size < 1 << 20 ? size : 1 << 20);
        } else if (kind % 3 == 0) {
            blocks[i] = cubby_heap_realloc(mine, blocks[i], size);
            STEP(blocks[i] != NULL);
        } else {
            cubby_heap_free(mine, blocks[i]);
            blocks[i] = NULL;
        }
        moved_clock_ms += random_below(&random, 5);
        if (step % 5000 == 0) {
            (void)cubby_heap_trim(mine);
        }
        if (step % 1000 == 0) {
            size_t now = memory_mappings();
            most = now > most ? now : most;
        }
    }
    STEP(heap_is_valid(mine) && span_is_valid());
    printf("# at most %zu mappings, %zu of them not Cubby's\n", most, before);
    STEP(most - before < 20);
    STEP(TEST_SANITIZED || most < 100);
    return 0;
}

static void a_process_has_few_mappings_whatever_it_does(void **state)
{
    (void)state;
    assert_int_equal(in_child(mix_body), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_take_less_than_a_hundredth_of_200_mebibytes),
        cmocka_unit_test(a_process_has_few_mappings_whatever_it_does),
        HEAP_TEST(freeing_a_million_blocks_in_any_order_asks_the_system_for_nothing),
        HEAP_TEST(giving_back_a_peak_takes_few_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
