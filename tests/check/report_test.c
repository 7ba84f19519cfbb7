/* SPDX-License-Identifier: MIT */
#include "support/check.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static bool append_fails;
static char appended[REPORT_BYTES];
static char appended_to[64];

static bool append_note(const char *file, const char *text, size_t length)
{
    (void)snprintf(appended_to, sizeof appended_to, "%s", file);
    (void)snprintf(appended, sizeof appended, "%.*s", (int)length, text);
    return !append_fails;
}

static int file_start(void **state)
{
    (void)state;
    bool started = checks_start((cubby_check_options_t){.hold_bytes = 65536, .file = "reports"});
    os.append = append_note;
    append_fails = false;
    return started ? 0 : -1;
}

static void misuse(void)
{
    char *block = cubby_malloc(24);
    hidden(block)[24] = 0x11;
    hidden(block)[26] = 0x22;
    cubby_free(block);
}

static void a_report_says_all_about_the_block(void **state)
{
    (void)state;
    misuse();
    const char *details[] = {
        "  noticed    in free of 0x",
        ", by thread ",
        ", 24 bytes, domain none, serial number ",
        "  wrong      bytes 24 to 26 of the block, 0 to 2 after its end\n",
        "  found      11 fd 22\n",
        "  expected   fd in each byte\n",
    };
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        assert_non_null(strstr(reported.text, details[i]));
    }
    assert_true(was_reported("write after the block\n", ""));
}

static void a_report_goes_to_stderr_when_there_is_no_file(void **state)
{
    (void)state;
    misuse();
    assert_int_equal(fake.messages, 1);
    assert_memory_equal(fake.text, "cubby: debug: write after the block\n", 36);
    reported.count = 0;
}

static void a_report_goes_to_the_file(void **state)
{
    (void)state;
    misuse();
    assert_string_equal(appended_to, "reports");
    assert_string_equal(appended, reported.text);
    assert_int_equal(fake.messages, 0);
    reported.count = 0;
}

static void a_report_that_the_file_does_not_take_goes_to_stderr(void **state)
{
    (void)state;
    append_fails = true;
    misuse();
    assert_int_equal(fake.messages, 1);
    reported.count = 0;
}

static void a_file_that_cannot_be_written_is_named_at_start(void **state)
{
    (void)state;
    assert_true(checks_start((cubby_check_options_t){.hold_bytes = 65536, .file = "/no/such/folder/reports"}));
    const char expected[] = "cubby: debug: /no/such/folder/reports cannot be written: No such file or directory; "
                            "until it can, reports go to stderr\n";
    assert_int_equal(fake.messages, 1);
    assert_memory_equal(fake.text, expected, sizeof expected - 1);
    misuse();
    assert_int_equal(fake.messages, 2);
    reported.count = 0;
}

enum { WRITERS = 4, TEXTS = 200, TEXT_BYTES = 12000 };

/* Reads until all is written; counts lines that are not one letter, TEXT_BYTES - 1 times. */
static void *lines_read(void *descriptor)
{
    FILE *in = fdopen(*(int *)descriptor, "r");
    static char line[2 * TEXT_BYTES];
    static char whole[TEXT_BYTES];
    size_t wrong = 0;
    size_t count = 0;
    for (; fgets(line, sizeof line, in) != NULL; count++) {
        memset(whole, line[0], TEXT_BYTES - 1);
        wrong += strlen(line) != TEXT_BYTES || memcmp(line, whole, TEXT_BYTES - 1) != 0;
    }
    (void)fclose(in);
    return (void *)(wrong + (count != (size_t)WRITERS * TEXTS));
}

static void *texts_send(void *letter)
{
    report_t *report = malloc(sizeof *report);
    memset(report->text, *(char *)letter, TEXT_BYTES - 1);
    report->text[TEXT_BYTES - 1] = '\n';
    report->length = TEXT_BYTES;
    for (int i = 0; i < TEXTS; i++) {
        report_send(report);
    }
    free(report);
    return NULL;
}

static int pipe_end;

/* As the system does with a pipe: a write of more than a page may be cut into by another. */
static void pipe_write(const char *text, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(pipe_end, text + done, length - done < 4096 ? length - done : 4096);
        done += written > 0 ? (size_t)written : length;
        (void)sched_yield();
    }
}

static void threads_that_report_at_once_do_not_mix_their_texts(void **state)
{
    (void)state;
    int ends[2];
    char letters[WRITERS] = "abcd";
    pthread_t writers[WRITERS];
    pthread_t reader;
    void *wrong;
    reports_begin(NULL, true);
    assert_int_equal(pipe(ends), 0);
    pipe_end = ends[1];
    os.write_error = pipe_write;
    assert_int_equal(pthread_create(&reader, NULL, lines_read, &ends[0]), 0);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, texts_send, &letters[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(writers[i], NULL), 0);
    }
    (void)close(ends[1]);
    assert_int_equal(pthread_join(reader, &wrong), 0);
    fake_install();
    assert_null(wrong);
}

static void a_text_that_is_too_long_is_cut(void **state)
{
    (void)state;
    static report_t report;
    for (int i = 0; i < 10000; i++) {
        report_add(&report, "line %d\n", i);
    }
    assert_true(report.length < sizeof report.text);
    assert_int_equal(strlen(report.text), report.length);
}

static void each_domain_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(domain_name(CUBBY_DOMAIN_RAW), "raw");
    assert_string_equal(domain_name(CUBBY_DOMAIN_MEM), "mem");
    assert_string_equal(domain_name(CUBBY_DOMAIN_OBJ), "obj");
    assert_string_equal(domain_name(DOMAIN_NONE), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_report_says_all_about_the_block),
        CHECK_TEST(a_report_goes_to_stderr_when_there_is_no_file),
        cmocka_unit_test_setup_teardown(a_report_goes_to_the_file, file_start, check_end_plain),
        cmocka_unit_test_setup_teardown(a_report_that_the_file_does_not_take_goes_to_stderr, file_start,
                                        check_end_plain),
        cmocka_unit_test_teardown(a_file_that_cannot_be_written_is_named_at_start, check_end_plain),
        cmocka_unit_test(threads_that_report_at_once_do_not_mix_their_texts),
        cmocka_unit_test(a_text_that_is_too_long_is_cut),
        cmocka_unit_test(each_domain_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
