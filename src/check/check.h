/* SPDX-License-Identifier: MIT */
/*
 * The checked allocations and frees themselves, as the checked tables and the hooks of the heap layer call them.
 *
 * Under LOCK_CHECKS is all that the checks know, and every heap behind a checked one, so that any thread may use any.
 * What is found is noted under the lock and reported after it.
 */
#ifndef CUBBY_CHECK_CHECK_H
#define CUBBY_CHECK_CHECK_H

#include "check/record.h"
#include "heap/checks.h"

#pragma GCC visibility push(hidden)

/* A call, as the checks see it. */
typedef struct check_call {
    const char *moment;  /* "in free" and the like */
    cubby_heap_t *front; /* that it names, NULL for any */
    unsigned domain;     /* that it names; DOMAIN_NONE fits every block */
    size_t size;         /* that a free knows, or CHECKS_SIZE_UNKNOWN */
} check_call_t;

/* What became of a pointer that was to be freed or resized. */
typedef enum check_answer {
    ANSWER_DONE,    /* it was, or it was refused and reported */
    ANSWER_FOREIGN, /* it lies outside Cubby's memory; nothing was done */
    ANSWER_OTHER,   /* an unchecked heap gave it out; nothing was done */
} check_answer_t;

void *check_alloc(const check_call_t *call, size_t size, size_t alignment, bool zeroed);
check_answer_t check_free(const check_call_t *call, void *block);
check_answer_t check_resize(const check_call_t *call, void *block, size_t size, void **moved);

/* Looks at all blocks, reports the damaged ones not reported before, and returns how many are damaged. */
size_t blocks_look(const char *moment);

/* Reports a pointer that is not Cubby's. */
void check_refuse_foreign(const check_call_t *call, const void *pointer);

/* The checked front for cubby_malloc() and family. */
cubby_heap_t *check_plain(void);

/* Memory of the checks' own, under LOCK_CHECKS. */
cubby_heap_t *check_memory(void);

/* Turns checks off and gives all their memory back; for tests, when no checked block and no checked heap is left. */
void check_end(void);

/* A checked table for a domain; `heap` NULL for any thread's. False when there is no memory. */
bool check_table(cubby_heap_t *heap, int domain, const cubby_allocator_t *foreign, cubby_allocator_t *table);
bool check_table_is(const cubby_allocator_t *table);
void check_tables_begin(void);
void check_tables_end(void);
/* The heap is about to go. */
void check_tables_forget(const cubby_heap_t *front);

#pragma GCC visibility pop

#endif
