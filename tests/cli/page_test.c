/* SPDX-License-Identifier: MIT */
/* What the page of results is made of: text that stays text, and an axis that keeps its promises. */
#include "lab/page/axis.h"
#include "lab/page/markup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void text_becomes_no_markup(void **state)
{
    (void)state;
    char *written = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&written, &size);
    assert_non_null(page);
    markup_text(page, "<a b=\"c\" d='e'>&amp;");
    markup_element(page, "p", "1 < 2");
    fclose(page);
    assert_string_equal(written, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;<p>1 &lt; 2</p>\n");
    free(written);
}

/* An axis with room for the values. */
static axis_t axis_of(double low, double high)
{
    axis_t axis = {0};
    axis_take(&axis, low);
    axis_take(&axis, high);
    axis_round(&axis);
    return axis;
}

static void both_ends_are_marks_and_hold_all_values_and_zero(void **state)
{
    (void)state;
    static const double ranges[][2] = {{-0.1, 0.2}, {-8, 81}, {-60, 1}, {3, 4}, {-30, -20}, {-99, 9000}, {0, 0}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        axis_t axis = axis_of(ranges[i][0], ranges[i][1]);
        assert_true(axis.low <= fmin(ranges[i][0], 0) && axis.high >= fmax(ranges[i][1], 0) && axis.low < axis.high);
        double below = axis.low / axis.step, above = axis.high / axis.step;
        assert_true(fabs(below - round(below)) < 1e-9 && fabs(above - round(above)) < 1e-9);
        assert_true(above - below <= 9); /* as many as have room */
    }
}

static void values_stay_within_the_chart_whatever_they_are(void **state)
{
    (void)state;
    axis_t axis = axis_of(-10, 1e300);
    axis_take(&axis, NAN);
    axis_take(&axis, INFINITY);
    axis_round(&axis);
    assert_true(axis.high <= 20000);
    assert_true(axis_place(&axis, 1e300) == AXIS_RIGHT && axis_place(&axis, -1e300) == AXIS_LEFT);
    assert_true(axis_place(&axis, -10) < axis_place(&axis, 0) && axis_place(&axis, 0) < axis_place(&axis, 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_no_markup),
        cmocka_unit_test(both_ends_are_marks_and_hold_all_values_and_zero),
        cmocka_unit_test(values_stay_within_the_chart_whatever_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
