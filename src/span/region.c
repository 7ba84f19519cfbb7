/* SPDX-License-Identifier: MIT */
#include "span/region.h"

#include "os/os.h"
#include "span/arena.h"

#include <string.h>

region_t regions[REGION_MAX];
static int regions_made;

int region_count(void)
{
    return __atomic_load_n(&regions_made, __ATOMIC_ACQUIRE);
}

/*
 * How much address space a region takes. The first one should last for the life of the process, so that the fast
 * path's single comparison is all there is: 256 GiB is ten times the memory of most machines and a thousandth of the
 * address space. Where the address space is limited the rest of the process needs its share: an eighth at a time, or
 * half for a block that grows, which could otherwise not grow beyond what is free beside it.
 */
static const size_t REGION_BYTES = (size_t)256 << 30;
static const size_t REGION_BYTES_LEAST = (size_t)4 << 20;
enum { REGION_LIMIT_SHARE = 8, GROWING_LIMIT_SHARE = 2 };

/*
 * Pages become usable in steps that double from 32 MiB to 1 GiB: a small program pays one step of a few microseconds,
 * and one of 100 GiB about a hundred. Usable is not resident.
 */
static const size_t COMMIT_PAGES_FIRST = ((size_t)32 << 20) >> PAGE_SHIFT;
static const size_t COMMIT_PAGES_STEP = ((size_t)1 << 30) >> PAGE_SHIFT;

/* Page 0 of a region starts where a huge page can. */
static const size_t REGION_ALIGNMENT = (size_t)CHUNK_PAGES << PAGE_SHIFT;

/* The tables in the order in which they stand in a region. */
enum { TABLE_TAGS, TABLE_SPAN_OF, TABLE_DIRTY, TABLE_CHUNK_USED, TABLE_SPANS, TABLE_COUNT };

static_assert(TABLE_COUNT + 1 == REGION_PARTS, "region_t notes what is usable of each table, and of the pages");

/* Bytes of a table that serve `pages` pages. Descriptor 0 is never used, so there is one more than pages. */
static size_t table_bytes(int table, size_t pages)
{
    switch (table) {
    case TABLE_TAGS:
    case TABLE_SPAN_OF:
        return pages * sizeof(uint32_t);
    case TABLE_DIRTY:
        return (pages + 63) / 64 * sizeof(uint64_t);
    case TABLE_CHUNK_USED:
        return (pages + CHUNK_PAGES - 1) / CHUNK_PAGES * sizeof(uint16_t);
    default:
        return (pages + 1) * sizeof(span_t);
    }
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) & ~(unit - 1);
}

static void *table_start(const region_t *region, int table)
{
    switch (table) {
    case TABLE_TAGS:
        return region->tags;
    case TABLE_SPAN_OF:
        return region->span_of;
    case TABLE_DIRTY:
        return region->dirty;
    case TABLE_CHUNK_USED:
        return region->chunk_used;
    default:
        return region->spans;
    }
}

/*
 * Makes the first `bytes` of a part of the region usable: a table, or, after those, the pages. A page that is usable is
 * not asked for again, even where the attempt that made it so was refused in the end: an arena may count.
 */
static bool part_commit(region_t *region, int part, void *start, size_t bytes)
{
    size_t wanted = round_up(bytes, os.page_size());
    size_t usable = region->usable[part];
    if (wanted <= usable) {
        return true;
    }
    if (!arena_commit((char *)start + usable, wanted - usable)) {
        return false;
    }
    region->usable[part] = wanted;
    return true;
}

/* Calls the system for what lies between the system pages that `old_bytes` and `new_bytes` from start reach into. */
static bool apply_between(void *start, size_t old_bytes, size_t new_bytes, bool (*call)(void *, size_t))
{
    size_t unit = os.page_size();
    size_t from = round_up(old_bytes, unit);
    size_t to = round_up(new_bytes, unit);
    return from >= to || call((char *)start + from, to - from);
}

/* Makes pages up to `pages` usable. On refusal some tables may have grown. */
static bool region_commit(region_t *region, size_t pages)
{
    size_t old = region->pages_committed;
    for (int table = 0; table < TABLE_COUNT; table++) {
        if (!part_commit(region, table, table_start(region, table), table_bytes(table, pages))) {
            return false;
        }
    }
    if (!part_commit(region, TABLE_COUNT, (void *)region->base, pages << PAGE_SHIFT)) {
        return false;
    }
    if (!region->huge_advised) {
        (void)apply_between((void *)region->base, old << PAGE_SHIFT, pages << PAGE_SHIFT, arena_deny_huge);
    }
    region->pages_committed = (uint32_t)pages;
    __atomic_store_n(&region->limit, pages << PAGE_SHIFT, __ATOMIC_RELEASE);
    return true;
}

/* Where page 0 may start: where a huge page can, when there are any. */
static size_t region_alignment(void)
{
    return arena_has_huge_pages() ? REGION_ALIGNMENT : os.page_size();
}

/* Bytes to reserve for a region of `pages`, and where in them the tables start; their end goes into offsets[COUNT]. */
static size_t region_layout(size_t pages, size_t offsets[TABLE_COUNT + 1])
{
    size_t unit = os.page_size();
    offsets[0] = 0;
    for (int table = 0; table < TABLE_COUNT; table++) {
        offsets[table + 1] = offsets[table] + round_up(table_bytes(table, pages), unit);
    }
    /* A reservation starts on a system page. */
    return offsets[TABLE_COUNT] + (region_alignment() - unit) + (pages << PAGE_SHIFT);
}

static bool region_reserve(region_t *region, size_t bytes)
{
    size_t pages = bytes >> PAGE_SHIFT;
    size_t offsets[TABLE_COUNT + 1];
    size_t size = region_layout(pages, offsets);
    char *start = arena_reserve(size);
    if (start == NULL) {
        return false;
    }
    memset(region, 0, sizeof *region);
    region->reservation = start;
    region->reservation_size = size;
    region->tags = (uint32_t *)(void *)(start + offsets[TABLE_TAGS]);
    region->span_of = (uint32_t *)(void *)(start + offsets[TABLE_SPAN_OF]);
    region->dirty = (uint64_t *)(void *)(start + offsets[TABLE_DIRTY]);
    region->chunk_used = (uint16_t *)(void *)(start + offsets[TABLE_CHUNK_USED]);
    region->spans = (span_t *)(void *)(start + offsets[TABLE_SPANS]);
    region->spans_made = 1;
    region->pages_reserved = (uint32_t)pages;
    region->base = round_up((uintptr_t)start + offsets[TABLE_COUNT], region_alignment());
    return true;
}

/* A generous step, or, refused that, just what is needed. */
bool region_has_room(region_t *region, size_t pages)
{
    size_t needed = region->top + pages;
    if (needed > region->pages_reserved) {
        return false;
    }
    size_t committed = region->pages_committed;
    if (needed <= committed) {
        return true;
    }
    size_t step = committed < COMMIT_PAGES_FIRST ? COMMIT_PAGES_FIRST : committed;
    size_t wish = committed + (step < COMMIT_PAGES_STEP ? step : COMMIT_PAGES_STEP);
    if (wish < needed) {
        wish = needed;
    }
    if (wish > region->pages_reserved) {
        wish = region->pages_reserved;
    }
    return region_commit(region, wish) || (wish > needed && region_commit(region, needed));
}

/* Strict overcommit counts what is committed, touched or not: there room is not free. */
bool region_is_spacious(const region_t *region, size_t pages)
{
    return region->base != 0 && !arena_commit_is_counted() && pages <= (region->pages_reserved - region->top) / 4;
}

/* The largest region that fits into an arena of a known size. */
static size_t region_bytes_in(size_t size)
{
    size_t unit = region_alignment();
    size_t offsets[TABLE_COUNT + 1];
    size_t bytes = (size < REGION_BYTES ? size : REGION_BYTES) & ~(unit - 1);
    while (bytes > unit && region_layout(bytes >> PAGE_SHIFT, offsets) > size) {
        /* What is too much goes, but for what the tables shrink with it. */
        size_t beyond = region_layout(bytes >> PAGE_SHIFT, offsets) - size;
        bytes -= beyond / 2 > unit ? beyond / 2 & ~(unit - 1) : unit;
    }
    return bytes;
}

/* How large the next region should be, if the system or the arena grants it. */
static size_t region_bytes_wished(size_t limit_share)
{
    if (arena_size() != 0) {
        return region_bytes_in(arena_size());
    }
    size_t limit = os.address_limit();
    return limit == SIZE_MAX || limit / limit_share > REGION_BYTES ? REGION_BYTES : limit / limit_share;
}

/* The smallest region that is worth its place; in a small arena anything is. */
static size_t region_bytes_least(size_t pages)
{
    size_t least = round_up(pages << PAGE_SHIFT, region_alignment());
    return least < REGION_BYTES_LEAST && arena_size() == 0 ? REGION_BYTES_LEAST : least;
}

/* Reserves a region in which `pages` fit, the size halved as long as the system refuses. */
static bool region_create(region_t *region, size_t pages, size_t limit_share)
{
    size_t unit = region_alignment();
    size_t least = region_bytes_least(pages);
    for (size_t bytes = region_bytes_wished(limit_share) & ~(unit - 1); bytes > least;
         bytes = bytes / 2 & ~(unit - 1)) {
        if (region_reserve(region, bytes)) {
            return true;
        }
    }
    return region_reserve(region, least);
}

region_t *region_with_room(size_t pages, bool growing)
{
    if (pages > REGION_BYTES >> PAGE_SHIFT) {
        return NULL;
    }
    for (int i = 0; i < REGION_MAX; i++) {
        region_t *region = &regions[i];
        if (region->pages_reserved == 0) {
            region_forget(region);
            if (!region_create(region, pages, growing ? GROWING_LIMIT_SHARE : REGION_LIMIT_SHARE)) {
                return NULL;
            }
        }
        if (region_has_room(region, pages)) {
            if (i == regions_made) {
                __atomic_store_n(&regions_made, i + 1, __ATOMIC_RELEASE);
            }
            return region;
        }
        if (region->pages_committed == 0) {
            region_forget(region);
            return NULL;
        }
    }
    return NULL;
}

region_t *region_of(const void *address)
{
    for (int i = 0; i < region_count(); i++) {
        if ((uintptr_t)address - regions[i].base < __atomic_load_n(&regions[i].limit, __ATOMIC_ACQUIRE)) {
            return &regions[i];
        }
    }
    return NULL;
}

size_t region_table_bytes(const region_t *region)
{
    size_t bytes = 0;
    for (int table = 0; table < TABLE_COUNT; table++) {
        bytes += round_up(table_bytes(table, region->pages_committed), os.page_size());
    }
    return bytes;
}

/*
 * The tables stay until the region's place is taken by another: someone who asks about a pointer without the lock may
 * just have read the old limit, and then reads a tag of 0.
 */
void region_release(region_t *region)
{
    uintptr_t end = (uintptr_t)region->reservation + region->reservation_size;
    __atomic_store_n(&region->limit, 0, __ATOMIC_RELEASE);
    arena_release((void *)region->base, end - region->base);
    region->reservation_size = region->base - (uintptr_t)region->reservation;
    region->pages_reserved = 0;
    region->pages_committed = 0;
    region->top = 0;
    region->huge_to = 0;
    region->huge_advised = false;
    region->spans_made = 1;
    region->spans_unused = NULL;
}

/* Gives back what lies between, in whole system pages. */
static void release_between(uintptr_t from, uintptr_t to)
{
    size_t unit = os.page_size();
    from = round_up(from, unit);
    to &= ~(unit - 1);
    if (from < to) {
        arena_release((void *)from, to - from);
    }
}

void region_cut(region_t *region)
{
    size_t old = region->pages_reserved;
    size_t pages = round_up((size_t)region->top << PAGE_SHIFT, REGION_ALIGNMENT) >> PAGE_SHIFT;
    if (pages >= old) {
        return;
    }
    region->pages_reserved = (uint32_t)pages;
    if (region->pages_committed > pages) {
        region->pages_committed = (uint32_t)pages;
        __atomic_store_n(&region->limit, pages << PAGE_SHIFT, __ATOMIC_RELEASE);
    }
    if (region->huge_to > pages) {
        region->huge_to = region->huge_from < pages ? (uint32_t)pages : 0;
    }
    for (int table = 0; table < TABLE_COUNT; table++) {
        uintptr_t start = (uintptr_t)table_start(region, table);
        bool to_base = table == TABLE_COUNT - 1 && !region->cut; /* with what aligned the base */
        uintptr_t end = to_base ? region->base : start + round_up(table_bytes(table, old), os.page_size());
        release_between(start + table_bytes(table, pages), end);
    }
    release_between(region->base + (pages << PAGE_SHIFT), (uintptr_t)region->reservation + region->reservation_size);
    region->cut = true;
    region->table_pages = (uint32_t)pages;
    region->reservation_size = region->base + (pages << PAGE_SHIFT) - (uintptr_t)region->reservation;
}

void region_forget(region_t *region)
{
    if (region->cut) { /* other mappings may lie between its tables */
        for (int table = 0; table < TABLE_COUNT; table++) {
            uintptr_t start = (uintptr_t)table_start(region, table);
            release_between(start, start + round_up(table_bytes(table, region->table_pages), os.page_size()));
        }
        release_between(region->base, region->base + ((size_t)region->pages_reserved << PAGE_SHIFT));
    } else if (region->reservation != NULL) {
        arena_release(region->reservation, region->reservation_size);
    }
    memset(region, 0, sizeof *region);
}

void region_forget_all(void)
{
    for (int i = 0; i < regions_made; i++) {
        region_forget(&regions[i]);
    }
    regions_made = 0;
}

bool region_space_is_limited(void)
{
    return arena_size() != 0 || os.address_limit() != SIZE_MAX;
}
