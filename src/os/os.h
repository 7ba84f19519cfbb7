/* SPDX-License-Identifier: MIT */
/*
 * The system, as the layers above see it: one table of calls that tests can replace, to make the n-th call fail or to
 * move the clock.
 *
 * Every call leaves errno as it was; failure is in the return value only. Sizes are bytes; ranges given to commit,
 * purge, advise_huge and deny_huge start and end on system pages.
 */
#ifndef CUBBY_OS_H
#define CUBBY_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct os_calls {
    /* Address space that cannot be touched yet, aligned to a system page; NULL when refused. */
    void *(*reserve)(size_t size);
    /* Gives addresses of a reservation back, all of it or part. */
    void (*release)(void *start, size_t size);
    /* Makes part of a reservation readable and writable; it reads as zero. False when refused. */
    bool (*commit)(void *start, size_t size);
    /* Gives the pages back and keeps the addresses: true when they read as zero from now on. */
    bool (*purge)(void *start, size_t size);
    /* Asks for huge pages in the range. False when the system has none to offer. */
    bool (*advise_huge)(void *start, size_t size);
    /* Asks for no huge pages in the range from now on, whatever the system does by default. */
    bool (*deny_huge)(void *start, size_t size);
    /* Bytes of a system page: a power of two, at least 4096. */
    size_t (*page_size)(void);
    /* Bytes of address space this process may have, or all may commit; SIZE_MAX when there is no limit. */
    size_t (*address_limit)(void);
    /* True when the system counts committed memory against a limit, whether it is touched or not. */
    bool (*commit_is_counted)(void);
    /* Milliseconds of a clock that never goes back. */
    uint64_t (*clock_ms)(void);
    /* Text for the user, on stderr, whole or not at all. */
    void (*write_error)(const char *text, size_t length);
    /* Text at the end of a file, which is made when it is not there. False when not all of it could be written. */
    bool (*append)(const char *file, const char *text, size_t length);
    /* The system's number of the calling thread. */
    uint32_t (*thread_id)(void);
} os_calls_t;

extern os_calls_t os;

/* The calls that Linux answers; what `os` holds at start. */
extern const os_calls_t os_linux;

#pragma GCC visibility pop

#endif
