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

/* Reported in one line that says what was wrong and what would be right; the default holds. */
static void assert_refused(setting_id_t id, const char *text)
{
    const setting_t *entry = &setting_table[id];
    put(id, text);
    fake.messages = 0;
    fake.text[0] = '\0';
    assert_int_equal(settings_read(), 1);
    assert_int_equal(setting(id), entry->value_default);
    assert_int_equal(fake.messages, 1);
    assert_non_null(strstr(fake.text, entry->name));
    assert_non_null(strstr(fake.text, entry->unit));
    assert_non_null(strstr(fake.text, "the program is not started\n"));
    assert_ptr_equal(strchr(fake.text, '\n'), fake.text + strlen(fake.text) - 1);
    fake.messages = 0;
}

static void assert_text_read(setting_id_t id, const char *text, const char *expected)
{
    put(id, text);
    assert_int_equal(settings_read(), 0);
    assert_string_equal(setting_text(id), expected);
    assert_int_equal(fake.messages, 0);
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
    assert_int_equal(setting(SETTING_QUIET), 0);
    assert_string_equal(setting_text(SETTING_OBJ), "cubby");
    assert_string_equal(setting_text(SETTING_MEM), "cubby");
    assert_string_equal(setting_text(SETTING_RAW), "stock");
    assert_string_equal(setting_text(SETTING_HEAPS), "auto");
    assert_string_equal(setting_text(SETTING_STATS), "");
    assert_string_equal(setting_text(SETTING_ADAPTER), "");
    assert_null(setting_text(SETTING_RETAIN_MS));
    assert_int_equal(fake.messages, 0);
}

/* CUBBY_RETAIN_MS is set by --retain-ms. */
static void an_option_is_spelled_like_its_variable(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const char *name = setting_table[i].name + strlen("CUBBY_");
        const char *option = setting_table[i].option;
        assert_true(option == NULL || strlen(option) == strlen(name));
        for (size_t j = 0; option != NULL && name[j] != '\0'; j++) {
            assert_int_equal(option[j], name[j] == '_' ? '-' : name[j] - 'A' + 'a');
        }
    }
}

static void each_setting_has_a_name_a_unit_help_and_a_default_in_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const setting_t *entry = &setting_table[i];
        assert_int_equal(strncmp(entry->name, "CUBBY_", 6), 0);
        assert_true(strlen(entry->unit) > 0);
        assert_true(strlen(entry->help) > 10);
        assert_true(strlen(entry->reason) > 10);
        assert_int_equal(entry->choices != NULL, entry->kind == SETTING_CHOICE);
        size_t choices = 0;
        for (; entry->choices != NULL && entry->choices[choices] != NULL; choices++) {
            assert_non_null(strstr(entry->unit, entry->choices[choices]));
        }
        if (entry->kind == SETTING_NUMBER || entry->kind == SETTING_SWITCH) {
            assert_true(entry->value_default <= entry->most);
            assert_int_equal(strcmp(entry->unit, "0 or 1") == 0, entry->kind == SETTING_SWITCH);
        } else {
            assert_true(entry->value_default < choices || entry->value_default == 0);
        }
        assert_int_equal(setting_find(entry->name), i);
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

static void the_environment_chooses_by_name(void **state)
{
    (void)state;
    assert_text_read(SETTING_OBJ, "stock", "stock");
    assert_text_read(SETTING_MEM, "libc", "libc");
    assert_text_read(SETTING_RAW, "cubby", "cubby");
    assert_text_read(SETTING_HEAPS, "thread", "thread");
    assert_string_equal(setting_text(SETTING_OBJ), "stock");
}

static void a_report_goes_nowhere_to_stderr_or_to_a_file(void **state)
{
    (void)state;
    assert_text_read(SETTING_STATS, "0", "");
    assert_text_read(SETTING_STATS, "1", "-");
    assert_text_read(SETTING_STATS, "-", "-");
    assert_text_read(SETTING_STATS, "01", "01");
    assert_text_read(SETTING_ADAPTER, "1", "1");
    assert_text_read(SETTING_STATS, "/tmp/figures", "/tmp/figures");
    assert_string_equal(setting_text(SETTING_ADAPTER), "1");
}

/* Some programs write their title over the environment they were given. */
static void a_file_name_outlives_the_environment(void **state)
{
    (void)state;
    static char variable[] = "CUBBY_STATS=/tmp/figures";
    assert_int_equal(putenv(variable), 0);
    assert_int_equal(settings_read(), 0);
    memset(variable + strlen("CUBBY_STATS="), 'x', strlen("/tmp/figures"));
    assert_string_equal(setting_text(SETTING_STATS), "/tmp/figures");
}

static void a_file_name_longer_than_the_system_takes_is_refused(void **state)
{
    (void)state;
    static char name[5000];
    memset(name, 'n', 4095);
    assert_text_read(SETTING_STATS, name, name);
    name[4095] = 'n';
    assert_refused(SETTING_STATS, name);
    assert_string_equal(setting_text(SETTING_STATS), "");
}

static void what_is_no_choice_is_reported_with_the_choices(void **state)
{
    (void)state;
    static const char *const wrong[] = {"jemalloc", "CUBBY", "cubby ", "1", "cub", "cubby,libc"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(SETTING_OBJ, wrong[i]);
        assert_non_null(strstr(fake.text, "cubby, libc or stock"));
    }
}

/* The name is said, and the right one with what it takes. */
static void assert_name_refused(const char *name, const char *right)
{
    fake.messages = 0;
    assert_int_equal(setenv(name, "1", 1), 0);
    size_t wrong = settings_read();
    (void)unsetenv(name);
    assert_int_equal(wrong, 1);
    assert_int_equal(fake.messages, 1);
    assert_non_null(strstr(fake.text, name));
    assert_non_null(strstr(fake.text, right));
    fake.messages = 0;
}

static void a_name_that_is_almost_a_settings_is_refused_with_the_right_one(void **state)
{
    (void)state;
    assert_name_refused("CUBBY_RETAINMS", "CUBBY_RETAIN_MS (ms)");
    assert_name_refused("CUBBY_RETIAN_MS", "CUBBY_RETAIN_MS");
    assert_name_refused("CUBBY_PURGE_TREAT", "CUBBY_PURGE_THREAD");
    assert_name_refused("CUBBY_HEAP", "CUBBY_HEAPS (auto, lock or thread)");
    assert_name_refused("CUBBY_STAT", "CUBBY_STATS");
    assert_name_refused("CUBBY_QUITE", "CUBBY_QUIET");
    assert_name_refused("CUBBY_OBJS", "CUBBY_OBJ");
    assert_name_refused("cubby_obj", "CUBBY_OBJ");
    assert_name_refused("CUBBY_mem", "CUBBY_MEM");
}

static void any_other_name_is_left_alone(void **state)
{
    (void)state;
    static const char *const others[] = {
        "CUBBY_TEST_SEED", "CUBBY_SEEDS", "CUBBY_HOME",  "CUBBY_",
        "CUBBY",           "CUBBY_X",     "XCUBBY_HEAP", "CUBBY_A_NAME_THAT_IS_MUCH_LONGER_THAN_ANY_SETTING_EVER_WAS"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(setenv(others[i], "1", 1), 0);
        assert_int_equal(settings_read(), 0);
        (void)unsetenv(others[i]);
    }
    assert_int_equal(fake.messages, 0);
}

static void a_check_says_what_a_setting_takes_and_changes_nothing(void **state)
{
    (void)state;
    char expected[96] = "";
    settings_read();
    errno = 77;
    assert_true(setting_check(SETTING_HUGE_FROM, "3k", expected, sizeof expected));
    assert_true(setting_check(SETTING_HUGE_FROM, "", expected, sizeof expected));
    assert_string_equal(expected, "");
    assert_false(setting_check(SETTING_RETAIN_MS, "9999999999999999999999", expected, sizeof expected));
    assert_string_equal(expected, "a number (ms, at most 3600000)");
    assert_false(setting_check(SETTING_HEAPS, "both", expected, sizeof expected));
    assert_string_equal(expected, "auto, lock or thread");
    assert_int_equal(errno, 77);
    assert_int_equal(fake.messages, 0);
    assert_int_equal(setting(SETTING_RETAIN_MS), 1000);
}

static void what_is_no_number_in_range_is_reported_and_the_default_stays(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x",    "1x", "-1",  " -5", "1.5",
                                        "0x10", "k",  "1kk", "1kb", "99999999999999999999"};
    for (int i = 0; i < SETTING_COUNT; i++) {
        bool is_number = setting_table[i].kind == SETTING_NUMBER || setting_table[i].kind == SETTING_SWITCH;
        for (size_t j = 0; is_number && j < sizeof wrong / sizeof *wrong; j++) {
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

static void each_wrong_value_and_name_is_reported_once_and_the_right_ones_beside_it_hold(void **state)
{
    (void)state;
    put(SETTING_RETAIN_MS, "soon");
    put(SETTING_HUGE_FROM, "16m");
    put(SETTING_PURGE_THREAD, "yes");
    assert_int_equal(setenv("CUBBY_MEMS", "libc", 1), 0);
    assert_int_equal(settings_read(), 3);
    (void)unsetenv("CUBBY_MEMS");
    assert_int_equal(fake.messages, 3);
    assert_int_equal(setting(SETTING_RETAIN_MS), 1000);
    assert_int_equal(setting(SETTING_HUGE_FROM), 16 << 20);
    assert_int_equal(setting(SETTING_PURGE_THREAD), 0);
    for (int i = 0; i < 100; i++) {
        (void)setting((setting_id_t)(i % SETTING_COUNT));
    }
    assert_int_equal(fake.messages, 3);
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
        TEST(an_option_is_spelled_like_its_variable),
        TEST(each_setting_has_a_name_a_unit_help_and_a_default_in_bounds),
        TEST(the_environment_sets_each),
        TEST(bytes_may_have_a_suffix),
        TEST(an_empty_value_is_none),
        TEST(the_environment_chooses_by_name),
        TEST(a_report_goes_nowhere_to_stderr_or_to_a_file),
        TEST(a_file_name_outlives_the_environment),
        TEST(a_file_name_longer_than_the_system_takes_is_refused),
        TEST(what_is_no_choice_is_reported_with_the_choices),
        TEST(a_name_that_is_almost_a_settings_is_refused_with_the_right_one),
        TEST(any_other_name_is_left_alone),
        TEST(a_check_says_what_a_setting_takes_and_changes_nothing),
        TEST(what_is_no_number_in_range_is_reported_and_the_default_stays),
        TEST(each_wrong_value_and_name_is_reported_once_and_the_right_ones_beside_it_hold),
        TEST(a_value_of_any_length_is_reported_in_one_short_line),
        TEST(reading_keeps_errno),
        TEST(a_value_that_is_set_holds_until_the_environment_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
