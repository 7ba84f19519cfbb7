/* SPDX-License-Identifier: MIT */
/*
 * A heap and its pools.
 *
 *   heap    bins[class] ----free----> block -> block -> ...      blocks the bin holds, of any of the heap's pools
 *                       ----fresh---> [ never carved ... )       the rest of the pool being carved
 *           classes[class].shelf[0..4] -> pool <-> pool ...      every pool of the class, by how full it is
 *           large -> span <-> span ...                           blocks above 32 KiB, each its own span
 *
 *   pool    | block | block | ... | block | never carved | left over |
 *             span->free: blocks given back to the pool itself
 *
 * Allocation takes from the bin: the block freed last, or the next fresh one. Only when both are empty does it take
 * what a whole pool has, and only when no pool has anything a new pool. A free goes to the bin, or, when the bin holds
 * too much, to the block's own pool. A pool with nothing but free blocks goes back to the span layer.
 *
 * How much a bin holds is not counted at every step: an allocation counts nothing, a free counts bin->room down.
 * Where none is left the bin's list is measured, up to bin_measure_most() blocks. Shorter: room is set anew.
 * Longer: the bin spills, which means that frees go to their pools until allocations have emptied it. So a bin never
 * holds more than the measure, the room, and what one pool had to offer; and a heap is sure to look after itself once
 * in every so many frees.
 *
 * Shelves. A pool stands on shelf 0 to 3 by quarters of its blocks free, shelf 0 the fullest; on SHELF_FULL when it
 * has nothing to offer (its free blocks, if any, are in a bin). A bin takes from the fullest pool there is, so that
 * emptier ones can empty. span->countdown makes a free notice the change of shelf with one test.
 *
 * Thrash guard. A pool can only bounce between the bin and the span layer when, between, more blocks are freed than
 * the bin has room for, so that the cost of a bounce is shared by that many frees.
 */
#ifndef CUBBY_HEAP_HEAP_H
#define CUBBY_HEAP_HEAP_H

#include <cubby/cubby.h>

#include "heap/classes.h"
#include "os/instrument.h"
#include "span/span.h"

#include <stdalign.h>

enum {
    SHELF_COUNT = 4,
    SHELF_FULL = SHELF_COUNT,
    /*
     * Room in a bin: blocks of 16 KiB together, half of a usual first-level cache; at least 4, so that large classes
     * have some, and 8 in a thread's heap, for which a new pool may mean to wait for a lock; at most 512, so that tiny
     * blocks do not pin a thousand pools.
     */
    BIN_BYTES = 16384,
    BIN_ROOM_LEAST = 4,
    BIN_ROOM_LEAST_THREAD = 8,
    BIN_ROOM_MOST = 512,
    /*
     * The measure is half the room, and 128 blocks at most. Where a bin always holds that many, its list is walked once
     * in a room's worth of frees: half a load each, and a quarter where blocks are small. Each of these loads waits for
     * the one before it. With nothing else in a loop, on a bin of 67 blocks of 32 bytes and room for 256, a pair of
     * typed calls took 1.4 times as long as on one of a single block.
     */
    BIN_MEASURE_SHARE = 2,
    BIN_MEASURE_MOST = 128,
    /*
     * A thread's bin that spilled and then ran empty was too small: it pushed blocks back to their pools and fetched
     * them again. It gets twice the room, as long as what all bins have gained so is no more than this share of the
     * heap's pools: a small heap stays small. When the bins are handed back in time, all begin anew. With half of that a
     * table of blocks up to 64 KiB (`cubby-threads private-large`) takes a fifth more locks.
     */
    BIN_GROWTH_SHARE = 1,
};

/*
 * What slow paths weigh on the way to the next look at the clock. Four frees weigh one: a bin that measures itself has
 * seen a room's worth of them, a pool that changes its shelf usually a quarter of its blocks, of which 32 is enough to
 * say; but a refill weighs 8, for it means that the heap may be growing.
 */
enum {
    EVENTS_PER_TICK = 64,
    EVENT_BORROW = 1,
    EVENT_REFILL = 8,
    EVENT_RESHELVE_MOST = 32,
    EVENT_SPARE = 8,
    EVENT_PARCEL = 64,
    EVENT_LARGE = 64,
    FREES_PER_EVENT = 4,
};

/*
 * When the bins are handed back: twice in the usual window of retention; and before new pools are made once these have
 * grown by an eighth, or 64 KiB, since the last time: blocks that lie idle in bins may be all that keeps a pool from
 * serving another size.
 */
enum { FLUSH_MS = 500, FLUSH_GROWTH_SHARE = 8, FLUSH_GROWTH_LEAST = 16 };

typedef struct heap_class {
    span_t *shelf[SHELF_COUNT + 1];
    span_t *carving;   /* the pool that bin->fresh points into, NULL when there is none */
    uint32_t capacity; /* blocks in a pool */
    uint32_t pages;    /* of a pool */
    int32_t room;      /* what bin->room starts from; bin_room_first() or, in a thread's heap, up to BIN_ROOM_MOST */
    bool spilling;     /* the bin holds too much: frees go to their pools until it is empty */
    bool fresh_zero;   /* what bin->fresh points to reads as zero */
} heap_class_t;

/*
 * Who may call. The first three own pools; the others stand in front of a heap that does: their bins are always empty
 * and their tag is on no pool, so every call for them ends in a slow path, which passes it on, and the fast paths need
 * no test of the kind.
 */
typedef enum heap_kind {
    HEAP_LOCK,    /* whoever holds the lock that goes with it */
    HEAP_OWNED,   /* one thread, for its heap object; others may free */
    HEAP_THREAD,  /* one thread, behind cubby_malloc(); others may free; outlives the thread */
    HEAP_SHARED,  /* any thread: a lock heap of its own behind LOCK_SHARED_HEAPS */
    HEAP_PLAIN,   /* any thread that has no heap yet: the one static heap_plain */
    HEAP_CHECKED, /* debug checks: a lock heap of its own behind LOCK_CHECKS; see checks.h */
} heap_kind_t;

/* Blocks of one class and of other threads' heaps, which this thread freed (borrow.h). */
typedef struct heap_borrowed {
    void *first; /* linked through their first words */
    void *last;
    uint32_t owner; /* whose they are, the tag above its class; or OWNER_MIXED */
    uint32_t bytes;
} heap_borrowed_t;

/* Blocks on their way back to the heap of another thread, together: its line of the cache is fetched once for all. */
typedef struct heap_outbox {
    void *first; /* linked through their first words */
    void *last;
    cubby_heap_t *owner;
} heap_outbox_t;

enum { OUTBOX_COUNT = 64 }; /* by the owner's number: a program with more threads sends smaller parcels */

/* A span that the heap has given up, but keeps for a while (spare.h). */
typedef struct heap_spare {
    span_t *span;
    uint32_t pages; /* 0: none is kept here */
    uint32_t dirty_bytes;
} heap_spare_t;

enum { SPARE_COUNT = 32 };

/* The tags of pools of HEAP_THREAD have this bit: such blocks any thread may borrow. */
#define TAG_BORROWABLE ((uint32_t)1 << 31)

struct cubby_heap {
    cubby_bin_t bins[CUBBY_CLASS_COUNT]; /* first: cubby.h relies on it */
#ifdef CUBBY_GUARD
    uintptr_t key; /* second, likewise: guard_key() */
#endif
    uint32_t tag;         /* the heap's number, where the tags of its pages have it */
    uint8_t kind;         /* heap_kind_t */
    span_t *home;         /* the span the heap itself lies in */
    uint32_t events;      /* slow-path events, weighted, since the last look at the clock */
    uint64_t flush_at;    /* when the bins are next handed back, in the clock's milliseconds */
    uint32_t pool_pages;  /* of all its pools */
    uint32_t flush_pages; /* pool pages at which the bins are next handed back */
    size_t room_grown;    /* bytes of room that bins have beyond what they began with */
    span_t *large;
    size_t large_pages;                       /* of all of them */
    size_t limit_pages;                       /* that pools and large blocks may have together; SIZE_MAX: no limit */
    const struct cubby_allocator *foreign[3]; /* the domain layer's: who takes blocks that are not Cubby's */
    cubby_heap_t *inner;                      /* HEAP_SHARED, HEAP_CHECKED: the heap behind it */
    cubby_heap_t *front;                      /* of such a heap: what stands before it */
    struct check_heap *checks;                /* HEAP_CHECKED: what the checks know of it */
    uintptr_t thread;                         /* whose it is, HEAP_OWNED and HEAP_THREAD */
    uintptr_t visitor;                        /* builds with assertions: the thread inside, or 0 */
    cubby_heap_t *next_ended;                 /* on the list of heaps whose threads have ended */
    size_t parcels;                           /* sent since they were last added up */
    uint32_t forks_seen;                      /* forks behind the process when fork_pages was noted */
    uint32_t fork_pages;                      /* pool pages that came with the last fork, 0: none, or no matter now */
    uint32_t flush_asked;                     /* cubby_trim() calls answered by handing the bins back */
    heap_class_t classes[CUBBY_CLASS_COUNT];
    heap_borrowed_t borrowed[CUBBY_CLASS_COUNT];
    uint32_t borrowed_bytes; /* of all classes */
    uint32_t borrow_most;    /* that is kept of them */
    bool borrow_used;        /* some of them were used again since they were last too many */
    bool hands_round;        /* blocks were used again by, or came home from, other threads: bins get no more room */
    heap_outbox_t outboxes[OUTBOX_COUNT];
    heap_spare_t spares[SPARE_COUNT];
    uint32_t spare_pages; /* of all of them */
    uint32_t spare_next;  /* the place filled last */
    /* Written by other threads, so on a cache line of its own: blocks they freed, linked through their first word. */
    alignas(64) void *remote;
#ifdef CUBBY_GUARD
    uint64_t inverses[UINT8_MAX + 1]; /* 2^64 / the block size, rounded up, for pool_has(); 0: no class of pools */
#endif
};

/* Pages of the span that a heap lies in. */
enum { HEAP_HOME_PAGES = (sizeof(cubby_heap_t) + PAGE_BYTES - 1) / PAGE_BYTES };

/* A bin that has used up that room spills when it holds so many blocks. */
static inline size_t bin_measure_most(size_t room)
{
    return room / BIN_MEASURE_SHARE < BIN_MEASURE_MOST ? room / BIN_MEASURE_SHARE : BIN_MEASURE_MOST;
}

/* What cubby_malloc() uses in a thread that has no heap yet; also the owner of all large blocks of thread heaps. */
extern cubby_heap_t heap_plain;

static inline uint32_t heap_number(const cubby_heap_t *heap)
{
    return (heap->tag & ~TAG_BORROWABLE) >> TAG_CLASS_BITS;
}

/* True for the kinds that stand before another heap. */
static inline bool heap_is_front(const cubby_heap_t *heap)
{
    return heap->kind >= HEAP_SHARED;
}

void *heap_malloc_medium(cubby_heap_t *heap, size_t size); /* requests above CUBBY_SMALL_MAX; sets errno */

/* ---- Fast paths ---- */

/* The way out of heap_bin_take(). Fronts that check need the size and the alignment that were asked for. */
void *heap_bin_refill(cubby_heap_t *heap, unsigned size_class, size_t size, size_t alignment);

/* As cubby_bin_take_(), for callers that know the size: it is still in its register where the slow path begins. */
static inline void *heap_bin_take(cubby_heap_t *heap, unsigned size_class, size_t size, size_t alignment)
{
    cubby_bin_t *bin = &heap->bins[size_class];
    void *block = bin->free;
    if (CUBBY_LIKELY(block != NULL)) {
        bin->free = cubby_link_take_(heap, block);
        return block;
    }
    block = bin->fresh;
    if (CUBBY_LIKELY(block != bin->fresh_end)) {
        bin->fresh += bin->size;
        return cubby_link_clear_(block);
    }
    return heap_bin_refill(heap, size_class, size, alignment);
}

enum { BLOCK_ALIGNMENT = 16 }; /* of every request that asks for none */

/* Tells tools of a block, but not twice: debug checks gave out a part of one that they know. */
static inline void *heap_block_taken(const cubby_heap_t *heap, void *block, size_t size)
{
    return MEMORY_IS_WATCHED && heap->kind == HEAP_CHECKED ? block : block_taken(block, size, CONTENT_NONE);
}

static inline void *heap_malloc(cubby_heap_t *heap, size_t size)
{
    if (CUBBY_LIKELY(size <= CUBBY_SMALL_MAX)) {
        void *block = heap_bin_take(heap, (unsigned)((size + 15) / 16), size, BLOCK_ALIGNMENT);
        return heap_block_taken(heap, block, size);
    }
    return heap_malloc_medium(heap, size);
}

/* A request of the obj domain. */
static inline void *heap_malloc_obj(cubby_heap_t *heap, size_t size)
{
    if (CUBBY_LIKELY(size <= CUBBY_SMALL_MAX)) {
        void *block = heap_bin_take(heap, class_of_obj(size), size, BLOCK_ALIGNMENT);
        return heap_block_taken(heap, block, size);
    }
    return heap_malloc_medium(heap, size);
}

/* A program frees a block of that class, of this heap. */
static inline void heap_free_block(cubby_heap_t *heap, void *block, uint32_t size_class)
{
    block_given(block, heap->bins[size_class].size);
    cubby_bin_give_(heap, block, size_class);
}

/* The bin's class of a block of this heap; CUBBY_CLASS_COUNT or more for anything else, any pointer at all. */
static inline uint32_t heap_class_of(const cubby_heap_t *heap, const void *block)
{
    return span_tag_fast((uintptr_t)block) ^ heap->tag;
}

/* ---- Slow paths ---- */

/* A heap of one of the kinds that own pools, or NULL, without setting errno. */
cubby_heap_t *heap_create(heap_kind_t kind);

/* True when no block of the heap is in use or in a bin; for thread heaps, whose large blocks are not their own. */
static inline bool heap_is_empty(const cubby_heap_t *heap)
{
    return heap->pool_pages == 0;
}

/* In a child process, once: its heaps share their pages with the parent's. */
void heap_note_fork(void);

/* Has every thread heap hand its bins back when it next looks at the clock. */
void heap_ask_flush(void);

/* A block of more than MEDIUM_MAX bytes, or aligned to more than a page; at least to a page. NULL without errno. */
void *heap_large_alloc(cubby_heap_t *heap, size_t size, size_t alignment);
void heap_large_free(cubby_heap_t *heap, span_t *span);

/* As heap_large_alloc(), for a block that has to move because it grows: with room to grow on. */
void *heap_large_alloc_growing(cubby_heap_t *heap, size_t size);

/*
 * Zeroed count * size bytes; and a block resized, or NULL with errno set and the block intact. `obj`: sizes are served
 * as heap_malloc_obj() does. A block that is not this heap's is EINVAL.
 */
void *heap_aligned_alloc(cubby_heap_t *heap, size_t alignment, size_t size);
void *heap_calloc(cubby_heap_t *heap, size_t count, size_t size, bool obj);
void *heap_realloc(cubby_heap_t *heap, void *block, size_t size, bool obj);

/* The same for a block whose class heap_class_of() knows. */
void *pool_block_resize(cubby_heap_t *heap, void *block, uint32_t size_class, size_t size, bool obj);

/* The same for a large block, of this heap or, where this is a thread heap, of any. */
void *large_block_resize(cubby_heap_t *heap, void *block, size_t size, bool obj);

/* True when a block of that size is left where it is for the new size, by a caller of which obj is true or not. */
bool block_may_stay(const void *block, size_t block_bytes, size_t size, bool obj);

/* Resizes a large block in place when that is worth it. False, and nothing changed, otherwise. */
bool heap_large_resize(span_t *span, size_t size);

/*
 * Frees what heap_class_of() did not know: NULL, large blocks, blocks beyond the first region. False, and nothing
 * done, for a block that is not this heap's. `size` is what the caller knows of it, or CHECKS_SIZE_UNKNOWN.
 */
bool heap_free_slow(cubby_heap_t *heap, void *block, size_t size);

/* Says that a block is not this heap's. */
void heap_free_refuse(const cubby_heap_t *heap, const void *block);

/*
 * Called by slow paths, before they do anything: `weight` of EVENTS_PER_TICK for a look at the clock. From time to time
 * it hands the bins back, so that blocks in them do not keep pools alive, and lets the span layer give memory back.
 */
void heap_tick(cubby_heap_t *heap, uint32_t weight);

/* Hands everything the bins hold back to the pools, and empty pools to the span layer; and borrowed blocks home. */
void heap_flush(cubby_heap_t *heap);

/*
 * The same but for the borrowed blocks, which only move from the bins to those that wait: none of the heap's own pools
 * hangs on them, and a heap that grows would make new pools in their stead.
 */
void heap_flush_bins(cubby_heap_t *heap);

/* Bytes of the block, when it is one that a heap gave out; 0 otherwise. Safe for any pointer. */
size_t block_size(const void *block);

/* The same for a block whose heap may stand behind another: the heap that made it. */
cubby_heap_t *block_owner(const void *block);

/* The heap of a block, NULL when no heap gave it out. Safe for any pointer. */
cubby_heap_t *block_heap(const void *block);

/* True when a heap that is not checked gave the block out. */
bool block_is_unchecked(const void *block);

/* Reads and adds up; any thread. */
size_t heap_count(void);
void heap_copied_add(size_t bytes);
size_t heap_copied(void);

/* Checks the heap's lists, counts and tags; the caller holds the heap's lock. For tests and debug builds. */
bool heap_is_valid(const cubby_heap_t *heap);

/* ---- Refusals ---- */

/* Says on stderr that `function` was given a pointer it cannot serve, and why. */
void heap_refuse(const char *function, const void *pointer, const char *why);

#endif
