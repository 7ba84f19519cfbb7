/* SPDX-License-Identifier: MIT */
/* The functions without a heap. A thread's heap lives as long as the thread: the tests share it, in their order. */
#include "support/heap.h"
#include "support/memory.h"

#include <pthread.h>
#include <sys/wait.h>

enum { UNLIKELY_ERRNO = 9999 };

static bool spans_are_valid(void)
{
    return span_is_valid() && fake.bad_ranges == 0;
}

static int relent(void **state)
{
    (void)state;
    fake_relent();
    fake.messages = 0;
    return spans_are_valid() ? 0 : -1;
}

static void a_process_that_gets_no_memory_at_all_is_told_and_goes_on(void **state)
{
    (void)state;
    fake_refuse_all();
    errno = 0;
    assert_null(cubby_malloc(10));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(cubby_calloc(1, 10));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(cubby_aligned_alloc(64, 10));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(cubby_realloc(NULL, 10));
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(cubby_trim(), 0);
    cubby_free(NULL);
    cubby_stats_t stats = stats_now();
    assert_int_equal(stats.heaps, 0);
    assert_int_equal(stats.reserved, 0);

    fake_relent();
    char *block = cubby_malloc(10);
    assert_non_null(block);
    memset(block, 1, 10);
    cubby_free(block);
}

static void each_function_does_what_its_name_says(void **state)
{
    (void)state;
    char *plain = cubby_malloc(100);
    char *zeroed = cubby_calloc(10, 10);
    char *aligned = cubby_aligned_alloc(4096, 100);
    assert_true(block_is_zero(zeroed, 100));
    assert_int_equal((uintptr_t)aligned % 4096, 0);
    block_fill(plain, 100, 1);
    plain = cubby_realloc(plain, 100000);
    assert_true(block_holds(plain, 100, 1));
    plain = cubby_realloc(plain, 50);
    assert_true(block_holds(plain, 50, 1));
    assert_true(cubby_owns(plain));
    assert_int_equal(cubby_usable_size(plain), 64);
    cubby_free_sized(plain, 50);
    cubby_free_sized(zeroed, 100);
    cubby_free(aligned);
    char *again = cubby_malloc(100);
    assert_ptr_equal(again, zeroed);
    cubby_free(again);
    assert_int_equal(fake.messages, 0);
}

static void what_cannot_be_is_enomem_or_einval(void **state)
{
    (void)state;
    errno = 0;
    assert_null(cubby_malloc(test_size(SIZE_MAX)));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(cubby_calloc(test_size(SIZE_MAX), 2));
    assert_int_equal(errno, ENOMEM);
    errno = 0;
    assert_null(cubby_aligned_alloc(test_size(24), 10));
    assert_int_equal(errno, EINVAL);
    char *block = cubby_malloc(10);
    block_fill(block, 10, 1);
    errno = 0;
    assert_null(cubby_realloc(block, test_size(SIZE_MAX / 2)));
    assert_int_equal(errno, ENOMEM);
    assert_true(block_holds(block, 10, 1));
    cubby_free(block);
}

static void pointers_of_others_are_refused_with_one_message(void **state)
{
    (void)state;
    int local = 0;
    void *others = malloc(10);
    char *large = cubby_malloc(100000);
    void *pointers[] = {&local, others, (void *)16, (void *)UINTPTR_MAX, large + 16, large + 8192};
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        fake.messages = 0;
        errno = UNLIKELY_ERRNO;
        cubby_free(test_launder(pointers[i]));
        assert_int_equal(fake.messages, 1);
        assert_int_equal(errno, UNLIKELY_ERRNO);
        cubby_free_sized(test_launder(pointers[i]), 10);
        assert_int_equal(fake.messages, 2);
        assert_null(cubby_realloc(test_launder(pointers[i]), 10));
        assert_int_equal(fake.messages, 3);
    }
    cubby_free(large);
    free(others);
}

static void a_block_of_a_heap_goes_back_to_that_heap(void **state)
{
    (void)state;
    heap = cubby_heap_create();
    char *small = cubby_heap_malloc(heap, 100);
    char *large = cubby_heap_malloc(heap, 100000);
    block_fill(small, 100, 1);
    small = cubby_realloc(small, 400);
    assert_ptr_equal(block_heap(small), heap);
    assert_true(block_holds(small, 100, 1));
    large = cubby_realloc(large, 200000);
    assert_ptr_equal(block_heap(large), heap);
    cubby_free(small);
    assert_ptr_equal(cubby_heap_malloc(heap, 400), small);
    cubby_free_sized(small, 400);
    assert_ptr_equal(cubby_heap_malloc(heap, 400), small);
    cubby_free(large);
    assert_null(heap->large);
    assert_true(heap_is_valid(heap));
    assert_int_equal(fake.messages, 0);
    cubby_heap_destroy(heap);
}

static void trimming_returns_what_leaves_memory(void **state)
{
    (void)state;
    memory_small_pages();
    enum { COUNT = 3000 };
    static char *blocks[COUNT];
    (void)cubby_trim();
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 50 == 0 ? 500000 : 5000;
        blocks[i] = cubby_malloc(size);
        memset(blocks[i], 1, size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        cubby_free(blocks[i]);
    }
    size_t before = memory_resident();
    size_t given = cubby_trim();
    size_t after = memory_resident();
    assert_true(given > (size_t)40 << 20);
    assert_true(before > after);
    size_t fell = before - after;
    size_t tolerance = TEST_SANITIZED ? (size_t)8 << 20 : (size_t)1 << 20;
    assert_in_range(fell, given - tolerance, given + tolerance);
    assert_true(stats_now().retained < (size_t)1 << 20);
}

static void the_figures_add_up(void **state)
{
    (void)state;
    cubby_stats_t before = stats_now();
    char *block = cubby_malloc((size_t)10 << 20);
    cubby_stats_t with = stats_now();
    assert_int_equal(with.in_spans, before.in_spans + ((size_t)10 << 20));
    memset(block, 1, (size_t)10 << 20);
    cubby_free(block);
    cubby_stats_t after = stats_now();
    assert_int_equal(after.in_spans, before.in_spans);
    assert_true(after.retained >= before.retained + ((size_t)5 << 20) || after.bytes_purged > before.bytes_purged);
    assert_true(after.in_spans + after.retained <= after.committed);
    assert_true(after.committed <= after.reserved);
    assert_true(after.metadata < after.committed / 16);
    assert_int_equal(after.regions, 1);
    assert_int_equal(after.heaps, 1);
    assert_int_equal(after.page_size, sysconf(_SC_PAGESIZE));
    (void)cubby_trim();
    assert_int_equal(stats_now().in_spans, before.in_spans);
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[64];
    (void)snprintf(text, sizeof text, "%d.%d.%d", CUBBY_VERSION_MAJOR, CUBBY_VERSION_MINOR, CUBBY_VERSION_PATCH);
    assert_string_equal(cubby_version(), text);
}

enum { THREADS = 4, THREAD_STEPS = 60000, THREAD_BLOCKS = 200 };

static char *handed_over[THREADS][THREAD_BLOCKS];

static size_t thread_size(test_random_t *random)
{
    return random_below(random, 100) == 0 ? random_below(random, 200000) : random_below(random, 1500);
}

/* NULL, unless something was wrong. */
static void *thread_run(void *argument)
{
    size_t self = (size_t)(uintptr_t)argument;
    test_random_t random = {self * 99991 + 7};
    char **blocks = handed_over[self];
    size_t sizes[THREAD_BLOCKS] = {0};
    for (int step = 0; step < THREAD_STEPS; step++) {
        size_t i = random_below(&random, THREAD_BLOCKS);
        if (blocks[i] != NULL && !block_holds(blocks[i], sizes[i] < 64 ? sizes[i] : 64, self * 1000 + i)) {
            return blocks; /* it has changed */
        }
        size_t size = thread_size(&random);
        if (blocks[i] == NULL) {
            blocks[i] = step % 2 == 0 ? cubby_malloc(size) : cubby_calloc(size, 1);
        } else if (step % 3 == 0) {
            blocks[i] = cubby_realloc(blocks[i], size);
        } else {
            cubby_free(blocks[i]);
            blocks[i] = NULL;
            continue;
        }
        if (blocks[i] == NULL || cubby_usable_size(blocks[i]) < size || !cubby_owns(blocks[i])) {
            return blocks; /* none, or too small */
        }
        sizes[i] = size;
        block_fill(blocks[i], size < 64 ? size : 64, self * 1000 + i);
        if (step % 5000 == 0) {
            (void)cubby_trim();
            cubby_stats_t stats;
            cubby_stats_get(&stats);
        }
    }
    return NULL;
}

/* Each also leaves its last blocks for another to free. */
static void threads_may_call_at_any_time(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, thread_run, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    for (size_t i = 0; i < THREADS; i++) {
        for (size_t j = 0; j < THREAD_BLOCKS; j++) {
            cubby_free(handed_over[i][j]);
        }
    }
    assert_int_equal(fake.messages, 0);
    assert_true(spans_are_valid());
}

static bool stop;

/* A sanitizer copies its own tables at each fork. */
enum { BUSY_THREADS = 8, FORKS = TEST_SANITIZED ? 20 : 1000, PASSED_ON = 64 };

static void *passed_on[PASSED_ON];

/* Allocates, frees what another thread allocated, makes and ends heaps, and purges. */
static void *thread_churn(void *argument)
{
    test_random_t random = {(uintptr_t)argument * 99991 + 7};
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        cubby_free(cubby_malloc(100000));
        for (int i = 0; i < 100; i++) {
            void *block = cubby_malloc(random_below(&random, 2000));
            cubby_free(__atomic_exchange_n(&passed_on[random_below(&random, PASSED_ON)], block, __ATOMIC_ACQ_REL));
        }
        cubby_heap_destroy(cubby_heap_create());
        if (random_below(&random, 50) == 0) {
            (void)cubby_trim();
        }
    }
    return NULL;
}

/* What a child does with memory of its own and its parent's. */
static bool child_works(void)
{
    char *block = cubby_malloc(200000);
    cubby_heap_t *fresh = cubby_heap_create();
    bool good = block != NULL && fresh != NULL && cubby_heap_malloc(fresh, 100) != NULL;
    for (size_t i = 0; i < PASSED_ON; i++) {
        cubby_free(passed_on[i]);
        passed_on[i] = cubby_malloc(i * 50);
        good = good && passed_on[i] != NULL;
    }
    (void)cubby_trim();
    cubby_free(block);
    cubby_heap_destroy(fresh);
    return good && span_is_valid();
}

/* A lock that another thread held at that moment would be held for ever in the child. */
static void a_child_forked_while_threads_are_busy_can_do_everything(void **state)
{
    (void)state;
    pthread_t threads[BUSY_THREADS];
    stop = false;
    for (uintptr_t i = 0; i < BUSY_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, thread_churn, (void *)i), 0);
    }
    int failures = 0;
    for (int i = 0; i < FORKS && failures == 0; i++) {
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(20);
            _exit(child_works() ? 0 : 1);
        }
        int status = -1;
        failures += waitpid(child, &status, 0) != child || status != 0;
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < BUSY_THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < PASSED_ON; i++) {
        cubby_free(passed_on[i]);
    }
    assert_int_equal(failures, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, relent, relent)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_process_that_gets_no_memory_at_all_is_told_and_goes_on),
        TEST(each_function_does_what_its_name_says),
        TEST(what_cannot_be_is_enomem_or_einval),
        TEST(pointers_of_others_are_refused_with_one_message),
        TEST(a_block_of_a_heap_goes_back_to_that_heap),
        TEST(trimming_returns_what_leaves_memory),
        TEST(the_figures_add_up),
        TEST(the_version_is_that_of_the_header),
        TEST(threads_may_call_at_any_time),
        TEST(a_child_forked_while_threads_are_busy_can_do_everything),
    };
    fake_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
