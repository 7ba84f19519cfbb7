/* SPDX-License-Identifier: MIT */
/*
 * A system that fails on demand: the calls in `os` go through to Linux unless `fake` says otherwise. Every range is
 * checked against what os.h promises of it; what breaks the promise is counted in fake.bad_ranges.
 */
#ifndef CUBBY_TESTS_SUPPORT_FAKE_OS_H
#define CUBBY_TESTS_SUPPORT_FAKE_OS_H

#include "os/os.h"
#include "os/settings.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef enum fake_call {
    FAKE_RESERVE,
    FAKE_COMMIT,
    FAKE_PURGE,
    FAKE_ADVISE_HUGE,
    FAKE_DENY_HUGE,
    FAKE_RELEASE, /* is never refused */
    FAKE_CALL_COUNT,
} fake_call_t;

enum { FAKE_RANGES = 1024, FAKE_ALIGNMENT = 65536 };

/* Addresses of one reservation that were not released. What is released in parts leaves several. */
typedef struct fake_range {
    char *start;
    size_t size; /* 0: the entry is free */
    unsigned reservation;
} fake_range_t;

typedef struct fake_os {
    size_t calls[FAKE_CALL_COUNT];
    char *last_start[FAKE_CALL_COUNT]; /* of the range a kind of call was last made with */
    size_t last_size[FAKE_CALL_COUNT];
    size_t fail_at[FAKE_CALL_COUNT]; /* the call with this number fails; 0: none */
    bool fail_onwards;               /* and so do all after it */
    bool fail_all[FAKE_CALL_COUNT];
    size_t largest[FAKE_CALL_COUNT]; /* more bytes than this are refused; 0: no bound */
    size_t page_size;                /* 0: the machine's */
    size_t address_limit;
    bool commit_is_counted;
    bool purge_keeps;  /* a purge is granted and changes nothing */
    uint64_t clock_ms; /* 0: the machine's */
    size_t smallest_reserve;
    size_t bad_ranges;
    size_t purged_bytes;
    size_t purge_largest;
    void (*on_purge)(void *start, size_t size); /* called before a purge is done */
    size_t messages;
    char text[512]; /* the last message */
    unsigned reservations_made;
    fake_range_t ranges[FAKE_RANGES];
} fake_os_t;

static fake_os_t fake;

/* What the calls themselves write: purges run without the library's lock. */
static pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static inline size_t fake_count(fake_call_t call)
{
    (void)pthread_mutex_lock(&fake_lock);
    size_t number = ++fake.calls[call];
    (void)pthread_mutex_unlock(&fake_lock);
    return number;
}

static inline bool fake_refuses(fake_call_t call, size_t size)
{
    size_t number = fake_count(call);
    size_t first = fake.fail_at[call];
    return fake.fail_all[call] || (first != 0 && (number == first || (fake.fail_onwards && number > first))) ||
           (fake.largest[call] != 0 && size > fake.largest[call]);
}

static inline size_t fake_page_size(void)
{
    return fake.page_size != 0 ? fake.page_size : os_linux.page_size();
}

/* ---- Addresses ---- */

static inline bool fake_range_add(char *start, size_t size, unsigned reservation)
{
    for (size_t i = 0; i < FAKE_RANGES && size > 0; i++) {
        if (fake.ranges[i].size == 0) {
            fake.ranges[i] = (fake_range_t){start, size, reservation};
            return true;
        }
    }
    return size == 0;
}

/* The range that holds all of [start, start + size), NULL when none does. */
static inline fake_range_t *fake_range_of(const void *start, size_t size)
{
    for (size_t i = 0; i < FAKE_RANGES; i++) {
        fake_range_t *range = &fake.ranges[i];
        uintptr_t offset = (uintptr_t)start - (uintptr_t)range->start;
        if (offset < range->size && size <= range->size - offset) {
            return range;
        }
    }
    return NULL;
}

static inline void *fake_reserve(size_t size)
{
    if (fake.smallest_reserve == 0 || size < fake.smallest_reserve) {
        fake.smallest_reserve = size;
    }
    if (fake_refuses(FAKE_RESERVE, size)) {
        return NULL;
    }
    char *real = os_linux.reserve(size + FAKE_ALIGNMENT);
    if (real == NULL) {
        return NULL;
    }
    char *start = (char *)(((uintptr_t)real + FAKE_ALIGNMENT - 1) & ~(uintptr_t)(FAKE_ALIGNMENT - 1));
    size_t before = (size_t)(start - real);
    if (before > 0) {
        os_linux.release(real, before);
    }
    os_linux.release(start + size, FAKE_ALIGNMENT - before);
    return fake_range_add(start, size, ++fake.reservations_made) ? start : NULL;
}

static inline void fake_check_range(fake_call_t call, void *start, size_t size)
{
    size_t unit = fake_page_size();
    (void)pthread_mutex_lock(&fake_lock);
    fake.last_start[call] = start;
    fake.last_size[call] = size;
    fake.bad_ranges +=
        fake_range_of(start, size) == NULL || size == 0 || (uintptr_t)start % unit != 0 || size % unit != 0;
    (void)pthread_mutex_unlock(&fake_lock);
}

static inline void fake_release(void *start, size_t size)
{
    (void)fake_count(FAKE_RELEASE);
    fake_check_range(FAKE_RELEASE, start, size);
    fake_range_t *range = fake_range_of(start, size);
    if (range == NULL) {
        return;
    }
    fake_range_t whole = *range;
    size_t before = (size_t)((char *)start - whole.start);
    range->size = 0;
    if (!fake_range_add(whole.start, before, whole.reservation) ||
        !fake_range_add((char *)start + size, whole.size - before - size, whole.reservation)) {
        fake.bad_ranges++;
    }
    os_linux.release(start, size);
}

/* Reservations of which some addresses are still held. */
static inline size_t fake_reservations(void)
{
    size_t count = 0;
    for (size_t i = 0; i < FAKE_RANGES; i++) {
        bool first = fake.ranges[i].size != 0;
        for (size_t j = 0; j < i && first; j++) {
            first = fake.ranges[j].size == 0 || fake.ranges[j].reservation != fake.ranges[i].reservation;
        }
        count += first;
    }
    return count;
}

/* Bytes of addresses that are held. */
static inline size_t fake_reserved(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < FAKE_RANGES; i++) {
        bytes += fake.ranges[i].size;
    }
    return bytes;
}

/* ---- Pages ---- */

static inline bool fake_commit(void *start, size_t size)
{
    fake_check_range(FAKE_COMMIT, start, size);
    return !fake_refuses(FAKE_COMMIT, size) && os_linux.commit(start, size);
}

static inline bool fake_purge(void *start, size_t size)
{
    fake_check_range(FAKE_PURGE, start, size);
    bool refused = fake_refuses(FAKE_PURGE, size);
    if (fake.on_purge != NULL) {
        fake.on_purge(start, size);
    }
    if (refused || (!fake.purge_keeps && !os_linux.purge(start, size))) {
        return false;
    }
    (void)pthread_mutex_lock(&fake_lock);
    fake.purged_bytes += size;
    fake.purge_largest = size > fake.purge_largest ? size : fake.purge_largest;
    (void)pthread_mutex_unlock(&fake_lock);
    return true;
}

static inline bool fake_advise_huge(void *start, size_t size)
{
    fake_check_range(FAKE_ADVISE_HUGE, start, size);
    return !fake_refuses(FAKE_ADVISE_HUGE, size) && os_linux.advise_huge(start, size);
}

static inline bool fake_deny_huge(void *start, size_t size)
{
    fake_check_range(FAKE_DENY_HUGE, start, size);
    return !fake_refuses(FAKE_DENY_HUGE, size) && os_linux.deny_huge(start, size);
}

/* ---- Facts ---- */

static inline size_t fake_address_limit(void)
{
    return fake.address_limit;
}

static inline bool fake_commit_is_counted(void)
{
    return fake.commit_is_counted;
}

static inline uint64_t fake_clock_ms(void)
{
    return fake.clock_ms != 0 ? fake.clock_ms : os_linux.clock_ms();
}

static inline void fake_write_error(const char *text, size_t length)
{
    (void)snprintf(fake.text, sizeof fake.text, "%.*s", (int)length, text);
    fake.messages++;
}

/*
 * From here on `os` is the fake, which refuses nothing yet, and settings are those of the environment. Only while no
 * region exists.
 */
static inline void fake_install(void)
{
    memset(&fake, 0, sizeof fake);
    fake.address_limit = SIZE_MAX;
    os = os_linux;
    os.reserve = fake_reserve;
    os.release = fake_release;
    os.commit = fake_commit;
    os.purge = fake_purge;
    os.advise_huge = fake_advise_huge;
    os.deny_huge = fake_deny_huge;
    os.page_size = fake_page_size;
    os.address_limit = fake_address_limit;
    os.commit_is_counted = fake_commit_is_counted;
    os.clock_ms = fake_clock_ms;
    os.write_error = fake_write_error;
    settings_read();
}

/* Forgets refusals and counts, keeps reservations, page size, limit and clock. */
static inline void fake_relent(void)
{
    memset(fake.calls, 0, sizeof fake.calls);
    memset(fake.fail_at, 0, sizeof fake.fail_at);
    fake.fail_onwards = false;
    memset(fake.fail_all, 0, sizeof fake.fail_all);
    memset(fake.largest, 0, sizeof fake.largest);
}

/* System calls of all kinds so far. */
static inline size_t fake_calls(void)
{
    size_t calls = 0;
    for (int call = 0; call < FAKE_CALL_COUNT; call++) {
        calls += fake.calls[call];
    }
    return calls;
}

/* Refuses everything that can be refused. */
static inline void fake_refuse_all(void)
{
    for (int call = 0; call < FAKE_CALL_COUNT; call++) {
        fake.fail_all[call] = true;
    }
}

#endif
