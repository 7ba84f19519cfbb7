/* SPDX-License-Identifier: MIT */
/*
 * Zeroing and copying small blocks in place, sixteen bytes at a step: for the sizes of most list buffers that takes
 * fewer instructions than the call of memset or memcpy does.
 */
#ifndef CUBBY_HEAP_WORDS_H
#define CUBBY_HEAP_WORDS_H

#include <stddef.h>
#include <string.h>

enum { WORDS_BYTES_MOST = 128 };

typedef long long words_t __attribute__((vector_size(16), may_alias));

/* Keeps the compiler from seeing a memset or memcpy in the loop, and calling it. */
static inline void words_hide(words_t **at)
{
    __asm__("" : "+r"(*at));
}

/* Zeroes `bytes`, rounded up to 16, at a block aligned to 16. */
static inline void words_zero(void *block, size_t bytes)
{
    if (bytes > WORDS_BYTES_MOST) {
        (void)memset(block, 0, bytes);
        return;
    }
    words_t *at = block;
    for (words_t *end = at + (bytes + 15) / 16; at != end; at++) {
        words_hide(&at);
        *at = (words_t){0, 0};
    }
}

/* Copies `bytes`, rounded up to 16, between blocks aligned to 16. */
static inline void words_copy(void *to, const void *from, size_t bytes)
{
    if (bytes > WORDS_BYTES_MOST) {
        (void)memcpy(to, from, bytes);
        return;
    }
    words_t *at = to;
    const words_t *source = from;
    for (words_t *end = at + (bytes + 15) / 16; at != end; at++, source++) {
        words_hide(&at);
        *at = *source;
    }
}

#endif
