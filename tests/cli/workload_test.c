/* SPDX-License-Identifier: MIT */
/* What a run may print, and what is refused. */
#include "lab/table.h"
#include "lab/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LINE(rounds, seed, after, preloaded)                                                                           \
    "{\"seed\": \"" seed "\", \"rounds\": " rounds                                                                     \
    ", \"cpu_seconds\": 0.5, \"wall_seconds\": 0.6, \"peak_kib\": 2000,"                                               \
    " \"dropped_kib\": 1000, \"after_kib\": " after                                                                    \
    ", \"minor_faults\": 300, \"python\": \"3\", \"preloaded\": " preloaded "}\n"

static const workload_t *const ints = &workload_table[WORKLOAD_INTS];

/* True when the line is taken as a run of two rounds of ints. */
static bool line_is_taken(const char *line, bool settled, bool preloads, const char *complaint)
{
    sample_t sample;
    char reason[200] = "";
    bool taken = sample_read(line, ints, 2, settled, preloads, &sample, reason, sizeof reason);
    assert_true(taken == sample.good);
    json_decref(sample.raw);
    if (complaint != NULL) {
        assert_non_null(strstr(reason, complaint));
    }
    return taken;
}

static void a_whole_line_is_taken_with_its_figures(void **state)
{
    (void)state;
    sample_t sample;
    char reason[200];
    assert_true(sample_read(LINE("2", "ints", "1500", "[]"), ints, 2, true, false, &sample, reason, sizeof reason));
    assert_int_equal(sample.peak_kib, 2000);
    assert_int_equal(sample.after_kib, 1500);
    assert_int_equal(sample.minor_faults, 300);
    assert_true(sample.cpu_seconds == 0.5 && sample.wall_seconds == 0.6);
    json_decref(sample.raw);
}

static void a_line_without_settling_needs_no_size_afterwards(void **state)
{
    (void)state;
    assert_true(line_is_taken(LINE("2", "ints", "null", "[]"), false, false, NULL));
    assert_false(line_is_taken(LINE("2", "ints", "null", "[]"), true, false, "a figure is missing"));
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {"",        "hello", "[]", "null", "{}", "{\"seed\": 3}", "{\"seed\": \"ints\"",
                                        "\xff\xfe"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_false(line_is_taken(lines[i], false, false, "printed what cannot be used"));
    }
}

static void another_seed_or_number_of_rounds_is_refused(void **state)
{
    (void)state;
    assert_false(line_is_taken(LINE("2", "floats", "null", "[]"), false, false, "does not name its seed"));
    assert_false(line_is_taken(LINE("3", "ints", "null", "[]"), false, false, "another number of rounds"));
}

static void a_preload_that_is_not_mapped_is_refused(void **state)
{
    (void)state;
    assert_true(line_is_taken(LINE("2", "ints", "null", "[\"a.so\"]"), false, true, NULL));
    assert_false(line_is_taken(LINE("2", "ints", "null", "[]"), false, true, "not loaded"));
}

static void figures_that_are_not_positive_numbers_are_refused(void **state)
{
    (void)state;
    assert_false(
        line_is_taken("{\"seed\": \"ints\", \"rounds\": 2, \"cpu_seconds\": -1, \"wall_seconds\": 1, \"peak_kib\": 1,"
                      " \"minor_faults\": 1}",
                      false, false, "a figure is missing"));
    assert_false(line_is_taken("{\"seed\": \"ints\", \"rounds\": 2, \"cpu_seconds\": \"1\", \"wall_seconds\": 1, "
                               "\"peak_kib\": 1, \"minor_faults\": 1}",
                               false, false, "a figure is missing"));
}

static void workloads_are_selected_by_name(void **state)
{
    (void)state;
    bool selected[WORKLOAD_COUNT];
    char wrong[32];
    assert_true(workloads_select("unpickle_list,ints", selected, wrong, sizeof wrong));
    assert_true(selected[WORKLOAD_INTS] && !selected[WORKLOAD_FLOATS] && selected[WORKLOAD_UNPICKLE_LIST]);
    assert_false(workloads_select("ints,int", selected, wrong, sizeof wrong));
    assert_string_equal(wrong, "int");
}

static void numbers_are_grouped_by_thousands(void **state)
{
    (void)state;
    static const struct {
        long long number;
        const char *text;
    } cases[] = {{0, "0"}, {999, "999"}, {1000, "1,000"}, {1234567, "1,234,567"}, {-45678, "-45,678"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        number_group(cases[i].number, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_line_is_taken_with_its_figures),
        cmocka_unit_test(a_line_without_settling_needs_no_size_afterwards),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(another_seed_or_number_of_rounds_is_refused),
        cmocka_unit_test(a_preload_that_is_not_mapped_is_refused),
        cmocka_unit_test(figures_that_are_not_positive_numbers_are_refused),
        cmocka_unit_test(workloads_are_selected_by_name),
        cmocka_unit_test(numbers_are_grouped_by_thousands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
