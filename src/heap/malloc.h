/* SPDX-License-Identifier: MIT */
/* What the layer above needs of the default heap beyond cubby.h. */
#ifndef CUBBY_HEAP_MALLOC_H
#define CUBBY_HEAP_MALLOC_H

#include <stddef.h>

/* As cubby_malloc, calloc and realloc, but a request of 17 to 24 bytes takes 24, aligned to 8. */
void *malloc_obj(size_t size);
void *calloc_obj(size_t count, size_t size);
void *realloc_obj(void *block, size_t size);

/* The lock of the heap numbers, for the at-fork handlers. */
void heap_registry_lock(void);
void heap_registry_unlock(void);

#endif
