/* SPDX-License-Identifier: MIT */
/*
 * Where regions come from: the host's arena, or the system. Each call is as the one of the same name in os/os.h, errno
 * is kept, and the table cannot change while a region exists.
 */
#ifndef CUBBY_SPAN_ARENA_H
#define CUBBY_SPAN_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

void *arena_reserve(size_t size);
void arena_release(void *start, size_t size);
bool arena_commit(void *start, size_t size);
bool arena_purge(void *start, size_t size);
bool arena_advise_huge(void *start, size_t size);
bool arena_deny_huge(void *start, size_t size);

/* True when huge pages are possible, so that regions are aligned to them. */
bool arena_has_huge_pages(void);

/* The most that can be reserved, 0 when nobody knows. */
size_t arena_size(void);

/* True when what is committed counts against some bound, touched or not. */
bool arena_commit_is_counted(void);

/* The system's again; for tests. */
void arena_reset(void);

#pragma GCC visibility pop

#endif
