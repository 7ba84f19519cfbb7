/* SPDX-License-Identifier: MIT */
/* Who may call: the thread a heap belongs to, and the lock that goes with a domain or a heap, as the host tells. */
#ifndef CUBBY_CHECK_OWNER_H
#define CUBBY_CHECK_OWNER_H

#include "check/check.h"
#include "check/fault.h"

#pragma GCC visibility push(hidden)

void owners_begin(void);

/* Adds what is wrong with a call for `front`, which may be NULL when it names none. No lock of Cubby's is held. */
void owner_check(const check_call_t *call, cubby_heap_t *front, faults_t *faults);

#pragma GCC visibility pop

#endif
