/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "check/guard.h"
#include "check/record.h"

#include <string.h>

enum { BEFORE = GUARD_BYTES, MOST = 300 };

static char memory[BEFORE + MOST + GUARD_BYTES];
static check_record_t record;

static void block_make(size_t size)
{
    record = (check_record_t){.inner = memory, .block = memory + BEFORE, .size = size};
    memset(memory, 0, sizeof memory);
    guard_write(&record);
    guard_fill(&record, PATTERN_NEW);
}

static void a_block_that_nobody_wrote_beside_is_whole(void **state)
{
    (void)state;
    for (size_t size = 0; size <= MOST; size++) {
        block_make(size);
        memset(record.block, 'x', size);
        assert_int_equal(guard_look(&record).kind, DAMAGE_NONE);
    }
}

static void every_wrong_byte_around_a_block_is_found(void **state)
{
    (void)state;
    block_make(40);
    for (ptrdiff_t at = -BEFORE; at < 40 + GUARD_BYTES; at++) {
        char before = record.block[at];
        record.block[at] = 'A';
        damage_t damage = guard_look(&record);
        assert_int_equal(damage.kind, at < 0 ? DAMAGE_BEFORE : at < 40 ? DAMAGE_NONE : DAMAGE_AFTER);
        if (damage.kind != DAMAGE_NONE) {
            assert_int_equal(damage.first, at);
            assert_int_equal(damage.last, at);
            assert_int_equal(damage.found_count, 1);
            assert_int_equal(damage.found[0], 'A');
            assert_int_equal(damage.expected, PATTERN_GUARD);
        }
        record.block[at] = before;
    }
}

static void every_wrong_byte_of_a_freed_block_is_found(void **state)
{
    (void)state;
    block_make(100);
    record.held = true;
    guard_fill(&record, PATTERN_FREED);
    assert_int_equal(guard_look(&record).kind, DAMAGE_NONE);
    for (ptrdiff_t at = 0; at < 100; at++) {
        record.block[at] = 'A';
        damage_t damage = guard_look(&record);
        assert_int_equal(damage.kind, DAMAGE_FREED);
        assert_int_equal(damage.first, at);
        assert_int_equal(damage.expected, PATTERN_FREED);
        record.block[at] = (char)PATTERN_FREED;
    }
}

static void the_first_bytes_of_a_long_damage_are_kept(void **state)
{
    (void)state;
    block_make(100);
    record.held = true;
    guard_fill(&record, PATTERN_FREED);
    memset(record.block + 10, 'B', 50);
    damage_t damage = guard_look(&record);
    assert_int_equal(damage.first, 10);
    assert_int_equal(damage.last, 59);
    assert_int_equal(damage.found_count, DAMAGE_BYTES);
}

static void the_guard_before_keeps_the_alignment(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        assert_true(guard_before(alignment) >= GUARD_BYTES);
        assert_int_equal(guard_before(alignment) % alignment, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_nobody_wrote_beside_is_whole),
        cmocka_unit_test(every_wrong_byte_around_a_block_is_found),
        cmocka_unit_test(every_wrong_byte_of_a_freed_block_is_found),
        cmocka_unit_test(the_first_bytes_of_a_long_damage_are_kept),
        cmocka_unit_test(the_guard_before_keeps_the_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
