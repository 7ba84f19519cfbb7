/* SPDX-License-Identifier: MIT */
#include <cubby/domain.h>

#include "domain/table.h"

#include <errno.h>
#include <stdlib.h>

/* libc, held to the common rules: zero bytes give a unique block, and resizing to zero does not free. */
static void *libc_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size == 0 ? 1 : size);
}

static void *libc_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size);
}

static void *libc_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    return realloc(block, size == 0 ? 1 : size);
}

static void libc_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static cubby_allocator_t tables[CUBBY_DOMAIN_COUNT] = {
    [CUBBY_DOMAIN_RAW] = {NULL, libc_malloc, libc_calloc, libc_realloc, libc_free},
    [CUBBY_DOMAIN_MEM] = {NULL, thread_mem_malloc, thread_mem_calloc, thread_mem_realloc, thread_free},
    [CUBBY_DOMAIN_OBJ] = {NULL, thread_obj_malloc, thread_obj_calloc, thread_obj_realloc, thread_free},
};

cubby_allocator_t cubby_libc_allocator(void)
{
    return (cubby_allocator_t){NULL, libc_malloc, libc_calloc, libc_realloc, libc_free};
}

cubby_allocator_t cubby_domain_get(cubby_domain_t domain)
{
    return tables[domain];
}

bool cubby_domain_set(cubby_domain_t domain, const cubby_allocator_t *allocator)
{
    if ((unsigned)domain >= CUBBY_DOMAIN_COUNT || allocator == NULL || allocator->malloc == NULL ||
        allocator->calloc == NULL || allocator->realloc == NULL || allocator->free == NULL) {
        errno = EINVAL;
        return false;
    }
    tables[domain] = *allocator;
    return true;
}

void *cubby_domain_malloc(cubby_domain_t domain, size_t size)
{
    return tables[domain].malloc(tables[domain].ctx, size);
}

void *cubby_domain_calloc(cubby_domain_t domain, size_t count, size_t size)
{
    return tables[domain].calloc(tables[domain].ctx, count, size);
}

void *cubby_domain_realloc(cubby_domain_t domain, void *block, size_t size)
{
    return tables[domain].realloc(tables[domain].ctx, block, size);
}

void cubby_domain_free(cubby_domain_t domain, void *block)
{
    tables[domain].free(tables[domain].ctx, block);
}
