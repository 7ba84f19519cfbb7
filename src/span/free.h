/* SPDX-License-Identifier: MIT */
/* Free spans and the descriptors of all spans. Callers hold the span lock. */
#ifndef CUBBY_SPAN_FREE_H
#define CUBBY_SPAN_FREE_H

#include "span/span.h"

/* The span that starts, ends or (for pools) lies at a page below top. */
static inline span_t *span_at(const region_t *region, uint32_t page)
{
    return &region->spans[__atomic_load_n(&region->span_of[page], __ATOMIC_RELAXED)];
}

/* A descriptor in no use. There is one for every committed page, and every span has a page: never NULL. */
span_t *descriptor_new(region_t *region);
void descriptor_drop(region_t *region, span_t *span);

/* Sets where a span lies, so that its neighbours find it. */
void span_place(region_t *region, span_t *span, uint32_t first, uint32_t pages);

/*
 * Makes a placed span free, joined with its free neighbours and with room kept behind it; returns the joined span.
 * `latest`: it was just freed, and is to be purged last; otherwise first.
 */
span_t *free_join(region_t *region, span_t *span, bool latest);

/*
 * Makes untouched pages above top a free span of at least `pages`, more than any free span has now, counting a free
 * span that ends at top.
 */
span_t *free_from_top(region_t *region, size_t pages);

/* Keeps an untouched free span that starts there as room for the block before it to grow into. */
void free_keep_room(region_t *region, uint32_t first);

/*
 * Cuts [first, first + pages) out of a free span and returns it, in no state; what is left on either side stays free.
 * `to_use`: it will be touched.
 */
span_t *free_cut(span_t *span, uint32_t first, uint32_t pages, bool to_use);

/*
 * A free span of at least `pages`: the best fit, or from the top of some region (region_with_room() says what `growing`
 * is). NULL when the system gives no more.
 */
span_t *free_find(size_t pages, bool growing);

/* The best fit among the free spans only, NULL when none is large enough. */
span_t *free_find_hole(size_t pages);

/* Makes free pages, and room, right below top pages beyond top again: purged, and nobody's. */
void free_lower_top(region_t *region);

/* Releases a region whose only span is free. */
void free_drop_region(region_t *region);

void free_reset(void);

#endif
