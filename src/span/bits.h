/* SPDX-License-Identifier: MIT */
/* Ranges in a bitmap of 64-bit words. `first` and `count` are bits; a count of zero does nothing. */
#ifndef CUBBY_SPAN_BITS_H
#define CUBBY_SPAN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mask of the bits of [first, first + count), count > 0, that lie in the word of `first`; *taken is how many they are. */
static inline uint64_t bits_word_mask(size_t first, size_t count, size_t *taken)
{
    size_t shift = first % 64;
    size_t room = 64 - shift;
    *taken = count < room ? count : room;
    return UINT64_MAX >> (64 - *taken) % 64 << shift;
}

static inline void bits_set(uint64_t *words, size_t first, size_t count)
{
    for (size_t taken; count > 0; first += taken, count -= taken) {
        words[first / 64] |= bits_word_mask(first, count, &taken);
    }
}

static inline void bits_clear(uint64_t *words, size_t first, size_t count)
{
    for (size_t taken; count > 0; first += taken, count -= taken) {
        words[first / 64] &= ~bits_word_mask(first, count, &taken);
    }
}

static inline size_t bits_count(const uint64_t *words, size_t first, size_t count)
{
    size_t ones = 0;
    for (size_t taken; count > 0; first += taken, count -= taken) {
        ones += (size_t)__builtin_popcountll(words[first / 64] & bits_word_mask(first, count, &taken));
    }
    return ones;
}

/* The first bit at or after `first`, before `end`, that equals `value`; `end` when there is none. */
static inline size_t bits_find(const uint64_t *words, size_t first, size_t end, bool value)
{
    while (first < end) {
        uint64_t word = value ? words[first / 64] : ~words[first / 64];
        word >>= first % 64;
        if (word != 0) {
            size_t found = first + (size_t)__builtin_ctzll(word);
            return found < end ? found : end;
        }
        first += 64 - first % 64;
    }
    return end;
}

/* One past the last bit set in [first, end); `first` when there is none. */
static inline size_t bits_find_last(const uint64_t *words, size_t first, size_t end)
{
    while (end > first) {
        size_t word_first = (end - 1) / 64 * 64;
        uint64_t word = words[word_first / 64] << (63 - (end - 1) % 64);
        if (word != 0) {
            size_t last = end - (size_t)__builtin_clzll(word);
            return last > first ? last : first;
        }
        end = word_first;
    }
    return first;
}

#endif
