/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <errno.h>
#include <string.h>

static const cubby_str_t *str_of(const cubby_object_t *object)
{
    return (const cubby_str_t *)(const void *)object;
}

/* A str of that size, its bytes not yet written. */
static cubby_str_t *str_take(cubby_runtime_t *runtime, size_t size)
{
    if (size > SIZE_MAX / 2) {
        errno = ENOMEM;
        return memory_fail(runtime);
    }
    cubby_str_t *str = cubby_heap_malloc(runtime->heap, sizeof *str + size + 1);
    if (str == NULL) {
        return memory_fail(runtime);
    }
    str->object = (cubby_object_t){1, &cubby_str_type};
    str->hash = 0;
    str->size = size;
    str->bytes[size] = '\0';
    return str;
}

cubby_object_t *cubby_str_new(cubby_runtime_t *runtime, const char *bytes, size_t size)
{
    cubby_str_t *str = str_take(runtime, size);
    if (str == NULL) {
        return NULL;
    }
    memcpy(str->bytes, bytes, size);
    return &str->object;
}

cubby_object_t *cubby_str_concat(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    if (!cubby_is_str(left) || !cubby_is_str(right)) {
        cubby_error_set(runtime, CUBBY_ERROR_TYPE, "cannot join %s and %s; both must be strs", left->type->name,
                        right->type->name);
        return NULL;
    }
    size_t before = str_of(left)->size, behind = str_of(right)->size;
    cubby_str_t *str = str_take(runtime, before + behind);
    if (str == NULL) {
        return NULL;
    }
    memcpy(str->bytes, str_of(left)->bytes, before);
    memcpy(str->bytes + before, str_of(right)->bytes, behind);
    return &str->object;
}

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

/* One round of SipHash (Aumasson and Bernstein 2012) on its four words. */
static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

/* SipHash-1-3 under the runtime's key: who cannot read the key cannot choose strings whose hashes collide. */
static uint64_t bytes_hash(const uint64_t key[2], const char *bytes, size_t size)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL, key[0] ^ 0x6c7967656e657261ULL,
                     key[1] ^ 0x7465646279746573ULL};
    size_t whole = size / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        sip_word(v, word);
    }
    uint64_t last = (uint64_t)size << 56;
    for (size_t i = whole; i < size; i++) {
        last |= (uint64_t)(unsigned char)bytes[i] << (i - whole) * 8;
    }
    sip_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t str_hash(const cubby_runtime_t *runtime, cubby_str_t *str)
{
    if (str->hash == 0) {
        uint64_t hash = bytes_hash(runtime->hash_key, str->bytes, str->size);
        str->hash = hash != 0 ? hash : 1;
    }
    return str->hash;
}

bool str_equal(const cubby_str_t *left, const cubby_str_t *right)
{
    return left->size == right->size && memcmp(left->bytes, right->bytes, left->size) == 0;
}

/* The hash that is kept is no part of what a str is to its users. */
static bool hash_slot(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash)
{
    *hash = str_hash(runtime, (cubby_str_t *)(uintptr_t)object);
    return true;
}

static bool equal_slot(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    (void)runtime;
    *equal = object == other || (cubby_is_str(other) && str_equal(str_of(object), str_of(other)));
    return true;
}

static bool byte_repr(cubby_runtime_t *runtime, unsigned char byte, cubby_text_t *text)
{
    static const char named[] = "\n\t\r\\'", letters[] = "ntr\\'";
    const char *found = byte == '\0' ? NULL : strchr(named, byte);
    if (found != NULL) {
        return text_format(runtime, text, "\\%c", letters[found - named]);
    }
    return byte < ' ' || byte == 0x7f ? text_format(runtime, text, "\\x%02x", byte)
                                      : text_format(runtime, text, "%c", byte);
}

static bool repr_slot(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    const cubby_str_t *str = str_of(object);
    bool well = cubby_text_add(runtime, text, "'", 1);
    for (size_t i = 0; i < str->size && well; i++) {
        well = byte_repr(runtime, (unsigned char)str->bytes[i], text);
    }
    return well && cubby_text_add(runtime, text, "'", 1);
}

static size_t bytes_slot(const cubby_object_t *object)
{
    return sizeof(cubby_str_t) + str_of(object)->size + 1;
}

static void destroy_slot(cubby_runtime_t *runtime, cubby_object_t *object)
{
    cubby_heap_free_sized(runtime->heap, object, bytes_slot(object));
}

const cubby_type_t cubby_str_type = {
    .name = "str",
    .size = sizeof(cubby_str_t),
    .destroy = destroy_slot,
    .hash = hash_slot,
    .equal = equal_slot,
    .repr = repr_slot,
    .bytes = bytes_slot,
};
