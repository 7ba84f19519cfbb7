/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "span/region.h"
#include "span/span.h"
#include "support/fake_os.h"

#include <errno.h>
#include <string.h>

static const size_t MIB = (size_t)1 << 20;
static const size_t GIB = (size_t)1 << 30;

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
    bool valid = span_is_valid();
    span_reset();
    bool clean = fake_reservations() == 0 && fake.bad_ranges == 0;
    os = os_linux;
    return valid && clean ? 0 : -1;
}

static void the_first_region_is_meant_to_last(void **state)
{
    (void)state;
    span_t *span = span_alloc(1, PAGE_BYTES);
    assert_non_null(span);
    assert_int_equal(fake.calls[FAKE_RESERVE], 1);
    assert_true((size_t)regions[0].pages_reserved << PAGE_SHIFT >= 64 * GIB);
    assert_int_equal(regions[0].base % (2 * MIB), 0);
    span_free(span, 0);
}

static void a_refused_reservation_is_halved_until_it_is_granted(void **state)
{
    (void)state;
    fake.largest[FAKE_RESERVE] = GIB;
    span_t *span = span_alloc(1, PAGE_BYTES);
    assert_non_null(span);
    size_t reserved = (size_t)regions[0].pages_reserved << PAGE_SHIFT;
    assert_true(reserved <= GIB);
    assert_true(reserved > GIB / 4);
    assert_true(fake.calls[FAKE_RESERVE] < 20);
    assert_int_equal(fake_reservations(), 1);
    memset(span_start(span), 1, PAGE_BYTES);
    span_free(span, PAGE_BYTES);
}

static void when_every_size_is_refused_there_is_no_span_and_life_goes_on(void **state)
{
    (void)state;
    fake.fail_all[FAKE_RESERVE] = true;
    errno = 0;
    assert_null(span_alloc(1, PAGE_BYTES));
    assert_int_equal(errno, 0);
    assert_int_equal(regions[0].base, 0);
    assert_true(fake.smallest_reserve <= 8 * MIB);
    assert_true(span_is_valid());
    fake_relent();
    span_t *span = span_alloc(1, PAGE_BYTES);
    assert_non_null(span);
    span_free(span, 0);
}

static void a_refused_step_of_usable_pages_is_retried_with_what_is_needed(void **state)
{
    (void)state;
    fake.largest[FAKE_COMMIT] = MIB;
    span_t *spans[64];
    for (size_t i = 0; i < 64; i++) {
        spans[i] = span_alloc(16, PAGE_BYTES);
        assert_non_null(spans[i]);
        memset(span_start(spans[i]), (int)i, span_bytes(spans[i]));
    }
    assert_int_equal(regions[1].base, 0);
    assert_true(span_is_valid());
    assert_true(regions[0].limit <= 4 * MIB + MIB);
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(span_start(spans[i])[span_bytes(spans[i]) - 1], i);
        span_free(spans[i], span_bytes(spans[i]));
    }
}

static void a_region_that_cannot_be_made_usable_is_given_back(void **state)
{
    (void)state;
    fake.fail_all[FAKE_COMMIT] = true;
    assert_null(span_alloc(4, PAGE_BYTES));
    assert_int_equal(fake_reservations(), 0);
    assert_true(span_is_valid());
    fake_relent();
    span_t *span = span_alloc(4, PAGE_BYTES);
    assert_non_null(span);

    /* An old region that cannot grow any more stays, and serves what it has. */
    fake.fail_all[FAKE_COMMIT] = true;
    assert_null(span_alloc(GIB >> PAGE_SHIFT, PAGE_BYTES));
    assert_int_equal(fake_reservations(), 1);
    span_t *other = span_alloc(4, PAGE_BYTES);
    assert_non_null(other);
    span_free(other, 0);
    span_free(span, 0);
}

static void a_limited_address_space_is_taken_a_share_at_a_time(void **state)
{
    (void)state;
    fake.address_limit = 128 * MIB;
    span_t *spans[12];
    for (size_t i = 0; i < 12; i++) {
        spans[i] = span_alloc(4 * MIB >> PAGE_SHIFT, PAGE_BYTES);
        assert_non_null(spans[i]);
        memset(span_start(spans[i]), (int)i + 1, span_bytes(spans[i]));
        span_tag_first(spans[i], 256);
    }
    assert_true((size_t)regions[0].pages_reserved << PAGE_SHIFT <= 32 * MIB);
    assert_true(regions[1].base != 0);
    assert_true(span_is_valid());
    for (size_t i = 0; i < 12; i++) {
        char *start = span_start(spans[i]);
        assert_ptr_equal(span_find(start), spans[i]);
        assert_int_equal(span_tag(start), 256);
        assert_int_equal(start[span_bytes(spans[i]) - 1], i + 1);
        span_tag_first(spans[i], 0);
        span_free(spans[i], span_bytes(spans[i]));
        assert_int_equal(span_tag(start), 0);
    }
    assert_true(span_is_valid());
}

static void a_request_larger_than_a_share_gets_a_region_of_its_size(void **state)
{
    (void)state;
    fake.address_limit = 128 * MIB;
    span_t *small = span_alloc(1, PAGE_BYTES);
    span_t *large = span_alloc(50 * MIB >> PAGE_SHIFT, PAGE_BYTES);
    assert_non_null(small);
    assert_non_null(large);
    assert_int_not_equal(small->region, large->region);
    span_start(large)[50 * MIB - 1] = 1;
    span_free(large, span_bytes(large));
    span_free(small, 0);
}

static void a_request_beyond_all_bounds_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    span_t *span = span_alloc(1, PAGE_BYTES);
    span_stats_t before;
    span_stats_t after;
    span_stats_get(&before);
    assert_null(span_alloc(((size_t)1 << 40) >> PAGE_SHIFT, PAGE_BYTES));
    assert_null(span_alloc(SIZE_MAX >> PAGE_SHIFT, PAGE_BYTES));
    assert_null(span_alloc(1, (size_t)1 << 45));
    span_stats_get(&after);
    assert_memory_equal(&before, &after, sizeof before);
    span_free(span, 0);
}

static void usable_pages_grow_in_few_steps(void **state)
{
    (void)state;
    span_t *spans[512];
    for (size_t i = 0; i < 512; i++) {
        spans[i] = span_alloc(4 * MIB >> PAGE_SHIFT, PAGE_BYTES);
        assert_non_null(spans[i]);
    }
    /* Five ranges a step; from 32 MiB doubling to 2 GiB there are seven steps. */
    assert_true(fake.calls[FAKE_COMMIT] <= 40);
    for (size_t i = 0; i < 512; i++) {
        span_free(spans[i], 0);
    }
}

static void any_address_is_told_from_those_of_a_region(void **state)
{
    (void)state;
    int local = 0;
    assert_null(region_of(&local));
    assert_null(region_of(NULL));
    assert_int_equal(span_tag(&local), 0);

    span_t *span = span_alloc(3, PAGE_BYTES);
    const char *base = test_launder((void *)regions[0].base);
    assert_null(region_of(base - 1));
    assert_ptr_equal(region_of(base), &regions[0]);
    assert_ptr_equal(region_of(base + regions[0].limit - 1), &regions[0]);
    assert_null(region_of(base + regions[0].limit));
    assert_null(region_of((void *)UINTPTR_MAX));
    assert_int_equal(span_tag(base + regions[0].limit), 0);
    assert_int_equal(span_tag_fast((uintptr_t)base - 1), 0);
    assert_int_equal(span_tag_fast((uintptr_t)base + regions[0].limit), 0);
    span_free(span, 0);
}

static void the_bytes_of_tables_are_those_made_usable(void **state)
{
    (void)state;
    span_t *span = span_alloc(1, PAGE_BYTES);
    span_stats_t stats;
    span_stats_get(&stats);
    assert_int_equal(stats.metadata, region_table_bytes(&regions[0]));
    assert_int_equal(stats.committed, regions[0].limit);
    assert_int_equal(stats.regions, 1);
    /* Two words, a bit and a cache line for each page of 4096 bytes. */
    size_t pages = regions[0].pages_committed;
    assert_in_range(stats.metadata, pages * 72, pages * 73 + 8 * fake_page_size());
    span_free(span, 0);
}

static void system_pages_of_any_size_get_whole_ranges(void **state)
{
    (void)state;
    for (size_t page_size = 4096; page_size <= 65536; page_size *= 4) {
        fake.page_size = page_size;
        fake.largest[FAKE_COMMIT] = 2 * MIB;
        span_t *spans[40];
        for (size_t i = 0; i < 40; i++) {
            spans[i] = span_alloc(1 + i, PAGE_BYTES);
            assert_non_null(spans[i]);
            memset(span_start(spans[i]), 1, span_bytes(spans[i]));
        }
        assert_true(span_is_valid());
        for (size_t i = 0; i < 40; i++) {
            span_free(spans[i], span_bytes(spans[i]));
        }
        (void)span_trim();
        assert_true(span_is_valid());
        assert_int_equal(fake.bad_ranges, 0);
        span_reset();
        fake_relent();
    }
}

/* ---- Addresses given back ---- */

static void addresses_that_hold_nothing_are_released_on_demand(void **state)
{
    (void)state;
    span_t *kept = span_alloc(3 * MIB >> PAGE_SHIFT, PAGE_BYTES);
    span_t *dropped = span_alloc(40 * MIB >> PAGE_SHIFT, PAGE_BYTES);
    memset(span_start(kept), 1, span_bytes(kept));
    memset(span_start(dropped), 2, span_bytes(dropped));
    span_free(dropped, span_bytes(dropped));
    assert_true(fake_reserved() >= 64 * GIB);
    span_release_addresses();

    /* What is left: four pages of two mebibytes at most, an alignment before them, and tables of a few pages each. */
    assert_true(fake_reserved() <= 12 * MIB);
    assert_true(span_is_valid());
    assert_int_equal(span_start(kept)[span_bytes(kept) - 1], 1);
    span_stats_t stats;
    span_stats_get(&stats);
    assert_int_equal(stats.used, span_bytes(kept));
    assert_true(stats.committed <= 4 * MIB);
    assert_null(region_of(span_start(kept) + 10 * MIB));

    /* Releasing again finds nothing; asking again makes another region, of which the same holds. */
    size_t left = fake_reserved();
    span_release_addresses();
    assert_int_equal(fake_reserved(), left);
    fake.address_limit = 256 * MIB;
    span_t *more = span_alloc(10 * MIB >> PAGE_SHIFT, PAGE_BYTES);
    assert_non_null(more);
    assert_int_equal(more->region, 1);
    memset(span_start(more), 3, span_bytes(more));
    assert_true(fake_reserved() <= left + 40 * MIB);
    span_free(more, span_bytes(more));
    /* Its tables stay until its place is taken, for those who just looked. */
    assert_true(fake_reserved() <= left + 3 * MIB);
    span_free(kept, span_bytes(kept));
    assert_true(span_is_valid());
}

/*
 * Symptom: addresses that somebody else had mapped were unmapped when a region was made anew. Cause: a region of which
 * nothing was in use was cut to nothing, and then released as if it had never been cut. Guard: nothing is released
 * twice, and nothing is left.
 */
static void a_region_with_nothing_in_it_is_cut_and_made_anew(void **state)
{
    (void)state;
    span_t *span = span_alloc(10, PAGE_BYTES);
    memset(span_start(span), 1, span_bytes(span));
    span_free(span, span_bytes(span));
    for (int round = 0; round < 3; round++) {
        span_release_addresses();
        span_release_addresses();
        assert_true(span_is_valid());
        span = span_alloc(10, PAGE_BYTES);
        assert_non_null(span);
        assert_true(span_is_clean(span));
        memset(span_start(span), 1, span_bytes(span));
        span_free(span, span_bytes(span));
    }
    assert_int_equal(fake.bad_ranges, 0);
    span_reset();
    assert_int_equal(fake_reservations(), 0);
}

/* Whole system pages only, whatever their size, and what is handed out again from them is zero. */
static void addresses_are_released_in_whole_system_pages(void **state)
{
    (void)state;
    for (size_t page_size = 4096; page_size <= 65536; page_size *= 4) {
        fake.page_size = page_size;
        span_t *kept = span_alloc(3, PAGE_BYTES);
        span_t *dropped = span_alloc(37, PAGE_BYTES);
        memset(span_start(dropped), 2, span_bytes(dropped));
        span_free(dropped, span_bytes(dropped));
        span_release_addresses();
        assert_int_equal(fake.bad_ranges, 0);
        assert_true(span_is_valid());
        span_t *again = span_alloc(37, PAGE_BYTES);
        span_zero(again, 0, span_bytes(again));
        for (size_t i = 0; i < span_bytes(again); i++) {
            assert_int_equal(span_start(again)[i], 0);
        }
        span_free(again, 0);
        span_free(kept, 0);
        span_reset();
    }
}

/* A system whose purge leaves the content: what lies beyond top must be zero all the same. */
static void released_addresses_are_not_taken_for_zero_where_purging_does_nothing(void **state)
{
    (void)state;
    span_t *kept = span_alloc(3, PAGE_BYTES);
    span_t *dropped = span_alloc(64, PAGE_BYTES);
    memset(span_start(dropped), 2, span_bytes(dropped));
    span_free(dropped, span_bytes(dropped));
    fake.purge_keeps = true;
    span_release_addresses();
    span_t *again = span_alloc(64, PAGE_BYTES);
    span_zero(again, 0, span_bytes(again));
    for (size_t i = 0; i < span_bytes(again); i++) {
        assert_int_equal(span_start(again)[i], 0);
    }
    span_free(again, 0);
    span_free(kept, 0);
}

/* Under a limit an empty region is given back whole; its place is taken by another, and nothing is left of the first. */
static void an_empty_region_is_released_and_made_anew(void **state)
{
    (void)state;
    fake.address_limit = 256 * MIB;
    span_t *kept = span_alloc(1, PAGE_BYTES);
    size_t most = 0;
    for (int cycle = 0; cycle < 50; cycle++) {
        span_t *spans[4];
        for (size_t i = 0; i < 4; i++) {
            spans[i] = span_alloc((20 + 2 * (size_t)cycle % 9) * MIB >> PAGE_SHIFT, PAGE_BYTES);
            assert_non_null(spans[i]);
            assert_true(spans[i]->region == 0 || span_is_clean(spans[i]));
            span_start(spans[i])[0] = 1;
            span_tag_first(spans[i], 512);
        }
        size_t reserved = fake_reserved();
        most = cycle < 9 && reserved > most ? reserved : most;
        assert_true(reserved <= most);
        assert_true(span_is_valid());
        for (size_t i = 0; i < 4; i++) {
            const char *start = test_launder(span_start(spans[i]));
            span_tag_first(spans[i], 0);
            span_free(spans[i], span_bytes(spans[i]));
            assert_int_equal(span_tag(start), 0);
        }
        assert_true(fake_reserved() <= 256 * MIB / 8 + (size_t)6 * 3 * MIB);
    }
    span_free(kept, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, system_start, system_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_region_is_meant_to_last),
        TEST(a_refused_reservation_is_halved_until_it_is_granted),
        TEST(when_every_size_is_refused_there_is_no_span_and_life_goes_on),
        TEST(a_refused_step_of_usable_pages_is_retried_with_what_is_needed),
        TEST(a_region_that_cannot_be_made_usable_is_given_back),
        TEST(a_limited_address_space_is_taken_a_share_at_a_time),
        TEST(a_request_larger_than_a_share_gets_a_region_of_its_size),
        TEST(a_request_beyond_all_bounds_is_refused_and_changes_nothing),
        TEST(usable_pages_grow_in_few_steps),
        TEST(any_address_is_told_from_those_of_a_region),
        TEST(the_bytes_of_tables_are_those_made_usable),
        TEST(system_pages_of_any_size_get_whole_ranges),
        TEST(addresses_that_hold_nothing_are_released_on_demand),
        TEST(a_region_with_nothing_in_it_is_cut_and_made_anew),
        TEST(addresses_are_released_in_whole_system_pages),
        TEST(released_addresses_are_not_taken_for_zero_where_purging_does_nothing),
        TEST(an_empty_region_is_released_and_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
