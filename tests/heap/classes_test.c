/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "heap/classes.h"

static bool is_odd_class(unsigned size_class)
{
    return size_class >= CUBBY_CLASS_ODD && size_class < CLASS_MEDIUM;
}

/* The smallest block, of those aligned to 16, that holds `size`: by looking at all of them. */
static size_t smallest_fit(size_t size)
{
    size_t best = SIZE_MAX;
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t bytes = class_size(size_class);
        if (!is_odd_class(size_class) && bytes >= size && bytes < best) {
            best = bytes;
        }
    }
    return best;
}

static void every_size_maps_to_the_smallest_class_that_fits(void **state)
{
    (void)state;
    for (size_t size = 0; size <= MEDIUM_MAX; size++) {
        unsigned size_class = class_of(size);
        assert_true(size_class < CUBBY_CLASS_COUNT);
        assert_false(is_odd_class(size_class));
        assert_int_equal(class_size(size_class), smallest_fit(size));
    }
    assert_int_equal(class_size(CUBBY_CLASS_COUNT - 1), MEDIUM_MAX);
}

static void no_size_wastes_more_than_the_derivation_says(void **state)
{
    (void)state;
    double shares = 0;
    for (size_t size = 1; size <= MEDIUM_MAX; size++) {
        size_t waste = class_size(class_of(size)) - size;
        if (size <= CUBBY_SMALL_MAX) {
            assert_true(waste < 16);
        } else {
            assert_true(waste * 8 <= size);
            shares += (double)waste / (double)(size + waste);
        }
    }
    double mean = 100 * shares / (MEDIUM_MAX - CUBBY_SMALL_MAX);
    assert_true(mean > 4.05 && mean < 4.15);
}

static void classes_ascend_and_are_aligned(void **state)
{
    (void)state;
    for (unsigned size_class = 1; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        assert_int_equal(size % 16, is_odd_class(size_class) ? 8 : 0);
        if (size_class != CUBBY_CLASS_ODD && size_class > 1) {
            unsigned before = size_class == CLASS_MEDIUM ? CUBBY_CLASS_ODD - 1 : size_class - 1;
            assert_true(size > class_size(before));
        }
    }
    assert_int_equal(class_size(0), 16);
}

static void types_content_with_8_byte_alignment_take_8_byte_steps(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 8; alignment *= 2) {
        for (size_t size = 1; size <= CUBBY_SMALL_MAX; size++) {
            size_t step = size <= CUBBY_ODD_MAX ? 8 : 16;
            size_t bytes = class_size(cubby_class_(size, alignment));
            assert_int_equal(bytes, (size + step - 1) / step * step);
        }
    }
}

static void types_that_need_16_bytes_get_them(void **state)
{
    (void)state;
    for (size_t size = 1; size <= CUBBY_SMALL_MAX; size++) {
        assert_int_equal(class_size(cubby_class_(size, 16)), smallest_fit(size));
    }
}

static void the_obj_domain_differs_for_17_to_24_bytes_only(void **state)
{
    (void)state;
    for (size_t size = 0; size <= MEDIUM_MAX; size++) {
        unsigned size_class = class_of_obj(size);
        if (size >= 17 && size <= 24) {
            assert_int_equal(class_size(size_class), 24);
        } else {
            assert_int_equal(size_class, class_of(size));
        }
    }
}

static void a_pool_is_as_small_as_its_rule_allows(void **state)
{
    (void)state;
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        size_t pages = class_pool_pages(size);
        size_t bytes = pages * PAGE_BYTES;
        assert_int_equal(pages & (pages - 1), 0);
        assert_in_range(pages, 4, 128);
        assert_true(bytes / size >= 4);
        assert_true(bytes % size * 16 <= bytes);
        if (pages > 4) {
            assert_true(bytes / 2 / size < 4 || bytes / 2 % size * 16 > bytes / 2);
        }
        if (size <= CUBBY_SMALL_MAX) {
            assert_true(bytes % size <= 496);
        }
    }
    assert_int_equal(class_pool_pages(4096), 4);
    assert_int_equal(class_pool_pages(32768), 32);
    assert_int_equal(class_pool_pages((size_t)26 * 1024), 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_maps_to_the_smallest_class_that_fits),
        cmocka_unit_test(no_size_wastes_more_than_the_derivation_says),
        cmocka_unit_test(classes_ascend_and_are_aligned),
        cmocka_unit_test(types_content_with_8_byte_alignment_take_8_byte_steps),
        cmocka_unit_test(types_that_need_16_bytes_get_them),
        cmocka_unit_test(the_obj_domain_differs_for_17_to_24_bytes_only),
        cmocka_unit_test(a_pool_is_as_small_as_its_rule_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
