/* SPDX-License-Identifier: MIT */
#include "support/heap.h"

#include <cubby/domain.h>

static const cubby_domain_t domains[CUBBY_DOMAIN_COUNT] = {CUBBY_DOMAIN_RAW, CUBBY_DOMAIN_MEM, CUBBY_DOMAIN_OBJ};

static void a_table_serves_its_domain_from_the_heap(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t table = cubby_heap_allocator(heap, domains[i], NULL);
        for (size_t size = 0; size < 200000; size = size * 3 + 1) {
            void *a = table.malloc(table.ctx, size);
            block_fill(a, size, 1);
            assert_ptr_equal(block_heap(a), heap);
            a = table.realloc(table.ctx, a, size + 1000);
            assert_true(block_holds(a, size, 1));
            a = table.realloc(table.ctx, a, size / 2);
            assert_true(block_holds(a, size / 2, 1));
            assert_ptr_equal(block_heap(a), heap);
            memset(a, 1, size / 2);
            table.free(table.ctx, a);
            void *b = table.calloc(table.ctx, 1, size);
            assert_true(block_is_zero(b, size));
            assert_ptr_equal(block_heap(b), heap);
            table.free(table.ctx, b);
            void *c = table.realloc(table.ctx, NULL, size);
            assert_ptr_equal(block_heap(c), heap);
            table.free(table.ctx, c);
        }
        table.free(table.ctx, NULL);
    }
    assert_int_equal(fake.messages, 0);
    (void)cubby_heap_trim(heap);
    assert_int_equal(stats_now().in_spans, span_bytes(heap->home));
}

static void only_obj_takes_24_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t table = cubby_heap_allocator(heap, domains[i], NULL);
        size_t expected = domains[i] == CUBBY_DOMAIN_OBJ ? 24 : 32;
        for (size_t size = 17; size <= 24; size++) {
            assert_int_equal(cubby_usable_size(table.malloc(table.ctx, size)), expected);
            assert_int_equal(cubby_usable_size(table.calloc(table.ctx, 1, size)), expected);
            assert_int_equal(cubby_usable_size(table.realloc(table.ctx, NULL, size)), expected);
            void *larger = table.malloc(table.ctx, 200);
            assert_int_equal(cubby_usable_size(table.realloc(table.ctx, larger, size)), expected);
        }
    }
}

static void the_runtimes_typed_path_and_obj_share_their_blocks(void **state)
{
    (void)state;
    typedef struct boxed {
        uint64_t word[3];
    } boxed_t;
    cubby_allocator_t table = cubby_heap_allocator(heap, CUBBY_DOMAIN_OBJ, NULL);
    void *block = table.malloc(table.ctx, 24);
    table.free(table.ctx, block);
    boxed_t *boxed = cubby_new(heap, boxed_t);
    assert_ptr_equal(boxed, block);
    cubby_delete(heap, boxed);
    assert_ptr_equal(table.malloc(table.ctx, 20), block);
}

typedef struct foreigner {
    size_t frees;
    size_t reallocs;
    void *block;
    size_t size;
} foreigner_t;

static char moved[100];

static void *foreigner_malloc(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return NULL;
}

static void *foreigner_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    (void)count;
    (void)size;
    return NULL;
}

static void *foreigner_realloc(void *ctx, void *block, size_t size)
{
    foreigner_t *foreigner = ctx;
    foreigner->reallocs++;
    foreigner->block = block;
    foreigner->size = size;
    return moved;
}

static void foreigner_free(void *ctx, void *block)
{
    foreigner_t *foreigner = ctx;
    foreigner->frees++;
    foreigner->block = block;
}

static void blocks_that_are_not_cubbys_go_to_the_foreign_table(void **state)
{
    (void)state;
    static char theirs[100];
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        foreigner_t foreigner = {0};
        cubby_allocator_t foreign = {&foreigner, foreigner_malloc, foreigner_calloc, foreigner_realloc, foreigner_free};
        cubby_allocator_t table = cubby_heap_allocator(heap, domains[i], &foreign);
        table.free(table.ctx, theirs);
        assert_int_equal(foreigner.frees, 1);
        assert_ptr_equal(foreigner.block, theirs);
        assert_ptr_equal(table.realloc(table.ctx, theirs + 16, 33), moved);
        assert_int_equal(foreigner.reallocs, 1);
        assert_ptr_equal(foreigner.block, theirs + 16);
        assert_int_equal(foreigner.size, 33);

        /* Nothing of Cubby's own goes there. */
        void *small = table.malloc(table.ctx, 100);
        void *large = table.malloc(table.ctx, 100000);
        small = table.realloc(table.ctx, small, 1000);
        large = table.realloc(table.ctx, large, 200000);
        table.free(table.ctx, small);
        table.free(table.ctx, large);
        table.free(table.ctx, NULL);
        table.free(table.ctx, table.realloc(table.ctx, NULL, 10));
        assert_int_equal(foreigner.frees, 1);
        assert_int_equal(foreigner.reallocs, 1);
    }
    assert_int_equal(fake.messages, 0);
}

static void each_domain_has_a_foreign_table_of_its_own(void **state)
{
    (void)state;
    static char theirs[100];
    foreigner_t foreigners[CUBBY_DOMAIN_COUNT] = {{0}};
    cubby_allocator_t foreign[CUBBY_DOMAIN_COUNT];
    cubby_allocator_t tables[CUBBY_DOMAIN_COUNT];
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        foreign[i] =
            (cubby_allocator_t){&foreigners[i], foreigner_malloc, foreigner_calloc, foreigner_realloc, foreigner_free};
        tables[i] = cubby_heap_allocator(heap, domains[i], &foreign[i]);
    }
    for (size_t i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        for (size_t j = 0; j <= i; j++) {
            tables[i].free(tables[i].ctx, theirs);
            (void)!tables[i].realloc(tables[i].ctx, theirs, 5);
        }
    }
    for (size_t i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        assert_int_equal(foreigners[i].frees, i + 1);
        assert_int_equal(foreigners[i].reallocs, i + 1);
    }
}

static void without_a_foreign_table_they_are_refused_with_one_message(void **state)
{
    (void)state;
    int local = 0;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t table = cubby_heap_allocator(heap, domains[i], NULL);
        fake.messages = 0;
        errno = 77;
        table.free(table.ctx, &local);
        assert_int_equal(fake.messages, 1);
        assert_int_equal(errno, 77);
        assert_null(table.realloc(table.ctx, &local, 10));
        assert_int_equal(fake.messages, 2);
        assert_int_equal(errno, EINVAL);
    }
}

static void blocks_of_another_heap_are_refused_not_handed_to_a_foreigner(void **state)
{
    (void)state;
    foreigner_t foreigner = {0};
    cubby_allocator_t foreign = {&foreigner, foreigner_malloc, foreigner_calloc, foreigner_realloc, foreigner_free};
    cubby_allocator_t table = cubby_heap_allocator(heap, CUBBY_DOMAIN_OBJ, &foreign);
    cubby_heap_t *other = cubby_heap_create();
    void *small = cubby_heap_malloc(other, 100);
    void *large = cubby_heap_malloc(other, 100000);
    table.free(table.ctx, small);
    table.free(table.ctx, large);
    assert_null(table.realloc(table.ctx, small, 10));
    assert_null(table.realloc(table.ctx, large, 10));
    assert_int_equal(fake.messages, 4);
    assert_int_equal(foreigner.frees + foreigner.reallocs, 0);
    assert_true(heap_is_valid(other));
    assert_true(cubby_owns(small));
    cubby_heap_destroy(other);
}

static void failures_are_enomem_and_keep_the_block(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_allocator_t table = cubby_heap_allocator(heap, domains[i], NULL);
        void *block = table.malloc(table.ctx, 20);
        block_fill(block, 20, 4);
        errno = 0;
        assert_null(table.malloc(table.ctx, SIZE_MAX));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(table.calloc(table.ctx, SIZE_MAX, 2));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(table.realloc(table.ctx, block, SIZE_MAX));
        assert_int_equal(errno, ENOMEM);
        assert_true(block_holds(block, 20, 4));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_table_serves_its_domain_from_the_heap),
        HEAP_TEST(only_obj_takes_24_bytes),
        HEAP_TEST(the_runtimes_typed_path_and_obj_share_their_blocks),
        HEAP_TEST(blocks_that_are_not_cubbys_go_to_the_foreign_table),
        HEAP_TEST(each_domain_has_a_foreign_table_of_its_own),
        HEAP_TEST(without_a_foreign_table_they_are_refused_with_one_message),
        HEAP_TEST(blocks_of_another_heap_are_refused_not_handed_to_a_foreigner),
        HEAP_TEST(failures_are_enomem_and_keep_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
