/* SPDX-License-Identifier: MIT */
/* The heaps behind cubby_malloc(), one a thread: who owns what, how it comes home, and what becomes of it. */
#include "heap/borrow.h"
#include "heap/link.h"
#include "heap/remote.h"
#include "heap/thread.h"
#include "os/lock.h"

#include "support/memory.h"
#include "support/threads.h"

/* ---- Whose ---- */

static void *note_own_heap(void *noted)
{
    void *block = cubby_malloc(100);
    *(cubby_heap_t **)noted = block_heap(block);
    cubby_free(block);
    return NULL;
}

static void each_thread_has_a_heap_of_its_own(void **state)
{
    (void)state;
    void *block = cubby_malloc(100);
    cubby_heap_t *other = NULL;
    in_thread(note_own_heap, &other);
    assert_non_null(other);
    assert_ptr_not_equal(other, block_heap(block));
    assert_ptr_equal(block_heap(block), thread_heap);
    cubby_free(block);
}

static void *free_block(void *block)
{
    cubby_free(block);
    return NULL;
}

static void a_block_freed_by_another_thread_goes_home(void **state)
{
    (void)state;
    void *block = cubby_malloc(1000);
    in_thread(free_block, block);
    assert_ptr_equal(thread_heap->remote, block);
    assert_true(remote_collect(thread_heap));
    assert_null(thread_heap->remote);
    void *again = cubby_malloc(1000);
    assert_ptr_equal(again, block);
    cubby_free(again);
}

/* Large blocks belong to no thread: their pages are free for all at once. */
static void a_large_block_is_given_back_by_whoever_frees_it(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    void *block = cubby_malloc((size_t)1 << 20);
    cubby_heap_t *other = NULL;
    in_thread(note_own_heap, &other); /* a heap comes and goes */
    assert_int_equal(stats_now().in_spans, before + ((size_t)1 << 20));
    in_thread(free_block, block);
    assert_int_equal(stats_now().in_spans, before);
    assert_null(thread_heap->remote);
}

static void *grow_block(void *place)
{
    char **block = place;
    *block = cubby_realloc(*block, 5000);
    return NULL;
}

static void a_block_resized_by_another_thread_keeps_its_content(void **state)
{
    (void)state;
    static const size_t sizes[] = {10, 300, 4999, 40000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = cubby_malloc(sizes[i]);
        size_t kept = sizes[i] < 5000 ? sizes[i] : 5000;
        block_fill(block, sizes[i], i);
        in_thread(grow_block, &block);
        assert_true(block_holds(block, kept, i));
        assert_true(cubby_usable_size(block) >= 5000);
        cubby_free(block);
    }
}

/* ---- What a thread takes ---- */

enum { SMALL_CLASSES = CUBBY_SMALL_MAX / 16 + CLASS_STEPS }; /* up to FIRST_POOL_BLOCK_MOST, without the odd ones */

typedef struct taken {
    size_t spans;
    size_t locks;
} taken_t;

/* One block of each class of up to FIRST_POOL_BLOCK_MOST bytes. */
static void *take_of_each_class(void *noted)
{
    taken_t *taken = noted;
    void *of_class[SMALL_CLASSES];
    of_class[0] = cubby_malloc(16); /* the thread has its heap */
    size_t spans = stats_now().in_spans;
    size_t locks = lock_takes();
    for (unsigned i = 1; i < SMALL_CLASSES; i++) {
        unsigned size_class = i < CUBBY_CLASS_ODD - 1 ? i + 1 : CLASS_MEDIUM + i - (CUBBY_CLASS_ODD - 1);
        of_class[i] = cubby_calloc(1, class_size(size_class));
        assert_true(block_is_zero(of_class[i], class_size(size_class)));
    }
    taken->locks = lock_takes() - locks;
    taken->spans = stats_now().in_spans - spans;
    assert_true(heap_is_valid(thread_heap));
    for (unsigned i = 0; i < SMALL_CLASSES; i++) {
        cubby_free(of_class[i]);
    }
    return NULL;
}

/* Where pages are huge, all of a pool is resident, however little is carved. */
static void a_thread_takes_a_page_for_each_class_where_pages_are_huge(void **state)
{
    (void)state;
    void *large = cubby_malloc((size_t)64 << 20);
    assert_true(span_pages_are_huge());
    taken_t taken;
    in_thread(take_of_each_class, &taken);
    size_t row = (size_t)POOL_PAGES_LEAST * PAGE_BYTES;
    assert_in_range(taken.spans, 0, (size_t)SMALL_CLASSES * PAGE_BYTES + row);
    enum { TICK_TAKES = 4 }; /* by a look at the clock on the way */
    assert_in_range(taken.locks, 1, SMALL_CLASSES / POOL_PAGES_LEAST + TICK_TAKES);
    cubby_free(large);
}

/* A class of which more is wanted comes to whole pools soon. */
static void *take_many_of_a_class(void *unused)
{
    enum { MANY = 64, BYTES = 1024 };
    char *many[MANY];
    for (size_t i = 0; i < MANY; i++) {
        many[i] = cubby_malloc(BYTES);
        block_fill(many[i], BYTES, i);
    }
    const span_t *pool = span_find(many[MANY - 1]);
    assert_int_equal(pool->pages, POOL_PAGES_LEAST);
    assert_int_equal(span_find(many[0])->pages, 1);
    assert_true(heap_is_valid(thread_heap));
    for (size_t i = 0; i < MANY; i++) {
        assert_true(block_holds(many[i], BYTES, i));
        cubby_free(many[i]);
    }
    return unused;
}

static void pools_of_a_class_grow_from_a_page_to_their_full_size(void **state)
{
    (void)state;
    void *large = cubby_malloc((size_t)64 << 20);
    in_thread(take_many_of_a_class, NULL);
    cubby_free(large);
}

/* ---- Coming home ---- */

enum { BLOCKS = 40000, BLOCK_BYTES = 200 };
static void *blocks[BLOCKS];

static void *free_blocks(void *unused)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        cubby_free(blocks[i]);
    }
    (void)unused;
    return NULL;
}

static void *make_blocks(void *unused)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = cubby_malloc(BLOCK_BYTES);
    }
    (void)unused;
    return NULL;
}

static size_t freed_and_waiting;

/* Frees all, looks what has been sent, and only then ends. */
static void *free_blocks_and_wait(void *owner)
{
    (void)free_blocks(NULL);
    for (const void *block = __atomic_load_n(&((cubby_heap_t *)owner)->remote, __ATOMIC_ACQUIRE); block != NULL;
         block = link_look(block)) {
        freed_and_waiting++;
    }
    return NULL;
}

/* All but what a thread keeps at most is sent while it goes on. */
static void parcels_leave_when_they_are_full(void **state)
{
    (void)state;
    (void)make_blocks(NULL);
    freed_and_waiting = 0;
    in_thread(free_blocks_and_wait, thread_heap);
    assert_in_range(freed_and_waiting, BLOCKS - BORROW_BYTES_LEAST / BLOCK_BYTES - 1, BLOCKS);
    assert_true(remote_collect(thread_heap));
}

/* A producer whose consumer frees uses the same memory over and over. */
static void what_a_consumer_frees_its_producer_uses_again(void **state)
{
    (void)state;
    (void)make_blocks(NULL);
    size_t most = stats_now().in_spans;
    for (int round = 0; round < 5; round++) {
        in_thread(free_blocks, NULL);
        (void)make_blocks(NULL);
        assert_true(stats_now().in_spans <= most + most / 8);
    }
    (void)free_blocks(NULL);
}

/* ---- The end of a thread ---- */

static void the_memory_of_an_ended_thread_comes_home(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    in_thread(make_blocks, NULL);
    assert_true(stats_now().in_spans >= before + (size_t)BLOCKS * BLOCK_BYTES);
    assert_int_equal(thread_heaps_ended(), 1);
    (void)free_blocks(NULL);
    (void)cubby_trim();
    assert_int_equal(thread_heaps_ended(), 0);
    assert_int_equal(stats_now().in_spans, before);
}

/* Ordinary activity does the same, without a call that asks for it. */
static void the_memory_of_an_ended_thread_comes_home_by_itself(void **state)
{
    (void)state;
    size_t before = stats_now().in_spans;
    in_thread(make_blocks, NULL);
    (void)free_blocks(NULL);
    fake.clock_ms = os_linux.clock_ms();
    for (int second = 0; second < 3; second++) {
        fake.clock_ms += 1000;
        for (size_t i = 0; i < 2 * (size_t)EVENTS_PER_TICK; i++) {
            cubby_free(cubby_malloc(100000));
        }
    }
    assert_int_equal(thread_heaps_ended(), 0);
    assert_true(stats_now().in_spans <= before + ((size_t)256 << 10));
}

static void *leave_a_survivor(void *place)
{
    *(void **)place = cubby_malloc(50);
    return NULL;
}

static void heaps_of_ended_threads_are_taken_over(void **state)
{
    (void)state;
    enum { THREADS = 10000 };
    static void *survivors[THREADS];
    size_t before = stats_now().in_spans;
    for (size_t i = 0; i < THREADS; i++) {
        in_thread(leave_a_survivor, &survivors[i]);
        assert_true(stats_now().heaps <= 2);
    }
    assert_true(stats_now().in_spans - before < (size_t)THREADS * 50 * 2);
    for (size_t i = 0; i < THREADS; i++) {
        cubby_free(survivors[i]);
    }
}

static pthread_key_t late_key;

static void allocate_late(void *block)
{
    cubby_free(block);
    void *late = cubby_malloc(77);
    memset(late, 1, 77);
    late = cubby_realloc(late, 100000);
    cubby_free(late);
    cubby_free(cubby_calloc(10, 10));
}

static void *allocate_in_destructor(void *unused)
{
    (void)unused;
    (void)pthread_setspecific(late_key, cubby_malloc(10));
    return NULL;
}

/* The order of destructors is not the library's to choose: one may run after the thread's heap was put away. */
static void a_thread_may_allocate_until_its_very_end(void **state)
{
    (void)state;
    assert_int_equal(pthread_key_create(&late_key, allocate_late), 0);
    for (int i = 0; i < 1000; i++) {
        in_thread(allocate_in_destructor, NULL);
        assert_true(stats_now().heaps <= 4);
    }
    assert_int_equal(pthread_key_delete(late_key), 0);
}

/* ---- Heap objects ---- */

static void another_thread_gives_blocks_of_an_owned_heap_back(void **state)
{
    (void)state;
    heap = cubby_heap_create_for(CUBBY_OWNER_THREAD);
    void *small = cubby_heap_malloc(heap, 300);
    void *large = cubby_heap_malloc(heap, 100000);
    in_thread(free_block, small);
    in_thread(free_block, large);
    assert_non_null(heap->remote);
    assert_true(remote_collect(heap));
    assert_null(heap->large);
    assert_ptr_equal(cubby_heap_malloc(heap, 300), small);
    cubby_free(small); /* the owner may call it so, too */
    assert_ptr_equal(cubby_heap_malloc(heap, 300), small);
    assert_true(heap_is_valid(heap));
    cubby_heap_destroy(heap);
}

typedef struct shared_job {
    cubby_heap_t *heap;
    uint64_t seed;
    bool good;
} shared_job_t;

static void *use_shared_heap(void *argument)
{
    shared_job_t *job = argument;
    enum { SLOTS = 100 };
    char *slots[SLOTS] = {NULL};
    size_t sizes[SLOTS] = {0};
    test_random_t random = {job->seed};
    job->good = true;
    for (int step = 0; step < 20000; step++) {
        size_t i = random_below(&random, SLOTS);
        size_t size = random_below(&random, 50) == 0 ? random_below(&random, 100000) : random_below(&random, 700);
        job->good = job->good && (slots[i] == NULL || block_holds(slots[i], sizes[i], job->seed + i));
        switch (random_below(&random, 4)) {
        case 0:
            slots[i] = cubby_heap_realloc(job->heap, slots[i], size);
            break;
        case 1:
            cubby_heap_free(job->heap, slots[i]);
            slots[i] = cubby_heap_malloc(job->heap, size);
            break;
        case 2:
            cubby_free(slots[i]);
            slots[i] = cubby_heap_calloc(job->heap, 1, size);
            job->good = job->good && block_is_zero(slots[i], size);
            break;
        default:
            slots[i] = cubby_realloc(slots[i] == NULL ? cubby_heap_malloc(job->heap, 1) : slots[i], size);
            break;
        }
        sizes[i] = size;
        block_fill(slots[i], size, job->seed + i);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        cubby_heap_free(job->heap, slots[i]);
    }
    return NULL;
}

static void any_thread_may_use_a_shared_heap(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    test_random_t random = test_random("heap/thread");
    heap = cubby_heap_create_for(CUBBY_OWNER_ANY);
    pthread_t threads[THREADS];
    shared_job_t jobs[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i] = (shared_job_t){heap, random_next(&random), false};
        assert_int_equal(pthread_create(&threads[i], NULL, use_shared_heap, &jobs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(jobs[i].good);
    }
    assert_true(heap_is_valid(heap->inner));
    assert_int_equal(fake.messages, 0);
    cubby_heap_destroy(heap);
}

static void a_heap_for_no_owner_is_einval(void **state)
{
    (void)state;
    errno = 0;
    assert_null(cubby_heap_create_for((cubby_owner_t)test_size(17)));
    assert_int_equal(errno, EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        THREADS_TEST(each_thread_has_a_heap_of_its_own),
        THREADS_TEST(a_block_freed_by_another_thread_goes_home),
        THREADS_TEST(a_large_block_is_given_back_by_whoever_frees_it),
        THREADS_TEST(a_thread_takes_a_page_for_each_class_where_pages_are_huge),
        THREADS_TEST(pools_of_a_class_grow_from_a_page_to_their_full_size),
        THREADS_TEST(a_block_resized_by_another_thread_keeps_its_content),
        THREADS_TEST(parcels_leave_when_they_are_full),
        THREADS_TEST(what_a_consumer_frees_its_producer_uses_again),
        THREADS_TEST(the_memory_of_an_ended_thread_comes_home),
        THREADS_TEST(the_memory_of_an_ended_thread_comes_home_by_itself),
        THREADS_TEST(heaps_of_ended_threads_are_taken_over),
        THREADS_TEST(another_thread_gives_blocks_of_an_owned_heap_back),
        THREADS_TEST(any_thread_may_use_a_shared_heap),
        THREADS_TEST(a_heap_for_no_owner_is_einval),
        /* Last: the heap that ending threads share stays. */
        cmocka_unit_test_setup(a_thread_may_allocate_until_its_very_end, threads_start),
    };
    return cmocka_run_group_tests(tests, threads_begin, NULL);
}
