/* SPDX-License-Identifier: MIT */
/*
 * What the checks know of each block: one record, kept apart from the block, so that no stray write reaches it, and so
 * that any pointer can be looked up without reading through it.
 *
 *   buckets[hash(block)] -> record -> record ...       every block alive or held back
 *   heap->first          -> record <-> record ...      those of one heap
 *
 * All under LOCK_CHECKS.
 */
#ifndef CUBBY_CHECK_RECORD_H
#define CUBBY_CHECK_RECORD_H

#include <cubby/check.h>

#include "check/trace.h"
#include "heap/heap.h"

#pragma GCC visibility push(hidden)

/* Beside the three domains: a block of cubby_malloc() and family, or of a heap's own functions. */
enum { DOMAIN_NONE = CUBBY_DOMAIN_COUNT, DOMAIN_KINDS };

typedef struct check_record check_record_t;

/* Who is to hold the lock; `is_held` is NULL when nobody said. */
typedef struct check_owner {
    cubby_check_held_t is_held;
    void *ctx;
    bool reported;
} check_owner_t;

typedef struct check_heap {
    cubby_heap_t *front; /* what callers have */
    cubby_heap_t *inner; /* what blocks come from */
    check_record_t *first;
    size_t count; /* of records */
    cubby_owner_t kind;
    check_owner_t owner;
    uintptr_t thread; /* CUBBY_OWNER_THREAD: whose it is */
    bool reported;    /* that another thread used it */
} check_heap_t;

struct check_record {
    char *block; /* what the caller holds */
    size_t size; /* that was asked for */
    void *inner; /* what the heap behind gave */
    check_heap_t *heap;
    uint64_t serial; /* 1 for the first block of the program */
    uint32_t thread; /* that allocated it */
    uint32_t thread_freed;
    uint8_t domain;
    bool held;     /* freed, and held back */
    bool reported; /* damage to it was */
    const check_trace_t *allocated;
    const check_trace_t *freed;
    check_record_t *next_in_bucket;
    check_record_t *next;
    check_record_t *previous;
    check_record_t *next_held;
};

/* The table, empty, whose memory comes from `meta`. False when there is none. */
bool records_begin(cubby_heap_t *meta);
/* Forgets the table. */
void records_end(void);

/* A record for a block, entered everywhere; NULL when there is no memory. Its other fields are zero. */
check_record_t *record_add(check_heap_t *heap, void *block);
void record_remove(check_record_t *record);

/* The record of a block that starts exactly there, or NULL. */
check_record_t *record_find(const void *block);

/*
 * The record of the block that an address lies in, guards included; NULL when it lies in none. Looks at every record:
 * only for reports.
 */
check_record_t *record_around(const void *address);

/* The first record for which `found` is true, or NULL. */
check_record_t *record_search(bool (*found)(check_record_t *record, void *ctx), void *ctx);

#pragma GCC visibility pop

#endif
