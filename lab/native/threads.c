/* SPDX-License-Identifier: MIT */
/*
 * Several threads, as a program uses them: one row of `cubby bench threads` in one process.
 *
 *   private        each thread has a table of blocks of 16 to 1,024 bytes, and replaces one of them at random
 *   private-large  the same with blocks up to 64 KiB
 *   single         the same as private in one thread, and there is no second one: what being ready for threads costs
 *   handed         each thread allocates and hands batches of blocks to the next thread, which frees them
 *   consumer       one thread only frees what all others allocate
 *   born           threads are born, leave one in 20 of their blocks behind, and end; the main thread frees these later
 *   sharing        blocks that the main thread allocated next to each other, one a thread: each thread writes its block
 *                  again and again, frees it, and goes on with one that it allocates itself
 *
 * An operation is one block, allocated and freed. Its content is checked (crew.h). Nothing in the process allocates but
 * the row; the tables are mapped.
 *
 * Prints one line of JSON. The time is that from before the first thread is born until the last has ended and every
 * block is freed.
 */
#include "crew.h"
#include "process.h"
#include "timing.h"

#include <cubby/cubby.h>

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum {
    SMALL_MOST = 1024,
    SMALL_SLOTS = 8192, /* about 1.1 MiB a thread */
    LARGE_MOST = 65536,
    LARGE_SLOTS = 512, /* about 4 MiB a thread */
    BATCH_BLOCKS = 64, /* so many that passing a batch on costs little beside them */
    QUEUE_BATCHES = 32,
    QUEUE_LEAST = 4,    /* of them, with many threads */
    WAITS_AWAKE = 32,   /* turns given away before a thread that waits goes to sleep */
    LIFE_BLOCKS = 2000, /* of a thread in `born`: some ten times what its birth takes */
    LIFE_SLOTS = 64,
    LIFE_SURVIVORS = LIFE_BLOCKS / 20,
    LIVES_KEPT = 64, /* so many more threads end before the survivors of one are freed */
    SHARED_BYTES = 16,
    SHARED_WRITES = 200,
    LINE_BYTES = 64,
};

static_assert((int)SMALL_SLOTS == 1 << SLOT_BITS && LARGE_SLOTS <= SMALL_SLOTS, "a draw has bits for any slot");
static_assert((int)THREADS_MOST + LIVES_KEPT <= (int)WORKERS_MOST, "each life that is remembered has a worker");

typedef struct batch {
    size_t count;
    held_t blocks[BATCH_BLOCKS];
} batch_t;

/* From one thread to one other, without a lock: each side writes one number. */
typedef struct queue {
    _Alignas(128) size_t pushed; /* batches, by the one who hands over */
    bool ended;                  /* nothing will be pushed any more */
    _Alignas(128) size_t popped; /* by the one who frees */
    _Alignas(128) batch_t batches[QUEUE_BATCHES];
} queue_t;

static queue_t *queues; /* one a thread */

/* ---- private, private-large, single ---- */

static void table_work(worker_t *own, size_t slots, size_t most)
{
    for (long i = 0; i < own->share; i++) {
        uint64_t draw = random_next(own);
        slot_replace(own, &own->table[draw % slots], size_draw(draw, most));
    }
    slots_clear(own, own->table, slots);
}

static void *small_work(void *own)
{
    table_work(own, SMALL_SLOTS, SMALL_MOST);
    return NULL;
}

static void *large_work(void *own)
{
    table_work(own, LARGE_SLOTS, LARGE_MOST);
    return NULL;
}

static void private_run(void)
{
    threads_run(0, small_work, SMALL_SLOTS);
}

static void private_large_run(void)
{
    threads_run(0, large_work, LARGE_SLOTS);
}

static void single_run(void)
{
    worker_begin(&crew.workers[0], 0, crew.operations);
    crew.workers[0].table = memory_map(SMALL_SLOTS * sizeof(held_t));
    (void)small_work(&crew.workers[0]);
}

/* ---- handed, consumer ---- */

/*
 * Waits for others, who have let us wait `turns` times in a row. Two threads on two cores go on within a few turns;
 * many on few cores would only hand the processor round among those that wait, so they sleep, the longer the more they
 * are.
 */
static void turn_wait(int turns)
{
    const struct timespec pause = {.tv_nsec = 16000 * crew.threads};
    if (turns < WAITS_AWAKE) {
        sched_yield();
    } else {
        nanosleep(&pause, NULL);
    }
}

static void queue_end(queue_t *queue)
{
    __atomic_store_n(&queue->ended, true, __ATOMIC_RELEASE);
}

static bool queue_has_ended(const queue_t *queue)
{
    return __atomic_load_n(&queue->ended, __ATOMIC_ACQUIRE);
}

/* How many batches a queue may hold: fewer where there are many queues, or all that is seen is the cache miss. */
static size_t queue_room(void)
{
    size_t shared = (size_t)QUEUE_BATCHES * 2 / (size_t)crew.threads;
    return shared > QUEUE_LEAST ? shared : QUEUE_LEAST;
}

/* Allocates a batch for the queue; ends it with the last one. False when the queue is full, or all is done. */
static bool batch_take(worker_t *own, queue_t *queue)
{
    size_t pushed = queue->pushed;
    if (own->share == 0 || pushed - __atomic_load_n(&queue->popped, __ATOMIC_ACQUIRE) == queue_room()) {
        return false;
    }
    batch_t *batch = &queue->batches[pushed % QUEUE_BATCHES];
    batch->count = own->share < BATCH_BLOCKS ? (size_t)own->share : BATCH_BLOCKS;
    for (size_t i = 0; i < batch->count; i++) {
        batch->blocks[i] = block_take(own, size_draw(random_next(own), SMALL_MOST));
    }
    own->share -= (long)batch->count;
    __atomic_store_n(&queue->pushed, pushed + 1, __ATOMIC_RELEASE);
    if (own->share == 0) {
        queue_end(queue);
    }
    return true;
}

/* Frees a batch of the queue. False when there is none. */
static bool batch_give(worker_t *own, queue_t *queue)
{
    size_t popped = queue->popped;
    if (popped == __atomic_load_n(&queue->pushed, __ATOMIC_ACQUIRE)) {
        return false;
    }
    const batch_t *batch = &queue->batches[popped % QUEUE_BATCHES];
    slots_clear(own, batch->blocks, batch->count);
    __atomic_store_n(&queue->popped, popped + 1, __ATOMIC_RELEASE);
    return true;
}

static void *handed_work(void *argument)
{
    worker_t *own = argument;
    queue_t *out = &queues[(own->number + 1) % (uint32_t)crew.threads], *in = &queues[own->number];
    int waits = 0;
    for (bool over = false; !over;) {
        bool ended = queue_has_ended(in); /* asked before the queue is found empty */
        bool took = batch_take(own, out);
        bool gave = batch_give(own, in);
        over = ended && !gave && own->share == 0;
        if (took || gave) {
            waits = 0;
        } else if (!over) {
            turn_wait(waits++);
        }
    }
    return NULL;
}

static void *producer_work(void *argument)
{
    worker_t *own = argument;
    for (int waits = 0; own->share > 0;) {
        if (batch_take(own, &queues[own->number])) {
            waits = 0;
        } else {
            turn_wait(waits++);
        }
    }
    return NULL;
}

static void *consumer_work(void *argument)
{
    worker_t *own = argument;
    int waits = 0;
    for (bool over = false; !over;) {
        bool any = false;
        over = true;
        for (long i = 1; i < crew.threads; i++) {
            bool ended = queue_has_ended(&queues[i]);
            bool gave = batch_give(own, &queues[i]);
            any = any || gave;
            over = over && ended && !gave;
        }
        if (any) {
            waits = 0;
        } else if (!over) {
            turn_wait(waits++);
        }
    }
    return NULL;
}

static void queues_make(void)
{
    queues = memory_map((size_t)crew.threads * sizeof *queues);
}

static void handed_run(void)
{
    queues_make();
    threads_run(0, handed_work, 0);
}

static void consumer_run(void)
{
    queues_make();
    worker_begin(&crew.workers[0], 0, 0);
    thread_create(&crew.workers[0], consumer_work);
    threads_run(1, producer_work, 0);
    thread_join(&crew.workers[0]);
}

/* ---- born ---- */

/* A whole life. */
static void *born_work(void *argument)
{
    worker_t *own = argument;
    held_t slots[LIFE_SLOTS] = {{0}};
    for (long i = 0; i < own->share; i++) {
        uint64_t draw = random_next(own);
        if (i % (LIFE_BLOCKS / LIFE_SURVIVORS) == 0) {
            own->table[own->left_behind++] = block_take(own, size_draw(draw, SMALL_MOST));
        } else {
            slot_replace(own, &slots[draw % LIFE_SLOTS], size_draw(draw, SMALL_MOST));
        }
    }
    slots_clear(own, slots, LIFE_SLOTS);
    return NULL;
}

static void survivors_free(const worker_t *ended)
{
    slots_clear(&crew.main, ended->table, ended->left_behind);
}

/* The next life waits for the oldest of those that run. What the ended ones left is freed LIVES_KEPT lives later. */
static void born_run(void)
{
    long count = crew.threads + LIVES_KEPT, lives = (crew.operations + LIFE_BLOCKS - 1) / LIFE_BLOCKS;
    held_t *tables = memory_map((size_t)count * LIFE_SURVIVORS * sizeof *tables);
    for (long life = 0; life < lives + count; life++) {
        worker_t *own = &crew.workers[life % count];
        if (life >= crew.threads && life - crew.threads < lives) {
            thread_join(&crew.workers[(life - crew.threads) % count]);
        }
        if (life >= count && life - count < lives) {
            survivors_free(own);
        }
        if (life < lives) {
            long left = crew.operations - life * LIFE_BLOCKS;
            worker_begin(own, (uint32_t)life, left < LIFE_BLOCKS ? left : LIFE_BLOCKS);
            own->table = tables + life % count * LIFE_SURVIVORS;
            thread_create(own, born_work);
        }
    }
}

/* ---- sharing ---- */

static void *sharing_work(void *argument)
{
    worker_t *own = argument;
    held_t held = own->given;
    for (long i = 0; i < own->share; i++) {
        volatile uint64_t *word = held.block;
        uint64_t before = *word;
        for (int write = 0; write < SHARED_WRITES; write++) {
            *word = *word + 1;
        }
        *word = *word - SHARED_WRITES;
        if (*word != before) {
            give_up("a block was written by someone else: the allocator has given it out twice");
        }
        block_give(own, &held);
        if (i + 1 < own->share) {
            held = block_take(own, SHARED_BYTES);
        }
    }
    return NULL;
}

/* By address. They mostly are in order already; and qsort() may allocate. */
static void blocks_sort(held_t *blocks, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        held_t held = blocks[i];
        size_t place = i;
        for (; place > 0 && (uintptr_t)blocks[place - 1].block > (uintptr_t)held.block; place--) {
            blocks[place] = blocks[place - 1];
        }
        blocks[place] = held;
    }
}

/* Hands a block to the next thread, if there is one. Returns how many have theirs. */
static size_t shared_hand(held_t *block, size_t given)
{
    if (given == (size_t)crew.threads || block->block == NULL) {
        return given;
    }
    crew.workers[given].given = *block;
    block->block = NULL;
    return given + 1;
}

static bool line_is_shared(const held_t *left, const held_t *right)
{
    return (uintptr_t)left->block / LINE_BYTES == (uintptr_t)right->block / LINE_BYTES;
}

/*
 * Each two threads get neighbours in one cache line, as far as the allocator puts any there: where the first block lies
 * in its line is chance, and should not decide. The other blocks stay where they are meanwhile.
 */
static void sharing_run(void)
{
    size_t count = (size_t)crew.threads * 8, given = 0;
    held_t *blocks = memory_map(count * sizeof *blocks);
    for (size_t i = 0; i < count; i++) {
        blocks[i] = block_take(&crew.main, SHARED_BYTES);
    }
    blocks_sort(blocks, count);
    for (size_t i = 0; i + 1 < count; i++) {
        if (line_is_shared(&blocks[i], &blocks[i + 1])) {
            given = shared_hand(&blocks[i], given);
            given = shared_hand(&blocks[++i], given);
        }
    }
    for (size_t i = 0; i < count; i++) {
        given = shared_hand(&blocks[i], given);
    }
    threads_run(0, sharing_work, 0);
    slots_clear(&crew.main, blocks, count);
}

/* ---- The program ---- */

typedef struct row {
    const char *name;
    void (*run)(void);
    long threads_least;
    long threads_most;
} row_t;

static const row_t rows[] = {
    {"private", private_run, 1, THREADS_MOST},
    {"private-large", private_large_run, 1, THREADS_MOST},
    {"single", single_run, 1, 1},
    {"handed", handed_run, 2, THREADS_MOST},
    {"consumer", consumer_run, 2, THREADS_MOST},
    {"born", born_run, 1, THREADS_MOST},
    {"sharing", sharing_run, 2, THREADS_MOST},
};

static const row_t *row_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* What Cubby counted since `before`, as members of the line; libc has no such counters. */
static void counters_print(const cubby_stats_t *before, const cubby_stats_t *after)
{
    static const char format[] = ", \"lock_takes\": %zu, \"lock_waits\": %zu, \"parcels\": %zu";
    cubby_stats_t sent;
    (void)cubby_trim(); /* adds up what the main thread has sent, and what it had yet to send */
    cubby_stats_get(&sent);
    printf(format, after->lock_takes - before->lock_takes, after->lock_waits - before->lock_waits,
           sent.parcels - before->parcels);
}

static void row_run(const row_t *row)
{
    bool cubby = crew.on->take == cubby_malloc;
    cubby_stats_t before, after;
    process_peak_reset();
    cubby_stats_get(&before);
    long faults = process_minor_faults();
    double busy = process_cpu_seconds();
    uint64_t start = timing_now_ns();
    row->run();
    double elapsed = (double)(timing_now_ns() - start) / 1e9;
    busy = process_cpu_seconds() - busy;
    faults = process_minor_faults() - faults;
    cubby_stats_get(&after);
    long peak = process_status_kib("VmHWM");
    balance_check();
    printf("{\"row\": \"%s\", \"on\": \"%s\", \"malloc_of\": \"%s\", \"threads\": %ld, \"operations\": %ld, "
           "\"wall_seconds\": %.9f, \"cpu_seconds\": %.6f, \"minor_faults\": %ld, \"peak_kib\": %ld",
           row->name, crew.on->name, process_malloc_file(), crew.threads, crew.operations, elapsed, busy, faults, peak);
    if (cubby) {
        counters_print(&before, &after);
    }
    puts("}");
}

static int usage_print(void)
{
    fputs("usage: cubby-threads ROW [--on=libc|cubby] [--threads=N] [--operations=N]\n"
          "       ROW: private, private-large, single (1 thread), handed, consumer, born, sharing (all up to 255, and\n"
          "       handed, consumer and sharing from 2); operations: one for each thread, and more\n",
          stderr);
    return 2;
}

static bool option_take(const char *argument)
{
    const char *value = option_value(argument, "--on");
    if (value != NULL) {
        crew.on = allocator_find(value);
        return crew.on != NULL;
    }
    if ((value = option_value(argument, "--threads")) != NULL) {
        return number_read(value, 1, THREADS_MOST, &crew.threads);
    }
    value = option_value(argument, "--operations");
    return value != NULL && number_read(value, 1, LONG_MAX / 2, &crew.operations);
}

int main(int argc, char **argv)
{
    const row_t *row = argc > 1 ? row_find(argv[1]) : NULL;
    if (row == NULL) {
        return usage_print();
    }
    crew.on = allocator_find("libc");
    crew.operations = 1000000;
    crew.threads = row->threads_most < 2 ? 1 : 2;
    for (int i = 2; i < argc; i++) {
        if (!option_take(argv[i])) {
            fprintf(stderr, "cubby-threads: %s: no such option, or not a value for it\n", argv[i]);
            return usage_print();
        }
    }
    if (crew.threads < row->threads_least || crew.threads > row->threads_most || crew.operations < crew.threads) {
        fprintf(stderr, "cubby-threads: %s cannot do %ld operations in %ld threads\n", row->name, crew.operations,
                crew.threads);
        return usage_print();
    }
    row_run(row);
    return 0;
}
