/* SPDX-License-Identifier: MIT */
/* Zero bytes give a unique block, and resizing to zero does not free. */
#include "domain/libc.h"

#include <cubby/domain.h>

#include "heap/pressure.h"

#include <stdlib.h>

/*
 * Whether a request that libc refused is to be made again, the host having given memory back. Nobody can give back what
 * no program has.
 */
static bool libc_pressure(size_t size)
{
    const cubby_pressure_t pressure = {CUBBY_PRESSURE_SYSTEM, size, NULL, -1};
    return size <= PTRDIFF_MAX && pressure_ask(&pressure);
}

void *libc_malloc(void *ctx, size_t size)
{
    (void)ctx;
    size = size == 0 ? 1 : size;
    void *block = malloc(size);
    if (block == NULL && libc_pressure(size)) {
        block = malloc(size);
    }
    return block;
}

void *libc_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    count = size == 0 ? 0 : count;
    size = count == 0 ? 1 : size;
    count = count == 0 ? 1 : count;
    void *block = calloc(count, size);
    if (block == NULL && count <= PTRDIFF_MAX / size && libc_pressure(count * size)) {
        block = calloc(count, size);
    }
    return block;
}

void *libc_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    size = size == 0 ? 1 : size;
    void *moved = realloc(block, size);
    if (moved == NULL && libc_pressure(size)) {
        moved = realloc(block, size);
    }
    return moved;
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
