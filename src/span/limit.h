/* SPDX-License-Identifier: MIT */
/* The process's limit: how many pages used spans may hold together. Callers of limit_allows() hold the span lock. */
#ifndef CUBBY_SPAN_LIMIT_H
#define CUBBY_SPAN_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* True when so many pages more may be used. */
bool limit_allows(size_t pages);

/* The same for who does not hold the lock. */
bool span_limit_allows(size_t pages);

/* SIZE_MAX: no limit. */
void span_limit_set(size_t pages);
size_t span_limit(void);

#pragma GCC visibility pop

#endif
