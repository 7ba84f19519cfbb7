/* SPDX-License-Identifier: MIT */
#include "support/check.h"

static size_t foreign_frees;
static size_t foreign_reallocs;

static void *foreign_malloc(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return NULL;
}

static void *foreign_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    (void)count;
    (void)size;
    return NULL;
}

static void *foreign_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    foreign_reallocs++;
    return block;
}

static void foreign_free(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
    foreign_frees++;
}

static const cubby_allocator_t foreign = {NULL, foreign_malloc, foreign_calloc, foreign_realloc, foreign_free};

static void a_block_goes_back_through_its_own_domain_only(void **state)
{
    (void)state;
    cubby_heap_t *heap = cubby_heap_create();
    cubby_allocator_t heap_tables[CUBBY_DOMAIN_COUNT];
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        heap_tables[i] = cubby_heap_allocator(heap, (cubby_domain_t)i, NULL);
    }
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        for (int j = 0; j < CUBBY_DOMAIN_COUNT; j++) {
            char *block = heap_tables[i].malloc(heap_tables[i].ctx, 50);
            heap_tables[j].free(heap_tables[j].ctx, block);
            assert_true(i == j ? nothing_was_reported() : was_reported("wrong domain", "50 bytes"));
            if (i != j) {
                assert_null(heap_tables[j].realloc(heap_tables[j].ctx, block, 60));
                assert_true(was_reported("wrong domain", "in realloc"));
                cubby_free(block); /* takes any block */
            }
        }
    }
    cubby_heap_destroy(heap);
}

static void the_processes_own_tables_know_their_domain(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        cubby_domain_t domain = (cubby_domain_t)i;
        cubby_domain_t next = (cubby_domain_t)((i + 1) % CUBBY_DOMAIN_COUNT);
        char *block = cubby_domain_calloc(domain, 5, 5);
        block = cubby_domain_realloc(domain, block, 500);
        assert_true(cubby_owns(block));
        cubby_domain_free(next, block);
        assert_true(was_reported("wrong domain", "500 bytes"));
        cubby_domain_free(domain, block);
    }
    assert_null(cubby_domain_calloc(CUBBY_DOMAIN_OBJ, SIZE_MAX, 2));
}

static void a_foreign_block_goes_to_the_foreign_table(void **state)
{
    (void)state;
    static char block[16];
    cubby_allocator_t table = cubby_thread_allocator(CUBBY_DOMAIN_MEM, &foreign);
    table.free(table.ctx, block);
    assert_ptr_equal(table.realloc(table.ctx, block, 5), block);
    assert_int_equal(foreign_frees, 1);
    assert_int_equal(foreign_reallocs, 1);
    char *own = table.malloc(table.ctx, 100);
    table.free(table.ctx, own + 1); /* not foreign, though no block */
    assert_int_equal(foreign_frees, 1);
    assert_true(was_reported("the pointer is not the start of a block", ""));
    table.free(table.ctx, own);
    table.free(table.ctx, NULL);
}

static void without_a_foreign_table_a_foreign_block_is_reported(void **state)
{
    (void)state;
    static char block[16];
    cubby_allocator_t table = cubby_thread_allocator(CUBBY_DOMAIN_OBJ, NULL);
    table.free(table.ctx, block);
    assert_true(was_reported("the pointer is not a block of Cubby's", ""));
    assert_null(table.realloc(table.ctx, block, 5));
    assert_true(was_reported("the pointer is not a block of Cubby's", ""));
}

static void the_same_table_is_the_same_ctx(void **state)
{
    (void)state;
    cubby_allocator_t first = cubby_thread_allocator(CUBBY_DOMAIN_MEM, &foreign);
    cubby_allocator_t second = cubby_thread_allocator(CUBBY_DOMAIN_MEM, &foreign);
    cubby_allocator_t other = cubby_thread_allocator(CUBBY_DOMAIN_OBJ, &foreign);
    assert_ptr_equal(first.ctx, second.ctx);
    assert_ptr_not_equal(first.ctx, other.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_block_goes_back_through_its_own_domain_only),
        CHECK_TEST(the_processes_own_tables_know_their_domain),
        CHECK_TEST(a_foreign_block_goes_to_the_foreign_table),
        CHECK_TEST(without_a_foreign_table_a_foreign_block_is_reported),
        CHECK_TEST(the_same_table_is_the_same_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
