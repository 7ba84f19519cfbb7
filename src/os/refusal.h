/* SPDX-License-Identifier: MIT */
/* The reason of the last refusal, one a thread: what cubby_refusal_get() tells. */
#ifndef CUBBY_OS_REFUSAL_H
#define CUBBY_OS_REFUSAL_H

#include <cubby/refusal.h>

#pragma GCC visibility push(hidden)

/* Notes the reason, sets the errno that goes with it, and returns false. */
bool refuse(cubby_refusal_t refusal);

#pragma GCC visibility pop

#endif
