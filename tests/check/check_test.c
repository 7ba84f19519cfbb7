/* SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "heap/heap.h"

static bool is_filled(const char *block, size_t size, int byte)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)block[i] != (unsigned)byte) {
            return false;
        }
    }
    return true;
}

static void a_block_is_as_large_as_was_asked_aligned_and_filled(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHECK_SIZES; i++) {
        size_t size = check_sizes[i];
        char *block = cubby_malloc(size);
        assert_non_null(block);
        assert_int_equal(cubby_usable_size(block), size);
        assert_int_equal((uintptr_t)block % 16, 0);
        assert_true(is_filled(block, size, 0xCD));
        assert_true(cubby_owns(block));
        assert_false(cubby_owns(block + 1));
        memset(block, 'x', size);
        cubby_free(block);
    }
}

static void a_calloc_is_zero_and_guarded(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHECK_SIZES; i++) {
        size_t size = check_sizes[i];
        char *block = cubby_calloc(1, size);
        assert_true(is_filled(block, size, 0));
        cubby_free(block);
    }
    cubby_heap_t *heap = cubby_heap_create();
    char *large = cubby_heap_calloc(heap, 1000, 1000);
    assert_true(is_filled(large, 1000000, 0));
    assert_null(cubby_heap_calloc(heap, SIZE_MAX / 2, 3));
    assert_int_equal(errno, ENOMEM);
    cubby_heap_destroy(heap);
}

static void an_alignment_is_kept(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        char *block = cubby_aligned_alloc(alignment, 100);
        assert_int_equal((uintptr_t)block % alignment, 0);
        assert_int_equal(cubby_usable_size(block), 100);
        block[-1] = 'A';
        cubby_free(block);
        assert_true(was_reported("write before the block", "bytes -1 to -1 of the block"));
        for (size_t i = 0; i < CHECK_SIZES; i++) {
            block = cubby_aligned_alloc(alignment, check_sizes[i]);
            assert_int_equal((uintptr_t)block % alignment, 0);
            cubby_free(block);
        }
    }
}

static void a_resized_block_moves_and_keeps_its_content(void **state)
{
    (void)state;
    for (size_t i = 1; i < CHECK_SIZES; i++) {
        size_t from = check_sizes[CHECK_SIZES - i];
        size_t to = check_sizes[i];
        size_t kept = from < to ? from : to;
        char *block = cubby_malloc(from);
        memset(block, 'x', from);
        uintptr_t old = (uintptr_t)block;
        char *moved = cubby_realloc(block, to);
        assert_true((uintptr_t)moved != old || from > 65536);
        assert_true(is_filled(moved, kept, 'x'));
        assert_true(is_filled(moved + kept, to - kept, 0xCD));
        cubby_free(moved);
    }
    assert_int_equal(cubby_check_all(), 0);
}

static void an_absurd_size_is_refused(void **state)
{
    (void)state;
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, PTRDIFF_MAX, (size_t)PTRDIFF_MAX - 63};
    char *block = cubby_malloc(10);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        errno = 0;
        assert_null(cubby_malloc(sizes[i]));
        assert_int_equal(errno, ENOMEM);
        assert_null(cubby_aligned_alloc(4096, sizes[i]));
        assert_null(cubby_realloc(block, sizes[i]));
        assert_int_equal(errno, ENOMEM);
    }
    cubby_free(block);
}

static void a_damaged_block_is_reported_once(void **state)
{
    (void)state;
    char *block = cubby_malloc(20);
    hidden(block)[21] = 'A';
    assert_int_equal(cubby_check_all(), 1);
    assert_true(was_reported("write after the block", "1 to 1 after its end"));
    assert_int_equal(cubby_check_all(), 1);
    cubby_free(block);
    (void)cubby_trim();
    assert_true(nothing_was_reported());
}

static void many_damaged_blocks_are_all_reported(void **state)
{
    (void)state;
    char *blocks[50];
    for (int i = 0; i < 50; i++) {
        blocks[i] = cubby_malloc(30);
        hidden(blocks[i])[30] = 'A';
    }
    assert_int_equal(cubby_check_all(), 50);
    assert_int_equal(reported.count, 50);
    reported.count = 0;
    for (int i = 0; i < 50; i++) {
        cubby_free(blocks[i]);
    }
}

static void a_refused_free_changes_nothing(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    char *block = cubby_malloc(100);
    memset(block, 'x', 100);
    errno = 77;
    cubby_heap_free(heap, block);
    assert_int_equal(errno, 77);
    assert_true(was_reported("wrong heap", "100 bytes, domain none"));
    cubby_free_sized(block, 99);
    assert_true(was_reported("wrong size: a block of 100 bytes is freed as one of 99", ""));
    cubby_free(block + 50);
    assert_true(was_reported("the pointer is not the start of a block: it points 50 bytes", ""));
    cubby_free(block - 8);
    assert_true(was_reported("the pointer is not the start of a block: it points -8 bytes", ""));
    assert_null(cubby_heap_realloc(heap, block, 200));
    assert_int_equal(errno, EINVAL);
    assert_true(was_reported("wrong heap", ""));
    assert_true(is_filled(block, 100, 'x'));
    cubby_free_sized(block, 100);
    cubby_heap_destroy(heap);
}

static void a_pointer_that_is_no_block_is_never_read_through(void **state)
{
    (void)state;
    cubby_free((void *)16);
    assert_true(was_reported("the pointer is not a block of Cubby's", "free of 0x10"));
    assert_null(cubby_realloc((void *)UINTPTR_MAX, 5));
    assert_true(was_reported("the pointer is not a block of Cubby's", "realloc of"));
    /* Behind everything in use, where nothing may be read yet. */
    char *block = cubby_malloc(1);
    cubby_free(block + ((size_t)1 << 20));
    assert_int_equal(reported.count, 1);
    reported.count = 0;
    cubby_free(block);
}

static void a_typed_object_is_guarded(void **state)
{
    (void)state;
    typedef struct pair {
        uint64_t first, second, third;
    } pair_t;
    cubby_heap_t *heap = cubby_heap_create();
    pair_t *pair = cubby_new(heap, pair_t);
    hidden(pair)[sizeof *pair] = 'A';
    cubby_delete(heap, pair);
    assert_true(was_reported("write after the block", "24 bytes"));
    cubby_delete(heap, (pair_t *)(void *)hidden(pair));
    assert_true(was_reported("the block was freed before", "24 bytes"));
    typedef struct large {
        char bytes[5000];
    } large_t;
    large_t *large = cubby_new(heap, large_t);
    cubby_delete(heap, large);
    cubby_heap_destroy(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_block_is_as_large_as_was_asked_aligned_and_filled),
        CHECK_TEST(a_calloc_is_zero_and_guarded),
        CHECK_TEST(an_alignment_is_kept),
        CHECK_TEST(a_resized_block_moves_and_keeps_its_content),
        CHECK_TEST(an_absurd_size_is_refused),
        CHECK_TEST(a_damaged_block_is_reported_once),
        CHECK_TEST(many_damaged_blocks_are_all_reported),
        CHECK_TEST(a_refused_free_changes_nothing),
        CHECK_TEST(a_pointer_that_is_no_block_is_never_read_through),
        CHECK_TEST(a_typed_object_is_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
