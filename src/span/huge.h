/* SPDX-License-Identifier: MIT */
/*
 * Huge pages, when the heap has earned them. Callers hold the span lock.
 *
 * A region's first SETTING_HUGE_FROM bytes stay small: the system is told so, in case it gives huge pages to everyone.
 * Once half as many are in use or retained, everything beyond them is advised to be huge, in one range, so that the
 * process has a handful of mappings whatever it does. When huge pages are taken apart to give back what is free of them,
 * the advice is taken back, lest the system fill them up again behind our back; it is earned anew by growing a quarter
 * and 4 MiB beyond what was in use then.
 *
 * Advice only concerns pages touched later. A system that refuses is not asked again.
 */
#ifndef CUBBY_SPAN_HUGE_H
#define CUBBY_SPAN_HUGE_H

#include "span/span.h"

/* After pages were counted into use, and before they are touched. */
void huge_earn(region_t *region);

/* When pieces of huge pages are given back. */
void huge_give_up(void);

/*
 * A page is taken into use right behind, or right before, the free pages [first, end). The first touch of a huge page
 * makes all of it resident, so what these have of the same huge page counts as dirty. Returns how many that makes more.
 */
size_t huge_touch_before(region_t *region, uint32_t first, uint32_t end);
size_t huge_touch_after(region_t *region, uint32_t first, uint32_t end);

/* Counts pages of used spans by chunk. */
void huge_note_used(region_t *region, uint32_t first, uint32_t pages);
void huge_note_free(region_t *region, uint32_t first, uint32_t pages);

/* How much of the huge pages that a range of free pages only partly covers may be given back. */
typedef enum huge_care {
    HUGE_WHOLE,  /* nothing: whole huge pages only */
    HUGE_MOSTLY, /* a huge page of which less than half is in use is taken apart */
    HUGE_NONE,   /* everything */
} huge_care_t;

/*
 * Narrows the free pages [*first, *end) to a part with dirty pages that may be purged with that care, or to nothing:
 * first to possible huge pages, then to the small pages around them. A huge page taken apart is many faults and many
 * entries in the processor's tables when it is wanted again, and its used part keeps the rest slow.
 */
void huge_restrict(const region_t *region, huge_care_t care, uint32_t *first, uint32_t *end);

/* True when the span covers a whole possible huge page. */
bool huge_has_whole(const region_t *region, const span_t *span);

/* True when the page may be part of a huge page. */
static inline bool huge_is_possible(const region_t *region, uint32_t page)
{
    return page >= region->huge_from && page < region->huge_to;
}

/* Bytes of the region for which huge pages are asked now. */
static inline size_t huge_bytes(const region_t *region)
{
    return !region->huge_advised ? 0 : (size_t)(region->huge_to - region->huge_from) << PAGE_SHIFT;
}

void huge_reset(void);

#endif
