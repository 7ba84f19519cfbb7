/* SPDX-License-Identifier: MIT */
/* The rule of retention by itself: spans here are descriptors only, and the clock is what the test says it is. */
#include "support/span.h"

/* Pages that may be retained beyond the rule with `used` in use. */
static size_t slack(size_t used)
{
    return (size_t)2 * PAGES_PER_MIB + used / 64;
}

static int rule_start(void **state)
{
    (void)state;
    settings_read();
    retain_reset();
    retain_advance(CLOCK_START_MS);
    return 0;
}

static int rule_end(void **state)
{
    return rule_start(state);
}

/* `most` pages are in use, then `left`, the others being retained on the list. */
static void drop(span_t *span, size_t most, size_t left, retain_list_t list)
{
    retain_note_used(most);
    retain_note_used(left);
    span->dirty = (uint32_t)(most - left);
    retain_add(span, list);
}

/* Moves the clock on in steps that no part is missed by. */
static void advance(uint64_t from, uint64_t to)
{
    for (uint64_t now = from; now <= to; now++) {
        retain_advance(now);
    }
}

/*
 * What was let go of at any moment of a part stays for one window at least, and is to go one window and a part later
 * at most.
 */
static void what_was_let_go_stays_for_the_window_and_leaves_within_a_part_more(void **state)
{
    for (uint64_t offset = 0; offset < PART_MS; offset += 31) {
        (void)rule_start(state);
        span_t span = {.pages = 0};
        uint64_t dropped = CLOCK_START_MS + offset;
        advance(CLOCK_START_MS, dropped);
        drop(&span, 100000, 1000, RETAIN_PRIME);
        advance(dropped, dropped + WINDOW_MS);
        assert_int_equal(retain_excess(), 0);
        advance(dropped + WINDOW_MS, dropped + WINDOW_MS + PART_MS);
        assert_int_equal(retain_excess(), 99000);
    }
}

static void what_is_wanted_again_within_the_window_stays_for_ever(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    uint64_t now = CLOCK_START_MS;
    drop(&span, 100000, 1000, RETAIN_PRIME);
    for (int cycle = 0; cycle < 100; cycle++) {
        for (int i = 0; i < 9; i++, now += 100) {
            advance(now, now + 100);
            assert_int_equal(retain_excess(), 0);
        }
        retain_remove(&span);
        drop(&span, 100000, 1000, RETAIN_PRIME);
    }
}

/* Peaks of different height: each counts for as long as it is the highest of the window. */
static void the_highest_of_the_window_counts(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    uint64_t now = CLOCK_START_MS;
    drop(&span, 80000, 0, RETAIN_PRIME);
    retain_remove(&span);
    span.dirty = 60000;
    retain_add(&span, RETAIN_PRIME);
    advance(now, now + 500);
    retain_note_used(20000);
    retain_note_used(0);
    advance(now + 500, now + 999);
    assert_int_equal(retain_excess(), 0);
    advance(now + 1000, now + 1125);
    assert_int_equal(retain_excess(), 40000);
    advance(now + 1125, now + 1625);
    assert_int_equal(retain_excess(), 60000);
}

/* Pages touched anew while free ones are there: use and retained together pass the peak. */
static void what_is_touched_anew_is_given_back_elsewhere(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    drop(&span, 50000, 10000, RETAIN_PRIME);
    retain_note_used(10000 + slack(10000));
    assert_int_equal(retain_excess(), 0);
    retain_note_used(20000);
    assert_int_equal(retain_excess(), 10000);
    retain_note_used(60000);
    assert_int_equal(retain_excess(), 40000);
}

/* Sets used and retained so that the rule is kept but for `over` pages. */
static size_t excess_with(size_t used, size_t peak, size_t over, size_t (*excess)(void))
{
    span_t span = {.pages = 0};
    retain_reset();
    retain_advance(CLOCK_START_MS);
    drop(&span, peak, used, RETAIN_REST);
    retain_remove(&span);
    span.dirty += (uint32_t)over;
    retain_add(&span, RETAIN_REST);
    size_t result = excess();
    retain_remove(&span);
    return result;
}

static void the_slack_is_two_mebibytes_and_a_64th_of_what_is_in_use(void **state)
{
    (void)state;
    static const size_t uses[] = {0, 63, 64, 1000, 51200, 1000000};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        size_t over = slack(uses[i]);
        assert_int_equal(excess_with(uses[i], uses[i] + 5000, over, retain_excess), 0);
        assert_int_equal(excess_with(uses[i], uses[i] + 5000, over + 1, retain_excess), over + 1);
    }
}

/* A heap that has taken and given nothing for a window keeps nothing; one that swings, as much as it swings. */
static void the_slack_is_no_more_than_the_use_has_swung(void **state)
{
    (void)state;
    enum { USED = 50000, SWING = 70 };
    span_t span = {.pages = 0, .dirty = SWING};
    retain_note_used(USED);
    retain_add(&span, RETAIN_REST);
    assert_int_equal(retain_excess(), 0);
    retain_advance(CLOCK_START_MS + WINDOW_MS + PART_MS);
    assert_int_equal(retain_excess(), SWING);
    retain_note_used(USED - SWING);
    retain_note_used(USED);
    assert_int_equal(retain_excess(), 0);
    retain_remove(&span);
    span.dirty++;
    retain_add(&span, RETAIN_REST);
    assert_int_equal(retain_excess(), SWING + 1);
    retain_remove(&span);
}

static void what_is_dear_goes_when_an_eighth_of_the_peak_is_too_much(void **state)
{
    (void)state;
    static const size_t peaks[] = {1000, 8000, 51200, 1000000};
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        size_t used = peaks[i] / 3;
        size_t over = slack(used) + peaks[i] / 8;
        assert_int_equal(excess_with(used, peaks[i], over, retain_excess_deep), 0);
        assert_int_equal(excess_with(used, peaks[i], over + 1, retain_excess_deep), over + 1);
    }
}

static void the_setting_bounds_what_is_retained(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    drop(&span, 50000, 10000, RETAIN_PRIME);
    assert_int_equal(retain_excess(), 0);
    setting_set(SETTING_RETAIN_MOST, (uint64_t)15000 << PAGE_SHIFT);
    assert_int_equal(retain_excess(), 25000);
    setting_set(SETTING_RETAIN_MOST, 0);
    assert_int_equal(retain_excess(), 40000);
    setting_set(SETTING_RETAIN_MOST, (uint64_t)50000 << PAGE_SHIFT);
    assert_int_equal(retain_excess(), 0);
}

static void the_setting_moves_the_window(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    setting_set(SETTING_RETAIN_MS, 80);
    retain_reset();
    retain_advance(CLOCK_START_MS);
    drop(&span, 50000, 0, RETAIN_PRIME);
    advance(CLOCK_START_MS, CLOCK_START_MS + 79);
    assert_int_equal(retain_excess(), 0);
    advance(CLOCK_START_MS + 80, CLOCK_START_MS + 90);
    assert_int_equal(retain_excess(), 50000);
    assert_int_equal(retain_next(CLOCK_START_MS), CLOCK_START_MS + 10);
    assert_int_equal(retain_next(CLOCK_START_MS + 9), CLOCK_START_MS + 10);
    assert_int_equal(retain_next(CLOCK_START_MS + 10), CLOCK_START_MS + 20);
}

/* A window of nothing is one of a few milliseconds, and the next part is always ahead. */
static void a_window_of_nothing_is_short(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    setting_set(SETTING_RETAIN_MS, 0);
    retain_reset();
    retain_advance(CLOCK_START_MS);
    drop(&span, 50000, 0, RETAIN_PRIME);
    assert_int_equal(retain_next(CLOCK_START_MS), CLOCK_START_MS + 1);
    advance(CLOCK_START_MS, CLOCK_START_MS + 10);
    assert_int_equal(retain_excess(), 50000);
}

/* A process that slept for long finds all its peaks past, at once; and a clock read late by another thread is none. */
static void a_clock_that_jumps_ends_the_window_and_one_that_goes_back_does_not(void **state)
{
    (void)state;
    span_t span = {.pages = 0};
    drop(&span, 50000, 10000, RETAIN_PRIME);
    retain_advance(CLOCK_START_MS - 5000);
    assert_int_equal(retain_excess(), 0);
    retain_advance(CLOCK_START_MS + 100 * WINDOW_MS);
    assert_int_equal(retain_excess(), 40000);
    retain_advance(CLOCK_START_MS);
    assert_int_equal(retain_excess(), 40000);
}

/* The list is that of `expected`, which ends with NULL. */
static void assert_order(retain_list_t list, span_t *const *expected)
{
    const span_t *older = NULL;
    for (const span_t *span = retain_oldest(list); span != NULL || *expected != NULL; span = span->newer) {
        assert_ptr_equal(span, *expected++);
        assert_ptr_equal(span->older, older);
        assert_true(span->retained);
        assert_int_equal(span->list, list);
        older = span;
    }
}

#define ASSERT_ORDER(list, ...) assert_order(list, (span_t *const[]){__VA_ARGS__, NULL})

static void lists_are_in_the_order_of_freeing(void **state)
{
    (void)state;
    span_t a = {.dirty = 1};
    span_t b = {.dirty = 10};
    span_t c = {.dirty = 100};
    span_t d = {.dirty = 1000};
    span_t e = {.dirty = 10000};
    assert_null(retain_oldest(RETAIN_PRIME));
    assert_null(retain_oldest(RETAIN_REST));
    retain_add(&a, RETAIN_PRIME);
    retain_add(&b, RETAIN_PRIME);
    ASSERT_ORDER(RETAIN_PRIME, &a, &b);
    retain_add_oldest(&c, RETAIN_PRIME);
    ASSERT_ORDER(RETAIN_PRIME, &c, &a, &b);
    retain_add_before(&d, RETAIN_PRIME, &b);
    ASSERT_ORDER(RETAIN_PRIME, &c, &a, &d, &b);
    retain_add_before(&e, RETAIN_PRIME, NULL);
    ASSERT_ORDER(RETAIN_PRIME, &c, &a, &d, &b, &e);
    assert_null(retain_oldest(RETAIN_REST));
    assert_int_equal(retain_pages(), 11111);

    retain_remove(&a);
    assert_false(a.retained);
    ASSERT_ORDER(RETAIN_PRIME, &c, &d, &b, &e);
    retain_remove(&c);
    retain_remove(&e);
    ASSERT_ORDER(RETAIN_PRIME, &d, &b);
    assert_int_equal(retain_pages(), 1010);
    retain_remove(&e);
    assert_int_equal(retain_pages(), 1010);

    retain_add(&a, RETAIN_REST);
    retain_add_oldest(&c, RETAIN_REST);
    ASSERT_ORDER(RETAIN_REST, &c, &a);
    ASSERT_ORDER(RETAIN_PRIME, &d, &b);
    assert_int_equal(retain_pages(), 1111);
    retain_remove(&d);
    retain_remove(&b);
    assert_null(retain_oldest(RETAIN_PRIME));
    retain_reset();
    assert_null(retain_oldest(RETAIN_REST));
    assert_int_equal(retain_pages(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rule_start, rule_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_let_go_stays_for_the_window_and_leaves_within_a_part_more),
        TEST(what_is_wanted_again_within_the_window_stays_for_ever),
        TEST(the_highest_of_the_window_counts),
        TEST(what_is_touched_anew_is_given_back_elsewhere),
        TEST(the_slack_is_two_mebibytes_and_a_64th_of_what_is_in_use),
        TEST(the_slack_is_no_more_than_the_use_has_swung),
        TEST(what_is_dear_goes_when_an_eighth_of_the_peak_is_too_much),
        TEST(the_setting_bounds_what_is_retained),
        TEST(the_setting_moves_the_window),
        TEST(a_window_of_nothing_is_short),
        TEST(a_clock_that_jumps_ends_the_window_and_one_that_goes_back_does_not),
        TEST(lists_are_in_the_order_of_freeing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
