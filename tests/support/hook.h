/* SPDX-License-Identifier: MIT */
/* Hooks that pass every request on, and count and note what passes. */
#ifndef CUBBY_TESTS_SUPPORT_HOOK_H
#define CUBBY_TESTS_SUPPORT_HOOK_H

#include <cubby/domain.h>

/* Kinds of hooks: each has functions of its own, which look whether the ctx they get is of that kind. */
enum { HOOK_KINDS = 4 };

typedef struct hook_notes {
    int kind;
    size_t calls[4]; /* malloc, calloc, realloc, free */
    size_t strays;   /* calls of another kind's functions with this ctx, or with half a table below */
} hook_notes_t;

static inline void hook_note(hook_notes_t *notes, int kind, int call, const cubby_allocator_t *below)
{
    bool whole = below != NULL && below->malloc != NULL && below->calloc != NULL && below->realloc != NULL &&
                 below->free != NULL;
    (void)__atomic_fetch_add(&notes->calls[call], 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&notes->strays, notes->kind != kind || !whole, __ATOMIC_RELAXED);
}

static inline size_t hook_calls(const hook_notes_t *notes)
{
    return notes->calls[0] + notes->calls[1] + notes->calls[2] + notes->calls[3];
}

#define HOOK_KIND(number)                                                                                              \
    static void *hook_malloc_##number(void *ctx, const cubby_allocator_t *below, size_t size)                          \
    {                                                                                                                  \
        hook_note(ctx, number, 0, below);                                                                              \
        return below->malloc(below->ctx, size);                                                                        \
    }                                                                                                                  \
    static void *hook_calloc_##number(void *ctx, const cubby_allocator_t *below, size_t count, size_t size)            \
    {                                                                                                                  \
        hook_note(ctx, number, 1, below);                                                                              \
        return below->calloc(below->ctx, count, size);                                                                 \
    }                                                                                                                  \
    static void *hook_realloc_##number(void *ctx, const cubby_allocator_t *below, void *block, size_t size)            \
    {                                                                                                                  \
        hook_note(ctx, number, 2, below);                                                                              \
        return below->realloc(below->ctx, block, size);                                                                \
    }                                                                                                                  \
    static void hook_free_##number(void *ctx, const cubby_allocator_t *below, void *block)                             \
    {                                                                                                                  \
        hook_note(ctx, number, 3, below);                                                                              \
        below->free(below->ctx, block);                                                                                \
    }

HOOK_KIND(0)
HOOK_KIND(1)
HOOK_KIND(2)
HOOK_KIND(3)

static hook_notes_t hook_notes[HOOK_KINDS] = {{.kind = 0}, {.kind = 1}, {.kind = 2}, {.kind = 3}};

#define HOOK(number)                                                                                                   \
    {                                                                                                                  \
        "hook " #number, &hook_notes[number], hook_malloc_##number, hook_calloc_##number, hook_realloc_##number,       \
            hook_free_##number, false                                                                                  \
    }

static const cubby_hook_t hooks[HOOK_KINDS] = {HOOK(0), HOOK(1), HOOK(2), HOOK(3)};

static inline size_t hooks_installed(cubby_domain_t domain)
{
    cubby_hook_t hook;
    size_t count = 0;
    while (cubby_domain_hook_get(domain, count, &hook)) {
        count++;
    }
    return count;
}

#endif
