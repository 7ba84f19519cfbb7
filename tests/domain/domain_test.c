/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <cubby/domain.h>

#include "support/fake_os.h"

#include "support/child.h"
#include "support/hook.h"

#include <errno.h>
#include <string.h>

static const cubby_domain_t domains[CUBBY_DOMAIN_COUNT] = {CUBBY_DOMAIN_RAW, CUBBY_DOMAIN_MEM, CUBBY_DOMAIN_OBJ};

static void raw_is_libcs_at_start_and_the_others_are_cubbys(void **state)
{
    (void)state;
    void *raw = cubby_domain_malloc(CUBBY_DOMAIN_RAW, 100);
    void *mem = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 100);
    void *obj = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 100);
    assert_non_null(raw);
    assert_false(cubby_owns(raw));
    assert_true(cubby_owns(mem));
    assert_true(cubby_owns(obj));
    cubby_domain_free(CUBBY_DOMAIN_RAW, raw);
    cubby_domain_free(CUBBY_DOMAIN_MEM, mem);
    cubby_domain_free(CUBBY_DOMAIN_OBJ, obj);
}

static void every_domain_allocates_zeroes_resizes_and_frees(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        for (size_t size = 1; size < 200000; size = size * 3 + 2) {
            unsigned char *block = cubby_domain_malloc(domains[i], size);
            assert_non_null(block);
            memset(block, 0x5A, size);
            block = cubby_domain_realloc(domains[i], block, size * 2);
            assert_non_null(block);
            assert_int_equal(block[0], 0x5A);
            assert_int_equal(block[size - 1], 0x5A);
            cubby_domain_free(domains[i], block);
            block = cubby_domain_calloc(domains[i], size, 1);
            assert_non_null(block);
            for (size_t j = 0; j < size; j++) {
                assert_int_equal(block[j], 0);
            }
            cubby_domain_free(domains[i], block);
        }
        cubby_domain_free(domains[i], NULL);
        void *block = cubby_domain_realloc(domains[i], NULL, 10);
        assert_non_null(block);
        cubby_domain_free(domains[i], block);
    }
}

static void zero_bytes_are_a_unique_block_in_every_domain(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        void *a = cubby_domain_malloc(domains[i], 0);
        void *b = cubby_domain_calloc(domains[i], 0, 5);
        void *c = cubby_domain_calloc(domains[i], 5, 0);
        void *d = cubby_domain_realloc(domains[i], NULL, 0);
        void *e = cubby_domain_realloc(domains[i], cubby_domain_malloc(domains[i], 100), 0);
        void *all[5] = {a, b, c, d, e};
        for (int j = 0; j < 5; j++) {
            assert_non_null(all[j]);
            for (int k = 0; k < j; k++) {
                assert_ptr_not_equal(all[j], all[k]);
            }
        }
        for (int j = 0; j < 5; j++) {
            cubby_domain_free(domains[i], all[j]);
        }
    }
}

static void a_failure_is_enomem_in_every_domain_and_keeps_the_block(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        errno = 0;
        assert_null(cubby_domain_malloc(domains[i], test_size(SIZE_MAX / 2 + 1)));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(cubby_domain_calloc(domains[i], test_size(SIZE_MAX / 2), 3));
        assert_int_equal(errno, ENOMEM);
        char *block = cubby_domain_malloc(domains[i], 10);
        memset(block, 3, 10);
        errno = 0;
        assert_null(cubby_domain_realloc(domains[i], block, test_size(SIZE_MAX / 2 + 1)));
        assert_int_equal(errno, ENOMEM);
        assert_int_equal(block[9], 3);
        cubby_domain_free(domains[i], block);
    }
}

static void obj_takes_24_bytes_for_17_to_24_and_mem_takes_32(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 64; size++) {
        void *obj = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, size);
        void *zeroed = cubby_domain_calloc(CUBBY_DOMAIN_OBJ, 1, size);
        void *resized = cubby_domain_realloc(CUBBY_DOMAIN_OBJ, NULL, size);
        void *mem = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
        size_t sixteens = size == 0 ? 16 : (size + 15) / 16 * 16;
        size_t expected = size >= 17 && size <= 24 ? 24 : sixteens;
        assert_int_equal(cubby_usable_size(obj), expected);
        assert_int_equal(cubby_usable_size(zeroed), expected);
        assert_int_equal(cubby_usable_size(resized), expected);
        assert_int_equal(cubby_usable_size(mem), sixteens);
        assert_int_equal((uintptr_t)mem % 16, 0);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, obj);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, zeroed);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, resized);
        cubby_domain_free(CUBBY_DOMAIN_MEM, mem);
    }
}

/* The realloc and free of mem see blocks of obj when a runtime mixes its domains. */
static void mixing_mem_and_obj_on_one_block_is_survived(void **state)
{
    (void)state;
    for (size_t size = 1; size < 100000; size = size * 2 + 5) {
        char *block = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, size);
        memset(block, 7, size);
        block = cubby_domain_realloc(CUBBY_DOMAIN_MEM, block, size + 3);
        assert_int_equal(block[size - 1], 7);
        assert_int_equal((uintptr_t)block % 16, 0);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
        block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    }
    assert_int_equal(fake.messages, 0);
}

typedef struct counter {
    cubby_allocator_t wrapped;
    size_t mallocs;
    size_t callocs;
    size_t reallocs;
    size_t frees;
} counter_t;

static void *counter_malloc(void *ctx, size_t size)
{
    counter_t *counter = ctx;
    counter->mallocs++;
    return counter->wrapped.malloc(counter->wrapped.ctx, size);
}

static void *counter_calloc(void *ctx, size_t count, size_t size)
{
    counter_t *counter = ctx;
    counter->callocs++;
    return counter->wrapped.calloc(counter->wrapped.ctx, count, size);
}

static void *counter_realloc(void *ctx, void *block, size_t size)
{
    counter_t *counter = ctx;
    counter->reallocs++;
    return counter->wrapped.realloc(counter->wrapped.ctx, block, size);
}

static void counter_free(void *ctx, void *block)
{
    counter_t *counter = ctx;
    counter->frees++;
    counter->wrapped.free(counter->wrapped.ctx, block);
}

static void a_table_can_be_covered_and_put_back_while_blocks_are_out(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        counter_t counter = {.wrapped = cubby_domain_get(domains[i])};
        cubby_allocator_t table = {&counter, counter_malloc, counter_calloc, counter_realloc, counter_free};
        assert_true(cubby_domain_cover(domains[i], &table, &counter.wrapped));
        cubby_allocator_t now = cubby_domain_get(domains[i]);
        assert_memory_equal(&now, &table, sizeof table);
        void *a = cubby_domain_malloc(domains[i], 10);
        void *b = cubby_domain_calloc(domains[i], 1, 10);
        assert_non_null(a);
        a = cubby_domain_realloc(domains[i], a, 1000);
        cubby_domain_free(domains[i], a);
        cubby_domain_free(domains[i], b);
        assert_int_equal(counter.mallocs, 1);
        assert_int_equal(counter.callocs, 1);
        assert_int_equal(counter.reallocs, 1);
        assert_int_equal(counter.frees, 2);
        assert_true(cubby_domain_set(domains[i], &counter.wrapped));
        cubby_domain_free(domains[i], cubby_domain_malloc(domains[i], 10));
        assert_int_equal(counter.mallocs, 1);
    }
}

static void a_table_with_a_hole_is_einval_and_not_taken(void **state)
{
    (void)state;
    cubby_allocator_t good = cubby_domain_get(CUBBY_DOMAIN_MEM);
    cubby_allocator_t holes[4] = {good, good, good, good};
    holes[0].malloc = NULL;
    holes[1].calloc = NULL;
    holes[2].realloc = NULL;
    holes[3].free = NULL;
    for (int i = 0; i < 4; i++) {
        errno = 0;
        assert_false(cubby_domain_set(CUBBY_DOMAIN_MEM, &holes[i]));
        assert_int_equal(errno, EINVAL);
    }
    errno = 0;
    assert_false(cubby_domain_set(CUBBY_DOMAIN_MEM, NULL));
    assert_int_equal(errno, EINVAL);
    errno = 0;
    assert_false(cubby_domain_set((cubby_domain_t)test_size(3), &good));
    assert_int_equal(errno, EINVAL);
    cubby_allocator_t now = cubby_domain_get(CUBBY_DOMAIN_MEM);
    assert_memory_equal(&now, &good, sizeof good);
    errno = 0;
    now = cubby_domain_get((cubby_domain_t)test_size(3));
    assert_int_equal(errno, EINVAL);
    assert_null(now.malloc);
}

/* ---- Refusals ---- */

static bool refused_for(bool done, cubby_refusal_t reason)
{
    return !done && cubby_refusal_get() == reason;
}

static void a_table_in_use_is_not_replaced_but_by_itself(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_domain_free(domains[i], cubby_domain_malloc(domains[i], 10));
        cubby_allocator_t before = cubby_domain_get(domains[i]);
        counter_t counter = {.wrapped = before};
        cubby_allocator_t table = {&counter, counter_malloc, counter_calloc, counter_realloc, counter_free};
        errno = 0;
        assert_true(refused_for(cubby_domain_set(domains[i], &table), CUBBY_REFUSAL_IN_USE));
        assert_int_equal(errno, EBUSY);
        cubby_allocator_t now = cubby_domain_get(domains[i]);
        assert_memory_equal(&now, &before, sizeof now);
        assert_true(cubby_domain_set(domains[i], &before));
    }
}

/* Two that read the same table: the second would cut the first off. */
static void only_the_table_in_force_is_covered(void **state)
{
    (void)state;
    cubby_allocator_t start = cubby_domain_get(CUBBY_DOMAIN_OBJ);
    counter_t first = {.wrapped = start};
    counter_t second = {.wrapped = start};
    cubby_allocator_t table = {&first, counter_malloc, counter_calloc, counter_realloc, counter_free};
    assert_true(cubby_domain_cover(CUBBY_DOMAIN_OBJ, &table, &start));
    table.ctx = &second;
    assert_true(refused_for(cubby_domain_cover(CUBBY_DOMAIN_OBJ, &table, &start), CUBBY_REFUSAL_CHANGED));
    assert_int_equal(errno, EBUSY);
    assert_true(cubby_domain_set(CUBBY_DOMAIN_OBJ, &start));
    assert_true(refused_for(cubby_domain_cover(CUBBY_DOMAIN_OBJ, &table, NULL), CUBBY_REFUSAL_ARGUMENT));
}

static void a_hook_below_a_cover_waits_for_it_and_one_above_does_not(void **state)
{
    (void)state;
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_OBJ, &hooks[0]));
    cubby_allocator_t hooked = cubby_domain_get(CUBBY_DOMAIN_OBJ);
    counter_t counter = {.wrapped = hooked};
    cubby_allocator_t table = {&counter, counter_malloc, counter_calloc, counter_realloc, counter_free};
    assert_true(cubby_domain_cover(CUBBY_DOMAIN_OBJ, &table, &hooked));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_OBJ, &hooks[1]));
    assert_true(refused_for(cubby_domain_restore(CUBBY_DOMAIN_OBJ, &hooks[0]), CUBBY_REFUSAL_COVERED));
    assert_int_equal(errno, EBUSY);
    assert_true(refused_for(cubby_domain_wrap(CUBBY_DOMAIN_OBJ, &hooks[0]), CUBBY_REFUSAL_PRESENT));
    cubby_domain_free(CUBBY_DOMAIN_OBJ, cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 10));
    assert_int_equal(counter.mallocs, 1);
    assert_int_equal(hook_notes[0].calls[0], 1);
    assert_int_equal(hook_notes[1].calls[0], 1);
    assert_true(cubby_domain_set(CUBBY_DOMAIN_OBJ, &hooked));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_OBJ, &hooks[0]));
    cubby_domain_free(CUBBY_DOMAIN_OBJ, cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 10));
    assert_int_equal(counter.mallocs, 1);
    assert_int_equal(hook_notes[0].calls[0], 1);
    assert_int_equal(hook_notes[1].calls[0], 2);
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_OBJ, &hooks[1]));
}

/* ---- Before the first allocation: each in a process that has made none ---- */

static int replace_and_allocate(void)
{
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t start = cubby_domain_get(domains[i]);
        counter_t counter = {.wrapped = start};
        cubby_allocator_t table = {&counter, counter_malloc, counter_calloc, counter_realloc, counter_free};
        cubby_domain_free(domains[i], NULL);
        STEP(cubby_domain_set(domains[i], &table));
        STEP(cubby_domain_wrap(domains[i], &hooks[0]));
        STEP(cubby_domain_set(domains[i], &start));
        STEP(cubby_domain_set(domains[i], &table));
        cubby_domain_free(domains[i], cubby_domain_calloc(domains[i], 1, 10));
        STEP(counter.callocs == 1 && counter.frees == 1);
        STEP(hook_notes[0].calls[1] == (size_t)i + 1);
        STEP(refused_for(cubby_domain_set(domains[i], &start), CUBBY_REFUSAL_IN_USE));
        STEP(cubby_domain_restore(domains[i], &hooks[0]));
        STEP(refused_for(cubby_domain_set(domains[i], &start), CUBBY_REFUSAL_IN_USE));
    }
    return 0;
}

static void before_the_first_allocation_tables_are_replaced_at_will(void **state)
{
    (void)state;
    assert_int_equal(in_child(replace_and_allocate), 0);
}

static int wrap_from_start(void)
{
    cubby_hook_t hook = hooks[1];
    hook.from_start = true;
    STEP(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hook));
    STEP(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hook));
    STEP(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hook));
    STEP(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_realloc(CUBBY_DOMAIN_MEM, NULL, 10));
    STEP(hook_notes[1].calls[2] == 1);
    STEP(refused_for(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hook), CUBBY_REFUSAL_IN_USE));
    STEP(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_malloc(CUBBY_DOMAIN_MEM, 10));
    STEP(hook_notes[1].calls[0] == 1 && hook_notes[1].calls[3] == 2);
    return 0;
}

static void a_hook_that_must_see_every_block_stays_once_there_was_one(void **state)
{
    (void)state;
    assert_int_equal(in_child(wrap_from_start), 0);
}

/* Threads whose first allocation and first change come at the same time: whichever is first, the other respects it. */
static pthread_barrier_t start_line;
static counter_t racing;

static void *allocate_first(void *unused)
{
    (void)unused;
    (void)pthread_barrier_wait(&start_line);
    return cubby_domain_malloc(CUBBY_DOMAIN_RAW, 10);
}

static int replace_while_allocating(void)
{
    pthread_t thread;
    void *block;
    racing.wrapped = cubby_domain_get(CUBBY_DOMAIN_RAW);
    cubby_allocator_t table = {&racing, counter_malloc, counter_calloc, counter_realloc, counter_free};
    STEP(pthread_barrier_init(&start_line, NULL, 2) == 0);
    STEP(pthread_create(&thread, NULL, allocate_first, NULL) == 0);
    (void)pthread_barrier_wait(&start_line);
    bool set = cubby_domain_set(CUBBY_DOMAIN_RAW, &table);
    STEP(pthread_join(thread, &block) == 0);
    STEP(set == (racing.mallocs == 1));
    cubby_domain_free(CUBBY_DOMAIN_RAW, block);
    return 0;
}

static void a_table_set_while_another_thread_allocates_first_sees_every_block_or_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(in_child(replace_while_allocating), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_first_allocation_tables_are_replaced_at_will),
        cmocka_unit_test(a_hook_that_must_see_every_block_stays_once_there_was_one),
        cmocka_unit_test(a_table_set_while_another_thread_allocates_first_sees_every_block_or_is_refused),
        cmocka_unit_test(raw_is_libcs_at_start_and_the_others_are_cubbys),
        cmocka_unit_test(every_domain_allocates_zeroes_resizes_and_frees),
        cmocka_unit_test(zero_bytes_are_a_unique_block_in_every_domain),
        cmocka_unit_test(a_failure_is_enomem_in_every_domain_and_keeps_the_block),
        cmocka_unit_test(obj_takes_24_bytes_for_17_to_24_and_mem_takes_32),
        cmocka_unit_test(mixing_mem_and_obj_on_one_block_is_survived),
        cmocka_unit_test(a_table_can_be_covered_and_put_back_while_blocks_are_out),
        cmocka_unit_test(a_table_with_a_hole_is_einval_and_not_taken),
        cmocka_unit_test(a_table_in_use_is_not_replaced_but_by_itself),
        cmocka_unit_test(only_the_table_in_force_is_covered),
        cmocka_unit_test(a_hook_below_a_cover_waits_for_it_and_one_above_does_not),
    };
    fake_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
