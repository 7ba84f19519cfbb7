/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <cubby/cubby.h>

#include <stdlib.h>
#include <string.h>

static const allocator_t allocators[] = {
    {"libc", malloc, calloc, realloc, free},
    {"cubby", cubby_malloc, cubby_calloc, cubby_realloc, cubby_free},
};

const allocator_t *allocator_find(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        if (strcmp(name, allocators[i].name) == 0) {
            return &allocators[i];
        }
    }
    return NULL;
}
