/* SPDX-License-Identifier: MIT */
#include "support/check.h"

#include <pthread.h>

static bool held;
static size_t asked;

static bool is_held(void *ctx)
{
    asked++;
    assert_ptr_equal(ctx, &held);
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_malloc(CUBBY_DOMAIN_MEM, 1)); /* is not asked about */
    return held;
}

static void a_domain_is_asked_about_at_every_call_and_reported_once(void **state)
{
    (void)state;
    cubby_check_domain_lock(CUBBY_DOMAIN_MEM, is_held, &held);
    held = true;
    asked = 0;
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 10);
    block = cubby_domain_realloc(CUBBY_DOMAIN_MEM, block, 20);
    assert_int_equal(asked, 2);
    assert_true(nothing_was_reported());
    held = false;
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
    assert_true(was_reported("the lock that goes with domain mem, heap ", "in free"));
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_calloc(CUBBY_DOMAIN_MEM, 1, 10));
    assert_true(nothing_was_reported());
    asked = 0;
    cubby_domain_free(CUBBY_DOMAIN_OBJ, cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 10));
    cubby_check_domain_lock(CUBBY_DOMAIN_MEM, NULL, NULL);
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_malloc(CUBBY_DOMAIN_MEM, 10));
    assert_int_equal(asked, 0);
}

static void a_call_without_the_lock_is_served_all_the_same(void **state)
{
    (void)state;
    held = false;
    cubby_check_domain_lock(CUBBY_DOMAIN_OBJ, is_held, &held);
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 10);
    assert_non_null(block);
    assert_true(was_reported("the lock that goes with domain obj", "in malloc"));
    cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    assert_false(cubby_owns(block) && !record_find(block)->held);
}

static void a_heap_has_a_lock_of_its_own(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    cubby_heap_t *other = cubby_heap_create();
    cubby_check_heap_lock(heap, is_held, &held);
    held = false;
    cubby_heap_free(other, cubby_heap_malloc(other, 10));
    assert_true(nothing_was_reported());
    char *block = cubby_heap_malloc(heap, 10);
    assert_true(was_reported("the lock that goes with domain none", ""));
    cubby_heap_free(heap, block);
    cubby_heap_destroy(heap);
    cubby_heap_destroy(other);
}

static cubby_heap_t *shared;
static char *given;

static void *use_from_elsewhere(void *ctx)
{
    (void)ctx;
    cubby_free(given); /* which any thread may */
    given = cubby_heap_malloc(shared, 10);
    return NULL;
}

static void a_threads_heap_is_for_that_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        shared = cubby_heap_create_for(i == 0 ? CUBBY_OWNER_THREAD : CUBBY_OWNER_ANY);
        given = cubby_heap_malloc(shared, 10);
        assert_int_equal(pthread_create(&thread, NULL, use_from_elsewhere, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(i == 0 ? was_reported("heap ", " belongs to another thread") : nothing_was_reported());
        cubby_heap_free(shared, given);
        cubby_heap_destroy(shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_domain_is_asked_about_at_every_call_and_reported_once),
        CHECK_TEST(a_call_without_the_lock_is_served_all_the_same),
        CHECK_TEST(a_heap_has_a_lock_of_its_own),
        CHECK_TEST(a_threads_heap_is_for_that_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
