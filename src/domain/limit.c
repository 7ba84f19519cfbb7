/* SPDX-License-Identifier: MIT */
/*
 * What a request may take is claimed before the table below is called, so that threads that allocate at once do not pass
 * the limit together; what its block took in the end is settled after.
 */
#include "domain/limit.h"

#include <cubby/limit.h>

#include "domain/domain.h"
#include "domain/libc.h"
#include "heap/heap.h"
#include "heap/pressure.h"

#include <errno.h>
#include <malloc.h>

/* All blocks count at least this much, and in steps of it. */
enum { STEP = 16 };

typedef struct domain_limit {
    size_t most;
    /* Signed: a runtime that mixes its domains gives back here what it took elsewhere. */
    ptrdiff_t used;
    cubby_domain_t domain;
} domain_limit_t;

static domain_limit_t limits[CUBBY_DOMAIN_COUNT] = {
    [CUBBY_DOMAIN_RAW] = {.most = SIZE_MAX, .domain = CUBBY_DOMAIN_RAW},
    [CUBBY_DOMAIN_MEM] = {.most = SIZE_MAX, .domain = CUBBY_DOMAIN_MEM},
    [CUBBY_DOMAIN_OBJ] = {.most = SIZE_MAX, .domain = CUBBY_DOMAIN_OBJ},
};

static size_t used_of(const domain_limit_t *limit)
{
    ptrdiff_t used = __atomic_load_n(&limit->used, __ATOMIC_RELAXED);
    return used < 0 ? 0 : (size_t)used;
}

static void limit_settle(domain_limit_t *limit, ptrdiff_t bytes)
{
    (void)__atomic_fetch_add(&limit->used, bytes, __ATOMIC_RELAXED);
}

static bool limit_try(domain_limit_t *limit, size_t bytes)
{
    size_t most = __atomic_load_n(&limit->most, __ATOMIC_RELAXED);
    ptrdiff_t used = __atomic_load_n(&limit->used, __ATOMIC_RELAXED);
    do {
        size_t counted = used < 0 ? 0 : (size_t)used;
        if (bytes > 0 && (counted > most || bytes > most - counted)) {
            return false;
        }
    } while (!__atomic_compare_exchange_n(&limit->used, &used, used + (ptrdiff_t)bytes, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return true;
}

/* Claims bytes, if need be after the host was asked. False with ENOMEM. */
static bool limit_claim(domain_limit_t *limit, size_t bytes)
{
    if (limit_try(limit, bytes)) {
        return true;
    }
    const cubby_pressure_t pressure = {CUBBY_PRESSURE_DOMAIN, bytes, NULL, (int)limit->domain};
    if (pressure_ask(&pressure) && limit_try(limit, bytes)) {
        return true;
    }
    errno = ENOMEM;
    return false;
}

/* What a request counts until its block is known. Nothing absurd gets here. */
static size_t bytes_claimed(size_t size)
{
    return size == 0 ? STEP : (size + STEP - 1) / STEP * STEP;
}

static bool size_is_absurd(size_t size)
{
    if (size <= PTRDIFF_MAX - STEP) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

/* What a block of the table below counts. */
static size_t bytes_of(const cubby_allocator_t *below, const void *block)
{
    size_t bytes = block_size(block);
    if (bytes == 0 && block != NULL && below->malloc == libc_malloc) {
        bytes = malloc_usable_size((void *)(uintptr_t)block);
    }
    return bytes;
}

/* After `claimed` was claimed for a block that counted `before`: what it counts now, or nothing new when it is NULL. */
static void *limit_settle_block(domain_limit_t *limit, const cubby_allocator_t *below, void *block, size_t before,
                                size_t claimed)
{
    size_t now = block == NULL ? before : bytes_of(below, block);
    limit_settle(limit, (ptrdiff_t)now - (ptrdiff_t)before - (ptrdiff_t)claimed);
    return block;
}

static void *limit_malloc(void *ctx, const cubby_allocator_t *below, size_t size)
{
    if (size_is_absurd(size) || !limit_claim(ctx, bytes_claimed(size))) {
        return NULL;
    }
    return limit_settle_block(ctx, below, below->malloc(below->ctx, size), 0, bytes_claimed(size));
}

static void *limit_calloc(void *ctx, const cubby_allocator_t *below, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        bytes = SIZE_MAX;
    }
    if (size_is_absurd(bytes) || !limit_claim(ctx, bytes_claimed(bytes))) {
        return NULL;
    }
    return limit_settle_block(ctx, below, below->calloc(below->ctx, count, size), 0, bytes_claimed(bytes));
}

static void *limit_realloc(void *ctx, const cubby_allocator_t *below, void *block, size_t size)
{
    if (size_is_absurd(size)) {
        return NULL;
    }
    size_t before = bytes_of(below, block);
    size_t wanted = bytes_claimed(size);
    size_t more = wanted > before ? wanted - before : 0;
    if (!limit_claim(ctx, more)) {
        return NULL;
    }
    return limit_settle_block(ctx, below, below->realloc(below->ctx, block, size), before, more);
}

static void limit_free(void *ctx, const cubby_allocator_t *below, void *block)
{
    limit_settle(ctx, -(ptrdiff_t)bytes_of(below, block));
    below->free(below->ctx, block);
}

#define LIMIT_HOOK(domain)                                                                                             \
    {                                                                                                                  \
        "limit", &limits[domain], limit_malloc, limit_calloc, limit_realloc, limit_free, true                          \
    }

const cubby_hook_t limit_hooks[CUBBY_DOMAIN_COUNT] = {
    [CUBBY_DOMAIN_RAW] = LIMIT_HOOK(CUBBY_DOMAIN_RAW),
    [CUBBY_DOMAIN_MEM] = LIMIT_HOOK(CUBBY_DOMAIN_MEM),
    [CUBBY_DOMAIN_OBJ] = LIMIT_HOOK(CUBBY_DOMAIN_OBJ),
};

bool cubby_domain_limit_set(cubby_domain_t domain, size_t bytes)
{
    if (!domain_wrap_bottom(domain, (unsigned)domain < CUBBY_DOMAIN_COUNT ? &limit_hooks[domain] : NULL)) {
        return false;
    }
    __atomic_store_n(&limits[domain].most, bytes, __ATOMIC_RELAXED);
    return true;
}

cubby_limit_t cubby_domain_limit_get(cubby_domain_t domain)
{
    if ((unsigned)domain >= CUBBY_DOMAIN_COUNT) {
        errno = EINVAL;
        return (cubby_limit_t){SIZE_MAX, 0};
    }
    return (cubby_limit_t){__atomic_load_n(&limits[domain].most, __ATOMIC_RELAXED), used_of(&limits[domain])};
}
