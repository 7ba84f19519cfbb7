/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "support/child.h"

#include <cubby/domain.h>

#include <errno.h>
#include <sys/resource.h>

static void libc_as_a_table_is_libc_under_the_common_rules(void **state)
{
    (void)state;
    cubby_allocator_t libc = cubby_libc_allocator();
    char *block = libc.malloc(libc.ctx, 10);
    assert_non_null(block);
    assert_false(cubby_owns(block));
    block = libc.realloc(libc.ctx, block, 0);
    assert_non_null(block);
    free(block); /* libc's own may free it */
    block = libc.calloc(libc.ctx, 100, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(block[i], 0);
    }
    errno = 77;
    libc.free(libc.ctx, block);
    assert_int_equal(errno, 77);
}

static size_t asked;

static bool count_and_lift(void *old_limit, const cubby_pressure_t *pressure)
{
    asked++;
    return pressure->cause == CUBBY_PRESSURE_SYSTEM && setrlimit(RLIMIT_AS, old_limit) == 0;
}

/* Asks for more than the process may have, in each way; the host lifts the limit. */
static int request_beyond_limit(void)
{
    static const size_t size = (size_t)1 << 30;
    cubby_allocator_t libc = cubby_libc_allocator();
    struct rlimit before;
    STEP(getrlimit(RLIMIT_AS, &before) == 0);
    cubby_pressure_set(count_and_lift, &before);
    for (size_t way = 0; way < 3; way++) {
        struct rlimit low = {(rlim_t)1 << 29, before.rlim_max};
        STEP(setrlimit(RLIMIT_AS, &low) == 0);
        char *block = way == 0   ? libc.malloc(libc.ctx, size)
                      : way == 1 ? libc.calloc(libc.ctx, size / 8, 8)
                                 : libc.realloc(libc.ctx, libc.malloc(libc.ctx, 10), size);
        STEP(block != NULL && asked == way + 1);
        libc.free(libc.ctx, block);
    }
    STEP(libc.malloc(libc.ctx, test_size(SIZE_MAX / 2 + 1)) == NULL);
    STEP(libc.calloc(libc.ctx, test_size(SIZE_MAX / 2), 3) == NULL);
    STEP(asked == 3);
    return 0;
}

static void before_libc_fails_the_host_is_asked(void **state)
{
    (void)state;
    if (TEST_SANITIZED) {
        skip(); /* a sanitizer reserves more than any limit */
    }
    assert_int_equal(in_child(request_beyond_limit), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libc_as_a_table_is_libc_under_the_common_rules),
        cmocka_unit_test(before_libc_fails_the_host_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
