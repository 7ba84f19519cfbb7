/* SPDX-License-Identifier: MIT */
/* The CPython in this process, as far as the adapter calls it. */
#ifndef CUBBY_PYTHON_INTERPRETER_H
#define CUBBY_PYTHON_INTERPRETER_H

#include <cubby/domain.h>

#include <dlfcn.h>
#include <string.h>

/* The interpreter's own numbers for its domains are Cubby's: raw 0, mem 1, obj 2. */
typedef void (*table_function_t)(int domain, cubby_allocator_t *table);

typedef struct interpreter {
    table_function_t get_allocator;
    table_function_t set_allocator;
    void (*setup_debug_hooks)(void);
    unsigned major;
    unsigned minor;
    bool is_free_threaded;
} interpreter_t;

/* dlsym gives functions as data pointers; C has no conversion, so the bytes are copied. */
static inline bool function_find(const char *name, void *function, size_t size)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, size);
    return address != NULL;
}

#endif
