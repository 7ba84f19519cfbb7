/* SPDX-License-Identifier: MIT */
/* Debug checks on a fake system, on for the length of a test, which must leave no block and no heap behind. */
#ifndef CUBBY_TESTS_SUPPORT_CHECK_H
#define CUBBY_TESTS_SUPPORT_CHECK_H

#include "support/fake_os.h"
#include "support/test.h"

#include "check/check.h"
#include "check/fault.h"
#include "check/report.h"

#include <errno.h>
#include <string.h>

static struct {
    size_t count;
    char text[REPORT_BYTES]; /* the last one */
} reported;

static inline void report_receive(void *ctx, const char *text, size_t length)
{
    (void)ctx;
    reported.count++;
    memcpy(reported.text, text, length);
    reported.text[length] = '\0';
}

/* True when there was one report since the last question, with this first line and this anywhere. */
static inline bool was_reported(const char *headline, const char *detail)
{
    size_t count = reported.count;
    char expected[256];
    (void)snprintf(expected, sizeof expected, "cubby: debug: %s", headline);
    reported.count = 0;
    bool good =
        count == 1 && strncmp(reported.text, expected, strlen(expected)) == 0 && strstr(reported.text, detail) != NULL;
    if (!good) {
        printf("# %zu reports, the last one %s\n", count, reported.text);
    }
    return good;
}

static inline bool nothing_was_reported(void)
{
    return reported.count == 0;
}

static inline bool checks_start(cubby_check_options_t options)
{
    fake_install();
    reported.count = 0;
    options.goes_on = true;
    if (!cubby_check_start(&options)) {
        return false;
    }
    cubby_check_on_report(report_receive, NULL);
    return true;
}

/* True when everything is given back, and all ranges were right. */
static inline bool checks_end(void)
{
    fake_relent();
    check_end();
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    bool good = span_is_valid() && stats.in_spans == 0 && stats.heaps == 0 && fake.bad_ranges == 0;
    span_reset();
    os = os_linux;
    return good;
}

static inline int check_start_plain(void **state)
{
    (void)state;
    return checks_start((cubby_check_options_t){.hold_bytes = 65536}) ? 0 : -1;
}

static inline int check_end_plain(void **state)
{
    (void)state;
    return checks_end() && nothing_was_reported() ? 0 : -1;
}

#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, check_start_plain, check_end_plain)

/* Keeps the compiler from seeing that a pointer is misused. */
static inline char *hidden(void *pointer)
{
    char *volatile copy = pointer;
    return copy;
}

/* Sizes on each side of every border of the heap behind. */
static const size_t check_sizes[] = {0, 1, 15, 16, 17, 24, 448, 449, 512, 513, 5000, 32704, 32705, 40000, 1000000};
enum { CHECK_SIZES = sizeof check_sizes / sizeof *check_sizes };

#endif
