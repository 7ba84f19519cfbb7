/* SPDX-License-Identifier: MIT */
/*
 * The process's own tables. A domain's table is published by one pointer, to a table that never changes: a call loads
 * it once, so it sees one table or another, never a mixture. Whoever changes a domain holds LOCK_HOST; whoever allocates
 * takes no lock.
 */
#include "domain/domain.h"

#include "domain/layer.h"
#include "domain/libc.h"
#include "domain/limit.h"
#include "domain/table.h"
#include "os/lock.h"
#include "os/refusal.h"

static const cubby_allocator_t *tables[CUBBY_DOMAIN_COUNT] = {
    &layer_first[CUBBY_DOMAIN_RAW].untouched,
    &layer_first[CUBBY_DOMAIN_MEM].untouched,
    &layer_first[CUBBY_DOMAIN_OBJ].untouched,
};

/* The layer whose table, or untouched table, that is. */
static layer_t *tops[CUBBY_DOMAIN_COUNT] = {
    &layer_first[CUBBY_DOMAIN_RAW],
    &layer_first[CUBBY_DOMAIN_MEM],
    &layer_first[CUBBY_DOMAIN_OBJ],
};

static inline const cubby_allocator_t *table_of(cubby_domain_t domain)
{
    return __atomic_load_n(&tables[domain], __ATOMIC_ACQUIRE);
}

/* Three loads before the call: the pointer, the function, its ctx. */
void *cubby_domain_malloc(cubby_domain_t domain, size_t size)
{
    const cubby_allocator_t *table = table_of(domain);
    return table->malloc(table->ctx, size);
}

void *cubby_domain_calloc(cubby_domain_t domain, size_t count, size_t size)
{
    const cubby_allocator_t *table = table_of(domain);
    return table->calloc(table->ctx, count, size);
}

void *cubby_domain_realloc(cubby_domain_t domain, void *block, size_t size)
{
    const cubby_allocator_t *table = table_of(domain);
    return table->realloc(table->ctx, block, size);
}

void cubby_domain_free(cubby_domain_t domain, void *block)
{
    const cubby_allocator_t *table = table_of(domain);
    table->free(table->ctx, block);
}

/* ---- Before the first allocation ---- */

/* Publishes the layer's own table, unless another change came first; the caller then calls what is published. */
static const cubby_allocator_t *domain_touch(const layer_t *layer)
{
    const cubby_allocator_t *expected = &layer->untouched;
    (void)__atomic_compare_exchange_n(&tables[layer->domain], &expected, &layer->table, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    return table_of((cubby_domain_t)layer->domain);
}

static void *untouched_malloc(void *ctx, size_t size)
{
    const cubby_allocator_t *table = domain_touch(ctx);
    return table->malloc(table->ctx, size);
}

static void *untouched_calloc(void *ctx, size_t count, size_t size)
{
    const cubby_allocator_t *table = domain_touch(ctx);
    return table->calloc(table->ctx, count, size);
}

static void *untouched_realloc(void *ctx, void *block, size_t size)
{
    const cubby_allocator_t *table = domain_touch(ctx);
    return table->realloc(table->ctx, block, size);
}

/* NULL, or a block that somebody took through a copy of the table: neither is an allocation. */
static void untouched_free(void *ctx, void *block)
{
    const layer_t *layer = ctx;
    layer->table.free(layer->table.ctx, block);
}

#define UNTOUCHED(layer)                                                                                               \
    {                                                                                                                  \
        layer, untouched_malloc, untouched_calloc, untouched_realloc, untouched_free                                   \
    }

const cubby_allocator_t layer_untouched = UNTOUCHED(NULL);

layer_t layer_first[CUBBY_DOMAIN_COUNT] = {
    [CUBBY_DOMAIN_RAW] = {.table = {NULL, libc_malloc, libc_calloc, libc_realloc, libc_free},
                          .untouched = UNTOUCHED(&layer_first[CUBBY_DOMAIN_RAW]),
                          .domain = CUBBY_DOMAIN_RAW},
    [CUBBY_DOMAIN_MEM] = {.table = {NULL, thread_mem_malloc, thread_mem_calloc, thread_mem_realloc, thread_free},
                          .untouched = UNTOUCHED(&layer_first[CUBBY_DOMAIN_MEM]),
                          .domain = CUBBY_DOMAIN_MEM},
    [CUBBY_DOMAIN_OBJ] = {.table = {NULL, thread_obj_malloc, thread_obj_calloc, thread_obj_realloc, thread_free},
                          .untouched = UNTOUCHED(&layer_first[CUBBY_DOMAIN_OBJ]),
                          .domain = CUBBY_DOMAIN_OBJ},
};

/* ---- Changes ---- */

static bool domain_exists(cubby_domain_t domain)
{
    return (unsigned)domain < CUBBY_DOMAIN_COUNT;
}

static bool table_is_whole(const cubby_allocator_t *table)
{
    return table != NULL && table->malloc != NULL && table->calloc != NULL && table->realloc != NULL &&
           table->free != NULL;
}

static bool hook_is_whole(const cubby_hook_t *hook)
{
    return hook != NULL && hook->malloc != NULL && hook->calloc != NULL && hook->realloc != NULL && hook->free != NULL;
}

/* The bottom, or the cover, that the hooks stand on. */
static layer_t *stand_of(layer_t *layer)
{
    while (layer->kind == LAYER_HOOK) {
        layer = layer->below;
    }
    return layer;
}

/* The layer of a hook at or below `layer`, and above the next cover if there is one; NULL when it is not there. */
static layer_t *hook_find(layer_t *layer, const cubby_hook_t *hook)
{
    for (; layer->kind == LAYER_HOOK; layer = layer->below) {
        if (hook_is_same(&layer->hook, hook)) {
            return layer;
        }
    }
    return NULL;
}

/* The same below covers, too. */
static layer_t *hook_find_deep(layer_t *layer, const cubby_hook_t *hook)
{
    layer_t *found = NULL;
    while (layer != NULL && found == NULL) {
        found = hook_find(layer, hook);
        layer = stand_of(layer)->below;
    }
    return found;
}

/* The hooks above `old` made anew on `stand`, from the lowest up: the new top. NULL when there is no memory. */
static layer_t *hooks_move(layer_t *top, const layer_t *old, layer_t *stand)
{
    while (stand != NULL && top != old) {
        const layer_t *lowest = top;
        while (lowest->below != old) {
            lowest = lowest->below;
        }
        stand = layer_hook(stand, &lowest->hook);
        old = lowest;
    }
    return stand;
}

/* Publishes a top. Refused when it is NULL, or when the domain is in use and the change is one for before that. */
static bool top_publish(cubby_domain_t domain, layer_t *top, bool only_untouched)
{
    if (top == NULL) {
        return refuse(CUBBY_REFUSAL_MEMORY);
    }
    const cubby_allocator_t *expected = &tops[domain]->untouched;
    if (!__atomic_compare_exchange_n(&tables[domain], &expected, &top->untouched, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        if (only_untouched) {
            return refuse(CUBBY_REFUSAL_IN_USE);
        }
        __atomic_store_n(&tables[domain], &top->table, __ATOMIC_RELEASE);
    }
    tops[domain] = top;
    return true;
}

static bool set_locked(cubby_domain_t domain, const cubby_allocator_t *allocator)
{
    layer_t *top = tops[domain];
    layer_t *stand = stand_of(top);
    if (table_is_same(&stand->table, allocator)) {
        return true;
    }
    if (stand->kind == LAYER_COVER && table_is_same(&stand->below->table, allocator)) {
        return top_publish(domain, hooks_move(top, stand, stand->below), false);
    }
    if (hook_find(top, &limit_hooks[domain]) != NULL && !table_has_sizes(allocator)) {
        return refuse(CUBBY_REFUSAL_SIZES);
    }
    layer_t *bottom = layer_bottom(domain, allocator);
    return top_publish(domain, bottom == NULL ? NULL : hooks_move(top, stand, bottom), true);
}

bool cubby_domain_set(cubby_domain_t domain, const cubby_allocator_t *allocator)
{
    if (!domain_exists(domain) || !table_is_whole(allocator)) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    bool done = set_locked(domain, allocator);
    lock_drop(LOCK_HOST);
    return done;
}

bool cubby_domain_cover(cubby_domain_t domain, const cubby_allocator_t *allocator, const cubby_allocator_t *covered)
{
    if (!domain_exists(domain) || !table_is_whole(allocator) || covered == NULL) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    layer_t *top = tops[domain];
    bool done = table_is_same(&top->table, covered) ? top_publish(domain, layer_cover(top, allocator), false)
                                                    : refuse(CUBBY_REFUSAL_CHANGED);
    lock_drop(LOCK_HOST);
    return done;
}

bool cubby_domain_wrap(cubby_domain_t domain, const cubby_hook_t *hook)
{
    if (!domain_exists(domain) || !hook_is_whole(hook)) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    layer_t *top = tops[domain];
    bool done = hook_find_deep(top, hook) == NULL ? top_publish(domain, layer_hook(top, hook), hook->from_start)
                                                  : refuse(CUBBY_REFUSAL_PRESENT);
    lock_drop(LOCK_HOST);
    return done;
}

bool domain_wrap_bottom(cubby_domain_t domain, const cubby_hook_t *hook)
{
    if (!domain_exists(domain) || !hook_is_whole(hook)) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    layer_t *top = tops[domain];
    layer_t *stand = stand_of(top);
    bool done = hook_find_deep(top, hook) != NULL;
    if (!done && !table_has_sizes(&stand->table)) {
        (void)refuse(CUBBY_REFUSAL_SIZES);
    } else if (!done) {
        layer_t *layer = layer_hook(stand, hook);
        done = top_publish(domain, layer == NULL ? NULL : hooks_move(top, stand, layer), true);
    }
    lock_drop(LOCK_HOST);
    return done;
}

static bool restore_locked(cubby_domain_t domain, const cubby_hook_t *hook)
{
    layer_t *top = tops[domain];
    layer_t *layer = hook_find(top, hook);
    if (layer == NULL) {
        return refuse(hook_find_deep(top, hook) == NULL ? CUBBY_REFUSAL_ABSENT : CUBBY_REFUSAL_COVERED);
    }
    return top_publish(domain, hooks_move(top, layer, layer->below), hook->from_start);
}

bool cubby_domain_restore(cubby_domain_t domain, const cubby_hook_t *hook)
{
    if (!domain_exists(domain) || !hook_is_whole(hook)) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    bool done = restore_locked(domain, hook);
    lock_drop(LOCK_HOST);
    return done;
}

/* ---- What is in force ---- */

cubby_allocator_t cubby_domain_get(cubby_domain_t domain)
{
    if (!domain_exists(domain)) {
        (void)refuse(CUBBY_REFUSAL_ARGUMENT);
        return (cubby_allocator_t){NULL, NULL, NULL, NULL, NULL};
    }
    const cubby_allocator_t *table = table_of(domain);
    return table->malloc == untouched_malloc ? ((const layer_t *)table->ctx)->table : *table;
}

bool cubby_domain_hook_get(cubby_domain_t domain, size_t index, cubby_hook_t *hook)
{
    if (!domain_exists(domain)) {
        return refuse(CUBBY_REFUSAL_ARGUMENT);
    }
    lock_take(LOCK_HOST);
    const layer_t *layer = tops[domain];
    for (; layer->kind == LAYER_HOOK && index > 0; index--) {
        layer = layer->below;
    }
    bool found = layer->kind == LAYER_HOOK;
    if (found) {
        *hook = layer->hook;
    }
    lock_drop(LOCK_HOST);
    return found;
}
