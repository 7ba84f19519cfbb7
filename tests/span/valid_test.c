/* SPDX-License-Identifier: MIT */
/* The walker finds what is broken on purpose, and nothing in a long random run. */
#include "support/test.h"

#include "span/bits.h"
#include "span/span.h"
#include "support/fake_os.h"

#include <string.h>

enum { SLOTS = 48, STEPS = 6000 };

static int system_start(void **state)
{
    (void)state;
    fake_install();
    return 0;
}

static int system_end(void **state)
{
    (void)state;
    fake_relent();
    bool valid = span_is_valid() && fake.bad_ranges == 0;
    span_reset();
    os = os_linux;
    return valid ? 0 : -1;
}

static void no_region_at_all_is_valid(void **state)
{
    (void)state;
    assert_true(span_is_valid());
}

static void whatever_is_broken_is_found(void **state)
{
    (void)state;
    span_t *a = span_alloc(4, PAGE_BYTES);
    span_t *b = span_alloc(4, PAGE_BYTES);
    span_t *c = span_alloc(4, PAGE_BYTES);
    span_free(b, PAGE_BYTES);
    region_t *region = &regions[0];
    assert_true(span_is_valid());

    uint32_t index = region->span_of[0];
    region->span_of[0] = 0; /* a page that belongs to no span */
    assert_false(span_is_valid());
    region->span_of[0] = region->span_of[c->first]; /* to a wrong one */
    assert_false(span_is_valid());
    region->span_of[0] = index;
    assert_true(span_is_valid());

    region->span_of[3] = 0; /* its last page is not found from the right */
    assert_false(span_is_valid());
    region->span_of[3] = index;

    a->pages = 5; /* overlap */
    assert_false(span_is_valid());
    a->pages = 4;

    a->state = SPAN_UNUSED;
    assert_false(span_is_valid());
    a->state = SPAN_FREE; /* two free spans touch */
    assert_false(span_is_valid());
    a->state = SPAN_USED;

    region->tags[5] = 256; /* a free page that says it is somebody's */
    assert_false(span_is_valid());
    region->tags[5] = 0;

    bits_set(region->dirty, 6, 1); /* a miscounted page */
    assert_false(span_is_valid());
    bits_clear(region->dirty, 6, 1);

    bits_set(region->dirty, region->top, 1); /* one that was never handed out */
    assert_false(span_is_valid());
    bits_clear(region->dirty, region->top, 1);

    assert_true(span_is_valid());
    span_free(a, 0);
    span_free(c, 0);
}

/* What the run below knows of a span: every page carries `stamp` at its start, unless the page was never written. */
typedef struct slot {
    span_t *span;
    uint64_t stamp;
} slot_t;

static slot_t slots[SLOTS];
static uint64_t stamp_last;

static void slot_write(slot_t *slot)
{
    slot->stamp = ++stamp_last;
    for (size_t at = 0; at < span_bytes(slot->span); at += PAGE_BYTES) {
        memcpy(span_start(slot->span) + at, &slot->stamp, sizeof slot->stamp);
    }
}

static void slot_check(const slot_t *slot, size_t pages)
{
    for (size_t page = 0; page < pages; page++) {
        assert_memory_equal(span_start(slot->span) + page * PAGE_BYTES, &slot->stamp, sizeof slot->stamp);
    }
}

static void assert_zero(const char *start, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, start + i, sizeof word);
        assert_int_equal(word, 0);
    }
}

static void slot_take(slot_t *slot, test_random_t *random)
{
    size_t alignment = (size_t)PAGE_BYTES << (random_below(random, 4) == 0 ? random_below(random, 9) : 0);
    slot->span = span_alloc(1 + random_below(random, 40), alignment);
    if (slot->span == NULL) {
        return;
    }
    assert_int_equal((uintptr_t)span_start(slot->span) % alignment, 0);
    if (random_below(random, 2) == 0) {
        span_zero(slot->span, 0, span_bytes(slot->span));
        assert_zero(span_start(slot->span), span_bytes(slot->span));
    }
    slot_write(slot);
}

static void slot_resize(slot_t *slot, test_random_t *random)
{
    size_t before = slot->span->pages;
    size_t pages = 1 + random_below(random, 60);
    if (pages > before) {
        if (span_extend(slot->span, pages)) {
            span_zero(slot->span, before * PAGE_BYTES, pages * PAGE_BYTES);
            assert_zero(span_start(slot->span) + before * PAGE_BYTES, (pages - before) * PAGE_BYTES);
        } else {
            pages = before;
        }
    } else {
        span_shrink(slot->span, pages);
        before = pages;
    }
    assert_int_equal(slot->span->pages, pages);
    slot_check(slot, before);
    slot_write(slot);
}

static void slot_drop(slot_t *slot)
{
    slot_check(slot, slot->span->pages);
    span_free(slot->span, span_bytes(slot->span));
    slot->span = NULL;
}

static void run_step(test_random_t *random)
{
    slot_t *slot = &slots[random_below(random, SLOTS)];
    size_t choice = random_below(random, 100);
    if (choice < 2) {
        size_t retained;
        span_stats_t stats;
        span_stats_get(&stats);
        retained = stats.retained;
        size_t given = span_trim();
        span_stats_get(&stats);
        assert_int_equal(stats.retained, retained - given);
    } else if (slot->span == NULL) {
        slot_take(slot, random);
    } else if (choice < 50) {
        slot_resize(slot, random);
    } else {
        slot_drop(slot);
    }
}

static void run(test_random_t *random, int steps)
{
    memset(slots, 0, sizeof slots);
    for (int step = 0; step < steps; step++) {
        run_step(random);
        assert_true(span_is_valid());
        size_t pages = 0;
        for (int i = 0; i < SLOTS; i++) {
            pages += slots[i].span == NULL ? 0 : slots[i].span->pages;
        }
        span_stats_t stats;
        span_stats_get(&stats);
        assert_int_equal(stats.used, pages * PAGE_BYTES);
    }
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].span != NULL) {
            slot_drop(&slots[i]);
        }
    }
    assert_true(span_is_valid());
}

static void nothing_is_broken_by_a_long_random_run(void **state)
{
    (void)state;
    test_random_t random = test_random("span/valid");
    run(&random, STEPS);
}

static void nor_with_system_pages_of_16_or_64_kib(void **state)
{
    (void)state;
    test_random_t random = test_random("span/valid, larger pages");
    for (size_t page_size = 16384; page_size <= 65536; page_size *= 4) {
        fake.page_size = page_size;
        run(&random, STEPS / 2);
        assert_int_equal(fake.bad_ranges, 0);
        span_reset();
    }
}

static void nor_with_several_regions_and_refusals(void **state)
{
    (void)state;
    test_random_t random = test_random("span/valid, regions");
    fake.address_limit = (size_t)32 << 20;
    fake.largest[FAKE_COMMIT] = (size_t)256 << 10;
    run(&random, STEPS / 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, system_start, system_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_region_at_all_is_valid),
        TEST(whatever_is_broken_is_found),
        TEST(nothing_is_broken_by_a_long_random_run),
        TEST(nor_with_system_pages_of_16_or_64_kib),
        TEST(nor_with_several_regions_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
