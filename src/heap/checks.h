/* SPDX-License-Identifier: MIT */
/*
 * Where debug checks are let in. A checked heap is a front: its bins are always empty and its tag is on no page, so
 * every call for it ends in a slow path, and the slow path asks here. The layer above fills the table when the program
 * starts with checks on; in all other programs `heap_checks` stays NULL, and the fast paths are the same in both.
 */
#ifndef CUBBY_HEAP_CHECKS_H
#define CUBBY_HEAP_CHECKS_H

#include "heap/heap.h"

struct cubby_allocator;

/* A free that does not know the size. */
#define CHECKS_SIZE_UNKNOWN SIZE_MAX

typedef struct heap_checks {
    /* A checked heap for the owner, or NULL. */
    cubby_heap_t *(*create)(cubby_owner_t owner);
    /* Before a checked heap and the one behind it go: takes leave of every block. */
    void (*destroy)(cubby_heap_t *front);
    /* A block, or NULL with ENOMEM. */
    void *(*alloc)(cubby_heap_t *front, size_t size, size_t alignment);
    void *(*alloc_zeroed)(cubby_heap_t *front, size_t size);
    /*
     * For a block of that heap, or of any when `front` is NULL. False, and nothing done, when the block is one that an
     * unchecked heap gave out. *moved is NULL when there was no memory, or the call was refused.
     */
    bool (*release)(cubby_heap_t *front, void *block, size_t size);
    bool (*resize)(cubby_heap_t *front, void *block, size_t size, void **moved);
    /* The free of cubby_delete(), which knows a class. */
    void (*release_typed)(cubby_heap_t *front, void *block, unsigned size_class);
    /* The checked heap that gave a block out, NULL for any other pointer. */
    cubby_heap_t *(*heap_of)(const void *block);
    /* The bytes that were asked for, CHECKS_SIZE_UNKNOWN for any other pointer. */
    size_t (*size_of)(const void *block);
    /* Gives up what is held back, and what the bins behind the front hold; the front may be NULL for the plain one. */
    void (*flush)(cubby_heap_t *front);
    /* A table for a domain; the heap is NULL for any thread's. False when there is no memory for it. */
    bool (*table)(cubby_heap_t *front, int domain, const struct cubby_allocator *foreign,
                  struct cubby_allocator *table);
    /* Whether it is such a table. */
    bool (*is_table)(const struct cubby_allocator *table);
} heap_checks_t;

extern const heap_checks_t *heap_checks;

/* True for a heap that stands behind a checked one: its blocks are not what callers hold. */
static inline bool heap_is_behind_checks(const cubby_heap_t *inner)
{
    return inner->front != NULL && inner->front->kind == HEAP_CHECKED;
}

/*
 * Turns the checks on when the environment asks for them. The layer above defines it; it is declared here, and called
 * by a constructor here, so that a program which is linked statically has the checks, too.
 */
void check_begin(void);

#endif
