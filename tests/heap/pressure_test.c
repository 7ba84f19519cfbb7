/* SPDX-License-Identifier: MIT */
/* The host is asked for memory back before a request fails: when, by whom, how often, and what it may do. */
#include "support/heap.h"

#include "support/child.h"

#include <cubby/limit.h>

#include "heap/pressure.h"
#include "heap/thread.h"

#include <pthread.h>

static const size_t MIB = (size_t)1 << 20;
static const cubby_owner_t owners[3] = {CUBBY_OWNER_LOCK, CUBBY_OWNER_THREAD, CUBBY_OWNER_ANY};

/* A host that keeps things it can do without. */
typedef struct host {
    cubby_heap_t *heap;
    void *kept[2000];
    size_t count;
    size_t asked;
    cubby_pressure_t last;
    bool answer;
} host_t;

static host_t host;

static bool host_drop(void *ctx, const cubby_pressure_t *pressure)
{
    assert_ptr_equal(ctx, &host);
    host.asked++;
    host.last = *pressure;
    errno = 99;
    while (host.count > 0) {
        cubby_heap_free(host.heap, host.kept[--host.count]);
    }
    return host.answer;
}

static void host_keep(cubby_heap_t *from, size_t size)
{
    host.heap = from;
    host.asked = 0;
    host.answer = true;
    for (host.count = 0; host.count < sizeof host.kept / sizeof *host.kept; host.count++) {
        host.kept[host.count] = cubby_heap_malloc(from, size);
        if (host.kept[host.count] == NULL) {
            break;
        }
    }
}

static int pressure_start(void **state)
{
    memset(&host, 0, sizeof host);
    return heap_start(state);
}

static int pressure_end(void **state)
{
    cubby_pressure_set(NULL, NULL);
    cubby_limit_set(SIZE_MAX);
    return heap_end(state);
}

/* ---- Every way to ask for memory ---- */

enum { WAYS = 8 };

static void *ask(cubby_heap_t *from, int way)
{
    switch (way) {
    case 0:
        return cubby_heap_malloc(from, 100);
    case 1:
        return cubby_heap_malloc(from, 20000);
    case 2:
        return cubby_heap_malloc(from, 300000);
    case 3:
        return cubby_heap_calloc(from, 3, 100);
    case 4:
        return cubby_heap_calloc(from, 3, 100000);
    case 5:
        return cubby_heap_aligned_alloc(from, 65536, 100000);
    case 6:
        return cubby_heap_realloc(from, NULL, 5000);
    default:
        return cubby_heap_take_(from, 50, 8);
    }
}

/* Fills a heap with blocks of a size that none of the ways can use, the last of them with what is left. */
static void heap_fill(cubby_heap_t *from)
{
    host_keep(from, 3000);
    assert_true(host.count > 100 && host.kept[host.count] == NULL);
    host.asked = 0;
}

static void whoever_asks_in_whatever_way_gets_what_the_host_gives_back(void **state)
{
    (void)state;
    for (size_t owner = 0; owner < 3; owner++) {
        for (int way = 0; way < WAYS; way++) {
            cubby_heap_t *limited = cubby_heap_create_for(owners[owner]);
            cubby_heap_limit_set(limited, MIB);
            heap_fill(limited);
            cubby_pressure_set(host_drop, &host);
            errno = 3;
            unsigned char *block = ask(limited, way);
            assert_non_null(block);
            assert_int_equal(host.asked, 1);
            assert_int_equal(host.last.cause, CUBBY_PRESSURE_HEAP);
            assert_ptr_equal(host.last.heap, limited);
            assert_int_equal(host.last.domain, -1);
            assert_in_range(host.last.bytes, PAGE_BYTES, 400000);
            assert_true(way < 3 || way > 4 || (block[0] == 0 && block[299] == 0));
            memset(block, 1, 50);
            cubby_heap_free(limited, block);
            cubby_pressure_set(NULL, NULL);
            cubby_heap_destroy(limited);
            assert_true(everything_is_valid());
        }
    }
}

/* What the host frees may all lie in a bin, where it keeps the pool from serving another size. */
static void a_few_blocks_given_back_serve_another_size(void **state)
{
    (void)state;
    cubby_heap_free(heap, cubby_heap_malloc(heap, 3000));
    cubby_heap_limit_set(heap, cubby_heap_limit_get(heap).used);
    host_keep(heap, 3000);
    assert_in_range(host.count, 1, heap->classes[class_of_medium(3000)].room);
    cubby_pressure_set(host_drop, &host);
    assert_non_null(cubby_heap_malloc(heap, 100));
    assert_int_equal(host.asked, 1);
}

static void a_host_with_nothing_to_give_is_asked_once_a_request(void **state)
{
    (void)state;
    for (size_t owner = 0; owner < 3; owner++) {
        for (int way = 0; way < WAYS; way++) {
            cubby_heap_t *limited = cubby_heap_create_for(owners[owner]);
            cubby_heap_limit_set(limited, MIB);
            heap_fill(limited);
            size_t count = host.count;
            host.count = 0;
            cubby_pressure_set(host_drop, &host);
            for (size_t i = 1; i <= 3; i++) {
                host.answer = i % 2 == 0;
                errno = 0;
                assert_null(ask(limited, way));
                assert_int_equal(errno, ENOMEM);
                assert_int_equal(host.asked, i);
            }
            cubby_pressure_set(NULL, NULL);
            host.count = count;
            cubby_heap_destroy(limited);
        }
    }
}

static void a_host_that_says_no_is_believed(void **state)
{
    (void)state;
    cubby_heap_limit_set(heap, MIB);
    heap_fill(heap);
    host.answer = false;
    cubby_pressure_set(host_drop, &host);
    assert_null(cubby_heap_malloc(heap, 100000));
    assert_int_equal(host.asked, 1);
    assert_int_equal(host.count, 0);
    assert_non_null(cubby_heap_malloc(heap, 100000));
    assert_int_equal(host.asked, 1);
}

static void without_a_limit_or_with_room_nobody_is_asked(void **state)
{
    (void)state;
    cubby_pressure_set(host_drop, &host);
    for (int way = 0; way < WAYS; way++) {
        cubby_heap_free(heap, ask(heap, way));
    }
    cubby_heap_limit_set(heap, MIB);
    for (int way = 0; way < WAYS; way++) {
        cubby_heap_free(heap, ask(heap, way));
    }
    assert_null(cubby_heap_malloc(heap, test_size(SIZE_MAX / 2 + 1))); /* nobody has so much to give */
    assert_int_equal(host.asked, 0);
}

/* ---- Causes ---- */

static void the_processs_limit_and_the_system_are_told_apart(void **state)
{
    (void)state;
    cubby_limit_set(4 * MIB);
    host_keep(heap, 50000);
    cubby_pressure_set(host_drop, &host);
    host.asked = 0;
    void *block = cubby_heap_malloc(heap, 3 * MIB);
    assert_non_null(block);
    assert_int_equal(host.asked, 1);
    assert_int_equal(host.last.cause, CUBBY_PRESSURE_LIMIT);
    assert_int_equal(host.last.bytes, 3 * MIB);
    assert_null(host.last.heap);
    cubby_heap_free(heap, block);
    cubby_limit_set(SIZE_MAX);

    fake_refuse_all();
    cubby_pressure_set(NULL, NULL);
    host_keep(heap, 50000);
    cubby_pressure_set(host_drop, &host);
    block = cubby_heap_malloc(heap, MIB);
    assert_non_null(block);
    assert_int_equal(host.asked, 1);
    assert_int_equal(host.last.cause, CUBBY_PRESSURE_SYSTEM);
    host.count = 0;
    assert_null(cubby_heap_malloc(heap, 200 * MIB));
    assert_int_equal(host.asked, 2);
}

/* A resize that finds the place behind the block free, but no room under the limit, stays in place once there is. */
static void a_block_grows_in_place_with_what_the_host_gave_back(void **state)
{
    (void)state;
    for (size_t owner = 0; owner < 3; owner++) {
        cubby_heap_t *limited = cubby_heap_create_for(owners[owner]);
        cubby_heap_limit_set(limited, 3 * MIB);
        host.heap = limited;
        host.kept[0] = cubby_heap_malloc(limited, MIB);
        host.count = 1;
        host.asked = 0;
        host.answer = true;
        char *block = cubby_heap_malloc(limited, MIB * 3 / 2);
        block_fill(block, MIB, 1);
        cubby_pressure_set(host_drop, &host);
        assert_ptr_equal(cubby_heap_realloc(limited, block, MIB * 5 / 2), block);
        assert_int_equal(host.asked, 1);
        assert_true(block_holds(block, MIB, 1));
        assert_null(cubby_heap_realloc(limited, block, 4 * MIB));
        assert_int_equal(host.asked, 2);
        assert_true(block_holds(block, MIB, 1));
        cubby_pressure_set(NULL, NULL);
        cubby_heap_destroy(limited);
    }
}

/* ---- What the host may do ---- */

static bool host_is_busy(void *ctx, const cubby_pressure_t *pressure)
{
    cubby_heap_t *from = ctx;
    host.asked++;
    /* More than there is, in every way: each fails without another call. */
    for (int way = 0; way < WAYS; way++) {
        assert_null(ask(from, way));
    }
    while (host.count > 0) {
        cubby_heap_free(from, host.kept[--host.count]);
    }
    (void)cubby_heap_trim(from);
    for (int way = 0; way < WAYS; way++) {
        void *block = ask(from, way);
        assert_non_null(block);
        cubby_heap_free(from, block);
    }
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    cubby_heap_t *other = cubby_heap_create_for(CUBBY_OWNER_ANY);
    cubby_heap_free(other, cubby_heap_realloc(other, cubby_heap_malloc(other, 10), 100000));
    cubby_heap_destroy(other);
    cubby_heap_limit_set(from, cubby_heap_limit_get(from).bytes);
    cubby_pressure_set(host_is_busy, ctx);
    return pressure->bytes > 0;
}

static void the_host_may_free_trim_and_allocate_and_is_not_asked_within_its_answer(void **state)
{
    (void)state;
    for (size_t owner = 0; owner < 3; owner++) {
        for (int way = 0; way < WAYS; way++) {
            cubby_heap_t *limited = cubby_heap_create_for(owners[owner]);
            cubby_heap_limit_set(limited, MIB);
            heap_fill(limited);
            cubby_pressure_set(host_is_busy, limited);
            void *block = ask(limited, way);
            assert_non_null(block);
            assert_int_equal(host.asked, 1);
            cubby_pressure_set(NULL, NULL);
            cubby_heap_destroy(limited);
            assert_true(everything_is_valid());
        }
    }
}

/* ---- Heaps that cannot be made ---- */

static bool limit_lift(void *ctx, const cubby_pressure_t *pressure)
{
    (void)ctx;
    host.asked++;
    host.last = *pressure;
    cubby_limit_set(SIZE_MAX);
    return true;
}

static void a_heap_is_made_with_what_the_host_gives_back(void **state)
{
    (void)state;
    cubby_pressure_set(limit_lift, NULL);
    for (size_t owner = 0; owner < 3; owner++) {
        cubby_limit_set(0);
        host.asked = 0;
        cubby_heap_t *made = cubby_heap_create_for(owners[owner]);
        assert_non_null(made);
        assert_int_equal(host.asked, 1);
        assert_int_equal(host.last.cause, CUBBY_PRESSURE_LIMIT);
        cubby_heap_destroy(made);
    }
    cubby_pressure_set(NULL, NULL);
    cubby_limit_set(0);
    errno = 0;
    assert_null(cubby_heap_create());
    assert_int_equal(errno, ENOMEM);
}

static bool limit_lift_and_allocate(void *ctx, const cubby_pressure_t *pressure)
{
    (void)limit_lift(ctx, pressure);
    void *block = cubby_malloc(100); /* makes the thread's heap */
    cubby_free(block);
    return block != NULL;
}

static int first_requests(void)
{
    static const cubby_pressure_function_t functions[2] = {limit_lift, limit_lift_and_allocate};
    for (size_t i = 0; i < 2; i++) {
        cubby_pressure_set(functions[i], NULL);
        STEP(i == 1 || thread_heap == &heap_plain);
        cubby_limit_set(0);
        host.asked = 0;
        void *block = i == 0 ? cubby_malloc(100) : cubby_malloc(200000);
        STEP(block != NULL && host.asked == 1 && host.last.cause == CUBBY_PRESSURE_LIMIT);
        cubby_free(block);
        STEP(heap_is_valid(thread_heap) && span_is_valid());
    }
    return 0;
}

static int first_request_within_the_answer(void)
{
    cubby_pressure_set(limit_lift_and_allocate, NULL);
    cubby_limit_set(0);
    void *block = cubby_malloc(100);
    STEP(block != NULL && host.asked == 1);
    cubby_free(block);
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    STEP(stats.heaps == 1); /* the one that the host's request made */
    return 0;
}

static void a_threads_heap_is_made_with_what_the_host_gives_back(void **state)
{
    (void)state;
    assert_int_equal(in_child(first_requests), 0);
    assert_int_equal(in_child(first_request_within_the_answer), 0);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 2000, CACHE = 64 };

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static void *cache[CACHE];

/* A cache that all threads fill, and that is emptied when memory runs out. */
static bool cache_drop(void *ctx, const cubby_pressure_t *pressure)
{
    (void)ctx;
    (void)pressure;
    (void)pthread_mutex_lock(&cache_lock);
    for (size_t i = 0; i < CACHE; i++) {
        cubby_free(cache[i]);
        cache[i] = NULL;
    }
    (void)pthread_mutex_unlock(&cache_lock);
    (void)cubby_trim();
    return true;
}

static void *use_cache(void *seed)
{
    test_random_t random = {(uintptr_t)seed};
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t size = 1000 + random_below(&random, 150000);
        char *block = cubby_malloc(size);
        if (block == NULL) {
            continue;
        }
        block[0] = 1;
        block[size - 1] = 1;
        (void)pthread_mutex_lock(&cache_lock);
        size_t place = random_below(&random, CACHE);
        void *old = cache[place];
        cache[place] = block;
        (void)pthread_mutex_unlock(&cache_lock);
        cubby_free(old);
    }
    return NULL;
}

static int run_threads(void)
{
    pthread_t threads[THREADS];
    cubby_limit_set(3 * MIB);
    cubby_pressure_set(cache_drop, NULL);
    for (size_t i = 0; i < THREADS; i++) {
        STEP(pthread_create(&threads[i], NULL, use_cache, (void *)(i + 1)) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        STEP(pthread_join(threads[i], NULL) == 0);
        STEP(cubby_limit_get().used <= 3 * MIB);
    }
    (void)cache_drop(NULL, NULL);
    STEP(span_is_valid());
    return 0;
}

static void threads_that_run_out_together_are_served_from_a_shared_cache(void **state)
{
    (void)state;
    os = os_linux; /* the fake is not for threads */
    assert_int_equal(in_child(run_threads), 0);
    fake_install();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pressure_start, pressure_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_run_out_together_are_served_from_a_shared_cache),
        cmocka_unit_test(a_threads_heap_is_made_with_what_the_host_gives_back),
        TEST(whoever_asks_in_whatever_way_gets_what_the_host_gives_back),
        TEST(a_few_blocks_given_back_serve_another_size),
        TEST(a_host_with_nothing_to_give_is_asked_once_a_request),
        TEST(a_host_that_says_no_is_believed),
        TEST(without_a_limit_or_with_room_nobody_is_asked),
        TEST(the_processs_limit_and_the_system_are_told_apart),
        TEST(a_block_grows_in_place_with_what_the_host_gave_back),
        TEST(the_host_may_free_trim_and_allocate_and_is_not_asked_within_its_answer),
        TEST(a_heap_is_made_with_what_the_host_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
