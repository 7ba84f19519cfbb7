/* SPDX-License-Identifier: MIT */
/*
 * Freed blocks that are held back, in the order in which they were freed, so that late writes to them, and second frees
 * of them, are seen. What leaves is looked at and goes back to its heap. Under LOCK_CHECKS.
 */
#ifndef CUBBY_CHECK_HOLD_H
#define CUBBY_CHECK_HOLD_H

#include "check/fault.h"
#include "check/record.h"

#pragma GCC visibility push(hidden)

/* At most so many blocks are held, whatever their size: half a million records are 64 MiB. */
enum { HOLD_MOST = 524288 };

/* An empty queue for `bytes` of blocks. */
void hold_begin(size_t bytes);

/*
 * Holds a block back, or gives it back at once when it is larger than all that is held; then lets the oldest leave.
 * Damage to those is added to `faults`; when that is full the rest stays.
 */
void hold_add(check_record_t *record, faults_t *faults);

/* Lets blocks of one heap, or of all for NULL, leave. */
void hold_flush(const check_heap_t *heap, faults_t *faults);

#pragma GCC visibility pop

#endif
