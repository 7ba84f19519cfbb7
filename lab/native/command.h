/* SPDX-License-Identifier: MIT */
/* What the programs of the suites are told on their command line: an allocator, and options with numbers. */
#ifndef CUBBY_LAB_NATIVE_COMMAND_H
#define CUBBY_LAB_NATIVE_COMMAND_H

#include "options.h"

#include <stddef.h>

/*
 * All memory of a row goes through one of these: libc's functions, which a preloaded allocator replaces, or Cubby's,
 * which are linked in. So every arm is the same program text.
 */
typedef struct allocator {
    const char *name;
    void *(*take)(size_t size);
    void *(*take_zeroed)(size_t count, size_t size);
    void *(*resize)(void *block, size_t size);
    void (*give)(void *block);
} allocator_t;

/* "libc" or "cubby"; NULL for another name. */
const allocator_t *allocator_find(const char *name);

#endif
