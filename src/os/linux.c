/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

/*
 * MAP_NORESERVE keeps the default overcommit mode from counting the whole reservation when it is committed. Strict
 * mode ignores it and counts what commit makes writable, which grows in steps.
 */
static void *linux_reserve(size_t size)
{
    int saved = errno;
    void *start = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return start == MAP_FAILED ? NULL : start;
}

static void linux_release(void *start, size_t size)
{
    int saved = errno;
    (void)munmap(start, size);
    errno = saved;
}

/* vm.overcommit_memory. Asked once: the answer changes when an administrator changes it. */
static char overcommit_mode(void)
{
    static char answer;
    char mode = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (mode == 0) {
        int saved = errno;
        mode = '0';
        int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            (void)!read(file, &mode, 1);
            (void)close(file);
        }
        __atomic_store_n(&answer, mode, __ATOMIC_RELAXED);
        errno = saved;
    }
    return mode;
}

/*
 * In its default mode the system refuses more memory in one call than all its pages and swap, but not in a mapping with
 * MAP_NORESERVE; without that it would not fork a process that has as much room to grow. So it is refused here: a
 * program that wants what it can never fill is told at once, not killed when it fills it. The least size that is looked
 * at is what a small program commits: every machine has that.
 */
static bool exceeds_the_machine(size_t size)
{
    static const size_t least = (size_t)32 << 20;
    struct sysinfo machine;
    if (size <= least || overcommit_mode() != '0' || sysinfo(&machine) != 0) {
        return false;
    }
    return size / machine.mem_unit > machine.totalram + machine.totalswap;
}

static bool linux_commit(void *start, size_t size)
{
    int saved = errno;
    bool failed = exceeds_the_machine(size) || mprotect(start, size, PROT_READ | PROT_WRITE) != 0;
    errno = saved;
    return !failed;
}

/*
 * MADV_DONTNEED rather than MADV_FREE: the pages leave the resident set at once, so that a user who looks at RSS sees
 * them go, and they are known to be zero.
 */
static bool linux_purge(void *start, size_t size)
{
    int saved = errno;
    int failed = madvise(start, size, MADV_DONTNEED);
    errno = saved;
    return failed == 0;
}

static bool linux_advise_huge(void *start, size_t size)
{
    int saved = errno;
    int failed = madvise(start, size, MADV_HUGEPAGE);
    errno = saved;
    return failed == 0;
}

static bool linux_deny_huge(void *start, size_t size)
{
    int saved = errno;
    int failed = madvise(start, size, MADV_NOHUGEPAGE);
    errno = saved;
    return failed == 0;
}

static size_t linux_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* A line of /proc/meminfo in bytes, or SIZE_MAX. It stands in the first of these bytes. */
static size_t memory_fact(const char *name)
{
    char text[4096];
    int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) {
        (void)close(file);
    }
    text[length < 0 ? 0 : length] = '\0';
    const char *line = strstr(text, name);
    if (line == NULL) {
        return SIZE_MAX;
    }
    unsigned long long kibibytes = strtoull(line + strlen(name), NULL, 10);
    return kibibytes < SIZE_MAX >> 10 ? (size_t)kibibytes << 10 : SIZE_MAX;
}

/*
 * Under strict overcommit addresses are limited, too: the system keeps a 32nd of all that a process has reserved, up to
 * 128 MiB, from what it lets the process commit, and what was committed counts until its addresses are given back.
 */
static size_t commit_limit(void)
{
    static size_t answer;
    size_t bytes = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (bytes == 0) {
        bytes = memory_fact("CommitLimit:");
        __atomic_store_n(&answer, bytes, __ATOMIC_RELAXED);
    }
    return bytes;
}

static size_t linux_address_limit(void)
{
    int saved = errno;
    struct rlimit limit;
    size_t bytes = SIZE_MAX;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        bytes = (size_t)limit.rlim_cur;
    }
    if (overcommit_mode() == '2' && commit_limit() < bytes) {
        bytes = commit_limit();
    }
    errno = saved;
    return bytes;
}

static bool linux_commit_is_counted(void)
{
    return overcommit_mode() == '2';
}

/* The coarse clock costs no system call and is good to a few milliseconds. */
static uint64_t linux_clock_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void linux_write_error(const char *text, size_t length)
{
    int saved = errno;
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
    errno = saved;
}

static bool linux_append(const char *file, const char *text, size_t length)
{
    int saved = errno;
    bool whole = false;
    int opened = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (opened >= 0) {
        whole = write(opened, text, length) == (ssize_t)length;
        (void)close(opened);
    }
    errno = saved;
    return whole;
}

static uint32_t linux_thread_id(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

#define OS_LINUX_CALLS                                                                                                 \
    {                                                                                                                  \
        .reserve = linux_reserve, .release = linux_release, .commit = linux_commit, .purge = linux_purge,              \
        .advise_huge = linux_advise_huge, .deny_huge = linux_deny_huge, .page_size = linux_page_size,                  \
        .address_limit = linux_address_limit, .commit_is_counted = linux_commit_is_counted,                            \
        .clock_ms = linux_clock_ms, .write_error = linux_write_error, .append = linux_append,                          \
        .thread_id = linux_thread_id,                                                                                  \
    }

const os_calls_t os_linux = OS_LINUX_CALLS;
os_calls_t os = OS_LINUX_CALLS;
