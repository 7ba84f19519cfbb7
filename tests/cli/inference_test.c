/* SPDX-License-Identifier: MIT */
/* What pairs allow to be said, against answers worked out by hand and against printed tables. */
#include "lab/inference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_within(double value, double expected, double distance)
{
    if (!(fabs(value - expected) <= distance)) {
        fail_msg("%.12g is not within %g of %.12g", value, distance, expected);
    }
}

/* Of the 32 ways to sign five ranks, one has them all positive and one all negative. */
static void five_values_of_one_sign_have_two_chances_in_thirty_two(void **state)
{
    (void)state;
    const double positive[] = {0.1, 0.2, 0.3, 0.4, 0.5}, negative[] = {-5, -1, -4, -2, -3};
    assert_within(inference_signed_rank(positive, 5), 2.0 / 32, 1e-15);
    assert_within(inference_signed_rank(negative, 5), 2.0 / 32, 1e-15);
}

/* Eight values, ranks 1 and 2 negative: sums up to 3 come from {}, {1}, {2}, {3} and {1, 2}; 5 of 256 on each side. */
static void the_smaller_sum_of_ranks_decides(void **state)
{
    (void)state;
    const double values[] = {-1, -2, 3, 4, 5, 6, 7, 8};
    assert_within(inference_signed_rank(values, 8), 10.0 / 256, 1e-15);
}

/* The printed tables: 5 % two-sided is reached at a sum of 8 for ten values (0.0488), and not at 9 (0.0645). */
static void ten_values_agree_with_the_printed_table(void **state)
{
    (void)state;
    const double eight[] = {-8, 1, 2, 3, 4, 5, 6, 7, 9, 10}, nine[] = {1, 2, 3, 4, 5, 6, 7, 8, -9, 10};
    assert_within(inference_signed_rank(eight, 10), 0.0488, 0.00005);
    assert_within(inference_signed_rank(nine, 10), 0.0645, 0.00005);
}

/* Four of size 1 share rank 2.5; the fifth has rank 5. With the fifth alone negative the sums are 5 and 10: of 32 ways,
   those that sum to 5 or less are none, four of one, six of two, and the fifth alone: 12, and twice that is 24. */
static void equal_sizes_share_their_rank_exactly(void **state)
{
    (void)state;
    const double values[] = {1, 1, 1, 1, -7};
    assert_within(inference_signed_rank(values, 5), 24.0 / 32, 1e-15);
}

static void zeros_say_nothing(void **state)
{
    (void)state;
    const double values[] = {0, 3, 0, 1, 2, 0}, zeros[] = {0, 0, -0.0};
    assert_within(inference_signed_rank(values, 6), 2.0 / 8, 1e-15);
    assert_within(inference_signed_rank(zeros, 3), 1, 0);
    assert_within(inference_signed_rank(zeros, 0), 1, 0);
}

/* Ranks 1 to 60, all positive: sum 1830, mean 915, variance 60 * 61 * 121 / 24, so z = 914.5 / 135.840. */
static void many_values_follow_the_normal_law(void **state)
{
    (void)state;
    double values[60];
    for (size_t i = 0; i < 60; i++) {
        values[i] = (double)(i + 1);
    }
    double z = 914.5 / sqrt(60.0 * 61 * 121 / 24);
    assert_within(inference_signed_rank(values, 60) / erfc(z / sqrt(2)), 1, 1e-9);
}

/* 60 equal sizes share rank 30.5; 40 of them positive sum to 1220. Variance 60 * 30.5^2 / 4, z = 304.5 / 118.126. */
static void shared_ranks_narrow_the_normal_law(void **state)
{
    (void)state;
    double values[60];
    for (size_t i = 0; i < 60; i++) {
        values[i] = i < 40 ? 1 : -1;
    }
    assert_within(inference_signed_rank(values, 60), 0.00995, 0.00005);
    for (size_t i = 0; i < 60; i++) {
        values[i] = i % 2 == 0 ? 1 : -1;
    }
    assert_within(inference_signed_rank(values, 60), 1, 0);
}

/* On either side of the change from counting to the normal law the same lopsidedness has nearly the same answer. */
static void counting_and_the_normal_law_meet(void **state)
{
    (void)state;
    double values[INFERENCE_EXACT_MAX + 1];
    for (size_t i = 0; i <= INFERENCE_EXACT_MAX; i++) {
        values[i] = (i % 3 == 0 ? -1 : 1) * (double)(i + 1);
    }
    double exact = inference_signed_rank(values, INFERENCE_EXACT_MAX);
    double normal = inference_signed_rank(values, INFERENCE_EXACT_MAX + 1);
    assert_true(exact > 0.01 && exact < 0.2);
    assert_within(normal / exact, 1, 0.35);
}

/* The fifteen tests of the example of 1995: at 5 % the first four are believed, the fifth is not. */
static void four_of_the_fifteen_tests_of_1995_are_believed(void **state)
{
    (void)state;
    const double probabilities[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
    double adjusted[15];
    size_t believed = 0;
    assert_true(inference_adjust(probabilities, 15, adjusted));
    for (size_t i = 0; i < 15; i++) {
        believed += adjusted[i] <= INFERENCE_FALSE_DISCOVERIES;
    }
    assert_int_equal(believed, 4);
    assert_within(adjusted[0], 0.0015, 1e-15);
    assert_within(adjusted[3], 0.0095 * 15 / 4, 1e-15);
    assert_within(adjusted[14], 1, 0);
}

/* 0.03 * 3 / 2 = 0.045 is more than 0.04 * 3 / 3: a later test carries an earlier one. */
static void adjusted_values_rise_with_the_probabilities_and_keep_their_places(void **state)
{
    (void)state;
    double values[] = {0.04, 0.01, 0.03};
    assert_true(inference_adjust(values, 3, values));
    assert_within(values[0], 0.04, 1e-15);
    assert_within(values[1], 0.03, 1e-15);
    assert_within(values[2], 0.04, 1e-15);
}

static void the_bounds_of_t_are_those_of_the_printed_table(void **state)
{
    (void)state;
    const struct {
        size_t degrees;
        double bound;
    } printed[] = {{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {9, 2.262}, {15, 2.131}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        assert_within(inference_t_bound(printed[i].degrees), printed[i].bound, 0.0005);
    }
}

/* Logarithms 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, and 4.303 * 0.1 / sqrt(3) = 0.2484. */
static void the_interval_of_three_ratios_is_that_of_students_t(void **state)
{
    (void)state;
    const double logarithms[] = {0.1, 0.2, 0.3};
    stats_estimate_t estimate = inference_t_ratio(logarithms, 3);
    assert_true(estimate.known);
    assert_within(log(estimate.value), 0.2, 1e-12);
    assert_within(log(estimate.interval.low), -0.0484, 0.0001);
    assert_within(log(estimate.interval.high), 0.4484, 0.0001);
    assert_false(inference_t_ratio(logarithms, 1).known);
}

/* Means 3 and 6, squares 2 and 8 over 4 degrees: variance 2.5, error sqrt(2.5 * 2 / 3) = 1.29099, t = -2.3238. */
static void the_pooled_t_is_that_of_2016(void **state)
{
    (void)state;
    const double first[] = {2, 3, 4}, second[] = {4, 6, 8}, far[] = {14, 16, 18}, same[] = {3, 3, 3};
    pooled_t_t pooled = inference_pooled_t(first, 3, second, 3);
    assert_true(pooled.known && !pooled.significant);
    assert_int_equal(pooled.degrees, 4);
    assert_within(pooled.t, -2.32379, 0.00001);
    pooled = inference_pooled_t(far, 3, first, 3);
    assert_true(pooled.significant && pooled.t > 0);
    assert_false(inference_pooled_t(same, 3, same, 3).known);
    assert_false(inference_pooled_t(first, 1, second, 3).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_values_of_one_sign_have_two_chances_in_thirty_two),
        cmocka_unit_test(the_smaller_sum_of_ranks_decides),
        cmocka_unit_test(ten_values_agree_with_the_printed_table),
        cmocka_unit_test(equal_sizes_share_their_rank_exactly),
        cmocka_unit_test(zeros_say_nothing),
        cmocka_unit_test(many_values_follow_the_normal_law),
        cmocka_unit_test(shared_ranks_narrow_the_normal_law),
        cmocka_unit_test(counting_and_the_normal_law_meet),
        cmocka_unit_test(four_of_the_fifteen_tests_of_1995_are_believed),
        cmocka_unit_test(adjusted_values_rise_with_the_probabilities_and_keep_their_places),
        cmocka_unit_test(the_bounds_of_t_are_those_of_the_printed_table),
        cmocka_unit_test(the_interval_of_three_ratios_is_that_of_students_t),
        cmocka_unit_test(the_pooled_t_is_that_of_2016),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
