/* SPDX-License-Identifier: MIT */
#include "span/free.h"

#include "os/os.h"
#include "span/bits.h"
#include "span/counts.h"
#include "span/huge.h"
#include "span/purge.h"
#include "span/region.h"
#include "span/retain.h"
#include "span/tree.h"

#include <string.h>

static span_tree_t tree;

span_t *descriptor_new(region_t *region)
{
    span_t *span = region->spans_unused;
    if (span != NULL) {
        region->spans_unused = span->next_unused;
    } else {
        span = &region->spans[region->spans_made++];
    }
    memset(span, 0, sizeof *span);
    span->region = (uint8_t)(region - regions);
    return span;
}

void descriptor_drop(region_t *region, span_t *span)
{
    span->state = SPAN_UNUSED;
    span->next_unused = region->spans_unused;
    region->spans_unused = span;
}

void span_place(region_t *region, span_t *span, uint32_t first, uint32_t pages)
{
    uint32_t index = (uint32_t)(span - region->spans);
    span->first = first;
    span->pages = pages;
    __atomic_store_n(&region->span_of[first], index, __ATOMIC_RELAXED);
    __atomic_store_n(&region->span_of[first + pages - 1], index, __ATOMIC_RELAXED);
}

/* Takes a free span off the tree and the list of retained ones. */
static void free_remove(span_t *span)
{
    span_tree_remove(&tree, span);
    retain_remove(span);
    span_counts.pages_dirty -= span->dirty;
}

/* Enough dirty pages for a purge to be worth its call, where pages are small. */
enum { PRIME_DIRTY_PAGES = 64 };

/* In a region that has huge pages those come first: 2 MiB of them are wanted back with one fault, not with 512. */
static retain_list_t list_of(const region_t *region, const span_t *span)
{
    bool prime = region->huge_to != 0 ? huge_has_whole(region, span) : span->dirty >= PRIME_DIRTY_PAGES;
    return prime ? RETAIN_PRIME : RETAIN_REST;
}

span_t *free_join(region_t *region, span_t *span, bool latest)
{
    uint32_t first = span->first;
    uint32_t end = first + span->pages;
    uint32_t dirty = (uint32_t)bits_count(region->dirty, first, span->pages);
    span_t *before = first > 0 ? span_at(region, first - 1) : NULL;
    if (before != NULL && before->state == SPAN_FREE) {
        free_remove(before);
        dirty += before->dirty;
        first = before->first;
        descriptor_drop(region, span);
        span = before;
    }
    span_t *after = end < region->top ? span_at(region, end) : NULL;
    if (after != NULL && after->state == SPAN_ROOM) {
        end += after->pages;
        descriptor_drop(region, after);
        after = end < region->top ? span_at(region, end) : NULL;
    }
    if (after != NULL && after->state == SPAN_FREE) {
        free_remove(after);
        dirty += after->dirty;
        end += after->pages;
        descriptor_drop(region, after);
    }
    span_place(region, span, first, end - first);
    span->state = SPAN_FREE;
    span->retained = false;
    span->dirty = dirty;
    span_counts.pages_dirty += dirty;
    span_tree_insert(&tree, span);
    if (span->dirty > 0) {
        (latest ? retain_add : retain_add_oldest)(span, list_of(region, span));
    }
    return span;
}

span_t *free_from_top(region_t *region, size_t pages)
{
    span_t *last = region->top > 0 ? span_at(region, region->top - 1) : NULL;
    size_t there = last != NULL && last->state == SPAN_FREE ? last->pages : 0;
    uint32_t more = (uint32_t)(pages - there);
    span_t *span = descriptor_new(region);
    span_place(region, span, region->top, more);
    region->top += more;
    return free_join(region, span, true);
}

/* What is left of a span that something is cut out of: free as `whole` was, and of the same age. */
static void free_leave(region_t *region, uint32_t first, uint32_t end, size_t dirty, const span_t *whole)
{
    if (first == end) {
        return;
    }
    span_t *rest = descriptor_new(region);
    span_place(region, rest, first, end - first);
    rest->state = SPAN_FREE;
    rest->dirty = (uint32_t)dirty;
    span_counts.pages_dirty += dirty;
    span_tree_insert(&tree, rest);
    if (rest->dirty > 0) {
        retain_list_t list = list_of(region, rest);
        bool as_old = whole->retained && list == (retain_list_t)whole->list;
        retain_add_before(rest, list, as_old ? whole->newer : NULL);
    }
}

span_t *free_cut(span_t *span, uint32_t first, uint32_t pages, bool to_use)
{
    region_t *region = &regions[span->region];
    span_t whole = *span;
    uint32_t whole_end = whole.first + whole.pages;
    uint32_t front = first - whole.first;
    uint32_t back = whole_end - first - pages;
    free_remove(span);

    /* The longer side's dirty pages follow from the others', so that cutting a little costs little. */
    size_t taken = bits_count(region->dirty, first, pages);
    size_t shorter =
        front < back ? bits_count(region->dirty, whole.first, front) : bits_count(region->dirty, first + pages, back);
    size_t longer = whole.dirty - taken - shorter;
    size_t dirty_front = front < back ? shorter : longer;
    size_t dirty_back = front < back ? longer : shorter;
    if (to_use) {
        dirty_front += huge_touch_before(region, whole.first, first);
        dirty_back += huge_touch_after(region, first + pages, whole_end);
    }
    free_leave(region, first + pages, whole_end, dirty_back, &whole);
    free_leave(region, whole.first, first, dirty_front, &whole);
    span_place(region, span, first, pages);
    return span;
}

span_t *free_find_hole(size_t pages)
{
    return span_tree_best_fit(&tree, pages);
}

void free_keep_room(region_t *region, uint32_t first)
{
    span_t *span = first < region->top ? span_at(region, first) : NULL;
    if (span != NULL && span->state == SPAN_FREE && span->dirty == 0) {
        free_remove(span);
        span->state = SPAN_ROOM;
    }
}

/* Turns all room that is kept for growth into ordinary free spans. */
static void rooms_release(void)
{
    for (int i = 0; i < region_count(); i++) {
        for (uint32_t page = 0; page < regions[i].top;) {
            span_t *span = span_at(&regions[i], page);
            if (span->state == SPAN_ROOM) {
                span = free_join(&regions[i], span, true);
            }
            page = span->first + span->pages;
        }
    }
}

span_t *free_find(size_t pages, bool growing)
{
    span_t *found = free_find_hole(pages);
    if (found != NULL) {
        return found;
    }
    region_t *region = region_with_room(pages, growing);
    if (region != NULL) {
        return free_from_top(region, pages);
    }
    rooms_release();
    return free_find_hole(pages);
}

/* Makes the last span, free or room, untouched again from its first whole system page on. False when refused. */
static bool top_lower(region_t *region, span_t *last)
{
    size_t unit = os.page_size() >> PAGE_SHIFT;
    uint32_t first = (uint32_t)((last->first + unit - 1) / unit * unit);
    size_t pages = (region->top - first + unit - 1) / unit * unit;
    bool dirty = last->state == SPAN_FREE && last->dirty > 0;
    if (first >= region->top || (dirty && !purge_locked(region, first, (uint32_t)(first + pages)))) {
        return false;
    }
    if (last->state == SPAN_FREE) {
        free_remove(last);
    }
    bits_clear(region->dirty, first, region->top - first);
    region->top = first;
    if (last->first == first) {
        descriptor_drop(region, last);
        return true;
    }
    span_place(region, last, last->first, first - last->first);
    (void)free_join(region, last, true);
    return false;
}

void free_lower_top(region_t *region)
{
    while (region->top > 0) {
        span_t *last = span_at(region, region->top - 1);
        if ((last->state != SPAN_FREE && last->state != SPAN_ROOM) || !top_lower(region, last)) {
            return;
        }
    }
}

void free_drop_region(region_t *region)
{
    free_remove(span_at(region, 0));
    bits_clear(region->dirty, 0, region->top);
    region_release(region);
}

void free_reset(void)
{
    memset(&tree, 0, sizeof tree);
}
