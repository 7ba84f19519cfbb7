/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <cubby/domain.h>

#include "support/fake_os.h"

#include <errno.h>
#include <string.h>

static const cubby_domain_t domains[CUBBY_DOMAIN_COUNT] = {CUBBY_DOMAIN_RAW, CUBBY_DOMAIN_MEM, CUBBY_DOMAIN_OBJ};

static void raw_is_libcs_at_start_and_the_others_are_cubbys(void **state)
{
    (void)state;
    void *raw = cubby_domain_malloc(CUBBY_DOMAIN_RAW, 100);
    void *mem = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 100);
    void *obj = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, 100);
    assert_non_null(raw);
    assert_false(cubby_owns(raw));
    assert_true(cubby_owns(mem));
    assert_true(cubby_owns(obj));
    cubby_domain_free(CUBBY_DOMAIN_RAW, raw);
    cubby_domain_free(CUBBY_DOMAIN_MEM, mem);
    cubby_domain_free(CUBBY_DOMAIN_OBJ, obj);
}

static void every_domain_allocates_zeroes_resizes_and_frees(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        for (size_t size = 1; size < 200000; size = size * 3 + 2) {
            unsigned char *block = cubby_domain_malloc(domains[i], size);
            assert_non_null(block);
            memset(block, 0x5A, size);
            block = cubby_domain_realloc(domains[i], block, size * 2);
            assert_non_null(block);
            assert_int_equal(block[0], 0x5A);
            assert_int_equal(block[size - 1], 0x5A);
            cubby_domain_free(domains[i], block);
            block = cubby_domain_calloc(domains[i], size, 1);
            assert_non_null(block);
            for (size_t j = 0; j < size; j++) {
                assert_int_equal(block[j], 0);
            }
            cubby_domain_free(domains[i], block);
        }
        cubby_domain_free(domains[i], NULL);
        void *block = cubby_domain_realloc(domains[i], NULL, 10);
        assert_non_null(block);
        cubby_domain_free(domains[i], block);
    }
}

static void zero_bytes_are_a_unique_block_in_every_domain(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        void *a = cubby_domain_malloc(domains[i], 0);
        void *b = cubby_domain_calloc(domains[i], 0, 5);
        void *c = cubby_domain_calloc(domains[i], 5, 0);
        void *d = cubby_domain_realloc(domains[i], NULL, 0);
        void *e = cubby_domain_realloc(domains[i], cubby_domain_malloc(domains[i], 100), 0);
        void *all[5] = {a, b, c, d, e};
        for (int j = 0; j < 5; j++) {
            assert_non_null(all[j]);
            for (int k = 0; k < j; k++) {
                assert_ptr_not_equal(all[j], all[k]);
            }
        }
        for (int j = 0; j < 5; j++) {
            cubby_domain_free(domains[i], all[j]);
        }
    }
}

static void a_failure_is_enomem_in_every_domain_and_keeps_the_block(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        errno = 0;
        assert_null(cubby_domain_malloc(domains[i], test_size(SIZE_MAX / 2 + 1)));
        assert_int_equal(errno, ENOMEM);
        errno = 0;
        assert_null(cubby_domain_calloc(domains[i], test_size(SIZE_MAX / 2), 3));
        assert_int_equal(errno, ENOMEM);
        char *block = cubby_domain_malloc(domains[i], 10);
        memset(block, 3, 10);
        errno = 0;
        assert_null(cubby_domain_realloc(domains[i], block, test_size(SIZE_MAX / 2 + 1)));
        assert_int_equal(errno, ENOMEM);
        assert_int_equal(block[9], 3);
        cubby_domain_free(domains[i], block);
    }
}

static void obj_takes_24_bytes_for_17_to_24_and_mem_takes_32(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 64; size++) {
        void *obj = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, size);
        void *zeroed = cubby_domain_calloc(CUBBY_DOMAIN_OBJ, 1, size);
        void *resized = cubby_domain_realloc(CUBBY_DOMAIN_OBJ, NULL, size);
        void *mem = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
        size_t sixteens = size == 0 ? 16 : (size + 15) / 16 * 16;
        size_t expected = size >= 17 && size <= 24 ? 24 : sixteens;
        assert_int_equal(cubby_usable_size(obj), expected);
        assert_int_equal(cubby_usable_size(zeroed), expected);
        assert_int_equal(cubby_usable_size(resized), expected);
        assert_int_equal(cubby_usable_size(mem), sixteens);
        assert_int_equal((uintptr_t)mem % 16, 0);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, obj);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, zeroed);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, resized);
        cubby_domain_free(CUBBY_DOMAIN_MEM, mem);
    }
}

/* The realloc and free of mem see blocks of obj when a runtime mixes its domains. */
static void mixing_mem_and_obj_on_one_block_is_survived(void **state)
{
    (void)state;
    for (size_t size = 1; size < 100000; size = size * 2 + 5) {
        char *block = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, size);
        memset(block, 7, size);
        block = cubby_domain_realloc(CUBBY_DOMAIN_MEM, block, size + 3);
        assert_int_equal(block[size - 1], 7);
        assert_int_equal((uintptr_t)block % 16, 0);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
        block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
        cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    }
    assert_int_equal(fake.messages, 0);
}

typedef struct counter {
    cubby_allocator_t wrapped;
    size_t mallocs;
    size_t callocs;
    size_t reallocs;
    size_t frees;
} counter_t;

static void *counter_malloc(void *ctx, size_t size)
{
    counter_t *counter = ctx;
    counter->mallocs++;
    return counter->wrapped.malloc(counter->wrapped.ctx, size);
}

static void *counter_calloc(void *ctx, size_t count, size_t size)
{
    counter_t *counter = ctx;
    counter->callocs++;
    return counter->wrapped.calloc(counter->wrapped.ctx, count, size);
}

static void *counter_realloc(void *ctx, void *block, size_t size)
{
    counter_t *counter = ctx;
    counter->reallocs++;
    return counter->wrapped.realloc(counter->wrapped.ctx, block, size);
}

static void counter_free(void *ctx, void *block)
{
    counter_t *counter = ctx;
    counter->frees++;
    counter->wrapped.free(counter->wrapped.ctx, block);
}

static void a_table_can_be_wrapped_and_put_back(void **state)
{
    (void)state;
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        counter_t counter = {.wrapped = cubby_domain_get(domains[i])};
        cubby_allocator_t table = {&counter, counter_malloc, counter_calloc, counter_realloc, counter_free};
        assert_true(cubby_domain_set(domains[i], &table));
        cubby_allocator_t now = cubby_domain_get(domains[i]);
        assert_memory_equal(&now, &table, sizeof table);
        void *a = cubby_domain_malloc(domains[i], 10);
        void *b = cubby_domain_calloc(domains[i], 1, 10);
        a = cubby_domain_realloc(domains[i], a, 1000);
        cubby_domain_free(domains[i], a);
        cubby_domain_free(domains[i], b);
        assert_int_equal(counter.mallocs, 1);
        assert_int_equal(counter.callocs, 1);
        assert_int_equal(counter.reallocs, 1);
        assert_int_equal(counter.frees, 2);
        assert_true(cubby_domain_set(domains[i], &counter.wrapped));
        cubby_domain_free(domains[i], cubby_domain_malloc(domains[i], 10));
        assert_int_equal(counter.mallocs, 1);
    }
}

static void a_table_with_a_hole_is_einval_and_not_taken(void **state)
{
    (void)state;
    cubby_allocator_t good = cubby_domain_get(CUBBY_DOMAIN_MEM);
    cubby_allocator_t holes[4] = {good, good, good, good};
    holes[0].malloc = NULL;
    holes[1].calloc = NULL;
    holes[2].realloc = NULL;
    holes[3].free = NULL;
    for (int i = 0; i < 4; i++) {
        errno = 0;
        assert_false(cubby_domain_set(CUBBY_DOMAIN_MEM, &holes[i]));
        assert_int_equal(errno, EINVAL);
    }
    errno = 0;
    assert_false(cubby_domain_set(CUBBY_DOMAIN_MEM, NULL));
    assert_int_equal(errno, EINVAL);
    errno = 0;
    assert_false(cubby_domain_set((cubby_domain_t)test_size(3), &good));
    assert_int_equal(errno, EINVAL);
    cubby_allocator_t now = cubby_domain_get(CUBBY_DOMAIN_MEM);
    assert_memory_equal(&now, &good, sizeof good);
}

static void libc_as_a_table_is_libc_under_the_common_rules(void **state)
{
    (void)state;
    cubby_allocator_t libc = cubby_libc_allocator();
    char *block = libc.malloc(libc.ctx, 10);
    assert_non_null(block);
    assert_false(cubby_owns(block));
    block = libc.realloc(libc.ctx, block, 0);
    assert_non_null(block);
    free(block); /* libc's own may free it */
    block = libc.calloc(libc.ctx, 100, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(block[i], 0);
    }
    errno = 77;
    libc.free(libc.ctx, block);
    assert_int_equal(errno, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_is_libcs_at_start_and_the_others_are_cubbys),
        cmocka_unit_test(every_domain_allocates_zeroes_resizes_and_frees),
        cmocka_unit_test(zero_bytes_are_a_unique_block_in_every_domain),
        cmocka_unit_test(a_failure_is_enomem_in_every_domain_and_keeps_the_block),
        cmocka_unit_test(obj_takes_24_bytes_for_17_to_24_and_mem_takes_32),
        cmocka_unit_test(mixing_mem_and_obj_on_one_block_is_survived),
        cmocka_unit_test(a_table_can_be_wrapped_and_put_back),
        cmocka_unit_test(a_table_with_a_hole_is_einval_and_not_taken),
        cmocka_unit_test(libc_as_a_table_is_libc_under_the_common_rules),
    };
    fake_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
