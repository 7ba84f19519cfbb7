/* SPDX-License-Identifier: MIT */
/*
 * The way home of a block that another thread freed, in every order in which two or three threads can take its steps.
 *
 * The real src/heap/remote.c is compiled in with REMOTE_STEP, which it calls before each access to what threads share,
 * handing control to the explorer here. Threads are coroutines; a run is a list of choices, and the next run differs in
 * the last choice that had an alternative, until none is left. Orders that only a weak memory model allows are not
 * tried: ThreadSanitizer watches the real thing (make tsan).
 */
#include "support/test.h"

#include "heap/remote.h"

#include <string.h>
#include <ucontext.h>

enum { THREADS_MOST = 3, CHOICES_MOST = 256, STACK_BYTES = 65536, BLOCKS_MOST = 8 };

typedef struct thread {
    ucontext_t context;
    void (*run)(void);
    bool ended;
    char stack[STACK_BYTES];
} thread_t;

static thread_t threads[THREADS_MOST];
static size_t thread_count;
static size_t running;
static ucontext_t explorer;

void schedule_step(void);

void schedule_step(void)
{
    (void)swapcontext(&threads[running].context, &explorer);
}

static void thread_main(void)
{
    threads[running].run();
    threads[running].ended = true;
    schedule_step();
}

static void thread_prepare(size_t i)
{
    threads[i].ended = false;
    (void)getcontext(&threads[i].context);
    threads[i].context.uc_stack.ss_sp = threads[i].stack;
    threads[i].context.uc_stack.ss_size = STACK_BYTES;
    threads[i].context.uc_link = &explorer;
    makecontext(&threads[i].context, thread_main, 0);
}

/* The choices of a run: which of the threads that can go on does. */
static size_t choices[CHOICES_MOST];
static size_t alternatives[CHOICES_MOST];

/* Runs all threads to their end as `choices` says, and the first that can go on beyond. Returns the choices made. */
static size_t run_once(size_t given)
{
    size_t made = 0;
    for (;;) {
        size_t able[THREADS_MOST];
        size_t count = 0;
        for (size_t i = 0; i < thread_count; i++) {
            if (!threads[i].ended) {
                able[count++] = i;
            }
        }
        if (count == 0) {
            return made;
        }
        assert_true(made < CHOICES_MOST);
        if (made >= given) {
            choices[made] = 0;
        }
        alternatives[made] = count;
        running = able[choices[made++]];
        (void)swapcontext(&explorer, &threads[running].context);
    }
}

/* ---- The world: one owner's heap and blocks that others free ---- */

static cubby_heap_t owner;
static void *memory[BLOCKS_MOST][2]; /* blocks: the first word is the link */
static size_t received[BLOCKS_MOST];
static size_t block_count;

static size_t block_index(const void *block)
{
    return ((uintptr_t)block - (uintptr_t)memory) / sizeof memory[0];
}

static void push_one(size_t block)
{
    remote_push(&owner, memory[block], memory[block]);
}

static void pusher_of_two_parcels(void)
{
    memory[0][0] = memory[1];
    remote_push(&owner, memory[0], memory[1]);
    push_one(2);
}

static void pusher_of_one(void)
{
    push_one(3);
}

static void pusher_of_another(void)
{
    push_one(4);
}

static void take_all(void)
{
    for (void *block = remote_exchange(&owner); block != NULL;) {
        void *next = *(void **)block;
        size_t index = block_index(block);
        assert_true(index < block_count);
        received[index]++;
        *(void **)block = &owner; /* the owner uses it anew */
        block = next;
    }
}

static void taker(void)
{
    take_all();
    take_all();
}

/* Tries every order. Each block must be received once, at the latest by a last look. */
static size_t explore(size_t count, void (*const *runs)(void), size_t blocks)
{
    size_t given = 0;
    size_t orders = 0;
    thread_count = count;
    block_count = blocks;
    for (;;) {
        memset(&owner, 0, sizeof owner);
        memset(received, 0, sizeof received);
        for (size_t i = 0; i < count; i++) {
            threads[i].run = runs[i];
            thread_prepare(i);
        }
        size_t made = run_once(given);
        running = 0;
        for (void *block = owner.remote; block != NULL; block = *(void **)block) {
            received[block_index(block)]++;
        }
        size_t wrong = 0;
        for (size_t i = 0; i < blocks; i++) {
            wrong += received[i] != 1;
        }
        assert_int_equal(wrong, 0);
        orders++;
        while (made > 0 && choices[made - 1] + 1 == alternatives[made - 1]) {
            made--;
        }
        if (made == 0) {
            return orders;
        }
        choices[made - 1]++;
        given = made;
    }
}

static void two_threads_that_free_and_one_that_takes_lose_nothing_in_any_order(void **state)
{
    (void)state;
    void (*const runs[])(void) = {pusher_of_two_parcels, pusher_of_one, taker};
    size_t orders = explore(3, runs, 4);
    printf("# %zu orders\n", orders);
    assert_true(orders > 1000);
}

static void one_thread_that_frees_and_one_that_takes_lose_nothing_in_any_order(void **state)
{
    (void)state;
    void (*const runs[])(void) = {pusher_of_two_parcels, taker};
    memory[3][0] = NULL;
    size_t orders = explore(2, runs, 3);
    printf("# %zu orders\n", orders);
    assert_true(orders > 20);
}

static void three_threads_that_free_lose_nothing_in_any_order(void **state)
{
    (void)state;
    void (*const runs[])(void) = {pusher_of_two_parcels, pusher_of_one, pusher_of_another};
    size_t orders = explore(3, runs, 5);
    printf("# %zu orders\n", orders);
    assert_true(orders > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_that_frees_and_one_that_takes_lose_nothing_in_any_order),
        cmocka_unit_test(two_threads_that_free_and_one_that_takes_lose_nothing_in_any_order),
        cmocka_unit_test(three_threads_that_free_lose_nothing_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
