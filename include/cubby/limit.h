/* SPDX-License-Identifier: MIT */
/*
 * Limits, and a last word before a request fails.
 *
 * A limit bounds the process, a heap, or a domain (cubby_domain_limit_set() in domain.h). A request that would pass it
 * has the host asked for memory back, is tried once more, and then fails: NULL with ENOMEM, and nothing has changed. The
 * host is asked as well before a request fails because the system gives no more. A limit below what is in use takes
 * nothing away: it refuses more until enough was given back.
 *
 * What counts, for the process and for heaps, are the 4 KiB pages held by pools and large blocks. A pool holds blocks of
 * one size and has 16 KiB or more, so a request of a few bytes may find the limit reached, or find a block in a pool
 * that counts already; and a large block counts its size in whole pages. Free pages that Cubby retains count nowhere.
 * A large block that has to move in order to grow counts twice while it is copied. Blocks are taken and given back
 * within pools without a look at any limit, so limits cost nothing there.
 */
#ifndef CUBBY_LIMIT_H
#define CUBBY_LIMIT_H

#include <cubby/cubby.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In bytes; SIZE_MAX is no limit. */
typedef struct cubby_limit {
    size_t bytes;
    size_t used;
} cubby_limit_t;

/*
 * All of Cubby's pools and large blocks in this process, and the heaps' own structures: cubby_stats_t's in_spans. Bytes
 * are rounded down to whole pages. Any thread, any time. The C library's memory (the raw domain at start) is not
 * Cubby's.
 */
CUBBY_API void cubby_limit_set(size_t bytes);
CUBBY_API cubby_limit_t cubby_limit_get(void);

/*
 * The pools and large blocks of one heap object, under the rule of its owner. Heaps behind cubby_malloc() have no limit
 * of their own.
 */
CUBBY_API void cubby_heap_limit_set(cubby_heap_t *heap, size_t bytes);
CUBBY_API cubby_limit_t cubby_heap_limit_get(cubby_heap_t *heap);

typedef enum cubby_pressure_cause {
    CUBBY_PRESSURE_SYSTEM, /* the system, or the host's arena, gives no more */
    CUBBY_PRESSURE_LIMIT,  /* the process's limit is reached */
    CUBBY_PRESSURE_HEAP,   /* a heap's */
    CUBBY_PRESSURE_DOMAIN, /* a domain's */
} cubby_pressure_cause_t;

typedef struct cubby_pressure {
    cubby_pressure_cause_t cause;
    size_t bytes;       /* that the request needs: in whole pages, or pools, but for a domain's limit */
    cubby_heap_t *heap; /* whose limit it is, else NULL */
    int domain;         /* a cubby_domain_t whose limit it is, else -1 */
} cubby_pressure_t;

/*
 * Gives memory back: runs a collection, drops caches. True when the request should be tried again, false when there was
 * nothing to give.
 *
 * It is called in the thread whose request it is, in the middle of that request, with no lock of Cubby's held and with
 * the locks of the host's that the caller held. It may free, allocate, trim, and use any heap that this thread might use
 * right then, but for destroying the one it was called for; it must not touch the block that is being resized. Requests
 * it makes itself fail without another call. Several threads may be in it at once. Errno is kept for it. It returns: a
 * thread that leaves it by longjmp() or an exception is taken to be still inside, and not asked again.
 */
typedef bool (*cubby_pressure_function_t)(void *ctx, const cubby_pressure_t *pressure);

/*
 * Sets the one function of the process; NULL for none, as at start. Any thread, any time; a thread that is inside the
 * old one stays there until it returns, and ctx must last as long.
 */
CUBBY_API void cubby_pressure_set(cubby_pressure_function_t function, void *ctx);

#ifdef __cplusplus
}
#endif
#endif
