/* SPDX-License-Identifier: MIT */
/* Blocks that are still alive: how many, and the largest and the oldest of them, by where they were allocated. */
#ifndef CUBBY_CHECK_LEAK_H
#define CUBBY_CHECK_LEAK_H

#include "check/record.h"

#pragma GCC visibility push(hidden)

/* Reports them, of one heap or, for NULL, of all, unless there are none. Returns how many. No lock is held. */
size_t leaks_report(const check_heap_t *heap, const char *moment);

#pragma GCC visibility pop

#endif
