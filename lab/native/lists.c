/* SPDX-License-Identifier: MIT */
/*
 * Lists, as a runtime makes them: one row of `cubby bench lists` in one process.
 *
 *   append       a list of 1,000 items is built item by item and dropped                    a loop: one list
 *   beside       four lists of 1,000 items are built side by side, item by item, and dropped
 *   pop          a list of 1,000 items is made at once and taken apart item by item
 *   grow-shrink  a list swings between 20 and 2,000 items, item by item                     a loop: up or down once
 *   many         100,000 short lists, of which one is replaced                              a loop: one list
 *   nested       a list of 100 lists of 20 items is built item by item and dropped
 *   unpickle     a document of 1,000 short lists is built item by item, kept, and dropped
 *   large        a list of ten million items is built item by item and dropped
 *
 * Cubby's list with its own rule is <cubby/list.h>. All others are the same loops over vector.h: on libc's functions,
 * which a preloaded allocator replaces, or on a heap of Cubby's. Lists that are items of others, or are kept in a
 * table, are objects of 24 bytes from the same allocator. Nothing else in the process allocates while a row runs.
 *
 * Prints one line of JSON. Items are those appended or taken off, one by one.
 */
#include "command.h"
#include "process.h"
#include "timing.h"
#include "vector.h"

#include <cubby/list.h>

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum {
    LENGTH = 1000,
    BESIDE_LISTS = 4,
    SWING_LEAST = 20,
    SWING_MOST = 2000,
    MANY_LISTS = 100000,
    NESTED_LISTS = 100,
    NESTED_LENGTH = 20,
    DOCUMENT_LISTS = 1000,
    SHORT_MOST = 12,
    LARGE_LENGTH = 10000000,
};

/* What a loop works on. Known where it is compiled: nothing is asked while it runs. */
typedef enum mode {
    MODE_OWN,     /* Cubby's list */
    MODE_COUNTED, /* the same, and what happens to its buffers is counted, as it is in vector.c */
    MODE_VECTOR,
} list_mode_t;

static cubby_heap_t *heap;
static vectors_t vectors;
static size_t items_done;
static void **table; /* lists that are kept */

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "cubby-lists: %s\n", what);
    exit(1);
}

/* ---- Lists of either kind ---- */

static void *heap_take(size_t size)
{
    return cubby_heap_malloc(heap, size);
}

static void *heap_resize(void *block, size_t size)
{
    return cubby_heap_realloc(heap, block, size);
}

static void heap_give(void *block)
{
    cubby_heap_free(heap, block);
}

static void change_count(const cubby_list_t *before, const cubby_list_t *after)
{
    if (after->items == before->items && after->capacity == before->capacity) {
        return;
    }
    vectors.counts.changes++;
    if (before->items != NULL && after->items != NULL && after->items != before->items) {
        vectors.counts.moves++;
        vectors.counts.bytes += (before->size < after->size ? before->size : after->size) * sizeof(void *);
    }
}

static inline __attribute__((always_inline)) void list_append(list_mode_t mode, cubby_list_t *list, void *item)
{
    if (mode == MODE_VECTOR) {
        vector_append(&vectors, list, item);
        return;
    }
    cubby_list_t before = *list;
    if (!cubby_list_append(heap, list, item)) {
        give_up("no memory for a list");
    }
    if (mode == MODE_COUNTED) {
        change_count(&before, list);
    }
}

static inline __attribute__((always_inline)) void *list_pop(list_mode_t mode, cubby_list_t *list)
{
    if (mode == MODE_VECTOR) {
        return vector_pop(&vectors, list);
    }
    cubby_list_t before = *list;
    void *item = cubby_list_pop(heap, list);
    if (mode == MODE_COUNTED) {
        change_count(&before, list);
    }
    return item;
}

static inline __attribute__((always_inline)) void list_resize(list_mode_t mode, cubby_list_t *list, size_t size)
{
    if (mode == MODE_VECTOR) {
        vector_resize(&vectors, list, size);
        return;
    }
    cubby_list_t before = *list;
    if (!cubby_list_resize(heap, list, size)) {
        give_up("no memory for a list");
    }
    if (mode == MODE_COUNTED) {
        change_count(&before, list);
    }
}

static inline __attribute__((always_inline)) void list_clear(list_mode_t mode, cubby_list_t *list)
{
    if (mode == MODE_VECTOR) {
        vector_clear(&vectors, list);
    } else {
        cubby_list_clear(heap, list);
    }
}

/* A list that is an object of its own. */
static inline __attribute__((always_inline)) cubby_list_t *object_take(list_mode_t mode)
{
    cubby_list_t *list = mode == MODE_VECTOR ? vectors.take(sizeof *list) : cubby_new(heap, cubby_list_t);
    if (list == NULL) {
        give_up("no memory for a list");
    }
    *list = (cubby_list_t)CUBBY_LIST_EMPTY;
    return list;
}

static inline __attribute__((always_inline)) void object_give(list_mode_t mode, cubby_list_t *list)
{
    list_clear(mode, list);
    if (mode == MODE_VECTOR) {
        vectors.give(list);
    } else {
        cubby_delete(heap, list);
    }
}

/* ---- What a list holds ---- */

static void *item_of(size_t number)
{
    return (void *)(uintptr_t)(number * 16 + 16);
}

/* Appends the items from number `size` on, up to `length`. */
static inline __attribute__((always_inline)) void list_build(list_mode_t mode, cubby_list_t *list, size_t length)
{
    items_done += length - list->size;
    for (size_t i = list->size; i < length; i++) {
        list_append(mode, list, item_of(i));
    }
}

/* A look at both ends and the middle: a list that lost its items on the way must not pass for a fast one. */
static void list_check(const cubby_list_t *list, size_t length)
{
    if (list->size != length ||
        (length > 0 && (list->items[0] != item_of(0) || list->items[length / 2] != item_of(length / 2) ||
                        list->items[length - 1] != item_of(length - 1)))) {
        give_up("a list does not hold what was put into it");
    }
}

/* The same numbers in every arm: a generator of our own, with one seed. */
static size_t random_below(size_t bound)
{
    static uint64_t state = 0x2545f4914f6cdd1d;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(((state >> 32) * (uint64_t)bound) >> 32);
}

/* Most lists of programs are short: 1 to 12 items, half of them at most 3 (lab/lists/histories). */
static size_t short_length(void)
{
    size_t most = 1 + random_below(SHORT_MOST);
    return 1 + random_below(most);
}

/* ---- The rows: one loop each ---- */

static inline __attribute__((always_inline)) void append_loop(list_mode_t mode)
{
    cubby_list_t list = CUBBY_LIST_EMPTY;
    list_build(mode, &list, LENGTH);
    list_check(&list, LENGTH);
    list_clear(mode, &list);
}

/* As in a program that allocates between two appends: no buffer is the last thing in memory, with all of it to grow in. */
static inline __attribute__((always_inline)) void beside_loop(list_mode_t mode)
{
    cubby_list_t lists[BESIDE_LISTS] = {CUBBY_LIST_EMPTY};
    for (size_t i = 1; i <= LENGTH; i++) {
        for (size_t list = 0; list < BESIDE_LISTS; list++) {
            list_build(mode, &lists[list], i);
        }
    }
    for (size_t list = 0; list < BESIDE_LISTS; list++) {
        list_check(&lists[list], LENGTH);
        list_clear(mode, &lists[list]);
    }
}

static inline __attribute__((always_inline)) void pop_loop(list_mode_t mode)
{
    cubby_list_t list = CUBBY_LIST_EMPTY;
    list_resize(mode, &list, LENGTH);
    for (size_t i = 0; i < LENGTH; i++) {
        list.items[i] = item_of(i);
    }
    list_check(&list, LENGTH);
    for (size_t i = LENGTH; i > 0; i--) {
        if (list_pop(mode, &list) != item_of(i - 1)) {
            give_up("a list does not hold what was put into it");
        }
    }
    items_done += LENGTH;
}

static inline __attribute__((always_inline)) void swing_loop(list_mode_t mode)
{
    static cubby_list_t list;
    size_t length = SWING_LEAST + random_below(SWING_MOST - SWING_LEAST);
    if (length > list.size) {
        list_build(mode, &list, length);
    } else {
        items_done += list.size - length;
        while (list.size > length) {
            (void)list_pop(mode, &list);
        }
    }
    list_check(&list, length);
}

static inline __attribute__((always_inline)) cubby_list_t *short_take(list_mode_t mode)
{
    cubby_list_t *list = object_take(mode);
    list_build(mode, list, short_length());
    return list;
}

static inline __attribute__((always_inline)) void short_give(list_mode_t mode, cubby_list_t *list)
{
    list_check(list, list->size);
    object_give(mode, list);
}

/* The first loop fills the table: its lists are made, and replaced, in the order of chance. */
static inline __attribute__((always_inline)) void many_loop(list_mode_t mode)
{
    void **place = &table[random_below(MANY_LISTS)];
    if (*place != NULL) {
        short_give(mode, *place);
    }
    *place = short_take(mode);
}

static inline __attribute__((always_inline)) void nested_loop(list_mode_t mode)
{
    cubby_list_t outer = CUBBY_LIST_EMPTY;
    for (size_t i = 0; i < NESTED_LISTS; i++) {
        cubby_list_t *inner = object_take(mode);
        list_build(mode, inner, NESTED_LENGTH);
        list_append(mode, &outer, inner);
    }
    items_done += NESTED_LISTS;
    for (size_t i = 0; i < NESTED_LISTS; i++) {
        list_check(outer.items[i], NESTED_LENGTH);
        object_give(mode, outer.items[i]);
    }
    list_clear(mode, &outer);
}

static inline __attribute__((always_inline)) void unpickle_loop(list_mode_t mode)
{
    for (size_t i = 0; i < DOCUMENT_LISTS; i++) {
        table[i] = short_take(mode);
    }
    for (size_t i = 0; i < DOCUMENT_LISTS; i++) {
        short_give(mode, table[i]);
        table[i] = NULL;
    }
}

static inline __attribute__((always_inline)) void large_loop(list_mode_t mode)
{
    cubby_list_t list = CUBBY_LIST_EMPTY;
    list_build(mode, &list, LARGE_LENGTH);
    list_check(&list, LARGE_LENGTH);
    list_clear(mode, &list);
}

typedef enum row_id {
    ROW_APPEND,
    ROW_BESIDE,
    ROW_POP,
    ROW_SWING,
    ROW_MANY,
    ROW_NESTED,
    ROW_UNPICKLE,
    ROW_LARGE,
    ROW_COUNT
} row_id_t;

static const char *const row_names[ROW_COUNT] = {"append", "beside", "pop",      "grow-shrink",
                                                 "many",   "nested", "unpickle", "large"};

/* Compiled once for each mode: so every loop is inlined and knows its kind of list. */
static inline __attribute__((always_inline)) void loops_run(row_id_t row, list_mode_t mode, long loops)
{
    for (long i = 0; i < loops; i++) {
        switch (row) {
        case ROW_APPEND:
            append_loop(mode);
            break;
        case ROW_BESIDE:
            beside_loop(mode);
            break;
        case ROW_POP:
            pop_loop(mode);
            break;
        case ROW_SWING:
            swing_loop(mode);
            break;
        case ROW_MANY:
            many_loop(mode);
            break;
        case ROW_NESTED:
            nested_loop(mode);
            break;
        case ROW_UNPICKLE:
            unpickle_loop(mode);
            break;
        default:
            large_loop(mode);
            break;
        }
    }
}

static __attribute__((noinline)) void own_run(row_id_t row, long loops)
{
    loops_run(row, MODE_OWN, loops);
}

static __attribute__((noinline)) void counted_run(row_id_t row, long loops)
{
    loops_run(row, MODE_COUNTED, loops);
}

static __attribute__((noinline)) void vector_run(row_id_t row, long loops)
{
    loops_run(row, MODE_VECTOR, loops);
}

/* ---- The program ---- */

typedef struct job {
    row_id_t row;
    const allocator_t *on;
    long loops;
} job_t;

/* Cubby's own list counts nothing: part of the row is done once more, and what that counts is taken for the whole. */
static void own_count(const job_t *job, size_t items)
{
    enum { COUNTED_SHARE = 8 };
    items_done = 0;
    counted_run(job->row, job->loops / COUNTED_SHARE + 1);
    double share = (double)items / (double)items_done;
    vectors.counts.changes = (size_t)((double)vectors.counts.changes * share);
    vectors.counts.moves = (size_t)((double)vectors.counts.moves * share);
    vectors.counts.bytes = (size_t)((double)vectors.counts.bytes * share);
}

static void job_run(const job_t *job)
{
    bool own = strcmp(job->on->name, "cubby") == 0 && strcmp(vectors.rule->name, "cubby") == 0;
    process_peak_reset();
    long faults = process_minor_faults();
    uint64_t start = timing_now_ns();
    double busy = process_cpu_seconds();
    if (own) {
        own_run(job->row, job->loops);
    } else {
        vector_run(job->row, job->loops);
    }
    busy = process_cpu_seconds() - busy;
    double elapsed = (double)(timing_now_ns() - start) / 1e9;
    faults = process_minor_faults() - faults;
    long peak = process_status_kib("VmHWM");
    size_t items = items_done;
    if (own) {
        own_count(job, items);
    }
    printf("{\"row\": \"%s\", \"on\": \"%s\", \"rule\": \"%s\", \"malloc_of\": \"%s\", \"loops\": %ld, \"items\": %zu, "
           "\"cpu_seconds\": %.9f, \"wall_seconds\": %.9f, \"minor_faults\": %ld, \"peak_kib\": %ld, "
           "\"changes\": %zu, \"moves\": %zu, \"bytes_copied\": %zu}\n",
           row_names[job->row], job->on->name, vectors.rule->name, process_malloc_file(), job->loops, items, busy,
           elapsed, faults, peak, vectors.counts.changes, vectors.counts.moves, vectors.counts.bytes);
}

static bool row_find(const char *name, row_id_t *row)
{
    for (*row = 0; *row < ROW_COUNT; ++*row) {
        if (strcmp(name, row_names[*row]) == 0) {
            return true;
        }
    }
    return false;
}

static bool option_take(job_t *job, const char *argument)
{
    const char *value = option_value(argument, "--on");
    if (value != NULL) {
        job->on = allocator_find(value);
        return job->on != NULL;
    }
    if ((value = option_value(argument, "--rule")) != NULL) {
        vectors.rule = rule_find(value);
        return vectors.rule != NULL;
    }
    value = option_value(argument, "--loops");
    return value != NULL && number_read(value, 1, LONG_MAX, &job->loops);
}

static void job_prepare(const job_t *job)
{
    vectors.take = job->on->take;
    vectors.resize = job->on->resize;
    vectors.give = job->on->give;
    if (strcmp(job->on->name, "cubby") == 0) {
        heap = cubby_heap_create();
        vectors.take = heap_take;
        vectors.resize = heap_resize;
        vectors.give = heap_give;
    }
    table = mmap(NULL, MANY_LISTS * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED || (vectors.take == heap_take && heap == NULL)) {
        give_up("no memory to begin with");
    }
}

int main(int argc, char **argv)
{
    job_t job = {.on = allocator_find("libc"), .loops = 1};
    vectors.rule = rule_find("cubby");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool good = argc > 1 && row_find(argv[1], &job.row);
    for (int i = 2; good && i < argc; i++) {
        good = option_take(&job, argv[i]);
    }
    if (good) {
        job_prepare(&job);
        job_run(&job);
        return 0;
    }
    fputs("usage: cubby-lists append|beside|pop|grow-shrink|many|nested|unpickle|large [--on=libc|cubby]\n"
          "                   [--rule=cubby|cpython|double] [--loops=N]\n",
          stderr);
    return 2;
}
