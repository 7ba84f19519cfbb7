/* SPDX-License-Identifier: MIT */
#include "object/dict.h"

#include <stdio.h>
#include <string.h>

static_assert(sizeof(cubby_dict_t) <= 128, "a dict without entries is a small block");

enum { MOVING_MOST = 1024 * 1024 }; /* bytes of a block that may have to move when it grows */

static cubby_dict_t *dict_of(cubby_object_t *object)
{
    return (cubby_dict_t *)(void *)object;
}

static const cubby_dict_t *dict_seen(const cubby_object_t *object)
{
    return (const cubby_dict_t *)(const void *)object;
}

/* ---- Finding ---- */

/* What most keys are needs no call. */
static bool key_hash(cubby_runtime_t *runtime, const cubby_object_t *key, uint64_t *hash)
{
    if (cubby_is_int(key)) {
        *hash = (uint64_t)cubby_int_value(key);
        return true;
    }
    return cubby_object_hash(runtime, key, hash);
}

static bool key_equal(cubby_runtime_t *runtime, const cubby_object_t *key, const cubby_object_t *other, bool *equal)
{
    if (key == other) {
        *equal = true;
        return true;
    }
    if (cubby_is_int(key) && cubby_is_int(other)) {
        *equal = cubby_int_value(key) == cubby_int_value(other);
        return true;
    }
    return cubby_object_equal(runtime, key, other, equal);
}

/*
 * Looks for a key: *entry is its entry's number and *place where in the index that stands, or PLACE_EMPTY when it is not
 * there. False when keys could not be compared.
 */
static bool entry_find(cubby_runtime_t *runtime, const cubby_dict_t *dict, const cubby_object_t *key, uint64_t hash,
                       int64_t *entry, size_t *place)
{
    *entry = PLACE_EMPTY;
    if (dict->index == NULL) {
        return true;
    }
    for (probe_t probe = probe_begin(dict, hash);; probe_next(&probe)) {
        int64_t found = index_get(dict, probe.place);
        if (found == PLACE_EMPTY) {
            return true;
        }
        if (found == PLACE_REMOVED || dict->entries[found].hash != hash) {
            continue;
        }
        bool equal;
        if (!key_equal(runtime, key, dict->entries[found].key, &equal)) {
            return false;
        }
        if (equal) {
            *entry = found;
            *place = probe.place;
            return true;
        }
    }
}

/* ---- Room ---- */

/* Enters an entry whose key is not in the index yet. */
static void index_add(cubby_dict_t *dict, size_t entry)
{
    probe_t probe = probe_begin(dict, dict->entries[entry].hash);
    while (index_get(dict, probe.place) >= 0) {
        probe_next(&probe);
    }
    dict->filled += index_get(dict, probe.place) == PLACE_EMPTY;
    index_set(dict, probe.place, (int64_t)entry);
}

/* Closes the gaps that removed entries left; the index is wrong until it is made anew. */
static void entries_close(cubby_dict_t *dict)
{
    size_t kept = 0;
    for (size_t i = 0; i < dict->end; i++) {
        if (dict->entries[i].key != NULL) {
            dict->entries[kept++] = dict->entries[i];
        }
    }
    dict->end = kept;
}

/* Enters all entries anew, without gaps, in the index that is there. */
static void index_fill(cubby_dict_t *dict)
{
    entries_close(dict);
    memset(dict->index, 0xff, index_places(dict->index_bits) * index_width(dict->index_bits));
    dict->filled = 0;
    for (size_t i = 0; i < dict->end; i++) {
        index_add(dict, i);
    }
}

/*
 * The index is full, of keys or of what was removed. It gets the size that holds half as many keys again: so one that
 * only grows doubles, and one that is full of removed entries keeps its size, or shrinks.
 */
static bool index_renew(cubby_runtime_t *runtime, cubby_dict_t *dict)
{
    unsigned bits = INDEX_BITS_LEAST;
    while (index_most(bits) < dict->count + dict->count / 2 + 1) {
        bits++;
    }
    if (dict->index == NULL || bits != dict->index_bits) {
        void *index = cubby_heap_malloc(runtime->heap, index_places(bits) * index_width(bits));
        if (index == NULL) {
            cubby_error_memory_(runtime);
            return false;
        }
        cubby_heap_free(runtime->heap, dict->index);
        dict->index = index;
        dict->index_bits = bits;
    }
    index_fill(dict);
    return true;
}

/*
 * Room for one entry more, and for half as many again, or an eighth where the block is so large that it grows in place
 * and costs no copy; and all that the block really holds. Never for more than the index takes.
 */
static bool entries_grow(cubby_runtime_t *runtime, cubby_dict_t *dict)
{
    size_t most = index_most(dict->index_bits), size = sizeof *dict->entries;
    size_t share = dict->capacity * size <= MOVING_MOST ? 2 : 8;
    size_t wanted = dict->capacity + dict->capacity / share + 4;
    wanted = wanted < most ? wanted : most;
    void *grown = cubby_heap_realloc(runtime->heap, dict->entries, wanted * size);
    if (grown == NULL) {
        cubby_error_memory_(runtime);
        return false;
    }
    dict->entries = grown;
    dict->capacity = cubby_usable_size(grown) / size;
    return true;
}

/* Entries of a dict that once was larger: keeps a quarter more than are used. No memory for that is no harm. */
static void entries_shrink(cubby_runtime_t *runtime, cubby_dict_t *dict)
{
    size_t wanted = dict->end + dict->end / 4 + 4;
    if (wanted >= dict->capacity / 2) {
        return;
    }
    void *shrunk = cubby_heap_realloc(runtime->heap, dict->entries, wanted * sizeof *dict->entries);
    if (shrunk != NULL) {
        dict->entries = shrunk;
        dict->capacity = cubby_usable_size(shrunk) / sizeof *dict->entries;
    }
}

/* Makes room for one key more. */
static bool room_make(cubby_runtime_t *runtime, cubby_dict_t *dict)
{
    if (dict->index == NULL || dict->filled >= index_most(dict->index_bits) ||
        dict->end >= index_most(dict->index_bits)) {
        if (!index_renew(runtime, dict)) {
            return false;
        }
        entries_shrink(runtime, dict);
    }
    return dict->end < dict->capacity || entries_grow(runtime, dict);
}

/* ---- The interface ---- */

cubby_object_t *cubby_dict_new(cubby_runtime_t *runtime)
{
    cubby_dict_t *made = cubby_new(runtime->heap, cubby_dict_t);
    if (made == NULL) {
        return memory_fail(runtime);
    }
    *made = (cubby_dict_t){.object = {1, &cubby_dict_type}};
    return &made->object;
}

bool cubby_dict_set(cubby_runtime_t *runtime, cubby_object_t *dict, cubby_object_t *key, cubby_object_t *value)
{
    cubby_dict_t *own = dict_of(dict);
    uint64_t hash;
    int64_t entry;
    size_t place;
    if (!key_hash(runtime, key, &hash) || !entry_find(runtime, own, key, hash, &entry, &place)) {
        return false;
    }
    if (entry >= 0) {
        cubby_object_t *old = own->entries[entry].value;
        own->entries[entry].value = cubby_object_retain(value);
        cubby_object_release(runtime, old);
        return true;
    }
    if (!room_make(runtime, own)) {
        return false;
    }
    own->entries[own->end] = (cubby_dict_entry_t){cubby_object_retain(key), cubby_object_retain(value), hash};
    index_add(own, own->end++);
    own->count++;
    return true;
}

bool cubby_dict_find(cubby_runtime_t *runtime, const cubby_object_t *dict, const cubby_object_t *key,
                     cubby_object_t **value)
{
    uint64_t hash;
    int64_t entry;
    size_t place;
    *value = NULL;
    if (!key_hash(runtime, key, &hash) || !entry_find(runtime, dict_seen(dict), key, hash, &entry, &place)) {
        return false;
    }
    if (entry >= 0) {
        *value = dict_seen(dict)->entries[entry].value;
    }
    return true;
}

/* The message is made without memory. */
static void key_miss(cubby_runtime_t *runtime, const cubby_object_t *key)
{
    if (cubby_is_int(key)) {
        cubby_error_set(runtime, CUBBY_ERROR_KEY, "no key %lld in the dict", (long long)cubby_int_value(key));
    } else if (cubby_is_float(key)) {
        cubby_error_set(runtime, CUBBY_ERROR_KEY, "no key %.17g in the dict", cubby_float_value(key));
    } else if (cubby_is_str(key)) {
        cubby_error_set(runtime, CUBBY_ERROR_KEY, "no key '%.60s' in the dict", cubby_str_bytes(key));
    } else {
        cubby_error_set(runtime, CUBBY_ERROR_KEY, "no such %s in the dict", key->type->name);
    }
}

cubby_object_t *cubby_dict_get(cubby_runtime_t *runtime, const cubby_object_t *dict, const cubby_object_t *key)
{
    cubby_object_t *value;
    if (cubby_dict_find(runtime, dict, key, &value) && value == NULL) {
        key_miss(runtime, key);
    }
    return value;
}

/* Frees the tables of a dict without keys. */
static void tables_free(cubby_runtime_t *runtime, cubby_dict_t *dict)
{
    cubby_heap_free(runtime->heap, dict->index);
    cubby_heap_free(runtime->heap, dict->entries);
    *dict = (cubby_dict_t){.object = dict->object};
}

bool cubby_dict_remove(cubby_runtime_t *runtime, cubby_object_t *dict, const cubby_object_t *key)
{
    cubby_dict_t *own = dict_of(dict);
    uint64_t hash;
    int64_t entry;
    size_t place;
    if (!key_hash(runtime, key, &hash) || !entry_find(runtime, own, key, hash, &entry, &place)) {
        return false;
    }
    if (entry < 0) {
        key_miss(runtime, key);
        return false;
    }
    cubby_dict_entry_t removed = own->entries[entry];
    own->entries[entry] = (cubby_dict_entry_t){0};
    index_set(own, place, PLACE_REMOVED);
    if (--own->count == 0) {
        tables_free(runtime, own);
    }
    cubby_object_release(runtime, removed.key);
    cubby_object_release(runtime, removed.value);
    return true;
}

/* The dict is empty before the first object is released: what is freed may look at it. */
void cubby_dict_clear(cubby_runtime_t *runtime, cubby_object_t *dict)
{
    cubby_dict_t held = *dict_of(dict);
    *dict_of(dict) = (cubby_dict_t){.object = held.object};
    for (size_t i = 0; i < held.end; i++) {
        if (held.entries[i].key != NULL) {
            cubby_object_release(runtime, held.entries[i].key);
            cubby_object_release(runtime, held.entries[i].value);
        }
    }
    tables_free(runtime, &held);
}

bool cubby_dict_next(const cubby_object_t *dict, size_t *position, cubby_object_t **key, cubby_object_t **value)
{
    const cubby_dict_t *own = dict_seen(dict);
    while (*position < own->end) {
        const cubby_dict_entry_t *entry = &own->entries[(*position)++];
        if (entry->key != NULL) {
            *key = entry->key;
            *value = entry->value;
            return true;
        }
    }
    return false;
}

/* ---- The type ---- */

static void destroy_slot(cubby_runtime_t *runtime, cubby_object_t *object)
{
    cubby_delete(runtime->heap, dict_of(object));
}

/* Both have equally many keys, so it is enough that each here is there, with an equal value. */
static bool equal_slot(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    size_t position = 0;
    cubby_object_t *key, *value, *facing;
    *equal = object == other || (cubby_is_dict(other) && cubby_dict_size(object) == cubby_dict_size(other));
    while (*equal && object != other && cubby_dict_next(object, &position, &key, &value)) {
        if (!cubby_dict_find(runtime, other, key, &facing)) {
            return false;
        }
        *equal = facing == value;
        if (facing != NULL && facing != value && !cubby_object_equal(runtime, value, facing, equal)) {
            return false;
        }
    }
    return true;
}

static bool repr_slot(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    size_t position = 0;
    cubby_object_t *key, *value;
    bool well = cubby_text_add(runtime, text, "{", 1);
    for (size_t i = 0; well && cubby_dict_next(object, &position, &key, &value); i++) {
        well = cubby_text_add(runtime, text, ", ", i > 0 ? 2 : 0) && cubby_object_repr(runtime, key, text) &&
               cubby_text_add(runtime, text, ": ", 2) && cubby_object_repr(runtime, value, text);
    }
    return well && cubby_text_add(runtime, text, "}", 1);
}

static size_t bytes_slot(const cubby_object_t *object)
{
    const cubby_dict_t *dict = dict_seen(object);
    size_t index = dict->index == NULL ? 0 : index_places(dict->index_bits) * index_width(dict->index_bits);
    return sizeof *dict + dict->capacity * sizeof *dict->entries + index;
}

const cubby_type_t cubby_dict_type = {
    .name = "dict",
    .size = sizeof(cubby_dict_t),
    .drop = cubby_dict_clear,
    .destroy = destroy_slot,
    .equal = equal_slot,
    .repr = repr_slot,
    .bytes = bytes_slot,
};

/* ---- Checking ---- */

bool dict_is_valid(const cubby_dict_t *dict)
{
    size_t keys = 0, filled = 0, entered = 0;
    for (size_t i = 0; i < dict->end; i++) {
        keys += dict->entries[i].key != NULL;
    }
    for (size_t place = 0; dict->index != NULL && place < index_places(dict->index_bits); place++) {
        int64_t entry = index_get(dict, place);
        if (entry < PLACE_REMOVED || entry >= (int64_t)dict->end || (entry >= 0 && dict->entries[entry].key == NULL)) {
            return false;
        }
        filled += entry != PLACE_EMPTY;
        entered += entry >= 0;
    }
    return keys == dict->count && entered == dict->count && filled == dict->filled && dict->end <= dict->capacity &&
           (dict->index == NULL || filled <= index_most(dict->index_bits));
}
