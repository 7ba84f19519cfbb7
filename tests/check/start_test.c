/* SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/child.h"

#include <pthread.h>
#include <stdlib.h>

static void without_being_asked_there_are_no_checks(void **state)
{
    (void)state;
    assert_false(cubby_check_is_on());
    assert_int_equal(cubby_check_all(), 0);
    assert_int_equal(cubby_check_leaks(NULL), 0);
    cubby_heap_t *heap = cubby_heap_create();
    cubby_check_heap_lock(heap, NULL, NULL);
    assert_int_equal(heap->kind, HEAP_LOCK);
    cubby_heap_destroy(heap);
}

static void they_start_once(void **state)
{
    (void)state;
    assert_true(cubby_check_is_on());
    assert_false(cubby_check_start(NULL));
    assert_int_equal(errno, EALREADY);
}

static void blocks_from_before_pass_through(void **state)
{
    (void)state;
    fake_install();
    cubby_heap_t *heap = cubby_heap_create();
    char *before[] = {cubby_malloc(100), cubby_malloc(100000), cubby_heap_malloc(heap, 100), cubby_malloc(100),
                      cubby_malloc(100000)};
    cubby_check_options_t options = {.hold_bytes = 65536, .goes_on = true};
    assert_true(cubby_check_start(&options));
    reported.count = 0;
    cubby_check_on_report(report_receive, NULL);
    for (int i = 0; i < 5; i++) {
        assert_true(cubby_owns(before[i]));
        assert_true(cubby_usable_size(before[i]) >= 100);
    }
    cubby_free(before[0]);
    cubby_free(before[1]);
    cubby_heap_free(heap, before[2]);
    before[3] = cubby_realloc(before[3], 200);
    before[4] = cubby_realloc(before[4], 900000);
    cubby_free(before[3]);
    cubby_free_sized(before[4], 900000);
    cubby_heap_destroy(heap);
    assert_true(nothing_was_reported());
    check_end();
}

static int a_program_that_is_told_to_stop(void)
{
    fake_install();
    cubby_check_options_t options = {.hold_bytes = 65536};
    STEP(cubby_check_start(&options));
    os = os_linux;
    char *block = cubby_malloc(10);
    cubby_free(block);
    cubby_free(hidden(block));
    return 0;
}

static void a_program_that_is_not_to_go_on_is_aborted(void **state)
{
    (void)state;
    assert_int_equal(in_child(a_program_that_is_told_to_stop), -1);
}

static void *allocate_much(void *ctx)
{
    (void)ctx;
    char *blocks[100] = {NULL};
    for (size_t i = 0; i < 20000; i++) {
        char **block = &blocks[i * 7919 % 100];
        cubby_free(*block);
        *block = cubby_malloc(i % 2000);
        if (*block != NULL) {
            memset(*block, 'x', i % 2000);
        }
    }
    for (size_t i = 0; i < 100; i++) {
        cubby_free(blocks[i]);
    }
    return NULL;
}

static void many_threads_may_be_checked_at_once(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, allocate_much, NULL), 0);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cubby_check_all(), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_true(nothing_was_reported());
}

/* ---- No memory ---- */

static void without_memory_they_do_not_start(void **state)
{
    (void)state;
    for (size_t call = 1; call < 20; call++) {
        fake_install();
        fake.fail_at[FAKE_RESERVE] = 1;
        fake.fail_at[FAKE_COMMIT] = call;
        fake.fail_onwards = true;
        cubby_check_options_t options = {.hold_bytes = 65536, .goes_on = true};
        errno = 0;
        bool started = cubby_check_start(&options);
        assert_int_equal(errno, started ? 0 : ENOMEM);
        assert_int_equal(cubby_check_is_on(), started);
        fake_relent();
        if (started) {
            check_end();
        }
        cubby_stats_t stats;
        cubby_stats_get(&stats);
        assert_int_equal(stats.in_spans, 0);
        assert_int_equal(stats.heaps, 0);
        span_reset();
    }
    os = os_linux;
}

/* One of everything that may be refused; what was given out is freed. */
static size_t ask_for_everything(void)
{
    size_t refused = 0;
    cubby_heap_t *heap = cubby_heap_create();
    refused += heap == NULL;
    static char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        size_t size = check_sizes[i % CHECK_SIZES];
        blocks[i] = i % 3 == 0 ? cubby_malloc(size) : i % 3 == 1 ? cubby_calloc(1, size) : cubby_realloc(NULL, size);
        refused += blocks[i] == NULL;
    }
    for (size_t i = 0; i < 300; i++) {
        char *moved = blocks[i] == NULL ? NULL : cubby_realloc(blocks[i], check_sizes[(i + 5) % CHECK_SIZES]);
        refused += moved == NULL;
        cubby_free(moved == NULL ? blocks[i] : moved);
    }
    cubby_allocator_t table = cubby_thread_allocator(CUBBY_DOMAIN_OBJ, NULL);
    table.free(table.ctx, table.malloc(table.ctx, 10));
    cubby_heap_destroy(heap);
    return refused;
}

static void every_refusal_of_the_system_is_a_request_that_fails_or_is_served(void **state)
{
    (void)state;
    for (size_t call = 1; call < 60; call++) {
        assert_true(checks_start((cubby_check_options_t){.hold_bytes = 65536, .stack_depth = 3}));
        fake.fail_at[FAKE_RESERVE] = fake.calls[FAKE_RESERVE] + call;
        fake.fail_at[FAKE_COMMIT] = fake.calls[FAKE_COMMIT] + call;
        fake.fail_onwards = call % 2 == 0;
        (void)ask_for_everything();
        assert_int_equal(cubby_check_all(), 0);
        assert_true(nothing_was_reported());
        assert_true(checks_end());
    }
}

static void a_request_that_would_fail_gets_what_is_held_back(void **state)
{
    (void)state;
    assert_true(checks_start((cubby_check_options_t){.hold_bytes = SIZE_MAX}));
    fake_refuse_all();
    char *block = cubby_malloc(10000);
    assert_non_null(block);
    cubby_free(block);
    for (int i = 0; i < 5000; i++) { /* 50 MB, of which nothing is left to the last but what was freed */
        block = cubby_malloc(10000);
        assert_non_null(block);
        cubby_free(block);
    }
    assert_true(nothing_was_reported());
    assert_true(checks_end());
}

static void a_block_that_shrinks_without_memory_stays(void **state)
{
    (void)state;
    assert_true(checks_start((cubby_check_options_t){.hold_bytes = 0}));
    fake_refuse_all();
    enum { MOST = 20000 };
    static char *blocks[MOST];
    size_t count = 0;
    while (count < MOST && (blocks[count] = cubby_malloc(2000)) != NULL) {
        count++;
    }
    assert_true(count > 0 && count < MOST);
    char *before = blocks[0];
    memset(before, 'x', 2000);
    char *stayed = cubby_realloc(before, 1999);
    assert_ptr_equal(stayed, before);
    assert_int_equal(cubby_usable_size(stayed), 1999);
    hidden(stayed)[1999] = 'A';
    assert_int_equal(cubby_check_all(), 1);
    assert_true(was_reported("write after the block", "1999 bytes"));
    assert_null(cubby_realloc(stayed, 4000));
    assert_int_equal(stayed[1998], 'x');
    for (size_t i = 0; i < count; i++) {
        cubby_free(blocks[i]);
    }
    assert_true(checks_end());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_being_asked_there_are_no_checks),
        CHECK_TEST(they_start_once),
        cmocka_unit_test(without_memory_they_do_not_start),
        cmocka_unit_test(every_refusal_of_the_system_is_a_request_that_fails_or_is_served),
        cmocka_unit_test(a_request_that_would_fail_gets_what_is_held_back),
        cmocka_unit_test(a_block_that_shrinks_without_memory_stays),
        CHECK_TEST(many_threads_may_be_checked_at_once),
        cmocka_unit_test(a_program_that_is_not_to_go_on_is_aborted),
        cmocka_unit_test(blocks_from_before_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
