/* SPDX-License-Identifier: MIT */
/*
 * Giving pages back to the system. The pages are cut out of their free span under the lock, purged with the lock
 * released, and joined again: another owner's request never waits for the system.
 */
#include "span/span.h"

#include "os/instrument.h"
#include "os/os.h"
#include "os/settings.h"
#include "span/arena.h"
#include "span/bits.h"
#include "span/free.h"
#include "span/huge.h"
#include "span/purge.h"
#include "span/retain.h"
#include "span/counts.h"

#include <sched.h>

/*
 * Most pages of one purge. Dropping a small page takes the system about 0.1 us, so 4 MiB are well below a millisecond;
 * where pages are huge a purge of 32 MiB drops sixteen.
 */
enum { PURGE_PAGES_SMALL = 1024, PURGE_PAGES_HUGE = 8192 };

/*
 * Purges of one tick: the rest waits for the next, so that no single request pays for all. A request that takes pages
 * gives back at most twice as many, or this many purges' worth.
 */
enum { TICK_PURGES = 4, REQUEST_PURGES = 4 };

/*
 * The part of a free span that is worth one purge of about `most` pages: dirty at both ends, whole system pages, huge
 * pages spared as `care` says. Taken from the end, for low addresses are wanted first. False when there is none.
 */
static bool purge_range(const region_t *region, const span_t *span, huge_care_t care, size_t most, uint32_t *first,
                        uint32_t *end)
{
    uint32_t low = span->first;
    uint32_t high = span->first + span->pages;
    huge_restrict(region, care, &low, &high);
    uint32_t system_page = (uint32_t)(os.page_size() >> PAGE_SHIFT);
    low = (low + system_page - 1) / system_page * system_page;
    high = high / system_page * system_page;
    if (low >= high) {
        return false;
    }
    uint32_t dirty_first = (uint32_t)bits_find(region->dirty, low, high, true);
    uint32_t dirty_end = (uint32_t)bits_find_last(region->dirty, dirty_first, high);
    if (dirty_first >= dirty_end) {
        return false;
    }
    bool huge = huge_is_possible(region, low);
    uint32_t unit = huge ? CHUNK_PAGES : system_page;
    size_t bound = huge ? PURGE_PAGES_HUGE : PURGE_PAGES_SMALL;
    bound = most < bound ? most : bound;
    if (dirty_end - dirty_first > bound) {
        dirty_first = dirty_end - (uint32_t)bound;
    }
    *first = dirty_first / unit * unit;
    *end = (dirty_end + unit - 1) / unit * unit;
    *first = *first > low ? *first : low;
    *end = *end < high ? *end : high;
    return true;
}

/* Cuts something to purge out of the list's oldest span. A span with nothing to purge goes to the next list, or off. */
static span_t *purge_claim(retain_list_t list, huge_care_t care, size_t most)
{
    for (span_t *span = retain_oldest(list); span != NULL; span = retain_oldest(list)) {
        uint32_t first;
        uint32_t end;
        if (purge_range(&regions[span->region], span, care, most, &first, &end)) {
            span = free_cut(span, first, end - first, false);
            span->state = SPAN_USED;
            return span;
        }
        retain_remove(span);
        if (list == RETAIN_PRIME) {
            retain_add(span, RETAIN_REST);
        }
    }
    return NULL;
}

/* The system refused a purge (the pages are locked, say): no more are tried before the window moves on. */
static bool refused;

/* Whether purged pages read as zero. Where they do not (an emulator that ignores the advice), purging is no use at all. */
enum { PURGE_UNTRIED, PURGE_ZEROES, PURGE_USELESS };
static int purge_works;

/* Purges, and the first time looks at the result. Knows nothing of the lock. An arena may write to what it purges. */
static bool purge_call(const region_t *region, uint32_t first, uint32_t end)
{
    volatile char *start = (volatile char *)(region->base + ((uintptr_t)first << PAGE_SHIFT));
    size_t bytes = (size_t)(end - first) << PAGE_SHIFT;
    memory_show((const void *)start, bytes);
    if (__atomic_load_n(&purge_works, __ATOMIC_RELAXED) != PURGE_UNTRIED) {
        return arena_purge((void *)start, bytes);
    }
    char before = *start; /* the page may be a clean one, and must then stay so */
    *start = 1;
    bool purged = arena_purge((void *)start, bytes);
    if (purged && *start == 0) {
        __atomic_store_n(&purge_works, PURGE_ZEROES, __ATOMIC_RELAXED);
        return arena_purge((void *)start, bytes); /* the look mapped a page of zeroes there */
    }
    *start = before;
    if (purged) {
        __atomic_store_n(&purge_works, PURGE_USELESS, __ATOMIC_RELAXED);
    }
    return purged;
}

/* What follows from a purge of these pages. Returns whether they are clean now. */
static bool purge_account(region_t *region, uint32_t first, uint32_t end, bool purged)
{
    refused = !purged;
    if (!purged || purge_works == PURGE_USELESS) {
        return false;
    }
    span_counts.bytes_purged += bits_count(region->dirty, first, end - first) << PAGE_SHIFT;
    span_counts.purges++;
    bits_clear(region->dirty, first, end - first);
    return true;
}

/* Purges under way without the lock. */
static size_t purges_running;

/* Purges whole system pages that nobody uses, with the lock released meanwhile. */
static bool purge_pages(region_t *region, uint32_t first, uint32_t end)
{
    purges_running++;
    span_unlock();
    bool purged = purge_call(region, first, end);
    span_lock();
    purges_running--;
    return purge_account(region, first, end, purged);
}

void span_purges_wait(void)
{
    while (purges_running > 0) {
        span_unlock();
        (void)sched_yield();
        span_lock();
    }
}

bool purge_locked(region_t *region, uint32_t first, uint32_t end)
{
    bool purged = purge_call(region, first, end);
    memory_hide((const void *)(region->base + ((uintptr_t)first << PAGE_SHIFT)), (size_t)(end - first) << PAGE_SHIFT);
    return purge_account(region, first, end, purged);
}

size_t purge_some(retain_list_t list, huge_care_t care, size_t pages)
{
    span_t *span = refused || purge_works == PURGE_USELESS ? NULL : purge_claim(list, care, pages);
    if (span == NULL) {
        return 0;
    }
    region_t *region = &regions[span->region];
    size_t dirty = bits_count(region->dirty, span->first, span->pages);
    bool purged = purge_pages(region, span->first, span->first + span->pages);
    memory_hide(span_start(span), span_bytes(span));
    (void)free_join(region, span, false);
    return purged ? dirty : 0;
}

void purge_used(region_t *region, uint32_t first, uint32_t end)
{
    span_lock();
    if (purge_works != PURGE_USELESS && bits_count(region->dirty, first, end - first) > 0) {
        (void)purge_pages(region, first, end);
    }
    span_unlock();
}

void purge_to_rule(size_t taken)
{
    size_t excess = retain_excess();
    size_t least = (size_t)REQUEST_PURGES * PURGE_PAGES_SMALL;
    size_t most = 2 * taken > least ? 2 * taken : least;
    excess = excess < most ? excess : most;
    while (excess > 0) {
        size_t purged = purge_some(RETAIN_PRIME, HUGE_WHOLE, excess);
        if (purged == 0) {
            return;
        }
        excess -= purged < excess ? purged : excess;
    }
}

size_t span_trim(void)
{
    size_t pages = 0;
    span_lock();
    refused = false;
    for (int i = 0; i < region_count(); i++) {
        for (uint32_t page = 0; page < regions[i].top;) {
            span_t *span = span_at(&regions[i], page);
            if (span->state == SPAN_FREE && span->dirty > 0 && !span->retained) {
                retain_add(span, RETAIN_REST);
            }
            page += span->pages;
        }
    }
    for (int list = 0; list < RETAIN_LISTS; list++) {
        for (size_t purged; (purged = purge_some((retain_list_t)list, HUGE_NONE, SIZE_MAX)) > 0;) {
            pages += purged;
        }
    }
    huge_give_up();
    span_unlock();
    return pages << PAGE_SHIFT;
}

/* When the next tick has something to do, in the clock's milliseconds. Read without the lock. */
static uint64_t next_tick;

/* One purge of a tick. False when there is nothing to do. */
static bool tick_purge(void)
{
    size_t excess = retain_excess();
    if (excess > 0 && purge_some(RETAIN_PRIME, HUGE_WHOLE, excess) > 0) {
        return true;
    }
    excess = retain_excess_deep();
    if (excess == 0 ||
        (purge_some(RETAIN_PRIME, HUGE_MOSTLY, excess) == 0 && purge_some(RETAIN_REST, HUGE_MOSTLY, excess) == 0)) {
        return false;
    }
    huge_give_up();
    return true;
}

void span_tick(uint64_t now)
{
    if (now < __atomic_load_n(&next_tick, __ATOMIC_RELAXED)) {
        return;
    }
    span_lock();
    retain_advance(now);
    refused = false;
    bool more = true;
    for (int i = 0; i < TICK_PURGES && more; i++) {
        more = tick_purge();
    }
    __atomic_store_n(&next_tick, more ? now + 1 : retain_next(now), __ATOMIC_RELAXED);
    span_unlock();
}

void purge_reset(void)
{
    __atomic_store_n(&next_tick, 0, __ATOMIC_RELAXED);
    refused = false;
    purge_works = PURGE_UNTRIED;
}
