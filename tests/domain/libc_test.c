/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <cubby/domain.h>

#include <errno.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libc_as_a_table_is_libc_under_the_common_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
