/* SPDX-License-Identifier: MIT */
/* A dict's index: places that hold the number of an entry, in as few bytes as will do. */
#ifndef CUBBY_OBJECT_DICT_H
#define CUBBY_OBJECT_DICT_H

#include "object/object.h"

#include <assert.h>

enum {
    PLACE_EMPTY = -1,   /* never used */
    PLACE_REMOVED = -2, /* used by an entry that was removed */
    INDEX_BITS_LEAST = 3,
};

static inline size_t index_places(unsigned bits)
{
    return (size_t)1 << bits;
}

/* At most two thirds are filled: a search that finds nothing then looks at three places on the average. */
static inline size_t index_most(unsigned bits)
{
    return index_places(bits) / 3 * 2 + index_places(bits) % 3 * 2 / 3;
}

/* Bytes of one place: signed numbers up to the places' own. */
static inline unsigned index_width(unsigned bits)
{
    return bits <= 7 ? 1 : bits <= 15 ? 2 : bits <= 31 ? 4 : 8;
}

static inline int64_t index_get(const cubby_dict_t *dict, size_t place)
{
    switch (index_width(dict->index_bits)) {
    case 1:
        return ((const int8_t *)dict->index)[place];
    case 2:
        return ((const int16_t *)dict->index)[place];
    case 4:
        return ((const int32_t *)dict->index)[place];
    default:
        return ((const int64_t *)dict->index)[place];
    }
}

static inline void index_set(cubby_dict_t *dict, size_t place, int64_t entry)
{
    switch (index_width(dict->index_bits)) {
    case 1:
        ((int8_t *)dict->index)[place] = (int8_t)entry;
        return;
    case 2:
        ((int16_t *)dict->index)[place] = (int16_t)entry;
        return;
    case 4:
        ((int32_t *)dict->index)[place] = (int32_t)entry;
        return;
    default:
        ((int64_t *)dict->index)[place] = entry;
        return;
    }
}

/*
 * The places in which a key of some hash may be: first by its low bits, then on and on by a step that takes in five
 * higher bits each time. Once these are used up the step alone, five times the place and one, comes by every place.
 */
typedef struct probe {
    size_t place;
    size_t mask;
    uint64_t rest;
} probe_t;

static inline probe_t probe_begin(const cubby_dict_t *dict, uint64_t hash)
{
    size_t mask = index_places(dict->index_bits) - 1;
    return (probe_t){(size_t)hash & mask, mask, hash};
}

static inline void probe_next(probe_t *probe)
{
    probe->rest >>= 5;
    probe->place = (probe->place * 5 + (size_t)probe->rest + 1) & probe->mask;
}

/* True when the entries, the index and the counts agree with each other. */
bool dict_is_valid(const cubby_dict_t *dict);

#endif
