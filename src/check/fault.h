/* SPDX-License-Identifier: MIT */
/*
 * Misuse that was found, with all that a report needs: it is noted under LOCK_CHECKS and written when no lock is held.
 */
#ifndef CUBBY_CHECK_FAULT_H
#define CUBBY_CHECK_FAULT_H

#include "check/guard.h"
#include "check/record.h"

#pragma GCC visibility push(hidden)

typedef enum fault_kind {
    FAULT_DAMAGE, /* of a block: its damage says which */
    FAULT_DOUBLE_FREE,
    FAULT_FOREIGN,
    FAULT_GONE, /* an address of ours where no block is any more */
    FAULT_INTERIOR,
    FAULT_DOMAIN,
    FAULT_SIZE,
    FAULT_HEAP,
    FAULT_LOCK,
    FAULT_THREAD,
} fault_kind_t;

typedef struct fault {
    fault_kind_t kind;
    const char *moment;  /* when it was noticed: "in free" and the like */
    const void *pointer; /* that was passed; NULL when there is none */
    bool has_record;
    check_record_t record; /* a copy, of the block concerned */
    const void *front;     /* the heap of the block */
    damage_t damage;
    unsigned domain_asked;
    size_t size_asked;
    const void *heap_asked;
} fault_t;

/* What one call has found. */
enum { FAULTS_MOST = 4 };
typedef struct faults {
    size_t count;
    fault_t at[FAULTS_MOST];
} faults_t;

static inline bool faults_are_full(const faults_t *faults)
{
    return faults->count == FAULTS_MOST;
}

/* A new fault of that kind, about a block or, for NULL, a pointer only. When the list is full the last is lost. */
fault_t *fault_add(faults_t *faults, fault_kind_t kind, const char *moment, const void *pointer,
                   const check_record_t *record);

/* Looks at a block, and adds the damage unless it was reported before. True when it is damaged. */
bool fault_look(faults_t *faults, check_record_t *record, const char *moment);

#pragma GCC visibility pop

#endif
