/* SPDX-License-Identifier: MIT */
#include "span/span.h"

#include "span/arena.h"
#include "span/bits.h"
#include "span/free.h"
#include "span/huge.h"
#include "span/limit.h"
#include "span/purge.h"
#include "span/region.h"
#include "span/retain.h"
#include "span/counts.h"

#include "os/guard.h"
#include "os/instrument.h"
#include "os/lock.h"

#include <string.h>

span_counts_t span_counts;

void span_lock(void)
{
    lock_take(LOCK_SPANS);
}

void span_unlock(void)
{
    lock_drop(LOCK_SPANS);
}

/* Counts pages of a span into use, or out of it. */
static void note_used(region_t *region, uint32_t first, size_t pages)
{
    span_counts.pages_used += pages;
    huge_note_used(region, first, (uint32_t)pages);
    huge_earn(region);
    retain_note_used(span_counts.pages_used);
}

static void note_free(region_t *region, uint32_t first, size_t pages)
{
    span_counts.pages_used -= pages;
    huge_note_free(region, first, (uint32_t)pages);
    retain_note_used(span_counts.pages_used);
}

/* ---- Used spans ---- */

/*
 * What lies behind a span just taken or grown is hidden, a span's whole size or this much of it: what is free was hidden
 * when it was freed, but not what never had a user, of which there may be more than a tool should have to note.
 */
enum { BEHIND_PAGES = 64 };

static void hide_behind(const span_t *span)
{
    if (!MEMORY_IS_WATCHED) {
        return;
    }
    const region_t *region = &regions[span->region];
    uint32_t end = span->first + span->pages;
    uint32_t pages = region->pages_committed - end;
    if (end < region->top) {
        const span_t *after = span_at(region, end);
        pages = after->state == SPAN_USED ? 0 : after->pages;
    }
    pages = pages < BEHIND_PAGES ? pages : BEHIND_PAGES;
    memory_hide((const void *)(region->base + ((uintptr_t)end << PAGE_SHIFT)), (size_t)pages << PAGE_SHIFT);
}

/* Shows a used span from one of its pages on. */
static void show_from(const span_t *span, uint32_t page)
{
    size_t before = (size_t)(page - span->first) << PAGE_SHIFT;
    memory_show(span_start(span) + before, span_bytes(span) - before);
    hide_behind(span);
}

/* Takes [first, first + pages) out of a free span. The lock is held. */
static span_t *take_at(span_t *span, uint32_t first, size_t pages)
{
    span = free_cut(span, first, (uint32_t)pages, true);
    span->state = SPAN_USED;
    span->growing = false;
    span->reused = false;
    span->clean = bits_count(regions[span->region].dirty, first, pages) == 0;
    show_from(span, first);
    note_used(&regions[span->region], first, pages);
    purge_to_rule(pages);
    return span;
}

/* Takes pages out of a free span, from the first whose address is a multiple of `step` pages. The lock is held. */
static span_t *take(span_t *span, size_t pages, size_t step)
{
    size_t base = regions[span->region].base >> PAGE_SHIFT;
    return take_at(span, (uint32_t)(((base + span->first + step - 1) & ~(step - 1)) - base), pages);
}

span_t *span_alloc(size_t pages, size_t alignment)
{
    size_t step = alignment >> PAGE_SHIFT;
    if (pages == 0 || pages > UINT32_MAX / 2 || alignment > (size_t)1 << 40) {
        return NULL;
    }
    span_lock();
    span_t *span = limit_allows(pages) ? free_find(pages + step - 1, false) : NULL;
    if (span != NULL) {
        span = take(span, pages, step);
    }
    span_unlock();
    return span;
}

/* Cuts a used span into spans of `pages` each. The lock is held. */
static void cut_row(span_t *span, size_t pages, size_t count, span_t **row)
{
    region_t *region = &regions[span->region];
    uint32_t first = span->first;
    for (size_t i = 0; i < count; i++, first += (uint32_t)pages) {
        row[i] = i == 0 ? span : descriptor_new(region);
        row[i]->state = SPAN_USED;
        row[i]->clean = bits_count(region->dirty, first, pages) == 0;
        span_place(region, row[i], first, (uint32_t)pages);
    }
}

bool span_alloc_row(size_t pages, size_t count, span_t **row)
{
    span_lock();
    span_t *span = limit_allows(pages * count) ? free_find(pages * count, false) : NULL;
    if (span != NULL) {
        cut_row(take(span, pages * count, 1), pages, count, row);
    }
    span_unlock();
    return span != NULL;
}

/*
 * The last span's last huge page, if it has one, reaches beyond top, and became resident with it: so it is freed whole,
 * and a purge of its dirty part takes the rest along. The lock is held.
 */
static void free_widen(region_t *region, span_t *span)
{
    uint32_t end = span->first + span->pages;
    if (end != region->top || !huge_is_possible(region, end - 1) || end % CHUNK_PAGES == 0) {
        return;
    }
    uint32_t more = CHUNK_PAGES - end % CHUNK_PAGES; /* committed: huge pages are asked for nowhere else */
    region->top += more;
    span_place(region, span, span->first, span->pages + more);
}

void span_free(span_t *span, size_t dirty_bytes)
{
    region_t *region = &regions[span->region];
    span_lock();
    guard(span->state == SPAN_USED && span_at(region, span->first) == span &&
              span_at(region, span->first + span->pages - 1) == span,
          span, "this span is not in use, or not where its pages say");
    note_free(region, span->first, span->pages);
    memory_hide(span_start(span), span_bytes(span));
    size_t dirty = (dirty_bytes + PAGE_BYTES - 1) >> PAGE_SHIFT;
    if (dirty > 0 && huge_is_possible(region, span->first)) {
        dirty = span->pages; /* what was written may have made all of it resident */
    }
    bits_set(region->dirty, span->first, dirty);
    free_widen(region, span);
    span = free_join(region, span, true);
    if (span->pages == region->top && region != &regions[0] && region_space_is_limited()) {
        free_drop_region(region);
    }
    span_unlock();
}

/* Takes `more` pages from the start of the room kept behind a span, and from top beyond it. The lock is held. */
static bool room_take(region_t *region, span_t *room, uint32_t more)
{
    if (room->pages > more) {
        span_place(region, room, room->first + more, room->pages - more);
        return true;
    }
    uint32_t beyond = more - room->pages;
    if (beyond > 0 && (room->first + room->pages != region->top || !region_has_room(region, beyond))) {
        return false;
    }
    region->top += beyond;
    descriptor_drop(region, room);
    return true;
}

/* Takes `more` pages from `end` on, where a free span starts or top is. The lock is held. */
static bool free_take(region_t *region, span_t *after, uint32_t end, uint32_t more)
{
    if (after == NULL || after->pages < more) {
        uint32_t there = after != NULL ? after->pages : 0;
        if (end + there != region->top || !region_has_room(region, more - there)) {
            return false;
        }
        after = free_from_top(region, more);
    }
    descriptor_drop(region, free_cut(after, end, more, true));
    return true;
}

bool span_extend(span_t *span, size_t pages)
{
    if (pages <= span->pages || pages > UINT32_MAX / 2) {
        return pages <= span->pages;
    }
    span_lock();
    region_t *region = &regions[span->region];
    uint32_t end = span->first + span->pages;
    uint32_t more = (uint32_t)pages - span->pages;
    span_t *after = end < region->top ? span_at(region, end) : NULL;
    bool allowed = limit_allows(more);
    bool taken = false;
    if (allowed && after != NULL && after->state == SPAN_ROOM) {
        taken = room_take(region, after, more);
    } else if (allowed && (after == NULL || after->state == SPAN_FREE)) {
        taken = free_take(region, after, end, more);
    }
    if (taken) {
        span_place(region, span, span->first, (uint32_t)pages);
        show_from(span, end);
        note_used(region, end, more);
        purge_to_rule(more);
    }
    span_unlock();
    return taken;
}

void span_shrink(span_t *span, size_t pages)
{
    region_t *region = &regions[span->region];
    if (pages >= span->pages) {
        return;
    }
    span_lock();
    span_t *tail = descriptor_new(region);
    span_place(region, tail, span->first + (uint32_t)pages, span->pages - (uint32_t)pages);
    bits_set(region->dirty, tail->first, tail->pages);
    note_free(region, tail->first, tail->pages);
    memory_hide(span_start(tail), span_bytes(tail));
    span_place(region, span, span->first, (uint32_t)pages);
    free_widen(region, tail);
    (void)free_join(region, tail, true);
    span_unlock();
}

/*
 * How much room a block that had to move while growing gets: its size sixteen times over. A block that grows in small
 * steps to a thousand times its size then moves three times, copying a fifteenth of its final size in all. Room costs
 * addresses only; it is asked for where these are plenty.
 */
enum { GROW_SHARE = 16 };

/*
 * Where in a hole such a block goes: at the start, but in the middle when the block before the hole may want to grow
 * into it, so that blocks that grow in turn do not stand in each other's way.
 */
static uint32_t place_in_hole(const span_t *hole)
{
    const span_t *before = hole->first > 0 ? span_at(&regions[hole->region], hole->first - 1) : NULL;
    bool wanted = before != NULL && before->state == SPAN_USED && before->growing;
    return hole->first + (wanted ? hole->pages / 2 : 0);
}

/* Takes a span with room behind it: in a hole, or from the top, where the room is kept for it. The lock is held. */
static span_t *take_growing(size_t pages)
{
    size_t with_room = pages * GROW_SHARE;
    region_t *region = &regions[0];
    span_t *hole = free_find_hole(with_room);
    if (hole != NULL) {
        return take_at(hole, place_in_hole(hole), pages);
    }
    if (!region_is_spacious(region, with_room) || !region_has_room(region, with_room)) {
        hole = free_find(pages, true);
        return hole == NULL ? NULL : take(hole, pages, 1);
    }
    span_t *span = take(free_from_top(region, with_room), pages, 1);
    free_keep_room(region, span->first + span->pages);
    return span;
}

span_t *span_alloc_growing(size_t pages)
{
    if (pages > UINT32_MAX / 2 / GROW_SHARE) {
        return span_alloc(pages, PAGE_BYTES);
    }
    span_lock();
    span_t *span = limit_allows(pages) ? take_growing(pages) : NULL;
    if (span != NULL) {
        span->growing = true;
    }
    span_unlock();
    return span;
}

/* ---- Tags and content ---- */

bool span_holds(const void *address)
{
    return region_of(address) != NULL;
}

uint32_t span_tag(const void *address)
{
    const region_t *region = region_of(address);
    if (region == NULL) {
        return 0;
    }
    return __atomic_load_n(&region->tags[((uintptr_t)address - region->base) >> PAGE_SHIFT], __ATOMIC_RELAXED);
}

span_t *span_find_far(const void *address)
{
    region_t *region = region_of(address);
    return span_at(region, (uint32_t)(((uintptr_t)address - region->base) >> PAGE_SHIFT));
}

void span_tag_first(span_t *span, uint32_t tag)
{
    __atomic_store_n(&regions[span->region].tags[span->first], tag, __ATOMIC_RELAXED);
}

void span_tag_all(span_t *span, uint32_t tag)
{
    region_t *region = &regions[span->region];
    uint32_t index = (uint32_t)(span - region->spans);
    for (uint32_t page = span->first; page < span->first + span->pages; page++) {
        __atomic_store_n(&region->span_of[page], index, __ATOMIC_RELAXED);
        __atomic_store_n(&region->tags[page], tag, __ATOMIC_RELAXED);
    }
}

/* The next run of dirty pages in [page, end): its first page, and in *stop where it ends; `end` when there is none. */
static size_t dirty_run(const region_t *region, size_t page, size_t end, size_t *stop)
{
    span_lock();
    page = bits_find(region->dirty, page, end, true);
    *stop = bits_find(region->dirty, page, end, false);
    span_unlock();
    return page;
}

/*
 * Whole huge pages are given back rather than written: the system zeroes them when, and if, they are touched. A large
 * table of which little is used costs little; one of which all is used costs the system what it would have cost here.
 */
static void zero_by_purge(region_t *region, size_t first, size_t end)
{
    first = (first + CHUNK_PAGES - 1) / CHUNK_PAGES * CHUNK_PAGES;
    end = end / CHUNK_PAGES * CHUNK_PAGES;
    first = first > region->huge_from ? first : region->huge_from;
    end = end < region->huge_to ? end : region->huge_to;
    if (first < end) {
        purge_used(region, (uint32_t)first, (uint32_t)end);
    }
}

void span_zero(span_t *span, size_t from, size_t to)
{
    region_t *region = &regions[span->region];
    size_t page = span->first + (from >> PAGE_SHIFT);
    size_t end = span->first + ((to + PAGE_BYTES - 1) >> PAGE_SHIFT);
    size_t stop;
    zero_by_purge(region, page, end);
    while ((page = dirty_run(region, page, end, &stop)) < end) {
        size_t first_byte = (page - span->first) << PAGE_SHIFT;
        size_t last_byte = (stop - span->first) << PAGE_SHIFT;
        first_byte = first_byte < from ? from : first_byte;
        last_byte = last_byte > to ? to : last_byte;
        memset(span_start(span) + first_byte, 0, last_byte - first_byte);
        page = stop;
    }
}

/* ---- Addresses ---- */

void span_release_addresses(void)
{
    span_lock();
    for (int i = 0; i < region_count(); i++) {
        free_lower_top(&regions[i]);
        if (regions[i].top == 0 && i > 0) {
            region_release(&regions[i]);
        }
    }
    if (regions[0].base != 0) {
        region_cut(&regions[0]);
    }
    span_unlock();
}

/* ---- Facts ---- */

void span_stats_get(span_stats_t *stats)
{
    memset(stats, 0, sizeof *stats);
    span_lock();
    for (int i = 0; i < region_count(); i++) {
        stats->reserved += (size_t)regions[i].pages_reserved << PAGE_SHIFT;
        stats->committed += regions[i].limit;
        stats->metadata += region_table_bytes(&regions[i]);
        stats->regions++;
        stats->huge_advised += huge_bytes(&regions[i]);
    }
    stats->used = span_counts.pages_used << PAGE_SHIFT;
    stats->retained = span_counts.pages_dirty << PAGE_SHIFT;
    stats->purged = span_counts.bytes_purged;
    stats->purges = span_counts.purges;
    span_unlock();
}

void span_reset(void)
{
    span_lock();
    region_forget_all();
    memset(&span_counts, 0, sizeof span_counts);
    free_reset();
    retain_reset();
    huge_reset();
    purge_reset();
    arena_reset();
    span_unlock();
}
