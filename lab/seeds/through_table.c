/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a CPython, leaves its own allocator in place but behind a replaced table: what any replacement pays
 * before it has done anything. (A distribution's interpreter compares each table entry with its own function, and has
 * that inlined behind the comparison.)
 */
#define _GNU_SOURCE
#include <cubby/domain.h>

#include <dlfcn.h>
#include <string.h>

static cubby_allocator_t stock[CUBBY_DOMAIN_COUNT];

static void *through_malloc(void *ctx, size_t size)
{
    const cubby_allocator_t *table = ctx;
    return table->malloc(table->ctx, size);
}

static void *through_calloc(void *ctx, size_t count, size_t size)
{
    const cubby_allocator_t *table = ctx;
    return table->calloc(table->ctx, count, size);
}

static void *through_realloc(void *ctx, void *block, size_t size)
{
    const cubby_allocator_t *table = ctx;
    return table->realloc(table->ctx, block, size);
}

static void through_free(void *ctx, void *block)
{
    const cubby_allocator_t *table = ctx;
    table->free(table->ctx, block);
}

/* dlsym gives functions as data pointers; C has no conversion, so the bytes are copied. */
static void function_find(const char *name, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, sizeof address);
}

__attribute__((constructor)) static void install(void)
{
    void (*get)(int domain, cubby_allocator_t *table);
    void (*set)(int domain, cubby_allocator_t *table);
    function_find("PyMem_GetAllocator", (void *)&get);
    function_find("PyMem_SetAllocator", (void *)&set);
    if (get == NULL || set == NULL) {
        return;
    }
    for (int domain = CUBBY_DOMAIN_MEM; domain <= CUBBY_DOMAIN_OBJ; domain++) {
        get(domain, &stock[domain]);
        cubby_allocator_t table = {&stock[domain], through_malloc, through_calloc, through_realloc, through_free};
        set(domain, &table);
    }
}
