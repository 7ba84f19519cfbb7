/* SPDX-License-Identifier: MIT */
/*
 * Zeroing and copying small blocks in place: for the sizes of most list buffers that takes fewer instructions than the
 * call of memset or memcpy does. Zeroes go in steps of sixteen bytes. Copies go in steps of eight: a list's items were
 * stored one by one a moment ago, and a wider load would have to wait until they have left the store buffer.
 * Where a tool watches memory, not a byte more than asked for is touched.
 */
#ifndef CUBBY_HEAP_WORDS_H
#define CUBBY_HEAP_WORDS_H

#include "os/instrument.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WORDS_BYTES_MOST = 128 };

typedef long long words_t __attribute__((vector_size(16), may_alias));

/* Zeroes `bytes`, rounded up to 16, at a block aligned to 16. */
static inline void words_zero(void *block, size_t bytes)
{
    if (bytes > WORDS_BYTES_MOST || MEMORY_IS_WATCHED) {
        (void)memset(block, 0, bytes);
        return;
    }
    words_t *at = block;
    for (words_t *end = at + (bytes + 15) / 16; at != end; at++) {
        __asm__("" : "+r"(at)); /* lest the compiler see a memset in the loop, and call it */
        *at = (words_t){0, 0};
    }
}

/* Copies `bytes`, rounded up to 8, between blocks aligned to 8. */
static inline void words_copy(void *to, const void *from, size_t bytes)
{
    if (bytes > WORDS_BYTES_MOST || MEMORY_IS_WATCHED) {
        (void)memcpy(to, from, bytes);
        return;
    }
    uint64_t *at = to;
    const uint64_t *source = from;
    for (uint64_t *end = at + (bytes + 7) / 8; at != end; at++, source++) {
        __asm__("" : "+r"(at)); /* as in words_zero() */
        *at = *source;
    }
}

#endif
