/* SPDX-License-Identifier: MIT */
/*
 * Free spans: joined, cut, found. What the layer keeps count of as it goes is compared with what a walk over all pages
 * counts anew.
 */
#include "support/span.h"

#include "span/free.h"
#include "span/purge.h"
#include "span/region.h"

/* ---- Counted anew ---- */

typedef struct recount {
    size_t used;
    size_t dirty;    /* of free spans */
    size_t retained; /* of it, on the lists */
    size_t free;     /* spans */
    size_t rooms;
} recount_t;

static recount_t recount(void)
{
    recount_t count = {.used = 0};
    for (int i = 0; i < region_count(); i++) {
        const region_t *region = &regions[i];
        for (uint32_t page = 0; page < region->top;) {
            const span_t *span = span_at(region, page);
            count.used += span->state == SPAN_USED ? span->pages : 0;
            count.rooms += span->state == SPAN_ROOM;
            if (span->state == SPAN_FREE) {
                size_t dirty = bits_count(region->dirty, page, span->pages);
                assert_int_equal(span->dirty, dirty);
                count.free++;
                count.dirty += dirty;
                count.retained += span->retained ? dirty : 0;
            }
            page += span->pages;
        }
    }
    return count;
}

static void assert_counts_are_right(void)
{
    assert_true(span_is_valid());
    recount_t count = recount();
    assert_int_equal(span_counts.pages_used, count.used);
    assert_int_equal(span_counts.pages_dirty, count.dirty);
    assert_int_equal(retain_pages(), count.retained);
    size_t listed = 0;
    for (int list = 0; list < RETAIN_LISTS; list++) {
        const span_t *older = NULL;
        for (span_t *span = retain_oldest((retain_list_t)list); span != NULL; span = span->newer) {
            assert_ptr_equal(span->older, older);
            assert_int_equal(span->state, SPAN_FREE);
            listed += span->dirty;
            older = span;
        }
    }
    assert_int_equal(listed, count.retained);
}

/* The smallest free span that fits, the lowest of these, found by looking at all. */
static const span_t *best_fit(size_t pages)
{
    const span_t *best = NULL;
    for (int i = 0; i < region_count(); i++) {
        for (uint32_t page = 0; page < regions[i].top;) {
            const span_t *span = span_at(&regions[i], page);
            if (span->state == SPAN_FREE && span->pages >= pages && (best == NULL || span->pages < best->pages)) {
                best = span;
            }
            page += span->pages;
        }
    }
    return best;
}

static void assert_best_fit(size_t pages)
{
    span_lock();
    const span_t *found = free_find_hole(pages);
    span_unlock();
    assert_ptr_equal(found, best_fit(pages));
}

/* ---- Joining and cutting ---- */

static void a_freed_span_joins_what_is_free_on_either_side(void **state)
{
    (void)state;
    span_t *spans[4];
    for (size_t i = 0; i < 4; i++) {
        spans[i] = span_written(10);
    }
    char *start = span_start(spans[0]);
    span_free(spans[0], (size_t)3 * PAGE_BYTES);
    span_free(spans[2], (size_t)5 * PAGE_BYTES);
    assert_counts_are_right();
    assert_int_equal(recount().free, 2);
    span_free(spans[1], (size_t)10 * PAGE_BYTES);
    assert_counts_are_right();
    assert_int_equal(recount().free, 1);
    assert_int_equal(recount().dirty, 18);
    const span_t *joined = span_at(&regions[0], (uint32_t)((uintptr_t)start - regions[0].base) >> PAGE_SHIFT);
    assert_int_equal(joined->pages, 30);
    assert_true(joined->retained);
    span_free(spans[3], 0);
}

static void what_is_left_of_a_cut_has_its_own_dirty_pages(void **state)
{
    (void)state;
    span_t *guard = NULL;
    for (uint32_t first = 0; first <= 200; first += 25) {
        for (uint32_t pages = 1; first + pages <= 200; pages += 33) {
            span_t *parts[4];
            for (size_t i = 0; i < 4; i++) {
                parts[i] = span_alloc(50, PAGE_BYTES);
            }
            guard = span_alloc(1, PAGE_BYTES);
            uint32_t begin = parts[0]->first;
            for (size_t i = 0; i < 4; i++) {
                span_free(parts[i], (size_t)(10 + 13 * i) * PAGE_BYTES);
            }
            span_lock();
            span_t *cut = free_cut(span_at(&regions[0], begin), begin + first, pages, true);
            assert_int_equal(cut->first, begin + first);
            assert_int_equal(cut->pages, pages);
            cut->state = SPAN_USED;
            span_unlock();
            span_counts.pages_used += pages;
            assert_counts_are_right();
            span_counts.pages_used -= pages;
            span_lock();
            (void)free_join(&regions[0], cut, true);
            span_unlock();
            assert_counts_are_right();
            assert_int_equal(recount().free, 1);
            span_free(guard, 0);
            (void)span_trim();
        }
    }
}

/* What is cut off keeps its place among the retained: it was freed when the whole was. */
static void the_rest_of_a_cut_is_as_old_as_the_whole_was(void **state)
{
    (void)state;
    span_t *old = span_written(400);
    span_t *guard = span_written(1);
    span_t *young = span_written(300);
    span_t *other_guard = span_written(1);
    span_free_written(old);
    span_free_written(young);
    assert_ptr_equal(retain_oldest(RETAIN_PRIME), old);
    span_lock();
    span_t *cut = free_cut(old, old->first + 100, 100, false);
    span_unlock();
    /* Two pieces of 100 and 200 pages, both before the younger one, in whatever order. */
    const span_t *one = retain_oldest(RETAIN_PRIME);
    assert_int_equal(one->pages + one->newer->pages, 300);
    assert_ptr_equal(one->newer->newer, young);
    cut->state = SPAN_USED;
    span_lock();
    (void)free_join(&regions[0], cut, false);
    span_unlock();
    assert_int_equal(retain_oldest(RETAIN_PRIME)->pages, 400);
    assert_ptr_equal(retain_oldest(RETAIN_PRIME)->newer, young);
    span_free(guard, 0);
    span_free(other_guard, 0);
}

/* ---- Room for growing blocks ---- */

static void room_is_kept_for_the_block_before_it_and_freed_with_it(void **state)
{
    (void)state;
    span_t *first = span_alloc(1, PAGE_BYTES);
    span_t *growing = span_alloc_growing(100);
    assert_int_equal(recount().rooms, 1);
    const char *end = span_start(growing) + span_bytes(growing);

    /* Nobody else gets it. */
    span_t *others[50];
    for (size_t i = 0; i < 50; i++) {
        others[i] = span_alloc(20, PAGE_BYTES);
        assert_true(span_start(others[i]) < span_start(growing) ||
                    span_start(others[i]) >= end + (100 * 14 << PAGE_SHIFT));
    }
    char *start = span_start(growing);
    for (size_t pages = 101; pages <= 1500; pages += 40) {
        assert_true(span_extend(growing, pages));
        assert_ptr_equal(span_start(growing), start);
        assert_counts_are_right();
    }

    /* What is left of it is joined when the block is freed. */
    assert_int_equal(recount().rooms, 1);
    span_free(growing, (size_t)7 * PAGE_BYTES);
    assert_int_equal(recount().rooms, 0);
    assert_counts_are_right();
    for (size_t i = 0; i < 50; i++) {
        span_free(others[i], 0);
    }
    span_free(first, 0);
    assert_int_equal(recount().free, 1);
}

static void room_behind_a_span_that_is_freed_before_it_joins_what_is_free_behind(void **state)
{
    (void)state;
    span_t *first = span_alloc(1, PAGE_BYTES);
    span_t *growing = span_alloc_growing(10);
    span_t *behind = span_alloc(300, PAGE_BYTES);
    span_t *guard = span_alloc(1, PAGE_BYTES);
    assert_int_equal(recount().rooms, 1);
    span_free(behind, (size_t)9 * PAGE_BYTES);
    assert_counts_are_right();
    assert_int_equal(recount().rooms, 1);
    span_free(growing, (size_t)10 * PAGE_BYTES);
    assert_counts_are_right();
    assert_int_equal(recount().rooms, 0);
    assert_int_equal(recount().free, 1);
    assert_int_equal(recount().dirty, 19);
    span_free(first, 0);
    span_free(guard, 0);
}

/* Room is only kept while there are other addresses. */
static void room_is_given_up_before_a_request_fails(void **state)
{
    (void)state;
    fake.largest[FAKE_RESERVE] = 128 * MIB;
    span_t *first = span_alloc(1, PAGE_BYTES);
    fake.fail_all[FAKE_RESERVE] = true;
    span_t *growing = span_alloc_growing(128);
    assert_int_equal(recount().rooms, 1);
    size_t left = regions[0].pages_reserved - regions[0].top;
    span_t *rest = span_alloc(left, PAGE_BYTES);
    assert_non_null(rest);
    span_t *saved = span_alloc(1000, PAGE_BYTES);
    assert_non_null(saved);
    assert_int_equal(recount().rooms, 0);
    assert_counts_are_right();
    assert_null(span_alloc(100000, PAGE_BYTES));
    span_free(saved, 0);
    span_free(rest, 0);
    span_free(growing, 0);
    span_free(first, 0);
}

/* Where the system counts what is usable, touched or not, there is no room to be had for nothing. */
static void no_room_is_kept_where_it_costs_memory(void **state)
{
    (void)state;
    fake.commit_is_counted = true;
    span_t *first = span_alloc(1, PAGE_BYTES);
    span_t *growing = span_alloc_growing(1000);
    assert_int_equal(recount().rooms, 0);
    assert_int_equal(regions[0].top, 1001);
    span_free(growing, 0);
    span_free(first, 0);
}

/* ---- Finding ---- */

static void the_free_pages_below_top_are_used_before_new_ones(void **state)
{
    (void)state;
    span_t *guard = span_alloc(1, PAGE_BYTES);
    span_t *last = span_alloc(100, PAGE_BYTES);
    uint32_t first = last->first;
    span_free(last, 0);
    span_t *larger = span_alloc(150, PAGE_BYTES);
    assert_int_equal(larger->first, first);
    assert_int_equal(regions[0].top, first + 150);
    assert_counts_are_right();
    span_free(larger, 0);
    span_free(guard, 0);
}

static void lowering_top_makes_free_pages_fresh_again(void **state)
{
    (void)state;
    span_t *low = span_written(20);
    span_t *high = span_written(500);
    char *start = span_start(high);
    span_free_written(high);
    span_lock();
    free_lower_top(&regions[0]);
    span_unlock();
    assert_int_equal(regions[0].top, 20);
    assert_counts_are_right();
    assert_int_equal(recount().free, 0);
    high = span_alloc(500, PAGE_BYTES);
    assert_ptr_equal(span_start(high), start);
    assert_true(span_is_clean(high));
    assert_true(bytes_are_zero(start, span_bytes(high)));
    span_free(high, 0);
    span_free_written(low);
}

/* Levels of the free tree. Its root is the span that is nobody's child. */
static size_t levels(const span_t *span)
{
    if (span == NULL) {
        return 0;
    }
    size_t left = levels(span->left);
    size_t right = levels(span->right);
    return 1 + (left > right ? left : right);
}

static size_t tree_levels(void)
{
    size_t deepest = 0;
    for (uint32_t page = 0; page < regions[0].top;) {
        const span_t *span = span_at(&regions[0], page);
        if (span->state == SPAN_FREE) {
            size_t here = levels(span);
            deepest = here > deepest ? here : deepest;
        }
        page += span->pages;
    }
    return deepest;
}

/* In order of address and of size, the worst for a tree that does not balance itself. */
static void no_order_of_freeing_makes_the_tree_deep(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static span_t *spans[COUNT];
    static span_t *guards[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        spans[i] = span_alloc(1 + i / 4, PAGE_BYTES);
        guards[i] = span_alloc(1, PAGE_BYTES);
    }
    for (size_t i = 0; i < COUNT; i++) {
        span_free(spans[i], 0);
    }
    /* A treap of 4000 nodes has 12 levels at best, 2.5 * log2(n) = 30 as a rule. */
    assert_true(tree_levels() < 45);
    for (size_t i = 0; i < COUNT; i++) {
        span_free(guards[i], 0);
    }
}

/* ---- At random ---- */

enum { SLOTS = 120 };

static void step(span_t **slots, test_random_t *random)
{
    span_t **slot = &slots[random_below(random, SLOTS)];
    size_t choice = random_below(random, 100);
    size_t pages = 1 + random_below(random, random_below(random, 10) == 0 ? 2000 : 60);
    if (*slot == NULL) {
        if (choice < 10) {
            *slot = span_alloc_growing(pages);
        } else {
            *slot = span_alloc(pages, (size_t)PAGE_BYTES << (choice < 20 ? random_below(random, 11) : 0));
        }
        assert_non_null(*slot);
    } else if (choice < 60) {
        span_free(*slot, random_below(random, 3) == 0 ? span_bytes(*slot) : random_below(random, span_bytes(*slot)));
        *slot = NULL;
    } else if (choice < 80) {
        (void)span_extend(*slot, (*slot)->pages + 1 + random_below(random, 200));
    } else {
        span_shrink(*slot, 1 + random_below(random, (*slot)->pages));
    }
}

static void now_and_then(test_random_t *random)
{
    switch (random_below(random, 40)) {
    case 0:
        (void)span_trim();
        break;
    case 1:
        span_lock();
        (void)purge_some(RETAIN_PRIME, HUGE_WHOLE, 1 + random_below(random, 300));
        span_unlock();
        break;
    case 2:
        span_lock();
        free_lower_top(&regions[0]);
        span_unlock();
        break;
    default:
        fake.clock_ms += random_below(random, 50);
        span_tick(fake.clock_ms);
        break;
    }
}

static void every_count_is_right_after_many_random_steps(void **state)
{
    (void)state;
    test_random_t random = test_random("span/free");
    size_t steps = (size_t)test_number("CUBBY_TEST_STEPS", TEST_SANITIZED ? 10000 : 60000);
    span_t *slots[SLOTS] = {NULL};
    fake.page_size = (size_t)4096 << 2 * random_below(&random, 3);
    fake.address_limit = random_below(&random, 3) == 0 ? 256 * MIB : SIZE_MAX;
    setting_set(SETTING_HUGE_FROM, random_below(&random, 2) == 0 ? MIB : 8 * MIB);
    for (size_t i = 0; i < steps; i++) {
        step(slots, &random);
        if (i % 8 == 0) {
            now_and_then(&random);
        }
        if (i % 50 == 0) {
            assert_counts_are_right();
            assert_best_fit(1 + random_below(&random, 400));
            assert_int_equal(fake.bad_ranges, 0);
        }
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i] != NULL) {
            span_free(slots[i], span_bytes(slots[i]));
        }
    }
    assert_counts_are_right();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPAN_TEST(a_freed_span_joins_what_is_free_on_either_side),
        SPAN_TEST(what_is_left_of_a_cut_has_its_own_dirty_pages),
        SPAN_TEST(the_rest_of_a_cut_is_as_old_as_the_whole_was),
        SPAN_TEST(room_is_kept_for_the_block_before_it_and_freed_with_it),
        SPAN_TEST(room_behind_a_span_that_is_freed_before_it_joins_what_is_free_behind),
        SPAN_TEST(room_is_given_up_before_a_request_fails),
        SPAN_TEST(no_room_is_kept_where_it_costs_memory),
        SPAN_TEST(the_free_pages_below_top_are_used_before_new_ones),
        SPAN_TEST(lowering_top_makes_free_pages_fresh_again),
        SPAN_TEST(no_order_of_freeing_makes_the_tree_deep),
        SPAN_TEST(every_count_is_right_after_many_random_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
