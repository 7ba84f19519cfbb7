/* SPDX-License-Identifier: MIT */
#include "check/guard.h"

#include "check/record.h"

#include <string.h>

size_t guard_before(size_t alignment)
{
    return alignment <= GUARD_BYTES ? GUARD_BYTES : alignment;
}

static size_t bytes_before(const check_record_t *record)
{
    return (size_t)(record->block - (char *)record->inner);
}

void guard_write(const check_record_t *record)
{
    memset(record->inner, PATTERN_GUARD, bytes_before(record));
    memset(record->block + record->size, PATTERN_GUARD, GUARD_BYTES);
}

void guard_fill(const check_record_t *record, uint8_t pattern)
{
    memset(record->block, pattern, record->size);
}

/* True when every byte is the pattern: the first one is, and each is as the one before. */
static bool is_filled(const char *start, size_t bytes, uint8_t pattern)
{
    return bytes == 0 || ((uint8_t)*start == pattern && memcmp(start, start + 1, bytes - 1) == 0);
}

/* Notes the wrong bytes of a part that is known to have some. */
static damage_t damage_read(const check_record_t *record, damage_kind_t kind, const char *start, size_t bytes,
                            uint8_t pattern)
{
    damage_t damage = {.kind = kind, .expected = pattern};
    size_t first = 0;
    size_t last = bytes - 1;
    while (first < last && (uint8_t)start[first] == pattern) {
        first++;
    }
    while (last > first && (uint8_t)start[last] == pattern) {
        last--;
    }
    damage.first = start + first - record->block;
    damage.last = start + last - record->block;
    damage.found_count = last - first + 1 < DAMAGE_BYTES ? last - first + 1 : DAMAGE_BYTES;
    memcpy(damage.found, start + first, damage.found_count);
    return damage;
}

damage_t guard_look(const check_record_t *record)
{
    const char *inner = record->inner;
    const char *end = record->block + record->size;
    if (!is_filled(inner, bytes_before(record), PATTERN_GUARD)) {
        return damage_read(record, DAMAGE_BEFORE, inner, bytes_before(record), PATTERN_GUARD);
    }
    if (!is_filled(end, GUARD_BYTES, PATTERN_GUARD)) {
        return damage_read(record, DAMAGE_AFTER, end, GUARD_BYTES, PATTERN_GUARD);
    }
    if (record->held && !is_filled(record->block, record->size, PATTERN_FREED)) {
        return damage_read(record, DAMAGE_FREED, record->block, record->size, PATTERN_FREED);
    }
    return (damage_t){.kind = DAMAGE_NONE};
}
