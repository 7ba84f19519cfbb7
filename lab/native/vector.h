/* SPDX-License-Identifier: MIT */
/*
 * The list of <cubby/list.h> once more, over any malloc and realloc and with a growth rule to choose: what Cubby's list
 * is compared with. It counts how often its buffer changed, and how many bytes had to be copied for that as far as the
 * program sees it: all that is in the list when the buffer has another address afterwards.
 */
#ifndef CUBBY_LAB_NATIVE_VECTOR_H
#define CUBBY_LAB_NATIVE_VECTOR_H

#include <cubby/list.h>

/* How a vector grows and shrinks; sizes are in items. */
typedef struct rule {
    const char *name;
    size_t (*grown)(size_t size);                  /* the capacity for `size` items that do not fit */
    bool (*shrinks)(size_t size, size_t capacity); /* true when so few items are to have a smaller buffer */
    size_t (*shrunk)(size_t size);                 /* its capacity */
} rule_t;

/* "cubby", "cpython" or "double"; NULL for another name. */
const rule_t *rule_find(const char *name);

/* The same structure, so that a program may hold lists of either kind. */
typedef cubby_list_t vector_t;

typedef struct counts {
    size_t changes; /* a buffer was taken, resized or freed for good */
    size_t moves;   /* of these, it has another address */
    size_t bytes;   /* that were in the list then */
    size_t most;    /* bytes in the list at all changes but the first: those copied if no buffer could stay */
} counts_t;

/* Where buffers come from, how they grow, and what has been counted. */
typedef struct vectors {
    void *(*take)(size_t size);
    void *(*resize)(void *block, size_t size);
    void (*give)(void *block);
    const rule_t *rule;
    counts_t counts;
} vectors_t;

/* The process ends when there is no memory. Not inlined, as Cubby's own is not. */
void vector_grow(vectors_t *vectors, vector_t *vector, size_t size);
void vector_cut(vectors_t *vectors, vector_t *vector, size_t size);

/* As cubby_list_append() and cubby_list_pop() are. */
static inline void vector_append(vectors_t *vectors, vector_t *vector, void *item)
{
    if (__builtin_expect(vector->size == vector->capacity, 0)) {
        vector_grow(vectors, vector, vector->size + 1);
    }
    vector->items[vector->size++] = item;
}

static inline void *vector_pop(vectors_t *vectors, vector_t *vector)
{
    void *item = vector->items[vector->size - 1];
    if (__builtin_expect(vector->size > 1 && vector->size > vector->capacity / 2, 1)) {
        vector->size--;
    } else {
        vector_cut(vectors, vector, vector->size - 1);
    }
    return item;
}

/* Makes it `size` items long in one step. New ones are NULL. */
void vector_resize(vectors_t *vectors, vector_t *vector, size_t size);

static inline void vector_clear(vectors_t *vectors, vector_t *vector)
{
    vectors->give(vector->items);
    *vector = (vector_t){0};
}

#endif
