/* SPDX-License-Identifier: MIT */
#include "domain/layer.h"

#include "os/os.h"

/* ---- A hook as a table: ctx is the layer ---- */

static void *hook_malloc(void *ctx, size_t size)
{
    const layer_t *layer = ctx;
    return layer->hook.malloc(layer->hook.ctx, &layer->below->table, size);
}

static void *hook_calloc(void *ctx, size_t count, size_t size)
{
    const layer_t *layer = ctx;
    return layer->hook.calloc(layer->hook.ctx, &layer->below->table, count, size);
}

static void *hook_realloc(void *ctx, void *block, size_t size)
{
    const layer_t *layer = ctx;
    return layer->hook.realloc(layer->hook.ctx, &layer->below->table, block, size);
}

static void hook_free(void *ctx, void *block)
{
    const layer_t *layer = ctx;
    layer->hook.free(layer->hook.ctx, &layer->below->table, block);
}

/* ---- Making layers, and finding them again ---- */

/*
 * Layers are made out of system pages of their own: they outlive every heap, and a domain may serve from anything at
 * all, libc's malloc included.
 */
static layer_t *unmade;
static size_t unmade_count;

static layer_t *layer_new(void)
{
    if (unmade_count == 0) {
        size_t bytes = os.page_size();
        void *pages = os.reserve(bytes);
        if (pages == NULL) {
            return NULL;
        }
        if (!os.commit(pages, bytes)) {
            os.release(pages, bytes);
            return NULL;
        }
        unmade = pages;
        unmade_count = bytes / sizeof(layer_t);
    }
    unmade_count--;
    return unmade++;
}

/* A layer with its tables, on the list of those made beside it. */
static layer_t *layer_make(layer_kind_t kind, cubby_domain_t domain, const cubby_allocator_t *table, layer_t **list)
{
    layer_t *layer = layer_new();
    if (layer == NULL) {
        return NULL;
    }
    layer->kind = (uint8_t)kind;
    layer->domain = (uint8_t)domain;
    layer->table = *table;
    layer->untouched = layer_untouched;
    layer->untouched.ctx = layer;
    layer->sibling = *list;
    *list = layer;
    return layer;
}

bool table_is_same(const cubby_allocator_t *a, const cubby_allocator_t *b)
{
    return a->ctx == b->ctx && a->malloc == b->malloc && a->calloc == b->calloc && a->realloc == b->realloc &&
           a->free == b->free;
}

bool hook_is_same(const cubby_hook_t *a, const cubby_hook_t *b)
{
    return a->name == b->name && a->ctx == b->ctx && a->malloc == b->malloc && a->calloc == b->calloc &&
           a->realloc == b->realloc && a->free == b->free && a->from_start == b->from_start;
}

layer_t *layer_bottom(cubby_domain_t domain, const cubby_allocator_t *table)
{
    if (table_is_same(&layer_first[domain].table, table)) {
        return &layer_first[domain];
    }
    layer_t **list = &layer_first[domain].sibling;
    for (layer_t *layer = *list; layer != NULL; layer = layer->sibling) {
        if (table_is_same(&layer->table, table)) {
            return layer;
        }
    }
    return layer_make(LAYER_BOTTOM, domain, table, list);
}

layer_t *layer_cover(layer_t *below, const cubby_allocator_t *table)
{
    for (layer_t *layer = below->above; layer != NULL; layer = layer->sibling) {
        if (layer->kind == LAYER_COVER && table_is_same(&layer->table, table)) {
            return layer;
        }
    }
    layer_t *layer = layer_make(LAYER_COVER, (cubby_domain_t)below->domain, table, &below->above);
    if (layer != NULL) {
        layer->below = below;
    }
    return layer;
}

layer_t *layer_hook(layer_t *below, const cubby_hook_t *hook)
{
    for (layer_t *layer = below->above; layer != NULL; layer = layer->sibling) {
        if (layer->kind == LAYER_HOOK && hook_is_same(&layer->hook, hook)) {
            return layer;
        }
    }
    const cubby_allocator_t table = {NULL, hook_malloc, hook_calloc, hook_realloc, hook_free};
    layer_t *layer = layer_make(LAYER_HOOK, (cubby_domain_t)below->domain, &table, &below->above);
    if (layer != NULL) {
        layer->below = below;
        layer->hook = *hook;
        layer->table.ctx = layer;
    }
    return layer;
}
