/* SPDX-License-Identifier: MIT */
/*
 * The link from a freed block to the next one, in its first word, for lists other than a bin's own. In the guarded
 * library a link has a twin in the second word: it is checked when it is read, and found when a block is freed that has
 * one already.
 */
#ifndef CUBBY_HEAP_LINK_H
#define CUBBY_HEAP_LINK_H

#include "heap/heap.h"

#include "os/guard.h"

/* The next block, unchecked. */
CUBBY_LINK_ void *link_look(const void *block)
{
    cubby_look_begin_();
    void *next = *(void *const *)block;
    cubby_look_end_();
    return next;
}

/* The next block. */
CUBBY_LINK_ void *link_next(const cubby_heap_t *heap, const void *block)
{
    cubby_look_begin_();
    void *next = *(void *const *)block;
#ifdef CUBBY_GUARD
    if (((const uintptr_t *)block)[1] != ((uintptr_t)next ^ heap->key)) {
        cubby_guarded_link_broken_(block);
    }
#else
    (void)heap;
#endif
    cubby_look_end_();
    return next;
}

/* The next block, of one that is about to be put on another list. */
static inline void *link_take(const cubby_heap_t *heap, void *block)
{
    return cubby_link_take_(heap, block);
}

/* Links a block that its owner frees. */
static inline void link_give(const cubby_heap_t *heap, void *block, void *next)
{
    cubby_link_give_(heap, block, next);
}

#ifdef CUBBY_GUARD
/* True when a block's link has its twin: it is free. */
CUBBY_LINK_ bool link_is_whole(const cubby_heap_t *heap, const void *block)
{
    const uintptr_t *words = block;
    cubby_look_begin_();
    bool whole = (words[0] ^ words[1]) == heap->key;
    cubby_look_end_();
    return whole;
}
#endif

/* As link_give(), where that the block is not free was asked before. */
CUBBY_LINK_ void link_give_used(const cubby_heap_t *heap, void *block, void *next)
{
    uintptr_t *words = block;
    cubby_look_begin_();
    words[0] = (uintptr_t)next;
#ifdef CUBBY_GUARD
    cubby_store_apart_(words);
    words[1] = (uintptr_t)next ^ heap->key;
#else
    (void)heap;
#endif
    cubby_look_end_();
}

/* Links a block anew that is on a list: the last one of a chain. */
static inline void link_change(const cubby_heap_t *heap, void *block, void *next)
{
    (void)link_take(heap, block);
    link_give(heap, block, next);
}

#endif
