/* SPDX-License-Identifier: MIT */
/* Giving pages back. Callers hold the span lock, which is released and taken again while the system works. */
#ifndef CUBBY_SPAN_PURGE_H
#define CUBBY_SPAN_PURGE_H

#include "span/huge.h"
#include "span/retain.h"

/*
 * Purges about `pages` pages, at most some megabytes at once, of what was freed longest ago on the list. Returns how
 * many were dirty, 0 when there is nothing of that kind, or the system refuses.
 */
size_t purge_some(retain_list_t list, huge_care_t care, size_t pages);

/* After `taken` pages were taken: purges, of what is cheap to do without, until the rule of retention holds. */
void purge_to_rule(size_t taken);

/* Purges free pages at once, with the lock held. Returns whether they are clean now. */
bool purge_locked(region_t *region, uint32_t first, uint32_t end);

/* Makes pages of a used span clean by giving them back, where they are dirty. Takes the lock itself. */
void purge_used(region_t *region, uint32_t first, uint32_t end);

void purge_reset(void);

#endif
