/* SPDX-License-Identifier: MIT */
/*
 * Layers: what a domain's tables are made of. A layer is a table, or a hook, and what stands below it.
 *
 *   published ---> hook B ---> hook A ---> bottom          before: calls under way go on here
 *                  hook B' ------------------^             hook A removed: B made anew on the bottom, then published
 *
 * A layer never changes, so that a call always finds below a hook what stood there when the call began. Layers are kept
 * for good and found again: a hook that comes and goes many times takes the memory of one. Callers hold LOCK_HOST.
 */
#ifndef CUBBY_DOMAIN_LAYER_H
#define CUBBY_DOMAIN_LAYER_H

#include <cubby/domain.h>

#pragma GCC visibility push(hidden)

typedef enum layer_kind {
    LAYER_BOTTOM, /* a table */
    LAYER_COVER,  /* a table that holds on to what is below it */
    LAYER_HOOK,
} layer_kind_t;

typedef struct layer layer_t;

struct layer {
    cubby_allocator_t table;     /* published while the domain is in use */
    cubby_allocator_t untouched; /* published before: notes the first allocation, and publishes `table` */
    cubby_hook_t hook;           /* LAYER_HOOK */
    layer_t *below;              /* NULL for LAYER_BOTTOM */
    layer_t *above;              /* the layers made on this one so far, linked through `sibling` */
    layer_t *sibling;
    uint8_t domain;
    uint8_t kind;
};

/* The functions of every `untouched` table; ctx is the layer. */
extern const cubby_allocator_t layer_untouched;

/* What the domains hold at start. */
extern layer_t layer_first[CUBBY_DOMAIN_COUNT];

/* The layer that is this, found or made; NULL when there is no memory for it. */
layer_t *layer_bottom(cubby_domain_t domain, const cubby_allocator_t *table);
layer_t *layer_cover(layer_t *below, const cubby_allocator_t *table);
layer_t *layer_hook(layer_t *below, const cubby_hook_t *hook);

bool table_is_same(const cubby_allocator_t *a, const cubby_allocator_t *b);
bool hook_is_same(const cubby_hook_t *a, const cubby_hook_t *b);

#pragma GCC visibility pop

#endif
