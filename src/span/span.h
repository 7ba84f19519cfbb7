/* SPDX-License-Identifier: MIT */
/*
 * Spans: runs of pages, taken from and given back to one pool of address space that all heaps share.
 *
 *   region   | tables (committed as needed) | page 0 | page 1 | ... | top ........ | committed | reserved ......... |
 *
 *   tags     one word a page: whose page it is and which size class its blocks have; all that a fast free reads
 *   span_of  one word a page: the span that starts, ends or (for pools) lies there; its owner writes it for the inner
 *            pages without the lock, so every access is atomic
 *   dirty    one bit a page: it may hold something other than zeroes
 *   spans    one cache line a span, handed out densely, so that tables stay small where spans are large
 *
 * A page here is 4 KiB whatever the system's page is; what needs whole system pages (purge) rounds inwards.
 * Pages below `top` always belong to exactly one span, used or free; two free spans never touch.
 *
 * All functions take the span lock themselves and may be called by any thread; what a used span's fields mean belongs
 * to its owner. Errno is kept.
 */
#ifndef CUBBY_SPAN_SPAN_H
#define CUBBY_SPAN_SPAN_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    REGION_MAX = 64,   /* the first is meant to last; the others are for address-space limits */
    CHUNK_PAGES = 512, /* a huge page */
    REGION_PARTS = 6,  /* the tables, and the pages */
};

/*
 * A tag is an owner's number in the upper bits and a size class in the lowest eight. Zero: no block starts here. The
 * span layer gives the lowest byte no meaning beyond that.
 */
enum { TAG_CLASS_BITS = 8 };

typedef enum span_state {
    SPAN_UNUSED, /* the descriptor stands for nothing */
    SPAN_FREE,
    SPAN_ROOM, /* never touched, kept free for the large block right before it to grow into */
    SPAN_USED,
} span_state_t;

typedef struct cubby_heap cubby_heap_t;
typedef struct span span_t;

struct span {
    uint32_t first; /* page number in its region */
    uint32_t pages;
    uint8_t region;     /* index in regions[] */
    uint8_t state;      /* span_state_t */
    uint8_t size_class; /* used: the owner's */
    uint8_t shelf;      /* used: which of the owner's lists it is on */
    bool growing;       /* used: it was placed to grow into what lies behind it */
    bool reused;        /* used: its owner gave it up and took it again; all of it may have been written */
    bool clean;         /* used: no page of it was dirty when it was taken */
    union {
        struct { /* SPAN_FREE: a node of the free tree */
            span_t *left;
            span_t *right;
            span_t *older; /* neighbours on a list of retained spans */
            span_t *newer;
            uint32_t priority;
            uint32_t dirty; /* pages of it with their dirty bit set */
            bool retained;  /* it is on such a list */
            uint8_t list;   /* which */
        };
        struct { /* SPAN_USED: a pool, or a large block */
            cubby_heap_t *heap;
            span_t *next;
            span_t *previous;
            void *free;          /* pool: blocks given back, linked through their first word */
            uint32_t free_count; /* pool: blocks on `free`, and blocks never carved that no bin holds */
            uint32_t carved;     /* pool: blocks carved so far, or more: bytes below carved * size may be dirty */
            uint32_t capacity;   /* pool: blocks in all */
            uint32_t countdown;  /* pool: frees until one needs more than a push; 0: the next does */
        };
        span_t *next_unused; /* SPAN_UNUSED */
    };
};

static_assert(sizeof(struct span) == 64, "a span's descriptor is one cache line");

typedef struct region {
    uintptr_t base; /* address of page 0; 0 while the region does not exist */
    size_t limit;   /* bytes from base that may be read and written */
    uint32_t *tags; /* [pages] */
    uint32_t *span_of;
    uint64_t *dirty;
    span_t *spans;
    uint16_t *chunk_used; /* [chunks] pages in use of each 2 MiB */
    uint32_t top;         /* pages handed out so far; those beyond were never touched */
    uint32_t huge_from;   /* pages [huge_from, huge_to) may be huge, having been advised; multiples of CHUNK_PAGES */
    uint32_t huge_to;
    bool huge_advised;        /* the advice is in force */
    uint32_t pages_committed; /* limit in pages */
    uint32_t pages_reserved;
    uint32_t spans_made; /* descriptors in use or on the unused list; index 0 is never used */
    span_t *spans_unused;
    void *reservation; /* what the system gave, tables included */
    size_t reservation_size;
    size_t usable[REGION_PARTS]; /* bytes of each part that were committed */
    bool cut;                    /* addresses were given back from its middle */
    uint32_t table_pages;        /* then: pages that the tables still serve */
} region_t;

extern region_t regions[REGION_MAX];

/* Regions made so far; those that were given back since have no pages. */
int region_count(void);

/* The tag of the page an address lies in; 0 for an address outside the first region. */
static inline uint32_t span_tag_fast(uintptr_t address)
{
    uintptr_t offset = address - __atomic_load_n(&regions[0].base, __ATOMIC_RELAXED);
    if (__builtin_expect(offset >= __atomic_load_n(&regions[0].limit, __ATOMIC_RELAXED), 0)) {
        return 0;
    }
    return __atomic_load_n(&regions[0].tags[offset >> PAGE_SHIFT], __ATOMIC_RELAXED);
}

/* True while huge pages are asked for beyond the first small ones: what is not touched may be resident all the same. */
static inline bool span_pages_are_huge(void)
{
    return __atomic_load_n(&regions[0].huge_advised, __ATOMIC_RELAXED);
}

/* True for an address of a page of any region. */
bool span_holds(const void *address);

/* The tag of the page any address lies in; 0 where it is no page of ours. */
uint32_t span_tag(const void *address);

span_t *span_find_far(const void *address); /* span_find() beyond the first region */

/* Bytes from the start of the first region, or as many as it has and more for an address outside. */
static inline size_t span_offset(const void *address)
{
    return (uintptr_t)address - __atomic_load_n(&regions[0].base, __ATOMIC_RELAXED);
}

static inline bool span_is_near(size_t offset)
{
    return __builtin_expect(offset < __atomic_load_n(&regions[0].limit, __ATOMIC_RELAXED), 1);
}

/* span_find() in the first region, by the offset there. */
static inline span_t *span_find_near(size_t offset)
{
    return &regions[0].spans[__atomic_load_n(&regions[0].span_of[offset >> PAGE_SHIFT], __ATOMIC_RELAXED)];
}

/* The used span that an address with a tag other than 0 lies in. */
static inline span_t *span_find(const void *address)
{
    size_t offset = span_offset(address);
    return span_is_near(offset) ? span_find_near(offset) : span_find_far(address);
}

static inline char *span_start(const span_t *span)
{
    return (char *)(regions[span->region].base + ((uintptr_t)span->first << PAGE_SHIFT));
}

static inline size_t span_bytes(const span_t *span)
{
    return (size_t)span->pages << PAGE_SHIFT;
}

/*
 * A span of at least one page, whose first address is a multiple of `alignment` (a power of two, PAGE_BYTES or more).
 * The content is undefined but for clean pages, which are zero. NULL when the limit is reached (limit.h), or the system
 * gives no more.
 */
span_t *span_alloc(size_t pages, size_t alignment);

/*
 * As many spans of `pages` each, side by side, for one turn of the lock. False, and none taken, when there is no room
 * for all.
 */
bool span_alloc_row(size_t pages, size_t count, span_t **row);

/* Frees a span whose tags are 0. Only the first `dirty_bytes` bytes of it were written since span_alloc. */
void span_free(span_t *span, size_t dirty_bytes);

/*
 * Grows a span to at least `pages` into free pages right behind it. False, and nothing changed, when they are not free,
 * or the limit does not allow them.
 */
bool span_extend(span_t *span, size_t pages);

/* Cuts a span down to `pages`, at least one, and frees the rest, all of which may have been written. */
void span_shrink(span_t *span, size_t pages);

/* Sets the tag of the span's first page only, or of all of them. */
void span_tag_first(span_t *span, uint32_t tag);
void span_tag_all(span_t *span, uint32_t tag);

/* Makes bytes [from, to) of a used span zero, writing only where it may not be zero already. */
void span_zero(span_t *span, size_t from, size_t to);

/* True when no page of the used span was dirty when it was handed out. */
static inline bool span_is_clean(const span_t *span)
{
    return span->clean;
}

/*
 * Moves a used span to a place where it can grow to `pages` and well beyond: the new span, at least that long, with
 * nothing in it, or NULL. The caller copies, and frees the old one.
 */
span_t *span_alloc_growing(size_t pages);

/* Gives the pages of all free spans back to the system. Returns their bytes. */
size_t span_trim(void);

/* Gives back what retention no longer wants, a little at a time. Cheap when there is nothing to do. */
void span_tick(uint64_t now_ms);

/* Gives the system back the addresses that hold nothing, before the address space is limited. */
void span_release_addresses(void);

typedef struct span_stats {
    size_t reserved;
    size_t committed;
    size_t used;     /* bytes in used spans */
    size_t retained; /* dirty bytes in free spans */
    size_t metadata; /* bytes committed for tables */
    size_t regions;
    size_t purged; /* bytes given back since start */
    size_t purges; /* calls that did it */
    size_t huge_advised;
} span_stats_t;

void span_stats_get(span_stats_t *stats);

/* Checks every invariant written at the top of this file, under the lock. For tests and debug builds. */
bool span_is_valid(void);

/* The span lock. */
void span_lock(void);
void span_unlock(void);

/*
 * With the lock held, which is released meanwhile: waits until no other thread is purging. Before a fork: the pages
 * being purged count as used, and in the child nobody would free them.
 */
void span_purges_wait(void);

/* Forgets and releases every region. Only for tests, when no span is used. */
void span_reset(void);

#pragma GCC visibility pop

#endif
