/* SPDX-License-Identifier: MIT */
/*
 * The arena: where Cubby's pages come from. At start that is the system; a host may put a table of its own there, to
 * serve everything from a memory file, from a buffer, or from the system but no more than so much.
 *
 * One arena serves the whole process, and is set before anything was allocated (before the first heap, the first
 * cubby_malloc()). What it gives is held in few, large reservations: Cubby asks for the largest it can use, and for half
 * as much again and again as long as it is refused.
 */
#ifndef CUBBY_ARENA_H
#define CUBBY_ARENA_H

#include <cubby/cubby.h>
#include <cubby/refusal.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctx is passed first to each function. All ranges start and end on system pages, and lie within one reservation. The
 * functions may be called by any thread, with a lock of Cubby's held: they must not call Cubby, and must not wait for
 * a thread that might. All calls but purge come one at a time.
 */
typedef struct cubby_arena {
    void *ctx;
    /*
     * A range of addresses that nobody else uses, of which nothing will be touched yet, aligned to a system page. NULL:
     * refused.
     */
    void *(*reserve)(void *ctx, size_t size);
    /*
     * Makes part of a reservation readable and writable, and all zero. No page is committed twice while it is reserved.
     * False: refused, and the same or less may be asked for again.
     */
    bool (*commit)(void *ctx, void *start, size_t size);
    /*
     * Gives the pages back: they may be touched again at any time, without another commit, and then read as zero. False:
     * refused, and they are as they were. NULL for an arena that cannot: free pages are then kept for Cubby's own use.
     * Several threads may be in it at once, for different ranges.
     */
    bool (*purge)(void *ctx, void *start, size_t size);
    /* Takes addresses back: all of a reservation, or part of it, whether committed or not. */
    void (*release)(void *ctx, void *start, size_t size);
    /*
     * The most that can be reserved at all, or 0 when only a refusal tells. About 2 % go into Cubby's own tables; of an
     * arena of huge pages, up to 2 MiB are lost to alignment.
     */
    size_t size;
    /* True: the ranges are private anonymous memory of the system's, so that it may be asked for huge pages in them. */
    bool huge_pages;
} cubby_arena_t;

/* The table in force; at start the system's, which a table of the host's may call. */
CUBBY_API cubby_arena_t cubby_arena_get(void);

/*
 * Replaces the table; the structure is copied. False, errno and a reason (cubby_refusal_get()), and nothing changed:
 * CUBBY_REFUSAL_ARGUMENT when a function other than purge is missing, CUBBY_REFUSAL_IN_USE when pages were taken from
 * the table in force already.
 *
 * After a fork the child shares with its parent whatever the arena's pages share: pages of a file that are mapped
 * shared are written by both, which neither survives. A host that forks maps privately.
 */
CUBBY_API bool cubby_arena_set(const cubby_arena_t *arena);

#ifdef __cplusplus
}
#endif
#endif
