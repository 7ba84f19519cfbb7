/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "os/os.h"
#include "support/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

enum { UNLIKELY_ERRNO = 9999 };

static const size_t SIZE = (size_t)1 << 20;

/* Whether a byte can be read, found out without reading it: the kernel refuses to copy what cannot be read. */
static bool is_readable(const char *address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    bool readable = write(ends[1], test_launder(address), 1) == 1;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return readable;
}

/* An address range that was there and is no more. */
static void *unmapped_range(void)
{
    void *start = os.reserve(SIZE);
    assert_non_null(start);
    os.release(start, SIZE);
    return start;
}

static void the_table_holds_what_linux_answers_at_start(void **state)
{
    (void)state;
    assert_memory_equal(&os, &os_linux, sizeof os);
}

static void reserved_space_starts_on_a_page_and_cannot_be_touched(void **state)
{
    (void)state;
    char *start = os.reserve(SIZE);
    assert_non_null(start);
    assert_int_equal((uintptr_t)start % os.page_size(), 0);
    assert_false(is_readable(start));
    assert_false(is_readable(start + SIZE - 1));
    os.release(start, SIZE);
}

static void a_reservation_costs_no_memory_however_large(void **state)
{
    (void)state;
    size_t before = memory_resident();
    size_t large = (size_t)64 << 30;
    char *start = os.reserve(large);
    assert_non_null(start);
    assert_true(memory_resident() < before + SIZE);
    os.release(start, large);
}

static void an_absurd_reservation_is_null_and_errno_is_kept(void **state)
{
    (void)state;
    errno = UNLIKELY_ERRNO;
    assert_null(os.reserve(SIZE_MAX / 2));
    assert_int_equal(errno, UNLIKELY_ERRNO);
}

static void only_what_is_committed_can_be_touched_and_it_reads_as_zero(void **state)
{
    (void)state;
    size_t page = os.page_size();
    char *start = os.reserve(SIZE);
    errno = UNLIKELY_ERRNO;
    assert_true(os.commit(start + page, 2 * page));
    assert_int_equal(errno, UNLIKELY_ERRNO);
    assert_false(is_readable(start + page - 1));
    assert_true(is_readable(start + page));
    assert_false(is_readable(start + 3 * page));
    for (size_t i = 0; i < 2 * page; i++) {
        assert_int_equal(start[page + i], 0);
    }
    memset(start + page, 1, 2 * page);
    os.release(start, SIZE);
}

static void committing_again_keeps_the_content(void **state)
{
    (void)state;
    char *start = os.reserve(SIZE);
    assert_true(os.commit(start, os.page_size()));
    start[7] = 42;
    assert_true(os.commit(start, SIZE));
    assert_int_equal(start[7], 42);
    os.release(start, SIZE);
}

/* Whether the system grants every size, whatever it has. */
static bool overcommit_is_without_limit(void)
{
    char mode = '0';
    int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY);
    if (file >= 0) {
        (void)!read(file, &mode, 1);
        (void)close(file);
    }
    return mode == '1';
}

/*
 * Symptom: where stock Python raises MemoryError for `[0] * 10**10`, with Cubby the system killed it.
 * Cause: reservations are made with MAP_NORESERVE, for which the system does not look at the size of a commit.
 * Guard: a commit of more than memory and swap together is refused, unless overcommit is without limit.
 */
static void a_commit_larger_than_the_machine_is_refused(void **state)
{
    (void)state;
    if (overcommit_is_without_limit()) {
        skip();
    }
    struct sysinfo machine;
    assert_int_equal(sysinfo(&machine), 0);
    size_t whole = (machine.totalram + machine.totalswap) * (size_t)machine.mem_unit;
    size_t size = (whole / SIZE + 64) * SIZE;
    char *start = os.reserve(size);
    assert_non_null(start);
    errno = UNLIKELY_ERRNO;
    assert_false(os.commit(start, size));
    assert_int_equal(errno, UNLIKELY_ERRNO);
    assert_true(os.commit(start, SIZE));
    assert_false(is_readable(start + SIZE));
    os.release(start, size);
}

static void a_released_range_is_gone_and_errno_is_kept(void **state)
{
    (void)state;
    char *start = os.reserve(SIZE);
    assert_true(os.commit(start, SIZE));
    errno = UNLIKELY_ERRNO;
    os.release(start, SIZE);
    assert_int_equal(errno, UNLIKELY_ERRNO);
    assert_false(is_readable(start));
}

static void what_is_not_reserved_cannot_be_committed_purged_or_advised(void **state)
{
    (void)state;
    void *nowhere = unmapped_range();
    errno = UNLIKELY_ERRNO;
    assert_false(os.commit(nowhere, SIZE));
    assert_false(os.purge(nowhere, SIZE));
    assert_false(os.advise_huge(nowhere, SIZE));
    assert_int_equal(errno, UNLIKELY_ERRNO);
}

static void purged_pages_leave_memory_at_once_and_read_as_zero(void **state)
{
    (void)state;
    size_t page = os.page_size();
    char *start = os.reserve(SIZE);
    assert_true(os.commit(start, SIZE));
    memset(start, 7, SIZE);
    assert_int_equal(memory_resident_in(start, SIZE), SIZE);
    assert_true(os.purge(start + page, SIZE - 2 * page));
    assert_int_equal(memory_resident_in(start, SIZE), 2 * page);
    for (size_t i = page; i < SIZE - page; i++) {
        assert_int_equal(start[i], 0);
    }
    assert_int_equal(start[page - 1], 7);
    assert_int_equal(start[SIZE - page], 7);
    os.release(start, SIZE);
}

static void advice_keeps_the_content_and_errno(void **state)
{
    (void)state;
    size_t huge = (size_t)2 << 20;
    char *start = os.reserve(3 * huge);
    char *aligned = (char *)(((uintptr_t)start + huge - 1) & ~(uintptr_t)(huge - 1));
    assert_true(os.commit(aligned, huge));
    memset(aligned, 9, huge);
    errno = UNLIKELY_ERRNO;
    (void)os.advise_huge(aligned, huge);
    assert_int_equal(errno, UNLIKELY_ERRNO);
    assert_int_equal(aligned[0], 9);
    assert_int_equal(aligned[huge - 1], 9);
    os.release(start, 3 * huge);
}

static void the_page_size_is_the_systems(void **state)
{
    (void)state;
    assert_int_equal(os.page_size(), sysconf(_SC_PAGESIZE));
}

/* In a child, which the limit does not outlive. */
static int limit_as_seen_by_a_child(rlim_t limit, size_t expected)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limits;
        (void)getrlimit(RLIMIT_AS, &limits);
        limits.rlim_cur = limit;
        (void)setrlimit(RLIMIT_AS, &limits);
        errno = UNLIKELY_ERRNO;
        _exit(os.address_limit() == expected && errno == UNLIKELY_ERRNO ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    return status;
}

static void the_address_limit_is_the_process_limit(void **state)
{
    (void)state;
    struct rlimit limits;
    assert_int_equal(getrlimit(RLIMIT_AS, &limits), 0);
    size_t limit = (size_t)1 << 40;
    if (limits.rlim_max != RLIM_INFINITY || os.commit_is_counted()) {
        skip();
    }
    assert_int_equal(limit_as_seen_by_a_child(limit, limit), 0);
    assert_int_equal(limit_as_seen_by_a_child(RLIM_INFINITY, SIZE_MAX), 0);
}

static uint64_t clock_coarse_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void the_clock_counts_milliseconds_and_never_goes_back(void **state)
{
    (void)state;
    uint64_t before = clock_coarse_ms();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = os.clock_ms();
        assert_true(now >= before);
        before = now;
    }
    assert_true(before <= clock_coarse_ms());
}

static void errors_go_to_stderr_whole_and_errno_is_kept(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int saved = dup(STDERR_FILENO);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    errno = UNLIKELY_ERRNO;
    os.write_error("a line\nignored", 7);
    int after = errno;
    (void)close(STDERR_FILENO);
    os.write_error("nobody reads this\n", 18);
    int after_closed = errno;
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    (void)close(ends[1]);

    char text[64];
    ssize_t length = read(ends[0], text, sizeof text);
    (void)close(ends[0]);
    assert_int_equal(length, 7);
    assert_memory_equal(text, "a line\n", 7);
    assert_int_equal(after, UNLIKELY_ERRNO);
    assert_int_equal(after_closed, UNLIKELY_ERRNO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_holds_what_linux_answers_at_start),
        cmocka_unit_test(reserved_space_starts_on_a_page_and_cannot_be_touched),
        cmocka_unit_test(a_reservation_costs_no_memory_however_large),
        cmocka_unit_test(an_absurd_reservation_is_null_and_errno_is_kept),
        cmocka_unit_test(only_what_is_committed_can_be_touched_and_it_reads_as_zero),
        cmocka_unit_test(committing_again_keeps_the_content),
        cmocka_unit_test(a_commit_larger_than_the_machine_is_refused),
        cmocka_unit_test(a_released_range_is_gone_and_errno_is_kept),
        cmocka_unit_test(what_is_not_reserved_cannot_be_committed_purged_or_advised),
        cmocka_unit_test(purged_pages_leave_memory_at_once_and_read_as_zero),
        cmocka_unit_test(advice_keeps_the_content_and_errno),
        cmocka_unit_test(the_page_size_is_the_systems),
        cmocka_unit_test(the_address_limit_is_the_process_limit),
        cmocka_unit_test(the_clock_counts_milliseconds_and_never_goes_back),
        cmocka_unit_test(errors_go_to_stderr_whole_and_errno_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
