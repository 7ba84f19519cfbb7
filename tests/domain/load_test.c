/* SPDX-License-Identifier: MIT */
/* Hooks that several threads install and remove while others allocate. */
#include "support/test.h"

#include "support/hook.h"

#include "os/os.h"

#include <pthread.h>
#include <string.h>

enum { ROUNDS = 10000, ALLOCATING_THREADS = 2, BLOCKS = 64 };

static bool done;

static size_t reservations;

static void *reserve_counted(size_t size)
{
    (void)__atomic_fetch_add(&reservations, 1, __ATOMIC_RELAXED);
    return os_linux.reserve(size);
}

/* One kind of hook each, in all domains; some of the time two threads' hooks are there at once, in either order. */
static void *change_hooks(void *kind)
{
    const cubby_hook_t *hook = kind;
    size_t failures = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        cubby_domain_t domain = (cubby_domain_t)(i % CUBBY_DOMAIN_COUNT);
        failures += !cubby_domain_wrap(domain, hook);
        failures += cubby_domain_wrap(domain, hook);
        cubby_allocator_t table = cubby_domain_get(domain);
        table.free(table.ctx, table.malloc(table.ctx, 20));
        failures += !cubby_domain_restore(domain, hook);
    }
    return (void *)failures;
}

static size_t allocate_round(test_random_t *random, char **blocks, size_t *sizes)
{
    size_t damaged = 0;
    size_t i = random_below(random, BLOCKS);
    cubby_domain_t domain = (cubby_domain_t)(i % CUBBY_DOMAIN_COUNT);
    if (blocks[i] != NULL) {
        damaged += blocks[i][0] != (char)i || blocks[i][sizes[i] - 1] != (char)i;
    }
    if (random_below(random, 3) == 0) {
        cubby_domain_free(domain, blocks[i]);
        blocks[i] = NULL;
        return damaged;
    }
    sizes[i] = 1 + random_below(random, 600);
    blocks[i] = cubby_domain_realloc(domain, blocks[i], sizes[i]);
    memset(blocks[i], (char)i, sizes[i]);
    return damaged;
}

static void *allocate(void *seed)
{
    test_random_t random = {(uintptr_t)seed};
    char *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    size_t damaged = 0;
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        damaged += allocate_round(&random, blocks, sizes);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        cubby_domain_free((cubby_domain_t)(i % CUBBY_DOMAIN_COUNT), blocks[i]);
    }
    return (void *)damaged;
}

static void hooks_come_and_go_under_load_and_every_call_sees_whole_tables(void **state)
{
    (void)state;
    cubby_allocator_t before[CUBBY_DOMAIN_COUNT];
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        before[i] = cubby_domain_get((cubby_domain_t)i);
    }
    pthread_t allocating[ALLOCATING_THREADS];
    pthread_t changing[HOOK_KINDS];
    for (size_t i = 0; i < ALLOCATING_THREADS; i++) {
        assert_int_equal(pthread_create(&allocating[i], NULL, allocate, (void *)(i + 1)), 0);
    }
    for (size_t i = 0; i < HOOK_KINDS; i++) {
        assert_int_equal(pthread_create(&changing[i], NULL, change_hooks, (void *)(uintptr_t)&hooks[i]), 0);
    }
    void *failures;
    for (size_t i = 0; i < HOOK_KINDS; i++) {
        assert_int_equal(pthread_join(changing[i], &failures), 0);
        assert_null(failures);
    }
    __atomic_store_n(&done, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < ALLOCATING_THREADS; i++) {
        assert_int_equal(pthread_join(allocating[i], &failures), 0);
        assert_null(failures);
    }
    for (int i = 0; i < HOOK_KINDS; i++) {
        assert_true(hook_calls(&hook_notes[i]) >= 2 * (size_t)ROUNDS);
        assert_int_equal(hook_notes[i].strays, 0);
    }
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t now = cubby_domain_get((cubby_domain_t)i);
        assert_int_equal(hooks_installed((cubby_domain_t)i), 0);
        assert_memory_equal(&now, &before[i], sizeof now);
    }
    /* All orders of four hooks are 64 layers a domain, twenty to a page; beside them there is the region. */
    assert_true(reservations <= (size_t)CUBBY_DOMAIN_COUNT * 64 / 16 + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_come_and_go_under_load_and_every_call_sees_whole_tables),
    };
    os.reserve = reserve_counted;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
