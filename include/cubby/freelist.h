/* SPDX-License-Identifier: MIT */
/*
 * A freelist: a cache of objects of one type over a heap.
 *
 * A heap's bin is a freelist already, shared by all types of a size, and it empties by itself. So a host needs this for
 * two things only: to compare, and for objects that keep something expensive while nobody uses them (a buffer, an open
 * file), which it can have made once and cleared away when an object really goes.
 *
 *   CUBBY_FREELIST_NONE      nothing is kept: the heap serves each object
 *   CUBBY_FREELIST_BOUNDED   up to `cap` objects are kept, the one given last is taken first: Python's floats since 2.6
 *   CUBBY_FREELIST_BLOCKS    objects are cut from blocks of about 1,000 bytes, descending, and stay there until
 *                            compaction finds a block in which nothing lives: Python's ints and floats up to 2.6
 *
 * An object has at least 16 bytes, but for NONE. While it is in the list its first two words belong to the list: the
 * first is 0, the second is the link; the rest stays as it was given. An object in use has a first word that is not 0
 * (a count of references, say), from when it was taken until it is given back: compaction tells them apart by it.
 *
 * A list follows the rule of its heap's owner.
 */
#ifndef CUBBY_FREELIST_H
#define CUBBY_FREELIST_H

#include <cubby/cubby.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cubby_freelist_policy {
    CUBBY_FREELIST_NONE,
    CUBBY_FREELIST_BOUNDED,
    CUBBY_FREELIST_BLOCKS,
} cubby_freelist_policy_t;

/* The cap when 0 is given: what Python has for floats, enough for the temporaries of any expression. */
enum { CUBBY_FREELIST_CAP = 100 };

/* What an object keeps while it is in the list. Both leave the first two words alone. */
typedef struct cubby_freelist_state {
    bool (*construct)(void *ctx, void *object); /* for memory that comes from the heap; false: no memory */
    void (*destruct)(void *ctx, void *object);  /* before it goes back there */
    void *ctx;
} cubby_freelist_state_t;

typedef struct cubby_freelist {
    void *free;   /* kept objects, the latest first, linked through their second word */
    size_t given; /* objects put into the list and not compacted away since; those in it are given - taken */
    size_t taken; /* objects taken out of it: the hits */
    size_t cap;
    bool direct; /* nothing is kept, constructed or counted: the heap serves each object */
    cubby_heap_t *heap;
    cubby_freelist_policy_t policy;
    size_t size; /* of an object, in whole words */
    size_t alignment;
    size_t misses;
    size_t overflows;
    size_t block_count;
    void *blocks;
    cubby_freelist_state_t state;
} cubby_freelist_t;

typedef struct cubby_freelist_stats {
    size_t hits;       /* objects that came from the list; 0 for NONE, where the heap's figures tell */
    size_t misses;     /* that did not, or for BLOCKS, that needed a new block */
    size_t overflows;  /* given back to a full list, and so to the heap */
    size_t cached;     /* in the list now */
    size_t blocks;     /* of BLOCKS, with objects in use or without */
    size_t bytes_held; /* of the heap, in kept objects or in blocks */
} cubby_freelist_stats_t;

/*
 * Makes an empty list for objects of that size and alignment. cap: for BOUNDED; 0 is CUBBY_FREELIST_CAP. state: NULL for
 * none; copied. False with EINVAL: no such policy, a size below 16 with a list that keeps something, or an alignment
 * above 16 or no power of two. Takes no memory.
 */
CUBBY_API bool cubby_freelist_begin(cubby_freelist_t *list, cubby_heap_t *heap, size_t size, size_t alignment,
                                    cubby_freelist_policy_t policy, size_t cap, const cubby_freelist_state_t *state);

/*
 * Gives back to the heap what it can: every kept object, or every block in which nothing lives. Returns the bytes.
 * cubby_heap_trim() gives them on to the system.
 */
CUBBY_API size_t cubby_freelist_compact(cubby_freelist_t *list);

/* Compacts, and for BLOCKS takes the blocks away under the objects that are still in use. */
CUBBY_API void cubby_freelist_end(cubby_freelist_t *list);

CUBBY_API void cubby_freelist_stats_get(const cubby_freelist_t *list, cubby_freelist_stats_t *stats);

/*
 * cubby_freelist_new(list, type)         an object, or NULL with ENOMEM. Its first word is to be set before anything
 *                                        else is done with the list.
 * cubby_freelist_delete(list, pointer)   gives it back; `pointer` has the type it was made with, and is not NULL
 */
#define cubby_freelist_new(list, type) ((type *)cubby_freelist_take_((list), sizeof(type), CUBBY_ALIGNOF_(type)))
#define cubby_freelist_delete(list, pointer)                                                                           \
    cubby_freelist_give_((list), (pointer), sizeof(*(pointer)), CUBBY_ALIGNOF_(__typeof__(*(pointer))))

/* The ways out of the inlined paths below. Not for direct use. */
CUBBY_API void *cubby_freelist_refill_(cubby_freelist_t *list);
CUBBY_API void cubby_freelist_overflow_(cubby_freelist_t *list, void *object);

/* A list that keeps something: three loads, one store, one count, two branches. Without one: a load and a branch more. */
static inline void *cubby_freelist_take_(cubby_freelist_t *list, size_t size, size_t alignment)
{
    if (list->direct) {
        return cubby_heap_take_(list->heap, size, alignment);
    }
    void **object = (void **)list->free;
    if (CUBBY_LIKELY(object != NULL)) {
        list->free = object[1];
        list->taken++;
        return object;
    }
    return cubby_freelist_refill_(list);
}

static inline void cubby_freelist_give_(cubby_freelist_t *list, void *object, size_t size, size_t alignment)
{
    if (list->direct) {
        cubby_heap_give_(list->heap, object, size, alignment);
        return;
    }
    if (CUBBY_LIKELY(list->given - list->taken < list->cap)) {
        void **words = (void **)object;
        words[0] = NULL;
        words[1] = list->free;
        list->free = object;
        list->given++;
        return;
    }
    cubby_freelist_overflow_(list, object);
}

#ifdef __cplusplus
}
#endif
#endif
