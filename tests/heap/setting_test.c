/* SPDX-License-Identifier: MIT */
/* The settings as a program that links the library sees them. */
#include "support/test.h"

#include <cubby/cubby.h>

#include <string.h>
#include <sys/wait.h>

static void all_settings_are_shown_in_order_and_found_by_name(void **state)
{
    (void)state;
    cubby_setting_t setting;
    cubby_setting_t found;
    size_t count = 0;
    for (; cubby_setting_get(count, &setting); count++) {
        assert_true(cubby_setting_find(setting.name, &found));
        assert_string_equal(found.name, setting.name);
        bool has_text = setting.kind != CUBBY_SETTING_NUMBER && setting.kind != CUBBY_SETTING_SWITCH;
        assert_int_equal(setting.text != NULL, has_text);
        assert_int_equal(setting.text_default != NULL, has_text);
        assert_int_equal(setting.choices != NULL, setting.kind == CUBBY_SETTING_CHOICE);
    }
    assert_true(count > 10);
    assert_false(cubby_setting_find("CUBBY_NOTHING", &found));
    assert_false(cubby_setting_find("", &found));
}

static void a_choice_has_text_and_a_number_has_none(void **state)
{
    (void)state;
    cubby_setting_t setting;
    assert_true(cubby_setting_find("CUBBY_RAW", &setting));
    assert_string_equal(setting.text, "stock");
    assert_string_equal(setting.text_default, "stock");
    assert_string_equal(setting.choices[setting.value], "stock");
    assert_string_equal(setting.option, "raw");
    assert_true(cubby_setting_find("CUBBY_RETAIN_MS", &setting));
    assert_int_equal(setting.value_default, 1000);
    assert_int_equal(setting.most, 3600000);
}

static void a_check_says_what_a_setting_takes(void **state)
{
    (void)state;
    char expected[64] = "";
    assert_true(cubby_setting_check("CUBBY_OBJ", "libc", expected, sizeof expected));
    assert_false(cubby_setting_check("CUBBY_OBJ", "mimalloc", expected, sizeof expected));
    assert_string_equal(expected, "cubby, libc or stock");
    assert_false(cubby_setting_check("CUBBY_OBJ", "mimalloc", expected, 6));
    assert_string_equal(expected, "cubby");
    assert_false(cubby_setting_check("CUBBY_NOTHING", "1", expected, sizeof expected));
    assert_string_equal(expected, "");
    assert_false(cubby_setting_check("CUBBY_NOTHING", "1", NULL, 0));
}

/* Starts this program with a variable; returns its status. */
static int status_with(const char *name, const char *value)
{
    pid_t child = fork();
    if (child == 0) {
        (void)setenv(name, value, 1);
        (void)close(STDERR_FILENO);
        (void)execl("/proc/self/exe", "setting_test", "start", NULL);
        _exit(99);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum { STATUS_MAIN = 7 };

static void a_program_with_a_wrong_setting_does_not_reach_main(void **state)
{
    (void)state;
    assert_int_equal(status_with("CUBBY_RETAIN_MS", "5"), STATUS_MAIN);
    assert_int_equal(status_with("CUBBY_RETAIN_MS", "five"), 2);
    assert_int_equal(status_with("CUBBY_RETAIN_SM", "5"), 2);
    assert_int_equal(status_with("CUBBY_OBJ", "mimalloc"), 2);
    assert_int_equal(status_with("CUBBY_SOMETHING_ELSE", "5"), STATUS_MAIN);
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) {
        return STATUS_MAIN;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_settings_are_shown_in_order_and_found_by_name),
        cmocka_unit_test(a_choice_has_text_and_a_number_has_none),
        cmocka_unit_test(a_check_says_what_a_setting_takes),
        cmocka_unit_test(a_program_with_a_wrong_setting_does_not_reach_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
