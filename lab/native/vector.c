/* SPDX-License-Identifier: MIT */
#include "vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cubby's rule, as src/object/list.c has it, where the block's class is not known ---- */

static size_t cubby_slack(size_t size)
{
    if (size <= 64) {
        return size <= 4 ? 4 - size : size / 2;
    }
    return size / (size <= 131072 ? 4 : 8);
}

/* Up to 16 bytes, which all mallocs give. */
static size_t cubby_grown(size_t size)
{
    return (size + cubby_slack(size) + 1) / 2 * 2;
}

static bool cubby_shrinks(size_t size, size_t capacity)
{
    return size < capacity / 2 && capacity > 8;
}

static size_t cubby_shrunk(size_t size)
{
    return size + size / 4;
}

/* ---- CPython's, of 3.9 and later ---- */

static size_t cpython_grown(size_t size)
{
    return (size + size / 8 + 6) & ~(size_t)3;
}

static bool cpython_shrinks(size_t size, size_t capacity)
{
    return size < capacity / 2;
}

/* ---- Doubling ---- */

static size_t double_grown(size_t size)
{
    size_t capacity = 4;
    while (capacity < size) {
        capacity *= 2;
    }
    return capacity;
}

static bool double_shrinks(size_t size, size_t capacity)
{
    return size < capacity / 4;
}

static const rule_t rules[] = {
    {"cubby", cubby_grown, cubby_shrinks, cubby_shrunk},
    {"cpython", cpython_grown, cpython_shrinks, cpython_grown},
    {"double", double_grown, double_shrinks, double_grown},
};

const rule_t *rule_find(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(name, rules[i].name) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

static void buffer_change(vectors_t *vectors, vector_t *vector, size_t capacity)
{
    void **before = vector->items;
    size_t bytes = capacity * sizeof *before;
    void **items = before == NULL ? vectors->take(bytes) : vectors->resize(before, bytes);
    if (items == NULL) {
        fputs("no memory for a list\n", stderr);
        exit(1);
    }
    vectors->counts.changes++;
    vectors->counts.most += vector->size * sizeof *items;
    if (items != before && before != NULL) {
        vectors->counts.moves++;
        vectors->counts.bytes += vector->size * sizeof *items;
    }
    vector->items = items;
    vector->capacity = capacity;
}

__attribute__((noinline)) void vector_grow(vectors_t *vectors, vector_t *vector, size_t size)
{
    buffer_change(vectors, vector, vectors->rule->grown(size));
}

__attribute__((noinline)) void vector_cut(vectors_t *vectors, vector_t *vector, size_t size)
{
    if (size == 0) {
        vectors->counts.changes++;
        vector_clear(vectors, vector);
    } else if (vectors->rule->shrinks(size, vector->capacity)) {
        vector->size = size; /* what is beyond need not be kept */
        buffer_change(vectors, vector, vectors->rule->shrunk(size));
    }
    vector->size = size;
}

/* All rules give a list that is made at once, or grows by more than they would leave, what it asks for. */
void vector_resize(vectors_t *vectors, vector_t *vector, size_t size)
{
    if (size < vector->size) {
        vector_cut(vectors, vector, size);
        return;
    }
    if (size > vector->capacity) {
        size_t grown = vectors->rule->grown(size);
        bool large_step = vector->size == 0 || size - vector->size > grown - size;
        buffer_change(vectors, vector, large_step ? size : grown);
    }
    memset(vector->items + vector->size, 0, (size - vector->size) * sizeof *vector->items);
    vector->size = size;
}
