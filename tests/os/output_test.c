/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "os/output.h"
#include "support/fake_os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char folder[] = "/tmp/cubby-output-XXXXXX";
static char file[64];

static int folder_make(void **state)
{
    (void)state;
    fake_install();
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(file, sizeof file, "%s/report", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    (void)unlink(file);
    return rmdir(folder);
}

static void a_report_is_added_to_the_end_of_its_file(void **state)
{
    (void)state;
    char text[64] = "";
    errno = 77;
    assert_true(output_append(file, "first\n", 6));
    assert_true(output_append(file, "second\n", 7));
    assert_int_equal(errno, 77);
    int descriptor = open(file, O_RDONLY);
    assert_int_equal(read(descriptor, text, sizeof text), 13);
    (void)close(descriptor);
    assert_string_equal(text, "first\nsecond\n");
    assert_int_equal(fake.messages, 0);
}

static void a_dash_is_stderr(void **state)
{
    (void)state;
    fake.messages = 0;
    assert_true(output_append("-", "report\n", 7));
    assert_int_equal(fake.messages, 1);
    assert_string_equal(fake.text, "report\n");
}

static void what_speaks_against_a_file_is_known_without_making_it(void **state)
{
    (void)state;
    errno = 77;
    assert_int_equal(output_refusal("/no/such/file"), ENOENT);
    assert_int_equal(output_refusal("/dev/null/file"), ENOTDIR);
    assert_int_equal(output_refusal(folder), EISDIR);
    assert_int_equal(output_refusal("/dev/null"), 0);
    assert_int_equal(output_refusal("cubby-output-of-this-test"), access(".", W_OK) == 0 ? 0 : EACCES);
    char other[80];
    (void)snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(output_refusal(other), 0);
    assert_int_not_equal(access(other, F_OK), 0);
    errno = 77;
    assert_int_equal(output_refusal(other), 0);
    assert_int_equal(errno, 77);
}

static void a_file_that_takes_nothing_is_named_in_one_message(void **state)
{
    (void)state;
    static char longest[5000];
    memset(longest, 'n', sizeof longest - 1);
    const char *const files[] = {folder, "/no/such/file", "/dev/full", "", longest};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        fake.messages = 0;
        errno = 77;
        assert_false(output_append(files[i], "report\n", 7));
        assert_int_equal(errno, 77);
        assert_int_equal(fake.messages, 1);
        assert_non_null(strstr(fake.text, "the report cannot be written: "));
        char start[20];
        (void)snprintf(start, sizeof start, "cubby: %.10s", files[i]);
        assert_memory_equal(fake.text, start, strlen(start));
    }
}

static void a_process_is_named_by_number_and_program(void **state)
{
    (void)state;
    char text[128];
    char start[32];
    size_t length = output_process_name(text, sizeof text);
    (void)snprintf(start, sizeof start, "process %ld (", (long)getpid());
    assert_int_equal(length, strlen(text));
    assert_memory_equal(text, start, strlen(start));
    assert_non_null(strstr(text, "output"));
    assert_int_equal(output_process_name(text, 5), 4);
    assert_string_equal(text, "proc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_added_to_the_end_of_its_file),
        cmocka_unit_test(a_dash_is_stderr),
        cmocka_unit_test(what_speaks_against_a_file_is_known_without_making_it),
        cmocka_unit_test(a_file_that_takes_nothing_is_named_in_one_message),
        cmocka_unit_test(a_process_is_named_by_number_and_program),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
