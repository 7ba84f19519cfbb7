/* SPDX-License-Identifier: MIT */
/* When a row has enough pairs. */
#include "lab/stopping.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void fewer_pairs_than_the_least_are_never_enough(void **state)
{
    (void)state;
    const double equal[STOPPING_PAIRS_LEAST] = {0};
    assert_false(stopping_is_due(equal, 0, 1));
    assert_false(stopping_is_due(equal, STOPPING_PAIRS_LEAST - 1, 1));
    assert_true(stopping_is_due(equal, STOPPING_PAIRS_LEAST, 1e-9));
}

/* 16 values of 0.01 on either side of zero: deviation 0.0103, half a width of 2.131 * 0.0103 / 4 = 0.0055. */
static void a_row_ends_when_its_interval_is_narrower_than_the_width_and_not_before(void **state)
{
    (void)state;
    double values[16];
    for (size_t i = 0; i < 16; i++) {
        values[i] = log(2) + (i % 2 == 0 ? 0.01 : -0.01);
    }
    assert_true(stopping_is_due(values, 16, 0.0112));
    assert_false(stopping_is_due(values, 16, 0.0108));
}

static void without_a_width_nothing_ends(void **state)
{
    (void)state;
    const double equal[STOPPING_PAIRS_LEAST] = {0};
    assert_false(stopping_is_due(equal, STOPPING_PAIRS_LEAST, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_pairs_than_the_least_are_never_enough),
        cmocka_unit_test(a_row_ends_when_its_interval_is_narrower_than_the_width_and_not_before),
        cmocka_unit_test(without_a_width_nothing_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
