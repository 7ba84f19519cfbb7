/* SPDX-License-Identifier: MIT */
/* What the layer above needs of the thread heaps beyond cubby.h. */
#ifndef CUBBY_HEAP_MALLOC_H
#define CUBBY_HEAP_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* As cubby_realloc(); `obj`: a request of 17 to 24 bytes takes 24, aligned to 8. */
void *plain_realloc(void *block, size_t size, bool obj);

/* What cubby_free() does when the block is not of a pool of the thread's own heap. False: it is no block of Cubby's. */
bool plain_free_slow(void *block, size_t size);

#endif
