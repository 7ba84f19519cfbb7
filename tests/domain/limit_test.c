/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "support/child.h"
#include "support/fake_os.h"
#include "support/hook.h"

#include "domain/limit.h"

#include <cubby/check.h>

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>

static const cubby_domain_t domains[CUBBY_DOMAIN_COUNT] = {CUBBY_DOMAIN_RAW, CUBBY_DOMAIN_MEM, CUBBY_DOMAIN_OBJ};

static size_t used(cubby_domain_t domain)
{
    return cubby_domain_limit_get(domain).used;
}

static size_t usable(cubby_domain_t domain, void *block)
{
    return domain == CUBBY_DOMAIN_RAW ? malloc_usable_size(block) : cubby_usable_size(block);
}

static bool refused_for(bool done, cubby_refusal_t reason)
{
    return !done && cubby_refusal_get() == reason;
}

/* Every test ends with nothing in use and no limit. */
static int limit_end(void **state)
{
    (void)state;
    cubby_pressure_set(NULL, NULL);
    bool good = fake.messages == 0;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        good = good && used(domains[i]) == 0 && hooks_installed(domains[i]) == 1;
        good = cubby_domain_limit_set(domains[i], SIZE_MAX) && good;
    }
    return good ? 0 : -1;
}

/* ---- Before the first allocation, each in a process of its own ---- */

static int limit_too_late(void)
{
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_malloc(CUBBY_DOMAIN_MEM, 10));
    STEP(refused_for(cubby_domain_limit_set(CUBBY_DOMAIN_MEM, 1000), CUBBY_REFUSAL_IN_USE) && errno == EBUSY);
    STEP(cubby_domain_limit_get(CUBBY_DOMAIN_MEM).bytes == SIZE_MAX);
    STEP(hooks_installed(CUBBY_DOMAIN_MEM) == 0);
    STEP(cubby_domain_limit_set(CUBBY_DOMAIN_OBJ, 1000));
    STEP(cubby_domain_limit_get(CUBBY_DOMAIN_OBJ).bytes == 1000);
    STEP(refused_for(cubby_domain_limit_set((cubby_domain_t)test_size(3), 1), CUBBY_REFUSAL_ARGUMENT));
    return 0;
}

static void the_first_limit_comes_before_the_first_allocation(void **state)
{
    (void)state;
    assert_int_equal(in_child(limit_too_late), 0);
}

static int limit_under_checks(void)
{
    cubby_check_options_t options = {.hold_bytes = 65536};
    STEP(cubby_check_start(&options));
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        for (size_t most = 0; most < 2; most++) {
            STEP(cubby_domain_limit_set(domains[i], most));
            STEP(cubby_domain_malloc(domains[i], 0) == NULL && errno == ENOMEM);
            STEP(cubby_domain_calloc(domains[i], 1, 1) == NULL && errno == ENOMEM);
        }
        STEP(cubby_domain_limit_set(domains[i], 1000));
        char *block = cubby_domain_malloc(domains[i], 600);
        STEP(block != NULL && used(domains[i]) == 600);
        STEP(cubby_domain_malloc(domains[i], 600) == NULL && errno == ENOMEM);
        block = cubby_domain_realloc(domains[i], block, 900);
        STEP(block != NULL && used(domains[i]) == 900);
        cubby_domain_free(domains[i], block);
        STEP(used(domains[i]) == 0);
    }
    return 0;
}

static void limits_hold_while_debug_checks_are_on(void **state)
{
    (void)state;
    assert_int_equal(in_child(limit_under_checks), 0);
}

static void *own_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static int limit_unknown_sizes(void)
{
    cubby_allocator_t start = cubby_domain_get(CUBBY_DOMAIN_MEM);
    cubby_allocator_t own = cubby_libc_allocator();
    own.malloc = own_malloc;
    STEP(cubby_domain_set(CUBBY_DOMAIN_MEM, &own));
    STEP(refused_for(cubby_domain_limit_set(CUBBY_DOMAIN_MEM, 1000), CUBBY_REFUSAL_SIZES) && errno == EINVAL);
    STEP(cubby_domain_set(CUBBY_DOMAIN_MEM, &start));
    STEP(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    STEP(cubby_domain_limit_set(CUBBY_DOMAIN_MEM, 1000));
    STEP(refused_for(cubby_domain_set(CUBBY_DOMAIN_MEM, &own), CUBBY_REFUSAL_SIZES));
    own = cubby_libc_allocator();
    STEP(cubby_domain_set(CUBBY_DOMAIN_MEM, &own));
    void *block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 100);
    STEP(used(CUBBY_DOMAIN_MEM) == malloc_usable_size(block) && hook_notes[0].calls[0] == 1);
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
    STEP(used(CUBBY_DOMAIN_MEM) == 0);
    return 0;
}

static void only_tables_that_tell_sizes_are_limited(void **state)
{
    (void)state;
    assert_int_equal(in_child(limit_unknown_sizes), 0);
}

/* ---- In use ---- */

static void what_blocks_can_hold_is_counted_until_they_are_freed(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_domain_t domain = domains[i];
        assert_true(cubby_domain_limit_set(domain, SIZE_MAX));
        for (size_t size = 0; size < 300000; size = size * 3 + 1) {
            void *a = cubby_domain_malloc(domain, size);
            void *b = cubby_domain_calloc(domain, size, 2);
            assert_int_equal(used(domain), usable(domain, a) + usable(domain, b));
            a = cubby_domain_realloc(domain, a, size * 5);
            assert_int_equal(used(domain), usable(domain, a) + usable(domain, b));
            b = cubby_domain_realloc(domain, b, size / 2);
            assert_int_equal(used(domain), usable(domain, a) + usable(domain, b));
            void *c = cubby_domain_realloc(domain, NULL, size);
            cubby_domain_free(domain, a);
            cubby_domain_free(domain, b);
            assert_int_equal(used(domain), usable(domain, c));
            cubby_domain_free(domain, c);
            cubby_domain_free(domain, NULL);
            assert_int_equal(used(domain), 0);
        }
        assert_null(cubby_domain_malloc(domain, test_size(SIZE_MAX)));
        assert_null(cubby_domain_calloc(domain, test_size(SIZE_MAX / 2), 3));
        assert_int_equal(used(domain), 0);
    }
}

static void beyond_the_limit_a_request_is_enomem_and_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_domain_t domain = domains[i];
        char *block = cubby_domain_malloc(domain, 5000);
        memset(block, 1, 5000);
        assert_true(cubby_domain_limit_set(domain, 10000));
        size_t before = used(domain);
        for (int way = 0; way < 4; way++) {
            errno = 0;
            assert_null(way == 0   ? cubby_domain_malloc(domain, 6000)
                        : way == 1 ? cubby_domain_calloc(domain, 6, 1000)
                        : way == 2 ? cubby_domain_realloc(domain, NULL, 6000)
                                   : cubby_domain_realloc(domain, block, 11000));
            assert_int_equal(errno, ENOMEM);
            assert_int_equal(used(domain), before);
        }
        assert_int_equal(block[4999], 1);
        block = cubby_domain_realloc(domain, block, 9000);
        assert_non_null(block);
        assert_true(cubby_domain_limit_set(domain, 100));
        assert_null(cubby_domain_malloc(domain, 1));
        block = cubby_domain_realloc(domain, block, 50);
        assert_non_null(block);
        assert_int_equal(block[49], 1);
        cubby_domain_free(domain, block);
    }
}

/* The last block may pass it by what its size class adds. */
static void many_small_blocks_stop_at_the_limit(void **state)
{
    (void)state;
    static void *blocks[10000];
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        assert_true(cubby_domain_limit_set(domains[i], 100000));
        size_t count = 0;
        while ((blocks[count] = cubby_domain_malloc(domains[i], 24)) != NULL) {
            count++;
        }
        assert_in_range(used(domains[i]), 100000 - 32, 100000 + 16);
        while (count > 0) {
            cubby_domain_free(domains[i], blocks[--count]);
        }
    }
}

static void *kept;
static size_t asked;

static bool free_kept(void *ctx, const cubby_pressure_t *pressure)
{
    asked++;
    assert_int_equal(pressure->cause, CUBBY_PRESSURE_DOMAIN);
    assert_int_equal(pressure->domain, *(const cubby_domain_t *)ctx);
    assert_null(pressure->heap);
    assert_null(cubby_domain_malloc(*(const cubby_domain_t *)ctx, 9000));
    cubby_domain_free(*(const cubby_domain_t *)ctx, kept);
    kept = NULL;
    return true;
}

static void the_host_is_asked_once_and_the_request_tried_again(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_domain_t domain = domains[i];
        assert_true(cubby_domain_limit_set(domain, 10000));
        char *block = cubby_domain_malloc(domain, 2000);
        cubby_pressure_set(free_kept, &domain);
        for (int way = 0; way < 3; way++) {
            kept = cubby_domain_malloc(domain, 6000);
            asked = 0;
            void *more = way == 0   ? cubby_domain_malloc(domain, 5000)
                         : way == 1 ? cubby_domain_calloc(domain, 5, 1000)
                                    : NULL;
            block = way == 2 ? cubby_domain_realloc(domain, block, 8000) : block;
            assert_true(block != NULL && (way == 2 || more != NULL));
            assert_int_equal(asked, 1);
            assert_null(kept);
            cubby_domain_free(domain, more);
        }
        assert_null(cubby_domain_realloc(domain, block, 20000));
        assert_int_equal(asked, 2);
        cubby_pressure_set(NULL, NULL);
        cubby_domain_free(domain, block);
    }
}

static void hooks_come_and_go_above_a_limit_and_the_limit_stays(void **state)
{
    (void)state;
    void *block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 100);
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[1]));
    assert_true(
        refused_for(cubby_domain_restore(CUBBY_DOMAIN_MEM, &limit_hooks[CUBBY_DOMAIN_MEM]), CUBBY_REFUSAL_IN_USE));
    block = cubby_domain_realloc(CUBBY_DOMAIN_MEM, block, 1000);
    assert_int_equal(used(CUBBY_DOMAIN_MEM), cubby_usable_size(block));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[1]));
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
}

/* A runtime that frees through one domain what it took from another: neither count wraps round. */
static void mixed_domains_are_counted_out_where_the_block_went(void **state)
{
    (void)state;
    void *block = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 1000);
    size_t bytes = used(CUBBY_DOMAIN_OBJ);
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
    assert_int_equal(used(CUBBY_DOMAIN_OBJ), bytes);
    assert_int_equal(used(CUBBY_DOMAIN_MEM), 0);
    assert_true(cubby_domain_limit_set(CUBBY_DOMAIN_MEM, 2000));
    assert_null(cubby_domain_malloc(CUBBY_DOMAIN_MEM, 2100));
    block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 1000);
    cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    assert_int_equal(used(CUBBY_DOMAIN_OBJ), 0);
    assert_int_equal(used(CUBBY_DOMAIN_MEM), 0);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 5000, HELD = 8, LIMIT = 20000, SIZE_MOST = 1500 };
static size_t passed; /* times that the count was above the limit by more than rounding */

static void *allocate_at_the_limit(void *seed)
{
    test_random_t random = {(uintptr_t)seed};
    void *held[HELD] = {NULL};
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t place = random_below(&random, HELD);
        size_t size = 1 + random_below(&random, SIZE_MOST);
        if (random_below(&random, 2) == 0) {
            cubby_domain_free(CUBBY_DOMAIN_MEM, held[place]);
            held[place] = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
        } else {
            void *moved = cubby_domain_realloc(CUBBY_DOMAIN_MEM, held[place], size);
            held[place] = moved != NULL ? moved : held[place];
        }
        if (used(CUBBY_DOMAIN_MEM) > LIMIT + THREADS * HELD * SIZE_MOST / 8) {
            (void)__atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        }
    }
    for (size_t i = 0; i < HELD; i++) {
        cubby_domain_free(CUBBY_DOMAIN_MEM, held[i]);
    }
    return NULL;
}

static int run_threads(void)
{
    pthread_t threads[THREADS];
    STEP(cubby_domain_limit_set(CUBBY_DOMAIN_MEM, LIMIT));
    for (size_t i = 0; i < THREADS; i++) {
        STEP(pthread_create(&threads[i], NULL, allocate_at_the_limit, (void *)(i + 1)) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        STEP(pthread_join(threads[i], NULL) == 0);
    }
    STEP(passed == 0);
    STEP(used(CUBBY_DOMAIN_MEM) == 0);
    return 0;
}

static void threads_together_stay_within_the_limit_and_lose_no_count(void **state)
{
    (void)state;
    os = os_linux; /* the fake is not for threads */
    assert_int_equal(in_child(run_threads), 0);
    fake_install();
}

static int limits_start(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        assert_true(cubby_domain_limit_set(domains[i], SIZE_MAX));
    }
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, limits_start, limit_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_together_stay_within_the_limit_and_lose_no_count),
        cmocka_unit_test(the_first_limit_comes_before_the_first_allocation),
        cmocka_unit_test(limits_hold_while_debug_checks_are_on),
        cmocka_unit_test(only_tables_that_tell_sizes_are_limited),
        TEST(what_blocks_can_hold_is_counted_until_they_are_freed),
        TEST(beyond_the_limit_a_request_is_enomem_and_changes_nothing),
        TEST(many_small_blocks_stop_at_the_limit),
        TEST(the_host_is_asked_once_and_the_request_tried_again),
        TEST(hooks_come_and_go_above_a_limit_and_the_limit_stays),
        TEST(mixed_domains_are_counted_out_where_the_block_went),
    };
    fake_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
