/* SPDX-License-Identifier: MIT */
#include "span/huge.h"

#include "os/settings.h"
#include "span/arena.h"
#include "span/bits.h"
#include "span/counts.h"
#include "span/retain.h"

/* The share of the first, small pages that must be in use or retained before the pages beyond them are advised. */
enum { EARN_SHARE = 2 };

/* After the advice was taken back at so many pages in use, it is earned anew at these, and a quarter more. */
static const size_t EARN_AGAIN_PAGES = ((size_t)4 << 20) >> PAGE_SHIFT;
enum { EARN_AGAIN_SHARE = 4 };

static bool refused;
static size_t
    earned_at; /* pages in use or retained from which huge pages are asked for, if more than the setting says */

static uint32_t chunk_up(size_t page)
{
    return (uint32_t)((page + CHUNK_PAGES - 1) / CHUNK_PAGES * CHUNK_PAGES);
}

static bool advise(const region_t *region, uint32_t from, uint32_t to, bool (*call)(void *, size_t))
{
    return call((char *)(region->base + ((uintptr_t)from << PAGE_SHIFT)), (size_t)(to - from) << PAGE_SHIFT);
}

/* Pages that must be in use or retained before huge ones are asked for. */
static size_t pages_to_earn(size_t threshold)
{
    return earned_at > threshold / EARN_SHARE ? earned_at : threshold / EARN_SHARE;
}

void huge_earn(region_t *region)
{
    size_t threshold = setting(SETTING_HUGE_FROM) >> PAGE_SHIFT;
    uint32_t to = region->pages_committed / CHUNK_PAGES * CHUNK_PAGES;
    if ((region->huge_advised && to <= region->huge_to) || refused || setting(SETTING_HUGE_PAGES) == 0 ||
        span_counts.pages_used + retain_pages() < pages_to_earn(threshold)) {
        return;
    }
    region->huge_from = chunk_up(threshold);
    uint32_t from = region->huge_advised ? region->huge_to : region->huge_from;
    if (from >= to) {
        return;
    }
    if (!advise(region, from, to, arena_advise_huge)) {
        refused = true;
        return;
    }
    region->huge_to = to;
    __atomic_store_n(&region->huge_advised, true, __ATOMIC_RELAXED);
}

void huge_give_up(void)
{
    for (int i = 0; i < region_count(); i++) {
        region_t *region = &regions[i];
        if (region->huge_advised && advise(region, region->huge_from, region->huge_to, arena_deny_huge)) {
            __atomic_store_n(&region->huge_advised, false, __ATOMIC_RELAXED);
            earned_at = span_counts.pages_used + span_counts.pages_used / EARN_AGAIN_SHARE + EARN_AGAIN_PAGES;
        }
    }
}

/* Pages of [first, end) that lie in the chunk of `first`. */
static uint32_t chunk_part(uint32_t first, uint32_t end)
{
    uint32_t next = (first / CHUNK_PAGES + 1) * CHUNK_PAGES;
    return (next < end ? next : end) - first;
}

/* Sets the dirty bits of [first, end), and returns how many were not set. */
static size_t dirty_set(region_t *region, uint32_t first, uint32_t end)
{
    size_t more = (end - first) - bits_count(region->dirty, first, end - first);
    bits_set(region->dirty, first, end - first);
    return more;
}

size_t huge_touch_before(region_t *region, uint32_t first, uint32_t end)
{
    if (!huge_is_possible(region, end)) {
        return 0;
    }
    uint32_t start = end / CHUNK_PAGES * CHUNK_PAGES;
    return dirty_set(region, start > first ? start : first, end);
}

size_t huge_touch_after(region_t *region, uint32_t first, uint32_t end)
{
    if (!huge_is_possible(region, first - 1)) {
        return 0;
    }
    uint32_t stop = chunk_up(first);
    return dirty_set(region, first, stop < end ? stop : end);
}

void huge_note_used(region_t *region, uint32_t first, uint32_t pages)
{
    for (uint32_t end = first + pages, part; first < end; first += part) {
        part = chunk_part(first, end);
        region->chunk_used[first / CHUNK_PAGES] += (uint16_t)part;
    }
}

void huge_note_free(region_t *region, uint32_t first, uint32_t pages)
{
    for (uint32_t end = first + pages, part; first < end; first += part) {
        part = chunk_part(first, end);
        region->chunk_used[first / CHUNK_PAGES] -= (uint16_t)part;
    }
}

static bool chunk_is_spared(const region_t *region, huge_care_t care, uint32_t page, uint32_t part)
{
    if (!huge_is_possible(region, page) || part == CHUNK_PAGES || care == HUGE_NONE) {
        return false;
    }
    return care == HUGE_WHOLE || region->chunk_used[page / CHUNK_PAGES] >= CHUNK_PAGES / 2;
}

/* Leaves off the pieces of huge pages at either end that are spared. */
static void pieces_spare(const region_t *region, huge_care_t care, uint32_t *first, uint32_t *end)
{
    if (*first < *end) {
        uint32_t part = chunk_part(*first, *end);
        *first += chunk_is_spared(region, care, *first, part) ? part : 0;
    }
    if (*first < *end) {
        uint32_t start = (*end - 1) / CHUNK_PAGES * CHUNK_PAGES;
        start = start > *first ? start : *first;
        *end = chunk_is_spared(region, care, *end - 1, *end - start) ? start : *end;
    }
}

void huge_restrict(const region_t *region, huge_care_t care, uint32_t *first, uint32_t *end)
{
    /* The possible huge pages, then the small ones before and behind them. */
    uint32_t parts[3][2] = {
        {region->huge_from, region->huge_to}, {0, region->huge_from}, {region->huge_to, UINT32_MAX}};
    bool zone_only = care == HUGE_WHOLE && region->huge_to != 0;
    for (int i = 0; i < (zone_only ? 1 : 3); i++) {
        uint32_t low = *first > parts[i][0] ? *first : parts[i][0];
        uint32_t high = *end < parts[i][1] ? *end : parts[i][1];
        pieces_spare(region, care, &low, &high);
        if (low < high && bits_count(region->dirty, low, high - low) > 0) {
            *first = low;
            *end = high;
            return;
        }
    }
    *end = *first;
}

bool huge_has_whole(const region_t *region, const span_t *span)
{
    uint32_t first = span->first > region->huge_from ? span->first : region->huge_from;
    uint32_t end = span->first + span->pages;
    end = end < region->huge_to ? end : region->huge_to;
    return first < end && chunk_up(first) + CHUNK_PAGES <= end;
}

void huge_reset(void)
{
    refused = false;
    earned_at = 0;
}
