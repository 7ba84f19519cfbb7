/* SPDX-License-Identifier: MIT */
/* What the objects' files share: checks of types, and nesting that is counted. */
#ifndef CUBBY_OBJECT_OBJECT_H
#define CUBBY_OBJECT_OBJECT_H

#include <cubby/object.h>

/* Tells of a memory failure; returns NULL, so that it can be a function's result. */
static inline void *memory_fail(cubby_runtime_t *runtime)
{
    cubby_error_memory_(runtime);
    return NULL;
}

/*
 * One level deeper in something that calls itself: false, with CUBBY_ERROR_DEPTH, where that goes too far. Each that
 * was granted is ended with nesting_end().
 */
bool nesting_begin(cubby_runtime_t *runtime);

static inline void nesting_end(cubby_runtime_t *runtime)
{
    runtime->depth--;
}

/* Adds text as printf() does; what is longer than 63 bytes is cut off. */
bool text_format(cubby_runtime_t *runtime, cubby_text_t *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whole floats in the range of ints are hashed as ints; an int's hash is the int. True when there is such an int. */
bool float_is_int(double value, int64_t *integer);

uint64_t str_hash(const cubby_runtime_t *runtime, cubby_str_t *str);
bool str_equal(const cubby_str_t *left, const cubby_str_t *right);

#endif
