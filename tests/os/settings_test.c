/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "os/settings.h"
#include "support/fake_os.h"

#include <errno.h>
#include <string.h>

/* Every test begins without a setting in its environment, and leaves none behind. */
static int environment_start(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        (void)unsetenv(setting_table[i].name);
    }
    fake_install();
    return 0;
}

static int environment_end(void **state)
{
    (void)environment_start(state);
    os = os_linux;
    return 0;
}

static void put(setting_id_t id, const char *text)
{
    assert_int_equal(setenv(setting_table[id].name, text, 1), 0);
}

static void assert_read(setting_id_t id, const char *text, uint64_t value)
{
    put(id, text);
    settings_read();
    assert_int_equal(setting(id), value);
    assert_int_equal(fake.messages, 0);
}

/* Reported in one line that says what was wrong, what would be right, and what is used instead. */
static void assert_refused(setting_id_t id, const char *text)
{
    char number[32];
    const setting_t *entry = &setting_table[id];
    put(id, text);
    fake.messages = 0;
    fake.text[0] = '\0';
    settings_read();
    assert_int_equal(setting(id), entry->value_default);
    assert_int_equal(fake.messages, 1);
    assert_non_null(strstr(fake.text, entry->name));
    assert_non_null(strstr(fake.text, entry->unit));
    (void)snprintf(number, sizeof number, "using %llu\n", (unsigned long long)entry->value_default);
    assert_non_null(strstr(fake.text, number));
    assert_ptr_equal(strchr(fake.text, '\n'), fake.text + strlen(fake.text) - 1);
    fake.messages = 0;
}

static void without_an_environment_the_defaults_hold(void **state)
{
    (void)state;
    settings_read();
    assert_int_equal(setting(SETTING_RETAIN_MS), 1000);
    assert_int_equal(setting(SETTING_RETAIN_MOST), SIZE_MAX);
    assert_int_equal(setting(SETTING_HUGE_PAGES), 1);
    assert_int_equal(setting(SETTING_HUGE_FROM), 8 << 20);
    assert_int_equal(setting(SETTING_PURGE_THREAD), 0);
    assert_int_equal(fake.messages, 0);
}

static void each_setting_has_a_name_a_unit_help_and_a_default_in_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const setting_t *entry = &setting_table[i];
        assert_int_equal(strncmp(entry->name, "CUBBY_", 6), 0);
        assert_true(strcmp(entry->unit, "ms") == 0 || strcmp(entry->unit, "bytes") == 0 ||
                    strcmp(entry->unit, "0 or 1") == 0);
        assert_true(strlen(entry->help) > 10);
        assert_true(entry->value_default <= entry->most);
        assert_true(strcmp(entry->unit, "0 or 1") != 0 || entry->most == 1);
        for (int other = 0; other < i; other++) {
            assert_string_not_equal(entry->name, setting_table[other].name);
        }
    }
}

static void the_environment_sets_each(void **state)
{
    (void)state;
    assert_read(SETTING_RETAIN_MS, "250", 250);
    assert_read(SETTING_RETAIN_MOST, "0", 0);
    assert_read(SETTING_HUGE_PAGES, "0", 0);
    assert_read(SETTING_HUGE_FROM, "1048577", 1048577);
    assert_read(SETTING_PURGE_THREAD, "1", 1);
    assert_int_equal(setting(SETTING_RETAIN_MS), 250);
    assert_int_equal(setting(SETTING_HUGE_PAGES), 0);
}

static void bytes_may_have_a_suffix(void **state)
{
    (void)state;
    assert_read(SETTING_HUGE_FROM, "3k", 3 << 10);
    assert_read(SETTING_HUGE_FROM, "5m", 5 << 20);
    assert_read(SETTING_HUGE_FROM, "2g", (uint64_t)2 << 30);
    assert_read(SETTING_HUGE_FROM, "1024g", (uint64_t)1 << 40);
    assert_read(SETTING_RETAIN_MOST, "17179869183g", (uint64_t)17179869183 << 30);
    assert_read(SETTING_RETAIN_MOST, "18446744073709551615", UINT64_MAX);
}

static void an_empty_value_is_none(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        assert_read((setting_id_t)i, "", setting_table[i].value_default);
    }
}

static void what_is_no_number_in_range_is_reported_and_the_default_stays(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x",    "1x", "-1",  " -5", "1.5",
                                        "0x10", "k",  "1kk", "1kb", "99999999999999999999"};
    for (int i = 0; i < SETTING_COUNT; i++) {
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            assert_refused((setting_id_t)i, wrong[j]);
        }
        (void)unsetenv(setting_table[i].name);
    }
    assert_refused(SETTING_RETAIN_MS, "3600001");
    assert_refused(SETTING_RETAIN_MS, "1k");
    (void)unsetenv(setting_table[SETTING_RETAIN_MS].name);
    assert_refused(SETTING_HUGE_PAGES, "2");
    (void)unsetenv(setting_table[SETTING_HUGE_PAGES].name);
    assert_refused(SETTING_HUGE_FROM, "1025g");
    (void)unsetenv(setting_table[SETTING_HUGE_FROM].name);
    assert_refused(SETTING_RETAIN_MOST, "17179869184g");
}

static void each_wrong_value_is_reported_once_and_the_right_ones_beside_it_hold(void **state)
{
    (void)state;
    put(SETTING_RETAIN_MS, "soon");
    put(SETTING_HUGE_FROM, "16m");
    put(SETTING_PURGE_THREAD, "yes");
    settings_read();
    assert_int_equal(fake.messages, 2);
    assert_int_equal(setting(SETTING_RETAIN_MS), 1000);
    assert_int_equal(setting(SETTING_HUGE_FROM), 16 << 20);
    assert_int_equal(setting(SETTING_PURGE_THREAD), 0);
    for (int i = 0; i < 100; i++) {
        (void)setting((setting_id_t)(i % SETTING_COUNT));
    }
    assert_int_equal(fake.messages, 2);
}

static void a_value_of_any_length_is_reported_in_one_short_line(void **state)
{
    (void)state;
    static char text[5000];
    memset(text, '7', sizeof text - 1);
    assert_refused(SETTING_RETAIN_MOST, text);
    assert_true(strlen(fake.text) < 256);
}

static void reading_keeps_errno(void **state)
{
    (void)state;
    put(SETTING_RETAIN_MOST, "99999999999999999999");
    errno = 77;
    settings_read();
    assert_int_equal(errno, 77);
}

static void a_value_that_is_set_holds_until_the_environment_is_read(void **state)
{
    (void)state;
    setting_set(SETTING_RETAIN_MS, 5);
    assert_int_equal(setting(SETTING_RETAIN_MS), 5);
    settings_read();
    assert_int_equal(setting(SETTING_RETAIN_MS), 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, environment_start, environment_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_an_environment_the_defaults_hold),
        TEST(each_setting_has_a_name_a_unit_help_and_a_default_in_bounds),
        TEST(the_environment_sets_each),
        TEST(bytes_may_have_a_suffix),
        TEST(an_empty_value_is_none),
        TEST(what_is_no_number_in_range_is_reported_and_the_default_stays),
        TEST(each_wrong_value_is_reported_once_and_the_right_ones_beside_it_hold),
        TEST(a_value_of_any_length_is_reported_in_one_short_line),
        TEST(reading_keeps_errno),
        TEST(a_value_that_is_set_holds_until_the_environment_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
