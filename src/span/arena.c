/* SPDX-License-Identifier: MIT */
#include "span/arena.h"

#include <cubby/arena.h>

#include "os/instrument.h"
#include "os/os.h"
#include "os/refusal.h"
#include "span/region.h"

#include <errno.h>
#include <stdio.h>

/* ---- The system as an arena ---- */

static void *system_reserve(void *ctx, size_t size)
{
    (void)ctx;
    return os.reserve(size);
}

static bool system_commit(void *ctx, void *start, size_t size)
{
    (void)ctx;
    return os.commit(start, size);
}

static bool system_purge(void *ctx, void *start, size_t size)
{
    (void)ctx;
    return os.purge(start, size);
}

static void system_release(void *ctx, void *start, size_t size)
{
    (void)ctx;
    os.release(start, size);
}

#define ARENA_SYSTEM                                                                                                   \
    {                                                                                                                  \
        .reserve = system_reserve, .commit = system_commit, .purge = system_purge, .release = system_release,          \
        .huge_pages = true                                                                                             \
    }

/* Written under the span lock while there is no region; so whoever has one may read it without the lock. */
static cubby_arena_t arena = ARENA_SYSTEM;

/* ---- Calls ---- */

/* An arena that breaks its promise would have spans lie across system pages: better to have none, and to be told. */
static void *arena_refuse_unaligned(void *start, size_t size)
{
    char text[160];
    int length = snprintf(text, sizeof text,
                          "cubby: the arena reserved at %p, which is not a multiple of the system's page of %zu bytes; "
                          "align it\n",
                          start, os.page_size());
    os.write_error(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    arena.release(arena.ctx, start, size);
    return NULL;
}

void *arena_reserve(size_t size)
{
    if (arena.size != 0 && size > arena.size) {
        return NULL;
    }
    int saved = errno;
    void *start = arena.reserve(arena.ctx, size);
    if ((uintptr_t)start % os.page_size() != 0) {
        start = arena_refuse_unaligned(start, size);
    }
    errno = saved;
    return start;
}

void arena_release(void *start, size_t size)
{
    memory_forget(start, size);
    int saved = errno;
    arena.release(arena.ctx, start, size);
    errno = saved;
}

bool arena_commit(void *start, size_t size)
{
    int saved = errno;
    bool done = arena.commit(arena.ctx, start, size);
    errno = saved;
    return done;
}

bool arena_purge(void *start, size_t size)
{
    if (arena.purge == NULL) {
        return false;
    }
    int saved = errno;
    bool done = arena.purge(arena.ctx, start, size);
    errno = saved;
    return done;
}

bool arena_advise_huge(void *start, size_t size)
{
    return arena.huge_pages && os.advise_huge(start, size);
}

bool arena_deny_huge(void *start, size_t size)
{
    return arena.huge_pages && os.deny_huge(start, size);
}

/* ---- Facts ---- */

bool arena_has_huge_pages(void)
{
    return arena.huge_pages;
}

size_t arena_size(void)
{
    return arena.size;
}

/* What a host's table counts is not known, so it is taken to count. */
bool arena_commit_is_counted(void)
{
    return arena.commit != system_commit || os.commit_is_counted();
}

/* ---- The host's choice ---- */

cubby_arena_t cubby_arena_get(void)
{
    span_lock();
    cubby_arena_t table = arena;
    span_unlock();
    return table;
}

bool cubby_arena_set(const cubby_arena_t *table)
{
    if (table == NULL || table->reserve == NULL || table->commit == NULL || table->release == NULL) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    span_lock();
    bool unused = region_count() == 0;
    if (unused) {
        arena = *table;
    }
    span_unlock();
    return unused || refuse(CUBBY_REFUSAL_IN_USE);
}

void arena_reset(void)
{
    arena = (cubby_arena_t)ARENA_SYSTEM;
}
