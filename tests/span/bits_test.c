/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "span/bits.h"

#include <string.h>

enum { WORDS = 5, BITS = WORDS * 64 };

/* The same ranges kept the slow way, a byte a bit. */
typedef struct slow_bits {
    uint8_t bit[BITS];
} slow_bits_t;

static void assert_same(const uint64_t *words, const slow_bits_t *slow)
{
    for (size_t i = 0; i < BITS; i++) {
        assert_int_equal(words[i / 64] >> i % 64 & 1, slow->bit[i]);
    }
}

static void every_range_is_set_and_cleared_exactly(void **state)
{
    (void)state;
    for (size_t first = 0; first < 130; first++) {
        for (size_t count = 0; first + count <= BITS; count += 1 + count / 9) {
            uint64_t words[WORDS] = {0};
            slow_bits_t slow = {{0}};
            bits_set(words, first, count);
            memset(slow.bit + first, 1, count);
            assert_same(words, &slow);

            memset(words, 0xFF, sizeof words);
            memset(slow.bit, 1, sizeof slow.bit);
            bits_clear(words, first, count);
            memset(slow.bit + first, 0, count);
            assert_same(words, &slow);
        }
    }
}

static size_t slow_count(const slow_bits_t *slow, size_t first, size_t count)
{
    size_t ones = 0;
    for (size_t i = first; i < first + count; i++) {
        ones += slow->bit[i];
    }
    return ones;
}

static size_t slow_find(const slow_bits_t *slow, size_t first, size_t end, bool value)
{
    while (first < end && slow->bit[first] != value) {
        first++;
    }
    return first < end ? first : end;
}

static void counting_and_finding_agree_with_a_walk_over_every_bit(void **state)
{
    (void)state;
    test_random_t random = test_random("bits");
    uint64_t words[WORDS] = {0};
    slow_bits_t slow = {{0}};
    for (int step = 0; step < 200000; step++) {
        size_t first = random_below(&random, BITS + 1);
        size_t count = random_below(&random, BITS + 1 - first);
        if (step % 8 == 0) {
            bool set = random_below(&random, 2) == 0;
            set ? bits_set(words, first, count) : bits_clear(words, first, count);
            memset(slow.bit + first, set, count);
        }
        assert_int_equal(bits_count(words, first, count), slow_count(&slow, first, count));
        assert_int_equal(bits_find(words, first, first + count, true), slow_find(&slow, first, first + count, true));
        assert_int_equal(bits_find(words, first, first + count, false), slow_find(&slow, first, first + count, false));
    }
    assert_same(words, &slow);
}

static void an_empty_range_reads_and_changes_nothing(void **state)
{
    (void)state;
    uint64_t words[1] = {0};
    bits_set(words, 0, 0);
    bits_set(words, 64, 0);
    bits_clear(words, 64, 0);
    assert_int_equal(words[0], 0);
    assert_int_equal(bits_count(words, 64, 0), 0);
    assert_int_equal(bits_find(words, 64, 64, true), 64);
}

static void a_bit_beyond_the_end_is_not_found(void **state)
{
    (void)state;
    uint64_t words[WORDS] = {0};
    bits_set(words, 100, 1);
    assert_int_equal(bits_find(words, 3, 100, true), 100);
    assert_int_equal(bits_find(words, 3, 101, true), 100);
    assert_int_equal(bits_find(words, 70, 90, true), 90);
    assert_int_equal(bits_find(words, 101, BITS, true), BITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_range_is_set_and_cleared_exactly),
        cmocka_unit_test(counting_and_finding_agree_with_a_walk_over_every_bit),
        cmocka_unit_test(an_empty_range_reads_and_changes_nothing),
        cmocka_unit_test(a_bit_beyond_the_end_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
