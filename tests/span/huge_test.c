/* SPDX-License-Identifier: MIT */
#include "support/span.h"

#include "span/free.h"
#include "span/bits.h"
#include "span/huge.h"
#include "span/purge.h"

static const size_t FROM_PAGES = (size_t)8 * PAGES_PER_MIB; /* the default of CUBBY_HUGE_FROM */

static size_t page_of(const char *address)
{
    return ((uintptr_t)address - regions[0].base) >> PAGE_SHIFT;
}

/* ---- Advice ---- */

/* Half of the first 8 MiB is the mark. */
static void a_small_heap_is_kept_on_small_pages(void **state)
{
    (void)state;
    span_t *span = span_alloc(FROM_PAGES / 2 - 1, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 0);
    assert_int_equal(spans_stats().huge_advised, 0);

    /* The system is told so, for all that can be touched. */
    assert_int_equal(fake.calls[FAKE_DENY_HUGE], 1);
    assert_ptr_equal(fake.last_start[FAKE_DENY_HUGE], (void *)regions[0].base);
    assert_int_equal(fake.last_size[FAKE_DENY_HUGE], regions[0].limit);
    span_free(span, 0);
}

static void beyond_its_first_mebibytes_a_large_heap_asks_for_huge_pages(void **state)
{
    (void)state;
    span_t *span = span_alloc(FROM_PAGES / 2, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 1);
    assert_int_equal(page_of(fake.last_start[FAKE_ADVISE_HUGE]), FROM_PAGES);
    size_t end = page_of(fake.last_start[FAKE_ADVISE_HUGE]) + (fake.last_size[FAKE_ADVISE_HUGE] >> PAGE_SHIFT);
    assert_int_equal(end, regions[0].pages_committed);
    assert_int_equal(spans_stats().huge_advised, fake.last_size[FAKE_ADVISE_HUGE]);
    assert_false(huge_is_possible(&regions[0], (uint32_t)FROM_PAGES - 1));
    assert_true(huge_is_possible(&regions[0], (uint32_t)FROM_PAGES));
    assert_true(huge_is_possible(&regions[0], (uint32_t)end - 1));
    assert_false(huge_is_possible(&regions[0], (uint32_t)end));
    span_free(span, 0);
}

/* What is retained was in use a moment ago, and will be again. */
static void what_is_retained_counts_towards_it(void **state)
{
    (void)state;
    span_t *dropped = span_written(FROM_PAGES / 4);
    span_t *guard = span_alloc(1, PAGE_BYTES);
    span_free_written(dropped);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 0);
    span_t *span = span_alloc(FROM_PAGES / 4 + 1, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 1);
    span_free(span, 0);
    span_free(guard, 0);
}

static void the_setting_says_how_much_stays_small(void **state)
{
    (void)state;
    setting_set(SETTING_HUGE_FROM, 3 * MIB);
    span_t *span = span_alloc((size_t)3 * PAGES_PER_MIB / 2, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 1);
    assert_int_equal(page_of(fake.last_start[FAKE_ADVISE_HUGE]), 4 * PAGES_PER_MIB);
    span_free(span, 0);
    span_reset();
    setting_set(SETTING_HUGE_FROM, 0);
    span = span_alloc(1, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 2);
    assert_int_equal(page_of(fake.last_start[FAKE_ADVISE_HUGE]), 0);
    span_free(span, 0);
}

static void the_setting_forbids_it(void **state)
{
    (void)state;
    setting_set(SETTING_HUGE_PAGES, 0);
    span_t *span = span_alloc(100 * FROM_PAGES, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 0);
    assert_int_equal(spans_stats().huge_advised, 0);
    span_free(span, 0);
}

/* However the heap grows, shrinks and grows again, the process has a handful of mappings. */
static void all_advice_is_one_range(void **state)
{
    (void)state;
    enum { COUNT = 512 };
    static span_t *spans[COUNT];
    char *next = NULL;
    size_t seen = 0;
    for (size_t i = 0; i < COUNT; i++) {
        spans[i] = span_alloc((size_t)4 * PAGES_PER_MIB, PAGE_BYTES);
        if (fake.calls[FAKE_ADVISE_HUGE] > seen) {
            seen++;
            assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], seen);
            assert_true(next == NULL || fake.last_start[FAKE_ADVISE_HUGE] == next);
            next = fake.last_start[FAKE_ADVISE_HUGE] + fake.last_size[FAKE_ADVISE_HUGE];
        }
    }
    /* One for each step of what is committed: 32 MiB, doubling to 2 GiB. */
    assert_in_range(seen, 2, 10);
    assert_true(spans_stats().huge_advised >= (size_t)COUNT * 4 * MIB - 8 * MIB);
    for (int round = 0; round < 20; round++) {
        for (size_t i = (size_t)round % 2; i < COUNT; i += 2) {
            span_free(spans[i], 0);
        }
        for (size_t i = (size_t)round % 2; i < COUNT; i += 2) {
            spans[i] = span_alloc((size_t)4 * PAGES_PER_MIB, PAGE_BYTES);
        }
    }
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], seen);
    for (size_t i = 0; i < COUNT; i++) {
        span_free(spans[i], 0);
    }
}

static void a_refusal_is_remembered(void **state)
{
    (void)state;
    fake.fail_all[FAKE_ADVISE_HUGE] = true;
    span_t *spans[20];
    for (size_t i = 0; i < 20; i++) {
        spans[i] = span_alloc(FROM_PAGES * 4, PAGE_BYTES);
        assert_non_null(spans[i]);
    }
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], 1);
    assert_int_equal(spans_stats().huge_advised, 0);
    for (size_t i = 0; i < 20; i++) {
        span_free(spans[i], 0);
    }
}

/* Otherwise the system would fill with huge pages what was given back in small ones. */
static void advice_is_taken_back_by_trim_and_earned_anew(void **state)
{
    (void)state;
    span_t *span = span_written(4 * FROM_PAGES);
    assert_true(spans_stats().huge_advised > 0);
    size_t denied = fake.calls[FAKE_DENY_HUGE];
    span_free_written(span);
    (void)span_trim();
    assert_int_equal(fake.calls[FAKE_DENY_HUGE], denied + 1);
    assert_int_equal(page_of(fake.last_start[FAKE_DENY_HUGE]), FROM_PAGES);
    assert_int_equal(spans_stats().huge_advised, 0);
    (void)span_trim();
    assert_int_equal(fake.calls[FAKE_DENY_HUGE], denied + 1);

    /* By growing 4 MiB and a quarter beyond what was in use then: nothing. */
    size_t advised = fake.calls[FAKE_ADVISE_HUGE];
    span_t *small = span_alloc((size_t)4 * PAGES_PER_MIB - 1, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], advised);
    span_t *more = span_alloc(1, PAGE_BYTES);
    assert_int_equal(fake.calls[FAKE_ADVISE_HUGE], advised + 1);
    assert_int_equal(page_of(fake.last_start[FAKE_ADVISE_HUGE]), FROM_PAGES);
    span_free(small, 0);
    span_free(more, 0);
}

/* ---- What is resident with a huge page ---- */

/* The first touch makes all of a huge page resident: its free rest is to be given back, too. */
static void the_free_rest_of_a_touched_huge_page_counts_as_dirty(void **state)
{
    (void)state;
    span_t *low = span_alloc(FROM_PAGES + CHUNK_PAGES, PAGE_BYTES);
    span_t *whole = span_alloc(4 * (size_t)CHUNK_PAGES, PAGE_BYTES);
    span_t *guard = span_alloc(1, PAGE_BYTES);
    uint32_t first = whole->first;
    span_free(whole, 0);
    assert_int_equal(spans_stats().retained, 0);
    span_t *one = span_alloc(10, PAGE_BYTES);
    assert_int_equal(one->first, first);
    assert_int_equal(spans_stats().retained, (CHUNK_PAGES - 10) * PAGE_BYTES);
    assert_true(span_is_valid());

    /* In the middle of the next one: on both sides. */
    span_t *aligned = span_alloc(1, (size_t)PAGE_BYTES * CHUNK_PAGES / 2);
    assert_true(span_is_valid());
    size_t taken = aligned->first - first;
    assert_true(taken % CHUNK_PAGES == CHUNK_PAGES / 2 || taken % CHUNK_PAGES == 0);
    span_free(aligned, 0);
    span_free(one, 0);
    span_free(guard, 0);
    span_free(low, 0);
}

static void pages_in_use_are_counted_by_huge_page(void **state)
{
    (void)state;
    test_random_t random = test_random("span/huge");
    static span_t *spans[200];
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < 200; i++) {
            if (random_below(&random, 8) != 0) {
                continue;
            }
            if (spans[i] == NULL) {
                spans[i] = span_alloc(1 + random_below(&random, 1500), PAGE_BYTES);
            } else if (random_below(&random, 3) == 0) {
                (void)span_extend(spans[i], spans[i]->pages + 1 + random_below(&random, 700));
            } else if (random_below(&random, 3) == 0) {
                span_shrink(spans[i], 1 + random_below(&random, spans[i]->pages));
            } else {
                span_free(spans[i], random_below(&random, 2) * span_bytes(spans[i]));
                spans[i] = NULL;
            }
        }
        fake.clock_ms += 20;
        span_tick(fake.clock_ms);
        static uint16_t counted[65536];
        memset(counted, 0, sizeof counted);
        size_t chunks = (regions[0].top + CHUNK_PAGES - 1) / CHUNK_PAGES;
        assert_true(chunks < 65536);
        for (size_t i = 0; i < 200; i++) {
            for (uint32_t page = 0; spans[i] != NULL && page < spans[i]->pages; page++) {
                counted[(spans[i]->first + page) / CHUNK_PAGES]++;
            }
        }
        assert_memory_equal(counted, regions[0].chunk_used, chunks * sizeof *counted);
    }
    for (size_t i = 0; i < 200; i++) {
        if (spans[i] != NULL) {
            span_free(spans[i], 0);
            spans[i] = NULL;
        }
    }
}

/* ---- Giving back ---- */

static char *purged_start;
static size_t purged_size;

static void note_purge(void *start, size_t size)
{
    purged_start = start;
    purged_size = size;
}

/* Used pages up to a huge page's start, eight huge pages, and used pages again. */
typedef struct layout {
    span_t *low;
    span_t *middle;
    span_t *high;
} layout_t;

static layout_t layout(size_t low_pages)
{
    layout_t made;
    made.low = span_written(low_pages);
    made.middle = span_written(8 * (size_t)CHUNK_PAGES);
    made.high = span_written(8 * FROM_PAGES);
    return made;
}

static void layout_end(layout_t *made)
{
    span_free_written(made->low);
    span_free_written(made->high);
}

static void whole_huge_pages_go_first_and_whole(void **state)
{
    (void)state;
    layout_t made = layout(FROM_PAGES + 100);
    span_free_written(made.middle);
    fake.on_purge = note_purge;
    purged_start = NULL;
    time_passes((uint64_t)2 * WINDOW_MS);
    assert_non_null(purged_start);
    assert_int_equal(page_of(purged_start) % CHUNK_PAGES, 0);
    assert_int_equal(purged_size % ((size_t)CHUNK_PAGES << PAGE_SHIFT), 0);
    /* Seven of them are whole; what is left belongs to pages that others use. */
    assert_int_equal(spans_stats().retained, CHUNK_PAGES * PAGE_BYTES);
    layout_end(&made);
}

static void a_piece_of_a_huge_page_in_use_is_spared_until_trim(void **state)
{
    (void)state;
    uint32_t first;
    uint32_t end;
    layout_t made = layout(FROM_PAGES + 100);
    const region_t *region = &regions[0];
    const uint32_t chunk = (uint32_t)FROM_PAGES + CHUNK_PAGES;
    for (int care = HUGE_WHOLE; care <= HUGE_NONE; care++) {
        /* 100 pages of the first huge page are in use, 412 of the last. */
        span_lock();
        huge_note_free(&regions[0], made.middle->first, made.middle->pages);
        bits_set(regions[0].dirty, made.middle->first, made.middle->pages);
        first = made.middle->first;
        end = first + made.middle->pages;
        huge_restrict(region, (huge_care_t)care, &first, &end);
        huge_note_used(&regions[0], made.middle->first, made.middle->pages);
        span_unlock();
        assert_int_equal(first, care == HUGE_WHOLE ? chunk : made.middle->first);
        assert_int_equal(end, care == HUGE_NONE ? made.high->first : chunk + 7 * CHUNK_PAGES);
    }
    span_free_written(made.middle);
    time_passes((uint64_t)5 * WINDOW_MS);
    assert_int_equal(spans_stats().retained, CHUNK_PAGES * PAGE_BYTES);
    (void)span_trim();
    assert_int_equal(spans_stats().retained, 0);
    layout_end(&made);
}

/* Nearly all is dropped: what is left of huge pages, far more than what is in use, goes as well. */
static void huge_pages_hardly_used_are_taken_apart(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static span_t *spans[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        spans[i] = span_written(32);
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 20 != 0) {
            span_free_written(spans[i]);
        }
    }
    time_passes((uint64_t)2 * WINDOW_MS);
    size_t used = spans_stats().used;
    assert_true(spans_stats().retained <= MIB + used / 64 + used / 8);
    for (size_t i = 0; i < COUNT; i += 20) {
        span_free_written(spans[i]);
    }
}

/*
 * A free span that begins among the small pages and covers a whole huge page is cheap to give back, and is, though it
 * is too little for taking huge pages apart.
 */
static void a_whole_huge_page_goes_wherever_its_span_begins(void **state)
{
    (void)state;
    span_t *straddling = span_written(3000);
    span_t *rest = span_written(25600);
    span_free_written(straddling);
    time_passes((uint64_t)2 * WINDOW_MS);
    assert_true(spans_stats().retained <= (size_t)(3000 - CHUNK_PAGES) << PAGE_SHIFT);
    span_free_written(rest);
}

/*
 * A program that dropped 32 MiB kept 2 MiB: the last huge page was purged up to the span's end, and what it held beyond
 * counted as untouched. It is part of what is freed, and leaves with it.
 */
static void what_the_last_huge_page_holds_beyond_the_top_goes_with_it(void **state)
{
    (void)state;
    span_t *low = span_written(FROM_PAGES);
    fake.on_purge = note_purge;
    for (uint32_t chunks = 1; chunks <= 2; chunks++) {
        span_t *last = span_written((size_t)chunks * CHUNK_PAGES + 3);
        assert_int_equal(regions[0].top, FROM_PAGES + (size_t)chunks * CHUNK_PAGES + 3);
        if (chunks == 1) {
            span_free_written(last);
        } else {
            span_shrink(last, 1);
        }
        assert_true(span_is_valid());
        assert_int_equal(regions[0].top, FROM_PAGES + (size_t)(chunks + 1) * CHUNK_PAGES);
        (void)span_trim();
        assert_int_equal(page_of(purged_start) + (purged_size >> PAGE_SHIFT), regions[0].top);
        assert_int_equal(spans_stats().retained, 0);
        if (chunks == 2) {
            span_free_written(last);
        }
    }
    span_free_written(low);
}

/*
 * System pages of 16 and 64 KiB, where a span may end inside of one: what is given back of huge pages, small ones and
 * the rest of a trim is never part of a page that still holds a block.
 */
static void larger_system_pages_that_hold_a_live_block_are_kept_whole(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    static span_t *spans[COUNT];
    for (size_t page_size = 16384; page_size <= 65536; page_size *= 4) {
        fake.page_size = page_size;
        test_random_t random = test_random("span/huge, larger pages");
        for (size_t i = 0; i < COUNT; i++) {
            size_t pages = random_below(&random, 20) == 0 ? 700 : 1 + random_below(&random, 30);
            spans[i] = span_alloc(pages, PAGE_BYTES);
            memset(span_start(spans[i]), (int)(i % 100) + 1, span_bytes(spans[i]));
        }
        assert_true(spans_stats().huge_advised > 0);
        size_t purged = fake.purged_bytes;
        for (size_t i = 0; i < COUNT; i++) {
            if (i % 7 != 0) {
                span_free_written(spans[i]);
            }
        }
        time_passes((uint64_t)2 * WINDOW_MS);
        (void)span_trim();
        assert_true(fake.purged_bytes > purged + MIB);
        assert_int_equal(fake.bad_ranges, 0);
        for (size_t i = 0; i < COUNT; i += 7) {
            const char *start = span_start(spans[i]);
            for (size_t byte = 0; byte < span_bytes(spans[i]); byte += 64) {
                assert_int_equal(start[byte], (int)(i % 100) + 1);
            }
            span_free_written(spans[i]);
        }
        assert_true(span_is_valid());
        span_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPAN_TEST(a_small_heap_is_kept_on_small_pages),
        SPAN_TEST(beyond_its_first_mebibytes_a_large_heap_asks_for_huge_pages),
        SPAN_TEST(what_is_retained_counts_towards_it),
        SPAN_TEST(the_setting_says_how_much_stays_small),
        SPAN_TEST(the_setting_forbids_it),
        SPAN_TEST(all_advice_is_one_range),
        SPAN_TEST(a_refusal_is_remembered),
        SPAN_TEST(advice_is_taken_back_by_trim_and_earned_anew),
        SPAN_TEST(the_free_rest_of_a_touched_huge_page_counts_as_dirty),
        SPAN_TEST(pages_in_use_are_counted_by_huge_page),
        SPAN_TEST(whole_huge_pages_go_first_and_whole),
        SPAN_TEST(a_piece_of_a_huge_page_in_use_is_spared_until_trim),
        SPAN_TEST(huge_pages_hardly_used_are_taken_apart),
        SPAN_TEST(a_whole_huge_page_goes_wherever_its_span_begins),
        SPAN_TEST(what_the_last_huge_page_holds_beyond_the_top_goes_with_it),
        SPAN_TEST(larger_system_pages_that_hold_a_live_block_are_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
