/* SPDX-License-Identifier: MIT */
/*
 * The guarded library (cubby.h says what it finds): the same sources, compiled with CUBBY_GUARD. Without it everything
 * here is nothing.
 */
#ifndef CUBBY_OS_GUARD_H
#define CUBBY_OS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef CUBBY_GUARD

#pragma GCC visibility push(hidden)

/* A number that only this process knows, never 0. The same at each call, and in forked children. */
uintptr_t guard_key(void);

/* Says on stderr what is wrong with the block, span or heap at `place`, and aborts. */
__attribute__((cold)) _Noreturn void guard_stop(const void *place, const char *what);

#pragma GCC visibility pop

/* Stops the program unless `good`. */
static inline void guard(bool good, const void *place, const char *what)
{
    if (__builtin_expect(!good, 0)) {
        guard_stop(place, what);
    }
}

#else

/* A macro: what is not compared need not be computed. */
#define guard(good, place, what) ((void)0)

#endif
#endif
