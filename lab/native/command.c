/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <cubby/cubby.h>

#include <errno.h>
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

const char *option_value(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

bool number_read(const char *text, long low, long high, long *number)
{
    char *end;
    errno = 0;
    long read = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || read < low || read > high) {
        return false;
    }
    *number = read;
    return true;
}
