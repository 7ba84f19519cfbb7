/* SPDX-License-Identifier: MIT */
/* The statistics against answers worked out by hand. */
#include "lab/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-12 * (1 + fabs(expected)));
}

static void the_mean_of_one_to_four_is_two_and_a_half(void **state)
{
    (void)state;
    double values[] = {1, 2, 3, 4};
    assert_near(stats_mean(values, 4), 2.5);
}

static void the_median_is_the_middle_or_between_the_two_middle_values(void **state)
{
    (void)state;
    double odd[] = {9, 1, 5}, even[] = {10, 1, 2, 4}, one[] = {7};
    assert_near(stats_median(odd, 3), 5);
    assert_near(stats_median(even, 4), 3);
    assert_near(stats_median(one, 1), 7);
}

static void quantiles_lie_between_neighbours(void **state)
{
    (void)state;
    const double sorted[] = {0, 10, 20, 30, 40};
    assert_near(stats_quantile(sorted, 5, 0), 0);
    assert_near(stats_quantile(sorted, 5, 0.25), 10);
    assert_near(stats_quantile(sorted, 5, 0.1), 4);
    assert_near(stats_quantile(sorted, 5, 1), 40);
    assert_near(stats_quantile(sorted, 1, 0.5), 0);
}

static void twice_and_half_cancel_in_a_ratio(void **state)
{
    (void)state;
    stats_rng_t rng;
    stats_rng_seed(&rng, 1);
    const double logarithms[] = {log(2), log(0.5)};
    stats_estimate_t estimate = stats_ratio(logarithms, 2, &rng);
    assert_near(estimate.value, 1);
    assert_true(estimate.known);
    assert_near(estimate.interval.low, 0.5);
    assert_near(estimate.interval.high, 2);
}

static void the_ratio_between_two_sets_divides_their_geometric_means(void **state)
{
    (void)state;
    stats_rng_t rng;
    stats_rng_seed(&rng, 1);
    const double upper[] = {log(4), log(9)}, under[] = {log(2), log(2), log(2)}, one[] = {log(3)};
    stats_estimate_t estimate = stats_ratio_between(upper, 2, under, 3, &rng);
    assert_near(estimate.value, 3);
    assert_true(estimate.known);
    assert_near(estimate.interval.low, 2);
    assert_near(estimate.interval.high, 4.5);
    estimate = stats_ratio_between(upper, 2, one, 1, &rng);
    assert_near(estimate.value, 2);
    assert_false(estimate.known);
}

static void equal_ratios_have_an_interval_of_no_width(void **state)
{
    (void)state;
    stats_rng_t rng;
    stats_rng_seed(&rng, 2);
    const double logarithms[] = {log(3), log(3), log(3), log(3)};
    stats_estimate_t estimate = stats_ratio(logarithms, 4, &rng);
    assert_near(estimate.value, 3);
    assert_near(estimate.interval.low, 3);
    assert_near(estimate.interval.high, 3);
}

static void one_value_has_no_interval(void **state)
{
    (void)state;
    stats_rng_t rng;
    stats_rng_seed(&rng, 3);
    const double logarithm = log(1.5);
    stats_estimate_t estimate = stats_ratio(&logarithm, 1, &rng);
    assert_near(estimate.value, 1.5);
    assert_false(estimate.known);
}

/* 400 values with mean 0 and standard deviation 1: the interval must be near 1.96 / sqrt(400) on either side. */
static void the_interval_of_many_values_is_that_of_the_normal_law(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    double values[COUNT];
    stats_rng_t rng;
    stats_rng_seed(&rng, 4);
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = i % 2 == 0 ? 1 : -1;
    }
    stats_estimate_t estimate = stats_bootstrap(values, COUNT, stats_mean, &rng);
    assert_near(estimate.value, 0);
    assert_true(fabs(estimate.interval.low + 0.098) < 0.01);
    assert_true(fabs(estimate.interval.high - 0.098) < 0.01);
}

static void the_bootstrap_keeps_the_order_of_its_values(void **state)
{
    (void)state;
    stats_rng_t rng;
    stats_rng_seed(&rng, 5);
    const double values[] = {3, 1, 2};
    stats_estimate_t estimate = stats_bootstrap(values, 3, stats_median, &rng);
    assert_near(estimate.value, 2);
    assert_near(values[0], 3);
    assert_near(values[2], 2);
    assert_true(estimate.interval.low >= 1 && estimate.interval.high <= 3);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
    (void)state;
    const double logarithms[] = {0.1, 0.4, -0.2, 0.3, 0.25};
    stats_rng_t first, second;
    stats_rng_seed(&first, 6);
    stats_rng_seed(&second, 6);
    stats_estimate_t one = stats_ratio(logarithms, 5, &first);
    stats_estimate_t two = stats_ratio(logarithms, 5, &second);
    assert_true(one.interval.low == two.interval.low && one.interval.high == two.interval.high);
}

static void every_seed_gives_numbers_that_differ(void **state)
{
    (void)state;
    /* The last is the one seed that the mixing maps to zero, where xorshift would stay for ever. */
    const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_MAX - UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        stats_rng_t rng;
        stats_rng_seed(&rng, seeds[i]);
        uint64_t one = stats_rng_next(&rng), two = stats_rng_next(&rng);
        assert_true(one != two && one != 0 && two != 0);
    }
}

static void numbers_below_a_bound_are_below_it_and_even(void **state)
{
    (void)state;
    enum { BOUND = 6, DRAWS = 60000 };
    size_t seen[BOUND] = {0};
    stats_rng_t rng;
    stats_rng_seed(&rng, 7);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t number = stats_rng_below(&rng, BOUND);
        assert_true(number < BOUND);
        seen[number]++;
    }
    for (size_t i = 0; i < BOUND; i++) {
        assert_true(seen[i] > 9500 && seen[i] < 10500);
    }
    assert_int_equal(stats_rng_below(&rng, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_of_one_to_four_is_two_and_a_half),
        cmocka_unit_test(the_median_is_the_middle_or_between_the_two_middle_values),
        cmocka_unit_test(quantiles_lie_between_neighbours),
        cmocka_unit_test(twice_and_half_cancel_in_a_ratio),
        cmocka_unit_test(the_ratio_between_two_sets_divides_their_geometric_means),
        cmocka_unit_test(equal_ratios_have_an_interval_of_no_width),
        cmocka_unit_test(one_value_has_no_interval),
        cmocka_unit_test(the_interval_of_many_values_is_that_of_the_normal_law),
        cmocka_unit_test(the_bootstrap_keeps_the_order_of_its_values),
        cmocka_unit_test(the_same_seed_gives_the_same_interval),
        cmocka_unit_test(every_seed_gives_numbers_that_differ),
        cmocka_unit_test(numbers_below_a_bound_are_below_it_and_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
