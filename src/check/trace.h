/* SPDX-License-Identifier: MIT */
/*
 * Where in the program something happened: the callers' addresses, and what the runtime says of its own place. Each
 * different one is kept once, for good.
 */
#ifndef CUBBY_CHECK_TRACE_H
#define CUBBY_CHECK_TRACE_H

#include <cubby/check.h>

#pragma GCC visibility push(hidden)

/* TRACE_OWN: callers within the library, which a report leaves out when it can tell them. */
enum { TRACE_DEPTH_MOST = 32, TRACE_OWN = 8, TRACE_FRAMES = TRACE_DEPTH_MOST + TRACE_OWN, TRACE_TEXT = 256 };

typedef struct check_trace check_trace_t;

/* A place that was looked at and is not kept yet. */
typedef struct trace_draft {
    int depth; /* frames */
    size_t length;
    void *frames[TRACE_FRAMES];
    char text[TRACE_TEXT];
} trace_draft_t;

/* From now on so many callers are noted, 0 for none; traces are kept in memory of `meta`. */
void traces_begin(cubby_heap_t *meta, unsigned depth);

/* Who says where the runtime is, NULL for nobody. */
void traces_ask(cubby_check_place_t place, void *ctx);

/* Looks where the caller is. No lock is held. */
void trace_take(trace_draft_t *draft);

/* Keeps it; NULL when there is nothing to keep, or no memory. Under LOCK_CHECKS. */
const check_trace_t *trace_keep(const trace_draft_t *draft);

/* Writes it out in lines, at most `size` bytes; returns their count. No lock is held. */
size_t trace_print(const check_trace_t *trace, char *text, size_t size);

/* What the runtime says of where it is now. */
size_t trace_runtime(char *text, size_t size);

#pragma GCC visibility pop

#endif
