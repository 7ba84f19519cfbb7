/* SPDX-License-Identifier: MIT */
#include "support/heap.h"
#include "support/memory.h"

enum { UNLIKELY_ERRNO = 9999 };

static void heap_use(cubby_heap_t *used, size_t seed)
{
    for (size_t i = 0; i < 2000; i++) {
        char *block = cubby_heap_malloc(used, (i * 37 + seed) % 3000);
        assert_non_null(block);
        memset(block, 1, (i * 37 + seed) % 3000);
        if (i % 3 == 0) {
            cubby_heap_free(used, block);
        }
    }
    for (size_t i = 0; i < 20; i++) {
        char *block = cubby_heap_calloc(used, 1, 40000 + i * 1000);
        assert_non_null(block);
        assert_true(block_is_zero(block, 40000 + i * 1000));
        memset(block, 1, 40000 + i * 1000);
    }
}

static void destroying_frees_everything_in_it(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    for (size_t round = 0; round < 5; round++) {
        cubby_heap_t *other = cubby_heap_create();
        assert_non_null(other);
        assert_int_equal(stats_now().heaps, 2);
        heap_use(other, round);
        assert_true(heap_is_valid(other));
        char *small = cubby_heap_malloc(other, 30);
        char *large = cubby_heap_malloc(other, 50000);
        errno = UNLIKELY_ERRNO;
        cubby_heap_destroy(other);
        assert_int_equal(errno, UNLIKELY_ERRNO);
        assert_false(cubby_owns(small));
        assert_false(cubby_owns(large));
        assert_int_equal(stats_now().in_spans, before);
        assert_int_equal(stats_now().heaps, 1);
        assert_true(everything_is_valid());
    }
}

static void what_a_destroyed_heap_wrote_is_not_seen_by_calloc(void **state)
{
    (void)state;
    for (size_t round = 0; round < 4; round++) {
        cubby_heap_t *other = cubby_heap_create();
        heap_use(other, round);
        cubby_heap_destroy(other);
        for (size_t i = 0; i < 400; i++) {
            size_t size = 1 + i * i % 40000;
            char *block = cubby_heap_calloc(heap, 1, size);
            assert_true(block_is_zero(block, size));
        }
    }
}

/* One block of a pool of eight: the seven that were never taken are as clean as they were. */
static void a_destroyed_heap_leaves_pages_it_never_used_clean(void **state)
{
    (void)state;
    cubby_heap_t *other = cubby_heap_create();
    size_t home = span_bytes(other->home);
    char *block = cubby_heap_malloc(other, MEDIUM_MAX);
    memset(block, 1, MEDIUM_MAX);
    cubby_heap_destroy(other);
    assert_int_equal(stats_now().retained, home + MEDIUM_MAX);
    assert_int_equal(cubby_trim(), home + MEDIUM_MAX);
}

static void destroying_null_does_nothing(void **state)
{
    (void)state;
    errno = UNLIKELY_ERRNO;
    cubby_heap_destroy(NULL);
    assert_int_equal(errno, UNLIKELY_ERRNO);
    assert_int_equal(stats_now().heaps, 1);
}

/* More heaps, one after the other, than there are numbers. */
static void numbers_of_destroyed_heaps_are_used_again(void **state)
{
    (void)state;
    uint32_t first = 0;
    size_t before = stats_now().in_spans;
    for (size_t i = 0; i < 70000; i++) {
        cubby_heap_t *other = cubby_heap_create();
        assert_non_null(other);
        if (first == 0) {
            first = other->tag;
        }
        assert_int_equal(other->tag, first);
        cubby_heap_destroy(other);
    }
    assert_int_equal(stats_now().in_spans, before);
}

static void many_heaps_live_side_by_side(void **state)
{
    (void)state;
    enum { HEAPS = 500 };
    static cubby_heap_t *heaps[HEAPS];
    static char *blocks[HEAPS];
    for (size_t i = 0; i < HEAPS; i++) {
        heaps[i] = cubby_heap_create();
        assert_non_null(heaps[i]);
        blocks[i] = cubby_heap_malloc(heaps[i], 100);
        block_fill(blocks[i], 100, i);
    }
    assert_int_equal(stats_now().heaps, HEAPS + 1);
    for (size_t i = 0; i < HEAPS; i += 2) {
        cubby_heap_destroy(heaps[i]);
    }
    for (size_t i = 1; i < HEAPS; i += 2) {
        assert_ptr_equal(block_heap(blocks[i]), heaps[i]);
        assert_true(block_holds(blocks[i], 100, i));
        assert_true(heap_is_valid(heaps[i]));
        for (size_t j = 1; j < i; j += 100) {
            assert_int_not_equal(heaps[i]->tag, heaps[j]->tag);
        }
    }
    for (size_t i = 1; i < HEAPS; i += 2) {
        cubby_heap_destroy(heaps[i]);
    }
    assert_int_equal(stats_now().heaps, 1);
    assert_int_equal(fake.messages, 0);
}

static void a_heap_that_cannot_be_made_is_enomem_and_leaves_no_trace(void **state)
{
    (void)state;
    cubby_heap_destroy(heap);
    span_reset();
    fake_refuse_all();
    errno = 0;
    assert_null(cubby_heap_create());
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(stats_now().heaps, 0);
    assert_int_equal(stats_now().in_spans, 0);
    assert_int_equal(fake_reservations(), 0);
    fake_relent();
    heap = cubby_heap_create();
    assert_non_null(heap);
}

static void facts_about_any_pointer_are_told_without_reading_it(void **state)
{
    (void)state;
    typedef struct boxed {
        uint64_t word[3];
    } boxed_t;
    int local = 0;
    assert_int_equal(cubby_usable_size(NULL), 0);
    assert_int_equal(cubby_usable_size(test_launder(&local)), 0);
    assert_int_equal(cubby_usable_size((void *)16), 0);
    assert_false(cubby_owns(NULL));
    assert_false(cubby_owns(&local));
    assert_false(cubby_owns((void *)UINTPTR_MAX));
    assert_false(cubby_owns(heap));
    boxed_t *boxed = cubby_new(heap, boxed_t);
    char *small = cubby_heap_malloc(heap, 100);
    char *large = cubby_heap_malloc(heap, 100000);
    assert_int_equal(cubby_usable_size(boxed), 24);
    assert_int_equal(cubby_usable_size(small), 112);
    assert_int_equal(cubby_usable_size(large), 25 * PAGE_BYTES);
    assert_true(cubby_owns(boxed));
    assert_true(cubby_owns(small));
    assert_true(cubby_owns(large));
    assert_ptr_equal(block_heap(small), heap);
    cubby_heap_free(heap, large);
    assert_false(cubby_owns(large));
    assert_int_equal(cubby_usable_size(large), 0);
}

/* Blocks of 48 leave 16 bytes over at the end of their pool; most of it was never carved. */
static void a_place_in_a_pool_that_was_never_given_out_is_no_block(void **state)
{
    (void)state;
    char *first = cubby_heap_malloc(heap, 48);
    heap_flush(heap);
    char *places[] = {first + 8, first + 24, first + 48, first + (size_t)341 * 48};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(cubby_usable_size(places[i]), 0);
        assert_null(block_heap(places[i]));
        cubby_free(places[i]);
        assert_int_equal(fake.messages, i + 1);
    }
    assert_int_equal(cubby_usable_size(first), 48);
    assert_true(everything_is_valid());
}

/* Freed or not: a pool does not tell its free blocks from others, but it knows where blocks start. */
static void owning_is_about_the_address_a_block_starts_at(void **state)
{
    (void)state;
    char *small = cubby_heap_malloc(heap, 100);
    char *next = cubby_heap_malloc(heap, 100);
    char *large = cubby_heap_malloc(heap, 100000);
    assert_true(cubby_owns(small));
    assert_true(cubby_owns(large));
    for (size_t offset = 1; offset < 112; offset++) {
        assert_false(cubby_owns(small + offset));
        assert_false(cubby_owns(large + offset));
    }
    assert_false(cubby_owns(large + PAGE_BYTES));
    assert_false(cubby_owns(large + 99999));
    assert_false(cubby_owns(large + cubby_usable_size(large)));
    cubby_heap_free(heap, next);
    assert_true(cubby_owns(next));
    cubby_heap_free(heap, large);
    assert_false(cubby_owns(large));
}

static void trimming_a_heap_returns_what_leaves_memory(void **state)
{
    (void)state;
    memory_small_pages();
    enum { COUNT = 20000, SIZE = 1000 };
    static char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = cubby_heap_malloc(heap, SIZE);
        memset(blocks[i], 1, SIZE);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    const char *base = (const char *)regions[0].base;
    size_t bytes = (size_t)regions[0].top << PAGE_SHIFT;
    size_t before = memory_resident_in(base, bytes);
    size_t retained = stats_now().retained;
    size_t given = cubby_heap_trim(heap);
    assert_true(given >= retained);
    assert_true(given >= (size_t)COUNT * SIZE * 9 / 10);
    assert_int_equal(before - memory_resident_in(base, bytes), given);
    assert_int_equal(stats_now().retained, 0);
    assert_int_equal(stats_now().bytes_purged, given);
    assert_int_equal(cubby_heap_trim(heap), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(destroying_frees_everything_in_it),
        HEAP_TEST(what_a_destroyed_heap_wrote_is_not_seen_by_calloc),
        HEAP_TEST(a_destroyed_heap_leaves_pages_it_never_used_clean),
        HEAP_TEST(destroying_null_does_nothing),
        HEAP_TEST(numbers_of_destroyed_heaps_are_used_again),
        HEAP_TEST(many_heaps_live_side_by_side),
        HEAP_TEST(a_heap_that_cannot_be_made_is_enomem_and_leaves_no_trace),
        HEAP_TEST(facts_about_any_pointer_are_told_without_reading_it),
        HEAP_TEST(a_place_in_a_pool_that_was_never_given_out_is_no_block),
        HEAP_TEST(owning_is_about_the_address_a_block_starts_at),
        HEAP_TEST(trimming_a_heap_returns_what_leaves_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
