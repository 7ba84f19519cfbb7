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

/* The table in force. Reading and replacing tables is for start-up, or for the holder of the runtime's lock. */
CUBBY_API cubby_allocator_t cubby_domain_get(cubby_domain_t domain);

/*
 * Replaces a table. Blocks must be freed through a table that knows them: replace before the first allocation, or
 * with a table that wraps the one it replaces. False with EINVAL for a domain that does not exist or a NULL function.
 */
CUBBY_API bool cubby_domain_set(cubby_domain_t domain, const cubby_allocator_t *allocator);

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
