/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Freeing ---- */

static void object_destroy(cubby_runtime_t *runtime, cubby_object_t *object)
{
    const cubby_type_t *type = object->type;
    if (type->destroy != NULL) {
        type->destroy(runtime, object);
    } else {
        cubby_heap_free_sized(runtime->heap, object, type->size);
    }
}

/* The count is 0, so there is room in it for a link. */
static void dropped_push(cubby_runtime_t *runtime, cubby_object_t *object)
{
    object->references = (size_t)(uintptr_t)runtime->dropped;
    runtime->dropped = object;
}

static cubby_object_t *dropped_pop(cubby_runtime_t *runtime)
{
    cubby_object_t *object = runtime->dropped;
    runtime->dropped = (cubby_object_t *)(uintptr_t)object->references;
    object->references = 0;
    return object;
}

/*
 * An object that holds others waits in the chain while another one is dropped; so a drop that releases such objects
 * comes back here once for each, and never deeper.
 */
void cubby_object_drop_(cubby_runtime_t *runtime, cubby_object_t *object)
{
    if (object->type->drop == NULL) {
        object_destroy(runtime, object);
        return;
    }
    dropped_push(runtime, object);
    if (runtime->dropping) {
        return;
    }
    runtime->dropping = true;
    while (runtime->dropped != NULL) {
        object = dropped_pop(runtime);
        object->type->drop(runtime, object);
        object_destroy(runtime, object);
    }
    runtime->dropping = false;
}

/* ---- Types of the host's own ---- */

cubby_object_t *cubby_object_new(cubby_runtime_t *runtime, const cubby_type_t *type)
{
    if (type->size < sizeof(cubby_object_t)) {
        cubby_error_set(runtime, CUBBY_ERROR_TYPE, "type %s is smaller than the header of an object", type->name);
        return NULL;
    }
    cubby_object_t *object = cubby_heap_malloc(runtime->heap, type->size);
    if (object == NULL) {
        return memory_fail(runtime);
    }
    memset(object + 1, 0, type->size - sizeof *object);
    object->references = 1;
    object->type = type;
    return object;
}

/* ---- Comparing, hashing, printing ---- */

bool nesting_begin(cubby_runtime_t *runtime)
{
    if (runtime->depth >= CUBBY_DEPTH_MOST) {
        cubby_error_set(runtime, CUBBY_ERROR_DEPTH, "objects are nested more than %d deep, or hold themselves",
                        (int)CUBBY_DEPTH_MOST);
        return false;
    }
    runtime->depth++;
    return true;
}

static bool equal_ask(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal)
{
    if (object->type->equal == NULL) {
        *equal = object == other;
        return true;
    }
    if (!nesting_begin(runtime)) {
        return false;
    }
    bool done = object->type->equal(runtime, object, other, equal);
    nesting_end(runtime);
    return done;
}

bool cubby_object_equal(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right, bool *equal)
{
    *equal = false;
    if (!equal_ask(runtime, left, right, equal)) {
        return false;
    }
    return *equal || left->type == right->type || equal_ask(runtime, right, left, equal);
}

bool cubby_object_hash(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash)
{
    if (object->type->hash == NULL) {
        cubby_error_set(runtime, CUBBY_ERROR_TYPE, "a %s cannot be a key; use an int, a float or a str",
                        object->type->name);
        return false;
    }
    if (!nesting_begin(runtime)) {
        return false;
    }
    bool done = object->type->hash(runtime, object, hash);
    nesting_end(runtime);
    return done;
}

bool cubby_object_repr(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text)
{
    if (object->type->repr == NULL) {
        return cubby_text_add(runtime, text, "<", 1) &&
               cubby_text_add(runtime, text, object->type->name, strlen(object->type->name)) &&
               cubby_text_add(runtime, text, ">", 1);
    }
    if (!nesting_begin(runtime)) {
        return false;
    }
    bool done = object->type->repr(runtime, object, text);
    nesting_end(runtime);
    return done;
}

size_t cubby_object_bytes(const cubby_object_t *object)
{
    return object->type->bytes != NULL ? object->type->bytes(object) : object->type->size;
}

/* ---- Text ---- */

bool cubby_text_add(cubby_runtime_t *runtime, cubby_text_t *text, const char *bytes, size_t size)
{
    if (size > SIZE_MAX / 2 - text->size) {
        errno = ENOMEM;
        cubby_error_memory_(runtime);
        return false;
    }
    size_t needed = text->size + size + 1;
    if (needed > text->capacity) {
        size_t wanted = needed + text->size / 2;
        char *grown = cubby_heap_realloc(runtime->heap, text->bytes, wanted);
        if (grown == NULL) {
            cubby_error_memory_(runtime);
            return false;
        }
        text->bytes = grown;
        text->capacity = wanted;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return true;
}

bool text_format(cubby_runtime_t *runtime, cubby_text_t *text, const char *format, ...)
{
    char line[64];
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): version 14 overlooks the line above. */
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 0 : (size_t)length;
    return cubby_text_add(runtime, text, line, size < sizeof line ? size : sizeof line - 1);
}

void cubby_text_free(cubby_runtime_t *runtime, cubby_text_t *text)
{
    cubby_heap_free(runtime->heap, text->bytes);
    *text = (cubby_text_t){0};
}
