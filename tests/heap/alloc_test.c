/* SPDX-License-Identifier: MIT */
#include "support/heap.h"
#include "support/memory.h"

#include <limits.h>

static void fresh_blocks_of_a_pool_ascend_without_gaps(void **state)
{
    (void)state;
    for (size_t size = 1; size <= MEDIUM_MAX; size = size * 5 / 4 + 3) {
        size_t step = class_size(class_of(size));
        char *first = cubby_heap_malloc(heap, size);
        for (size_t i = 1; i < heap->classes[class_of(size)].capacity; i++) {
            assert_ptr_equal(cubby_heap_malloc(heap, size), first + i * step);
        }
    }
}

static void fresh_blocks_are_not_touched_before_they_are_taken(void **state)
{
    (void)state;
    memory_small_pages();
    char *block = cubby_heap_malloc(heap, MEDIUM_MAX);
    assert_int_equal(memory_resident_in(block, 8 * (size_t)MEDIUM_MAX), 0);
}

static void the_block_freed_last_is_taken_first(void **state)
{
    (void)state;
    for (size_t size = 1; size <= MEDIUM_MAX; size = size * 3 / 2 + 1) {
        void *blocks[4];
        for (size_t i = 0; i < 4; i++) {
            blocks[i] = cubby_heap_malloc(heap, size);
        }
        cubby_heap_free(heap, blocks[2]);
        cubby_heap_free(heap, blocks[0]);
        cubby_heap_free(heap, blocks[3]);
        assert_ptr_equal(cubby_heap_malloc(heap, size), blocks[3]);
        assert_ptr_equal(cubby_heap_malloc(heap, size), blocks[0]);
        assert_ptr_equal(cubby_heap_malloc(heap, size), blocks[2]);
    }
}

static void every_size_gets_a_block_that_holds_it_aligned_to_16(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 40000; size += size < 2100 ? 1 : 37) {
        void *block = cubby_heap_malloc(heap, size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        assert_true(cubby_usable_size(block) >= size);
        assert_true(cubby_owns(block));
        memset(block, 0xA5, cubby_usable_size(block));
        if (size % 3 == 0) {
            cubby_heap_free(heap, block);
        }
    }
}

static void zero_bytes_give_a_unique_block_that_can_be_freed(void **state)
{
    (void)state;
    void *blocks[6] = {
        cubby_heap_malloc(heap, 0),    cubby_heap_malloc(heap, 0),    cubby_heap_calloc(heap, 0, 8),
        cubby_heap_calloc(heap, 8, 0), cubby_heap_calloc(heap, 0, 0), cubby_heap_aligned_alloc(heap, 64, 0),
    };
    for (int i = 0; i < 6; i++) {
        assert_non_null(blocks[i]);
        for (int j = 0; j < i; j++) {
            assert_ptr_not_equal(blocks[i], blocks[j]);
        }
    }
    for (int i = 0; i < 6; i++) {
        cubby_heap_free(heap, blocks[i]);
    }
    assert_int_equal(fake.messages, 0);
}

static const size_t absurd[] = {
    SIZE_MAX,    SIZE_MAX - 1, SIZE_MAX - 15,   SIZE_MAX - PAGE_BYTES + 1, (size_t)PTRDIFF_MAX + 1,
    PTRDIFF_MAX, SIZE_MAX / 4, (size_t)1 << 60, (size_t)1 << 48,           (size_t)UINT_MAX << PAGE_SHIFT,
};

static void absurd_sizes_are_enomem_and_change_nothing(void **state)
{
    (void)state;
    void *kept = cubby_heap_malloc(heap, 100);
    cubby_stats_t before = stats_now();
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        size_t size = test_size(absurd[i]);
        errno = 0;
        assert_null(cubby_heap_malloc(heap, size));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(cubby_heap_calloc(heap, 1, size));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(cubby_heap_calloc(heap, size, 1));
        assert_int_equal(errno, ENOMEM);
        for (size_t alignment = 1; alignment <= (size_t)1 << 22; alignment *= 16) {
            errno = 0;
            assert_null(cubby_heap_aligned_alloc(heap, alignment, size));
            assert_int_equal(errno, ENOMEM);
        }
        assert_true(everything_is_valid());
    }
    cubby_stats_t after = stats_now();
    assert_memory_equal(&before, &after, sizeof before);
    cubby_heap_free(heap, kept);
}

static void a_product_that_overflows_is_enomem(void **state)
{
    (void)state;
    static const size_t factors[][2] = {
        {SIZE_MAX, 2}, {2, SIZE_MAX}, {SIZE_MAX / 2 + 1, 2}, {(size_t)1 << 32, (size_t)1 << 32}, {SIZE_MAX, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        errno = 0;
        assert_null(cubby_heap_calloc(heap, test_size(factors[i][0]), test_size(factors[i][1])));
        assert_int_equal(errno, ENOMEM);
    }
}

static void calloc_zeroes_what_was_used_before(void **state)
{
    (void)state;
    for (size_t size = 1; size <= (size_t)1 << 20; size = size * 7 / 4 + 5) {
        void *blocks[40];
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < 40; i++) {
                blocks[i] = cubby_heap_calloc(heap, 1, size);
                assert_non_null(blocks[i]);
                assert_true(block_is_zero(blocks[i], size));
                memset(blocks[i], 0xEE, cubby_usable_size(blocks[i]));
            }
            for (size_t i = 0; i < 40; i++) {
                cubby_heap_free(heap, blocks[i]);
            }
            if (round == 1) {
                (void)cubby_heap_trim(heap);
            }
        }
    }
}

/* A pool that was used in part, given back by the bin and taken again has clean and dirty blocks side by side. */
static void calloc_zeroes_the_rest_of_a_pool_that_changed_hands(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        char *first = cubby_heap_malloc(heap, 1000);
        char *second = cubby_heap_malloc(heap, 1000);
        memset(first, 1, 1000);
        memset(second, 1, 1000);
        cubby_heap_free(heap, second);
        if (round % 2 == 0) {
            heap_flush(heap);
        }
        for (int i = 0; i < 5; i++) {
            char *block = cubby_heap_calloc(heap, 10, 100);
            assert_true(block_is_zero(block, 1000));
            memset(block, 2, 1000);
            if (i % 2 == 1) {
                cubby_heap_free(heap, block);
            }
        }
        assert_true(everything_is_valid());
    }
}

static void calloc_does_not_write_pages_known_to_be_zero(void **state)
{
    (void)state;
    memory_small_pages();
    size_t large = (size_t)64 << 20;
    char *block = cubby_heap_calloc(heap, large, 1);
    assert_non_null(block);
    assert_int_equal(memory_resident_in(block, large), 0);
    memset(block, 1, large / 4);
    cubby_heap_free(heap, block);
    (void)cubby_heap_trim(heap);
    block = cubby_heap_calloc(heap, 1, large);
    assert_int_equal(memory_resident_in(block, large), 0);
    assert_int_equal(block[large / 8], 0);

    char *medium = cubby_heap_calloc(heap, 1, MEDIUM_MAX);
    assert_int_equal(memory_resident_in(medium, MEDIUM_MAX), 0);
}

static void every_alignment_up_to_4_mib_is_met(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 24, 100, 512, 513, 4096, 5000, 32767, 32768, 32769, 100000};
    for (size_t alignment = 1; alignment <= (size_t)4 << 20; alignment *= 2) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            void *blocks[3];
            for (size_t j = 0; j < 3; j++) {
                blocks[j] = cubby_heap_aligned_alloc(heap, alignment, sizes[i]);
                assert_non_null(blocks[j]);
                assert_int_equal((uintptr_t)blocks[j] % alignment, 0);
                assert_int_equal((uintptr_t)blocks[j] % 16, 0);
                assert_true(cubby_usable_size(blocks[j]) >= sizes[i]);
                block_fill(blocks[j], sizes[i], j);
            }
            for (size_t j = 0; j < 3; j++) {
                assert_true(block_holds(blocks[j], sizes[i], j));
                cubby_heap_free(heap, blocks[j]);
            }
        }
        assert_true(everything_is_valid());
    }
    assert_int_equal(fake.messages, 0);
}

static void an_alignment_that_is_no_power_of_two_is_einval(void **state)
{
    (void)state;
    static const size_t alignments[] = {0, 3, 24, 48, 4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        errno = 0;
        assert_null(cubby_heap_aligned_alloc(heap, test_size(alignments[i]), 100));
        assert_int_equal(errno, EINVAL);
    }
    errno = 0;
    assert_null(cubby_heap_aligned_alloc(heap, test_size((size_t)1 << 63), 100));
    assert_int_equal(errno, ENOMEM);
}

typedef struct boxed {
    uint64_t references;
    void *type;
    double value;
} boxed_t;

typedef struct five {
    uint64_t word[5];
} five_t;

typedef struct wide {
    _Alignas(16) unsigned char byte[48];
} wide_t;

typedef struct line {
    _Alignas(64) char byte[64];
} line_t;

typedef struct big {
    char byte[1000];
} big_t;

typedef struct huge {
    char byte[70000];
} huge_t;

static void a_boxed_number_takes_24_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(boxed_t), 24);
    boxed_t *first = cubby_new(heap, boxed_t);
    for (int i = 1; i < 100; i++) {
        assert_ptr_equal(cubby_new(heap, boxed_t), first + i);
    }
    assert_int_equal(cubby_usable_size(first), 24);
    cubby_delete(heap, first);
    assert_ptr_equal(cubby_new(heap, boxed_t), first);
}

static void types_of_every_kind_are_made_and_deleted(void **state)
{
    (void)state;
    uint64_t *word = cubby_new(heap, uint64_t);
    char *byte = cubby_new(heap, char);
    five_t *five = cubby_new(heap, five_t);
    wide_t *wide = cubby_new(heap, wide_t);
    line_t *line = cubby_new(heap, line_t);
    big_t *big = cubby_new(heap, big_t);
    huge_t *huge = cubby_new(heap, huge_t);
    assert_int_equal(cubby_usable_size(word), 8);
    assert_int_equal(cubby_usable_size(byte), 8);
    assert_int_equal(cubby_usable_size(five), 40);
    assert_int_equal(cubby_usable_size(wide), 48);
    assert_int_equal((uintptr_t)wide % 16, 0);
    assert_int_equal((uintptr_t)line % 64, 0);
    assert_true(cubby_usable_size(big) >= sizeof *big);
    assert_true(cubby_usable_size(huge) >= sizeof *huge);
    memset(five, 1, sizeof *five);
    memset(huge, 1, sizeof *huge);
    cubby_delete(heap, word);
    cubby_delete(heap, byte);
    cubby_delete(heap, five);
    cubby_delete(heap, wide);
    cubby_delete(heap, line);
    cubby_delete(heap, big);
    cubby_delete(heap, huge);
    assert_int_equal(fake.messages, 0);
    (void)cubby_heap_trim(heap);
    assert_int_equal(stats_now().in_spans, span_bytes(heap->home));
}

static void a_bin_falls_back_on_what_other_sizes_no_longer_need(void **state)
{
    (void)state;
    assert_non_null(cubby_heap_malloc(heap, 16));
    fake.fail_all[FAKE_COMMIT] = true;
    fake.fail_all[FAKE_RESERVE] = true;
    /* All memory there is, for one size; then all of it free, but for some in the bin and in its last pool. */
    void *last = NULL;
    for (void *block; (block = cubby_heap_malloc(heap, 512)) != NULL; last = block) {
        *(void **)block = last;
    }
    assert_int_equal(errno, ENOMEM);
    for (void *next; last != NULL; last = next) {
        next = *(void **)last;
        cubby_heap_free(heap, last);
    }
    /* Take all but what that size still holds, then one more. */
    for (size_t size = 32; size <= 128; size += 16) {
        size_t most = ((size_t)256 << 20) / size;
        size_t count = 0;
        while (count < most && cubby_heap_malloc(heap, size) != NULL) {
            count++;
        }
        assert_true(size != 32 || count > 1000);
        assert_true(count < most);
        assert_null(heap->bins[class_of(512)].free);
        assert_true(everything_is_valid());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(fresh_blocks_of_a_pool_ascend_without_gaps),
        HEAP_TEST(fresh_blocks_are_not_touched_before_they_are_taken),
        HEAP_TEST(the_block_freed_last_is_taken_first),
        HEAP_TEST(every_size_gets_a_block_that_holds_it_aligned_to_16),
        HEAP_TEST(zero_bytes_give_a_unique_block_that_can_be_freed),
        HEAP_TEST(absurd_sizes_are_enomem_and_change_nothing),
        HEAP_TEST(a_product_that_overflows_is_enomem),
        HEAP_TEST(calloc_zeroes_what_was_used_before),
        HEAP_TEST(calloc_zeroes_the_rest_of_a_pool_that_changed_hands),
        HEAP_TEST(calloc_does_not_write_pages_known_to_be_zero),
        HEAP_TEST(every_alignment_up_to_4_mib_is_met),
        HEAP_TEST(an_alignment_that_is_no_power_of_two_is_einval),
        HEAP_TEST(a_boxed_number_takes_24_bytes),
        HEAP_TEST(types_of_every_kind_are_made_and_deleted),
        HEAP_TEST(a_bin_falls_back_on_what_other_sizes_no_longer_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
