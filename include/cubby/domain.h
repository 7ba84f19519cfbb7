/* SPDX-License-Identifier: MIT */
/*
 * Domains: who may allocate. A runtime sends each request through one of three tables:
 *
 *   raw   any thread, no lock held                    libc at start
 *   mem   buffers of the runtime                      the calling thread's heap
 *   obj   objects of the runtime                      the same; requests of 17 to 24 bytes take 24
 *
 * A table has the shape of CPython's PyMemAllocatorEx (PEP 445), so it can be handed to PyMem_SetAllocator as it is.
 */
#ifndef CUBBY_DOMAIN_H
#define CUBBY_DOMAIN_H

#include <cubby/cubby.h>
#include <cubby/limit.h>
#include <cubby/refusal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cubby_domain {
    CUBBY_DOMAIN_RAW,
    CUBBY_DOMAIN_MEM,
    CUBBY_DOMAIN_OBJ,
} cubby_domain_t;

enum { CUBBY_DOMAIN_COUNT = 3 };

/* Every function obeys the common rules of cubby.h; ctx is passed first to each. */
typedef struct cubby_allocator {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t count, size_t size);
    void *(*realloc)(void *ctx, void *block, size_t size);
    void (*free)(void *ctx, void *block);
} cubby_allocator_t;

/*
 * Changing tables. A domain has a table at the bottom, set or left as it was at start, and hooks above it, the latest
 * on top. Every change may be made by any thread at any time, while others allocate: a call sees the tables from before
 * the change or those from after it, never a mixture, and a call that is under way ends on those it began with. Cubby
 * keeps tables for good (a few hundred bytes for each that differs from all before), so they never dangle; what a ctx
 * points to is the caller's, and must stay as long as another thread may be inside a call that began before the change.
 * The holder of a lock without which nobody calls knows that; so does who has joined the threads.
 *
 * What is refused is refused with errno and a reason, cubby_refusal_get(), and changes nothing.
 */

/* The table in force: what the functions below call first. All NULL, with EINVAL, for a domain that does not exist. */
CUBBY_API cubby_allocator_t cubby_domain_get(cubby_domain_t domain);

/*
 * Replaces the table at the bottom; hooks stay where they are. A block must be freed by a table that knows it, so this is
 * for the time before the domain has given out its first block (what somebody allocated through a copy of a table is
 * not seen), and refused with CUBBY_REFUSAL_IN_USE from then on. At any time it puts back the table that
 * cubby_domain_cover() covered.
 */
CUBBY_API bool cubby_domain_set(cubby_domain_t domain, const cubby_allocator_t *allocator);

/*
 * Puts a table of the caller's in the place of `covered`, which it wraps: it has a copy and passes requests on, and
 * each of the two can free what the other gave out. This is PEP 445's way: get, cover, and set(covered) in the end. Any
 * time. Hooks below stay in force, but cannot be removed before the table that holds on to them is
 * (CUBBY_REFUSAL_COVERED). Refused with CUBBY_REFUSAL_CHANGED when `covered` is no longer the table in force.
 */
CUBBY_API bool cubby_domain_cover(cubby_domain_t domain, const cubby_allocator_t *allocator,
                                  const cubby_allocator_t *covered);

/*
 * A hook: functions that are told what stands below them with each call, `below`, and pass the request on there. So a
 * hook keeps no table, hooks are removed in any order, and one hook may be in several domains. It must do what the
 * table it stands for does, for NULL, zero and failure as well; it may refuse.
 */
typedef struct cubby_hook {
    const char *name; /* for people who list the hooks; a string that stays, or NULL */
    void *ctx;        /* passed first to each function */
    void *(*malloc)(void *ctx, const cubby_allocator_t *below, size_t size);
    void *(*calloc)(void *ctx, const cubby_allocator_t *below, size_t count, size_t size);
    void *(*realloc)(void *ctx, const cubby_allocator_t *below, void *block, size_t size);
    void (*free)(void *ctx, const cubby_allocator_t *below, void *block);
    /*
     * False: any block may pass it or not, and it can come and go at any time. True: it must see every block from first
     * to last, because it adds a header, say; such a hook comes and goes before the domain's first allocation only.
     */
    bool from_start;
} cubby_hook_t;

/*
 * Puts a hook on top. The structure is copied; its contents are what the hook is known by. Refused with
 * CUBBY_REFUSAL_PRESENT when the domain has it already.
 */
CUBBY_API bool cubby_domain_wrap(cubby_domain_t domain, const cubby_hook_t *hook);

/* Removes a hook, wherever it stands. Refused when it is absent, or covered, or from_start and the domain is in use. */
CUBBY_API bool cubby_domain_restore(cubby_domain_t domain, const cubby_hook_t *hook);

/*
 * The hooks of a domain, from the top down, without those that are covered; false past the last. To see which hook is
 * still there, and to count them.
 */
CUBBY_API bool cubby_domain_hook_get(cubby_domain_t domain, size_t index, cubby_hook_t *hook);

/*
 * Limits the usable bytes of the domain's blocks: limit.h says what happens at the limit, and who is asked first. What a
 * block's size class adds to its request counts, and may pass the limit by that much. The first call comes before the
 * domain's first allocation and installs a hook named "limit" below all others, which costs each request and each free
 * an atomic addition; later calls change the number, at any time. SIZE_MAX: no limit, only counting. Refused with
 * CUBBY_REFUSAL_IN_USE when it comes too late, and with CUBBY_REFUSAL_SIZES when the table at the bottom is neither
 * Cubby's nor libc's.
 *
 * Counts are by domain: blocks that one domain gave out and another takes back are counted out of that one.
 */
CUBBY_API bool cubby_domain_limit_set(cubby_domain_t domain, size_t bytes);

/* The limit and what is used of it: SIZE_MAX and 0 for a domain whose limit was never set. */
CUBBY_API cubby_limit_t cubby_domain_limit_get(cubby_domain_t domain);

CUBBY_API CUBBY_MALLOC_LIKE void *cubby_domain_malloc(cubby_domain_t domain, size_t size);
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_domain_calloc(cubby_domain_t domain, size_t count, size_t size);
CUBBY_API void *cubby_domain_realloc(cubby_domain_t domain, void *block, size_t size)
    __attribute__((warn_unused_result));
CUBBY_API void cubby_domain_free(cubby_domain_t domain, void *block);

/*
 * A table that serves `domain` from `heap` under the heap's lock rule, as long as the heap lives. `foreign`, which
 * must live as long, takes the frees and reallocs of blocks that are not Cubby's, so that a runtime which mixes
 * domains on one block survives; its realloc keeps the block there. NULL: such blocks are refused with a message.
 */
CUBBY_API cubby_allocator_t cubby_heap_allocator(cubby_heap_t *heap, cubby_domain_t domain,
                                                 const cubby_allocator_t *foreign);

/*
 * The same for any thread, from each thread's own heap: for runtimes whose tables are called under several locks, or
 * none.
 */
CUBBY_API cubby_allocator_t cubby_thread_allocator(cubby_domain_t domain, const cubby_allocator_t *foreign);

/* The C library's malloc and family as a table, for any domain. */
CUBBY_API cubby_allocator_t cubby_libc_allocator(void);

#ifdef __cplusplus
}
#endif
#endif
