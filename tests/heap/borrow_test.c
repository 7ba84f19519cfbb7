/* SPDX-License-Identifier: MIT */
#include "heap/borrow.h"

#include "support/threads.h"

enum { BLOCKS_MOST = 8192 };

static void *blocks[BLOCKS_MOST];
static size_t block_count;
static size_t block_bytes;

static void blocks_make(size_t count, size_t bytes)
{
    block_count = count;
    block_bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = cubby_malloc(bytes);
        assert_non_null(blocks[i]);
    }
}

static bool is_one_of(const void *block)
{
    for (size_t i = 0; i < block_count; i++) {
        if (blocks[i] == block) {
            return true;
        }
    }
    return false;
}

static void blocks_free(void)
{
    for (size_t i = 0; i < block_count; i++) {
        cubby_free(blocks[i]);
    }
}

/* What a thread saw that freed the blocks and then allocated one. */
typedef struct seen {
    bool used_again;
    bool valid;
    uint32_t kept;
    size_t kept_later;
    size_t overlaps;
} seen_t;

static void *free_then_allocate(void *place)
{
    seen_t *seen = place;
    cubby_free(cubby_malloc(1)); /* from here on the thread has a heap */
    blocks_free();
    seen->kept = thread_heap->borrowed_bytes;
    void *block = cubby_malloc(block_bytes);
    seen->used_again = is_one_of(block);
    seen->valid = heap_is_valid(thread_heap);
    cubby_free(block);
    return NULL;
}

static seen_t seen_after(size_t count, size_t bytes)
{
    seen_t seen = {0};
    blocks_make(count, bytes);
    in_thread(free_then_allocate, &seen);
    assert_true(seen.valid);
    return seen;
}

/* Frees a few of the blocks, then grows far beyond what it has. */
static void *free_then_grow(void *place)
{
    enum { FREED = 100, GROWN = 400, GROWN_BYTES = 1000 };
    seen_t *seen = place;
    static void *grown[GROWN];
    cubby_free(cubby_malloc(1));
    heap_tick(thread_heap, EVENTS_PER_TICK); /* the next looks at the clock come too soon to send anything home */
    for (size_t i = 0; i < FREED; i++) {
        cubby_free(blocks[i]);
    }
    uint32_t flush_pages = thread_heap->flush_pages;
    for (size_t i = 0; i < GROWN; i++) {
        grown[i] = cubby_malloc(GROWN_BYTES);
    }
    assert_true(thread_heap->flush_pages > flush_pages); /* the bins were handed back, else it tests nothing */
    seen->kept = thread_heap->borrowed_bytes / (uint32_t)cubby_usable_size(blocks[FREED]);
    void *block = cubby_malloc(block_bytes);
    seen->used_again = is_one_of(block);
    cubby_free(block);
    heap_flush_bins(thread_heap); /* from the bin, where they are now, back to those that wait */
    seen->kept_later = thread_heap->borrowed_bytes / (uint32_t)cubby_usable_size(blocks[FREED]);
    seen->valid = heap_is_valid(thread_heap);
    for (size_t i = 0; i < GROWN; i++) {
        cubby_free(grown[i]);
    }
    for (size_t i = FREED; i < block_count; i++) {
        cubby_free(blocks[i]);
    }
    return NULL;
}

static void a_thread_that_grows_keeps_what_it_freed_of_anothers(void **state)
{
    (void)state;
    seen_t seen = {0};
    blocks_make(200, 100);
    in_thread(free_then_grow, &seen);
    assert_int_equal(seen.kept, 100);
    assert_true(seen.used_again);
    assert_int_equal(seen.kept_later, 100);
    assert_true(seen.valid);
}

static void a_thread_uses_again_what_it_freed_of_anothers(void **state)
{
    (void)state;
    assert_true(seen_after(64, 64).used_again);
    assert_true(seen_after(2, 4096).used_again);
    assert_true(seen_after(1, 512).used_again);
}

/* A single small block may share its line of the cache with one that its first thread still writes. */
static void a_few_small_blocks_are_not_used_again(void **state)
{
    (void)state;
    assert_false(seen_after(1, 16).used_again);
    assert_false(seen_after(REUSE_BYTES / 16 - 1, 16).used_again);
    assert_false(seen_after(REUSE_BYTES / 64 - 1, 64).used_again);
}

/* They are not lost either: all is home when the thread has ended. */
static void what_is_not_used_again_goes_home(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    (void)seen_after(BLOCKS_MOST, 64);
    (void)seen_after(3, 16);
    (void)seen_after(100, 2000);
    (void)cubby_trim();
    assert_int_equal(stats_now().in_spans, before);
}

static void a_thread_that_only_frees_keeps_little(void **state)
{
    (void)state;
    assert_in_range(seen_after(BLOCKS_MOST, 64).kept, 0, BORROW_BYTES_LEAST);
    assert_in_range(seen_after(BLOCKS_MOST, 512).kept, 0, BORROW_BYTES_LEAST);
}

/* Frees them in bursts and allocates as many, as threads do that hand batches to each other. */
static void *exchange_bursts(void *place)
{
    enum { ROUNDS = 6 };
    uint32_t *most = place;
    for (int round = 0; round < ROUNDS; round++) {
        blocks_free();
        *most = thread_heap->borrow_most;
        for (size_t i = 0; i < block_count; i++) {
            blocks[i] = cubby_malloc(block_bytes);
        }
    }
    blocks_free();
    return NULL;
}

/* Once more from a thread whose blocks they are not. */
static void *exchange_in_another(void *place)
{
    blocks_make(2000, 200);
    in_thread(exchange_bursts, place);
    return NULL;
}

static void a_thread_that_uses_them_again_may_keep_more(void **state)
{
    (void)state;
    uint32_t most = 0;
    in_thread(exchange_in_another, &most);
    assert_in_range(most, BORROW_BYTES_LEAST, BORROW_BYTES_MOST);
    seen_t seen = seen_after(BLOCKS_MOST, 64);
    assert_in_range(seen.kept, 0, BORROW_BYTES_LEAST);
}

/* ---- Several owners ---- */

enum { OWNERS = 3, OWNED = 50 };

static void *own_some(void *number)
{
    size_t first = *(size_t *)number * OWNED;
    for (size_t i = first; i < first + OWNED; i++) {
        blocks[i] = cubby_malloc(block_bytes);
    }
    return NULL;
}

static void *free_and_ask_of_the_bin(void *place)
{
    seen_t *seen = place;
    cubby_free(cubby_malloc(1));
    for (size_t i = 0; i < OWNED; i++) { /* of each owner in turn */
        for (size_t owner = 0; owner < OWNERS; owner++) {
            cubby_free(blocks[owner * OWNED + i]);
        }
    }
    /* Half of them are used again; then the bin goes home with the rest. */
    void *used[OWNERS * OWNED / 2];
    for (size_t i = 0; i < OWNERS * OWNED / 2; i++) {
        used[i] = cubby_malloc(block_bytes);
        seen->overlaps += !is_one_of(used[i]);
        for (size_t j = 0; j < i; j++) {
            seen->overlaps += used[i] == used[j];
        }
    }
    seen->valid = heap_is_valid(thread_heap);
    heap_flush(thread_heap);
    seen->valid = seen->valid && heap_is_valid(thread_heap) && thread_heap->borrowed_bytes == 0;
    for (size_t i = 0; i < OWNERS * OWNED / 2; i++) {
        cubby_free(used[i]);
    }
    return NULL;
}

static void blocks_of_several_heaps_each_find_their_way(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    block_bytes = 48;
    block_count = (size_t)OWNERS * OWNED;
    pthread_t threads[OWNERS];
    size_t numbers[OWNERS];
    for (size_t i = 0; i < OWNERS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, own_some, &numbers[i]), 0);
    }
    for (size_t i = 0; i < OWNERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    seen_t seen = {0};
    in_thread(free_and_ask_of_the_bin, &seen);
    assert_int_equal(seen.overlaps, 0);
    assert_true(seen.valid);
    (void)cubby_trim();
    assert_int_equal(stats_now().in_spans, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        THREADS_TEST(a_thread_that_grows_keeps_what_it_freed_of_anothers),
        THREADS_TEST(a_thread_uses_again_what_it_freed_of_anothers),
        THREADS_TEST(a_few_small_blocks_are_not_used_again),
        THREADS_TEST(what_is_not_used_again_goes_home),
        THREADS_TEST(a_thread_that_only_frees_keeps_little),
        THREADS_TEST(a_thread_that_uses_them_again_may_keep_more),
        THREADS_TEST(blocks_of_several_heaps_each_find_their_way),
    };
    return cmocka_run_group_tests(tests, threads_begin, NULL);
}
