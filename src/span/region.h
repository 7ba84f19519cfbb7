/* SPDX-License-Identifier: MIT */
/* Address space for spans: reserving regions and making more of them usable. Callers hold the span lock. */
#ifndef CUBBY_SPAN_REGION_H
#define CUBBY_SPAN_REGION_H

#include "span/span.h"

/*
 * Makes at least `pages` pages beyond top usable in some region, reserving one if need be; a larger one for a block
 * that is `growing`. NULL when refused.
 */
region_t *region_with_room(size_t pages, bool growing);

/* Makes `pages` pages beyond the top of this region usable. False when refused. */
bool region_has_room(region_t *region, size_t pages);

/* True where reserving `pages` beyond top costs nothing but addresses, and few of them. */
bool region_is_spacious(const region_t *region, size_t pages);

/* The region whose usable pages hold the address, or NULL. Needs no lock. */
region_t *region_of(const void *address);

/* Bytes of tables that describe so many pages, as far as they are committed. */
size_t region_table_bytes(const region_t *region);

/* Gives a region's pages back, addresses and all; nothing in it is in use. Never the first. */
void region_release(region_t *region);

/* Gives the addresses beyond top back. */
void region_cut(region_t *region);

/* Gives everything back, tables too, when nobody looks at the region any more. */
void region_forget(region_t *region);

/* The same for all. */
void region_forget_all(void);

/* True when the address space is limited, so that addresses should not be kept for later. */
bool region_space_is_limited(void);

#endif
