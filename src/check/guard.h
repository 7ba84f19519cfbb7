/* SPDX-License-Identifier: MIT */
/*
 * What a checked block looks like in memory.
 *
 *   inner block of the heap behind
 *   | guard, at least 32 bytes of FD | the block: CD when new, DD when freed | guard, 32 bytes of FD | unused |
 *   ^ inner                          ^ what the caller holds, aligned as asked
 *
 * 32 bytes before keep 16-byte alignment and take an index of -1 to -4 into pointers; a block with a larger alignment
 * has that many bytes before it. The guard after begins with the first byte that was not asked for.
 */
#ifndef CUBBY_CHECK_GUARD_H
#define CUBBY_CHECK_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* CPython's own, so that its tools know them; odd, so that a pointer made of them is seen at once. */
enum { GUARD_BYTES = 32, PATTERN_NEW = 0xCD, PATTERN_FREED = 0xDD, PATTERN_GUARD = 0xFD };

struct check_record;

typedef enum damage_kind {
    DAMAGE_NONE,
    DAMAGE_BEFORE,
    DAMAGE_AFTER,
    DAMAGE_FREED, /* in the block, after it was freed */
} damage_kind_t;

/* The first bytes that are wrong, with what lies there. */
enum { DAMAGE_BYTES = 32 };
typedef struct damage {
    damage_kind_t kind;
    ptrdiff_t first; /* offset from the start of the block */
    ptrdiff_t last;  /* of the last wrong byte of that part */
    uint8_t expected;
    uint8_t found[DAMAGE_BYTES];
    size_t found_count;
} damage_t;

/* Bytes before a block of that alignment. */
size_t guard_before(size_t alignment);

/* Writes both guards. */
void guard_write(const struct check_record *record);

/* Fills the block itself. */
void guard_fill(const struct check_record *record, uint8_t pattern);

/* Looks at both guards, and at the block, too, when it is held back. */
damage_t guard_look(const struct check_record *record);

#pragma GCC visibility pop

#endif
