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

static void the_widest_quarter_is_chosen_rounded_up_and_the_first_of_equals(void **state)
{
    (void)state;
    const double widths[] = {0.01, 0.05, INFINITY, 0.02, 0.05};
    bool widest[5] = {true, true, true, true, true};
    stopping_widest(widths, 5, widest);
    assert_false(widest[0] || widest[3] || widest[4]);
    assert_true(widest[1] && widest[2]);
    stopping_widest(widths, 4, widest);
    assert_false(widest[0] || widest[1] || widest[3]);
    assert_true(widest[2]);
    stopping_widest(widths, 1, widest);
    assert_true(widest[0]);
}

static void one_value_has_no_interval(void **state)
{
    (void)state;
    const double values[] = {0, 0};
    assert_true(isinf(stopping_width(values, 0)) && isinf(stopping_width(values, 1)));
    assert_true(stopping_width(values, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_pairs_than_the_least_are_never_enough),
        cmocka_unit_test(a_row_ends_when_its_interval_is_narrower_than_the_width_and_not_before),
        cmocka_unit_test(without_a_width_nothing_ends),
        cmocka_unit_test(the_widest_quarter_is_chosen_rounded_up_and_the_first_of_equals),
        cmocka_unit_test(one_value_has_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
