/* SPDX-License-Identifier: MIT */
/* Zero bytes give a unique block, and resizing to zero does not free. */
#include "domain/libc.h"

#include <cubby/domain.h>

#include <stdlib.h>

void *libc_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size == 0 ? 1 : size);
}

void *libc_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size);
}

void *libc_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    return realloc(block, size == 0 ? 1 : size);
}

void libc_free(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

cubby_allocator_t cubby_libc_allocator(void)
{
    return (cubby_allocator_t){NULL, libc_malloc, libc_calloc, libc_realloc, libc_free};
}
