/* SPDX-License-Identifier: MIT */
/* What the guarded library stops. Each misuse runs in a child, which must end by abort() with one line that says why. */
#include "heap/pool.h"

#include "support/heap.h"
#include "support/threads.h"

#include "heap/spare.h"

#include <sys/wait.h>

typedef struct ending {
    int status;
    char text[512];
} ending_t;

static ending_t ending_of(void (*body)(size_t size), size_t size)
{
    ending_t ending = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        os = os_linux;
        (void)dup2(ends[1], STDERR_FILENO);
        body(size);
        _exit(0);
    }
    (void)close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], ending.text + length, sizeof ending.text - 1 - length)) > 0) {
        length += (size_t)got;
    }
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &ending.status, 0), child);
    return ending;
}

static const size_t sizes[] = {8, 16, 24, 64, 500, 4000, 32768};

static void is_stopped(void (*body)(size_t size), const char *reason)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ending_t ending = ending_of(body, sizes[i]);
        assert_true(WIFSIGNALED(ending.status) && WTERMSIG(ending.status) == SIGABRT);
        assert_non_null(strstr(ending.text, reason));
        assert_ptr_equal(strchr(ending.text, '\n'), ending.text + strlen(ending.text) - 1);
    }
}

static void runs_through(void (*body)(size_t size))
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ending_t ending = ending_of(body, sizes[i]);
        assert_int_equal(ending.status, 0);
        assert_string_equal(ending.text, "");
    }
}

/* ---- A block freed twice ---- */

/* Escapes the compiler's own knowledge of free(). */
static void *again(void *block)
{
    __asm__ volatile("" : "+r"(block));
    return block;
}

static void free_twice(size_t size)
{
    void *block = cubby_malloc(size);
    void *same = again(block);
    cubby_free(block);
    cubby_free(same);
}

static void free_twice_with_others_between(size_t size)
{
    enum { OTHERS = 3000 };
    static void *others[OTHERS];
    void *block = cubby_malloc(size);
    void *same = again(block);
    for (size_t i = 0; i < OTHERS; i++) {
        others[i] = cubby_malloc(size);
    }
    cubby_free(block);
    for (size_t i = 0; i < OTHERS; i += 2) { /* the bin spills */
        cubby_free(others[i]);
    }
    cubby_free(same);
}

static void free_twice_in_a_heap(size_t size)
{
    cubby_heap_t *own = cubby_heap_create();
    void *block = cubby_heap_malloc(own, size);
    void *same = again(block);
    cubby_heap_free(own, block);
    cubby_heap_free(own, same);
}

static void *free_it(void *block)
{
    cubby_free(block);
    return NULL;
}

static void free_twice_from_two_threads(size_t size)
{
    void *block = cubby_malloc(size);
    void *same = again(block);
    in_thread(free_it, block);
    cubby_free(same);
}

static void resize_after_free(size_t size)
{
    (void)again(cubby_malloc(size)); /* keeps the pool: without one there is nothing that could be freed twice */
    void *block = cubby_malloc(size);
    void *same = again(block);
    cubby_free(block);
    void *moved = cubby_realloc(same, 3 * size + 100);
    (void)again(moved);
}

static void a_block_freed_twice_is_stopped(void **state)
{
    (void)state;
    is_stopped(free_twice, "free already");
    is_stopped(free_twice_with_others_between, "free already");
    is_stopped(free_twice_in_a_heap, "free already");
    is_stopped(free_twice_from_two_threads, "free already");
    is_stopped(resize_after_free, "free already");
}

/* ---- A freed block written to ---- */

static TEST_UNCHECKED void write_after_free(size_t size)
{
    char *block = cubby_malloc(size);
    char *same = again(block);
    cubby_free(block);
    same[1]++;
    (void)again(cubby_malloc(size));
}

static TEST_UNCHECKED void write_a_pointer_after_free(size_t size)
{
    static char target[64];
    void **block = cubby_malloc(size);
    void **same = again(block);
    cubby_free(block);
    *same = target; /* as an attack would, to have the next but one request served from there */
    (void)again(cubby_malloc(size));
}

static TEST_UNCHECKED void write_after_free_and_trim(size_t size)
{
    (void)again(cubby_malloc(size)); /* keeps the pool */
    char *block = cubby_malloc(size);
    char *same = again(block);
    cubby_free(block);
    same[0]++;
    (void)cubby_trim();
}

static void a_freed_block_written_to_is_stopped(void **state)
{
    (void)state;
    is_stopped(write_after_free, "was written to");
    is_stopped(write_a_pointer_after_free, "was written to");
    is_stopped(write_after_free_and_trim, "was written to");
}

/* ---- No block ---- */

static void free_the_middle(size_t size)
{
    char *block = cubby_malloc(size);
    memset(block, 1, size);
    char *middle = again(block + (size < 16 ? 8 : 16));
    cubby_free(middle);
    (void)cubby_trim();
}

static void a_pointer_into_the_middle_is_stopped_when_its_pool_sees_it(void **state)
{
    (void)state;
    static const size_t larger[] = {64, 500, 4000, 32768};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        ending_t ending = ending_of(free_the_middle, larger[i]);
        assert_true(WIFSIGNALED(ending.status));
        assert_non_null(strstr(ending.text, "this is no block"));
    }
}

static void assert_has_its_blocks(const cubby_heap_t *owner, const span_t *pool)
{
    size_t size = class_size(pool->size_class), end = pool->capacity * size;
    for (size_t offset = 0; offset < span_bytes(pool); offset++) {
        bool starts = offset % size == 0 && offset < end;
        assert_int_equal(pool_has(owner, pool, span_start(pool) + offset), starts);
    }
    assert_false(pool_has(owner, pool, span_start(pool) - size));
}

static void a_pool_has_blocks_where_one_starts_and_nowhere_else(void **state)
{
    (void)state;
    cubby_heap_t *own = cubby_heap_create();
    cubby_heap_t *other = cubby_heap_create();
    for (unsigned size_class = 1; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        if (class_of(size) != size_class) {
            continue; /* 8-byte steps; the typed functions alone have them */
        }
        char *block = cubby_heap_malloc(own, size);
        const span_t *pool = span_find(block);
        assert_has_its_blocks(own, pool);
        assert_false(pool_has(other, pool, block));
    }
    char *block = cubby_heap_malloc(other, CUBBY_SMALL_MAX);
    const span_t *pool = span_find(block);
    assert_true(pool_has(other, pool, block));
    cubby_heap_free(other, block);
    (void)cubby_heap_trim(other); /* releases the pool */
    assert_false(pool_has(other, pool, block));
    void *large = cubby_heap_malloc(own, MEDIUM_MAX + 1);
    assert_false(pool_has(own, span_find(large), large));
    cubby_heap_destroy(other);
    cubby_heap_destroy(own);
}

/* A page of blocks of 48 bytes ends with 16 that are none. */
static void a_small_first_pool_has_no_block_at_its_end(void **state)
{
    (void)state;
    enum { SIZE = 48 };
    void *large = cubby_malloc((size_t)64 << 20);
    assert_true(span_pages_are_huge());
    char *block = cubby_malloc(SIZE);
    const span_t *pool = span_find(block);
    assert_int_equal(pool->pages, 1);
    assert_has_its_blocks(thread_heap, pool);
    cubby_free(block);
    cubby_free(large);
}

/* A thread's heap keeps the spans of released pools for a while, as they are. */
static void a_released_pool_that_is_kept_has_no_blocks(void **state)
{
    (void)state;
    enum { COUNT = 2000, SIZE = 512 };
    static void *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = cubby_malloc(SIZE);
        assert_true(pool_has(thread_heap, span_find(blocks[i]), blocks[i]));
    }
    for (size_t i = 0; i < COUNT; i++) {
        cubby_free(blocks[i]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (span_tag(blocks[i]) == 0) {
            const span_t *pool = span_find(blocks[i]);
            kept += pool->state == SPAN_USED;
            assert_false(pool_has(thread_heap, pool, blocks[i]));
        }
    }
    assert_true(kept > 0);
}

/* ---- Cubby's own tables ---- */

static void break_the_list_of_pools(size_t size)
{
    void *block = cubby_malloc(size);
    span_t *pool = span_find(block);
    pool->next = pool;
    cubby_free(block);
    (void)cubby_trim();
}

static void break_the_count_of_a_pool(size_t size)
{
    void *block = cubby_malloc(size);
    span_t *pool = span_find(block);
    pool->free_count = pool->capacity;
    pool->countdown = 0;
    cubby_free(block);
    (void)cubby_trim();
}

static void free_a_span_twice(size_t size)
{
    span_t *span = span_alloc(1 + size / PAGE_BYTES, PAGE_BYTES);
    span_free(span, 0);
    span_free(span, 0);
}

static void tables_that_contradict_each_other_stop_the_program(void **state)
{
    (void)state;
    is_stopped(break_the_list_of_pools, "list of pools");
    is_stopped(break_the_count_of_a_pool, "more free blocks than blocks");
    is_stopped(free_a_span_twice, "this span is not in use");
}

/* ---- False alarms ---- */

/* A new block may show what an earlier one held: its link, even. */
static void free_without_writing(size_t size)
{
    enum { COUNT = 5000 };
    static void *blocks[COUNT];
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            blocks[i] = again(cubby_malloc(size));
        }
        for (size_t i = 0; i < COUNT; i++) {
            cubby_free(blocks[i]);
        }
        (void)(round % 2 == 0 ? cubby_trim() : 0);
    }
}

static TEST_UNCHECKED void copy_a_freed_block(size_t size)
{
    char *block = cubby_malloc(size);
    volatile char *same = again(block);
    cubby_free(block);
    char copy[16] = {0};
    for (size_t i = 0; i < size && i < sizeof copy; i++) { /* memcpy() would be checked */
        copy[i] = same[i];
    }
    void *other = cubby_malloc(size);
    memcpy(other, copy, size < sizeof copy ? size : sizeof copy);
    cubby_free(cubby_malloc(size));
}

/*
 * Symptom: a thread that frees a block is stopped, for "it is free already", where heaps come and go.
 * Cause: a heap's own memory became a pool, and its key, before a word of zero, looks like the last link's twin.
 * Guard: both words of a block are cleared when it is handed out for the first time, and so is the key of a heap's end.
 */
static TEST_UNCHECKED void free_where_a_heap_was(size_t size)
{
    enum { HEAPS = 8, COUNT = 4000 };
    static void *blocks[COUNT];
    static cubby_heap_t *heaps[HEAPS];
    for (size_t i = 0; i < HEAPS; i++) {
        heaps[i] = cubby_heap_create();
    }
    for (size_t i = 0; i < HEAPS; i++) {
        uintptr_t key = heaps[i]->key;
        uintptr_t *place = &heaps[i]->key;
        cubby_heap_destroy(heaps[i]);
        place[0] = key; /* as if it had stayed */
        place[1] = 0;
    }
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = cubby_malloc(size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cubby_free(blocks[i]);
    }
}

static void what_a_program_may_do_runs_through(void **state)
{
    (void)state;
    runs_through(free_without_writing);
    runs_through(copy_a_freed_block);
    runs_through(free_where_a_heap_was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_freed_twice_is_stopped),
        cmocka_unit_test(a_freed_block_written_to_is_stopped),
        cmocka_unit_test(a_pointer_into_the_middle_is_stopped_when_its_pool_sees_it),
        cmocka_unit_test(a_pool_has_blocks_where_one_starts_and_nowhere_else),
        cmocka_unit_test(a_small_first_pool_has_no_block_at_its_end),
        cmocka_unit_test(a_released_pool_that_is_kept_has_no_blocks),
        cmocka_unit_test(tables_that_contradict_each_other_stop_the_program),
        cmocka_unit_test(what_a_program_may_do_runs_through),
    };
    return cmocka_run_group_tests(tests, threads_begin, NULL);
}
