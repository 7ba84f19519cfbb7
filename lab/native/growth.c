/* SPDX-License-Identifier: MIT */
/*
 * How lists grow, by counters: Cubby's list beside the rules of CPython and of doubling, all with their buffers on one
 * heap of Cubby's, so that nothing but the rule differs.
 *
 *     cubby-growth [HISTORY...]       files of lab/lists/histories
 *
 * The first table is of a list that is built item by item up to ten million; the second of the lives of lists that real
 * programs had (lab/lists/record.c says what a line of a history is).
 *
 *   changes   how often the buffer was taken, resized or freed
 *   copied    bytes in the list at a change: at most, if every change copies; or where it has another address then
 *   unused    bytes of the block beyond the items
 */
#include "vector.h"

#include <cubby/list.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARM_COUNT = 3, LIFE_MOST = 256, LINE_MOST = 4096 };

static const char *const arm_names[ARM_COUNT] = {"cubby", "cpython", "double"};

static cubby_heap_t *heap;

static void heap_begin(void)
{
    heap = cubby_heap_create();
    if (heap == NULL) {
        fputs("no memory for a heap\n", stderr);
        exit(1);
    }
}

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

/* A list of any arm: Cubby's own, or a vector. */
typedef struct grown {
    bool own;
    cubby_list_t list;
    vector_t vector;
    vectors_t vectors; /* counts, for both */
} grown_t;

static void grown_begin(grown_t *grown, size_t arm)
{
    *grown = (grown_t){.own = arm == 0,
                       .vectors = {heap_take, heap_resize, heap_give, rule_find(arm_names[arm]), {0, 0, 0, 0}}};
}

static size_t grown_size(const grown_t *grown)
{
    return grown->own ? grown->list.size : grown->vector.size;
}

static size_t grown_unused(const grown_t *grown)
{
    const void *items = grown->own ? (void *)grown->list.items : (void *)grown->vector.items;
    return cubby_usable_size(items) - grown_size(grown) * sizeof(void *);
}

/* What a step has changed in Cubby's list, counted as in vector.c. */
static void change_count(grown_t *grown, const cubby_list_t *before)
{
    const cubby_list_t *after = &grown->list;
    counts_t *counts = &grown->vectors.counts;
    if (after->items == before->items && after->capacity == before->capacity) {
        return;
    }
    counts->changes++;
    if (after->items != NULL) {
        size_t kept = before->size < after->size ? before->size : after->size;
        bool moved = before->items != NULL && after->items != before->items;
        counts->most += kept * sizeof(void *);
        counts->moves += moved;
        counts->bytes += moved ? kept * sizeof(void *) : 0;
    }
}

static void grown_append(grown_t *grown)
{
    if (!grown->own) {
        vector_append(&grown->vectors, &grown->vector, NULL);
        return;
    }
    cubby_list_t before = grown->list;
    if (!cubby_list_append(heap, &grown->list, NULL)) {
        fputs("no memory for a list\n", stderr);
        exit(1);
    }
    change_count(grown, &before);
}

static void grown_pop(grown_t *grown)
{
    if (!grown->own) {
        (void)vector_pop(&grown->vectors, &grown->vector);
        return;
    }
    cubby_list_t before = grown->list;
    (void)cubby_list_pop(heap, &grown->list);
    change_count(grown, &before);
}

static void grown_resize(grown_t *grown, size_t size)
{
    if (!grown->own) {
        vector_resize(&grown->vectors, &grown->vector, size);
        return;
    }
    cubby_list_t before = grown->list;
    if (!cubby_list_resize(heap, &grown->list, size)) {
        fputs("no memory for a list\n", stderr);
        exit(1);
    }
    change_count(grown, &before);
}

static void grown_end(grown_t *grown)
{
    if (grown_size(grown) > 0 || grown->list.capacity > 0 || grown->vector.capacity > 0) {
        grown->vectors.counts.changes++;
    }
    cubby_list_clear(heap, &grown->list);
    vector_clear(&grown->vectors, &grown->vector);
}

/* ---- Item by item ---- */

static const size_t marks[] = {4, 16, 64, 512, 4096, 131072, 1000000, 10000000};

/* Builds one up to the next mark, and prints what that took. */
static void mark_reach(grown_t *grown, const char *name, size_t mark)
{
    counts_t before = grown->vectors.counts;
    const counts_t *counts = &grown->vectors.counts;
    double unused = 0, worst = 0, most;
    size_t first = grown_size(grown), capacity = 0, block = 0;
    while (grown_size(grown) < mark) {
        grown_append(grown);
        size_t held = grown->own ? grown->list.capacity : grown->vector.capacity;
        if (held != capacity) {
            capacity = held;
            block = grown_unused(grown) + grown_size(grown) * sizeof(void *);
        }
        double share = 1 - (double)(grown_size(grown) * sizeof(void *)) / (double)block;
        unused += share;
        worst = share > worst ? share : worst;
    }
    most = (double)counts->most / (double)(mark * sizeof(void *));
    printf("%11zu  %-8s %8zu %12zu %8.2f %12zu %7.1f%% %7.1f%%\n", mark, name, counts->changes - before.changes,
           counts->most, most, counts->bytes, unused * 100 / (double)(mark - first), worst * 100);
}

static void sizes_lead(size_t arm)
{
    grown_t grown;
    heap_begin();
    grown_begin(&grown, arm);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        mark_reach(&grown, arm_names[arm], marks[i]);
    }
    grown_end(&grown);
    cubby_heap_destroy(heap);
}

/* Each in a process of its own, so that none finds what another has left. */
static bool sizes_print(void)
{
    puts(
        "A list that is built item by item, alone in its process. Changes are those on the way from the row before;\n"
        "copied, in all so far: if every change copied, the same for each byte of the list, and what was copied here,\n"
        "where nothing stands in the way of growing in place; unused, a share of the block: over all sizes on the way\n"
        "from the row before, and at worst.\n");
    printf("%11s  %-8s %8s %12s %8s %12s %8s %8s\n", "up to items", "rule", "changes", "copied most", "a byte",
           "copied here", "unused", "at worst");
    for (size_t arm = 0; arm < ARM_COUNT; arm++) {
        int status = 1;
        (void)fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            sizes_lead(arm);
            (void)fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fputs("cubby-growth: a list could not be built to its end\n", stderr);
            return false;
        }
    }
    return true;
}

/* ---- Histories ---- */

/* One line of a history. */
typedef struct life {
    size_t lists;
    char first;
    size_t requests[LIFE_MOST];
    size_t count;
    size_t size; /* at the end */
} life_t;

static bool life_read(char *line, life_t *life)
{
    char *rest = strtok(line, " \n");
    *life = (life_t){.lists = rest == NULL ? 0 : strtoul(rest, NULL, 10)};
    rest = strtok(NULL, " \n");
    if (rest == NULL) {
        return false;
    }
    life->first = *rest;
    while ((rest = strtok(NULL, " \n")) != NULL && *rest != '=' && life->count < LIFE_MOST) {
        life->requests[life->count++] = strtoul(rest, NULL, 10);
    }
    rest = rest == NULL ? NULL : strtok(NULL, " \n");
    life->size = rest == NULL ? 0 : strtoul(rest, NULL, 10);
    return life->lists > 0 && (life->first == 'm' || life->first == 'c' || life->first == 'r') && life->count > 0 &&
           rest != NULL;
}

static void size_reach(grown_t *grown, size_t size)
{
    while (grown_size(grown) < size) {
        grown_append(grown);
    }
    while (grown_size(grown) > size) {
        grown_pop(grown);
    }
}

/*
 * What the list went through, as far as CPython's requests tell. One that its rule makes of the size after the last
 * request was an append; another larger one, a step to the most items that the request allows; a smaller one, items
 * taken off the end down to where the rule shrinks.
 */
static void request_follow(grown_t *grown, size_t request, size_t before)
{
    const rule_t *rule = rule_find("cpython");
    if (request < before) {
        size_t size = request;
        while (size > 0 && rule->grown(size) > request) {
            size--;
        }
        size_reach(grown, request == 0 ? 0 : size);
    } else if (request == rule->grown(before + 1)) {
        size_reach(grown, before + 1);
    } else if (request > before) {
        size_t size = request;
        while (size > before + 1 && rule->grown(size) > request) {
            size--;
        }
        grown_resize(grown, rule->grown(size) == request ? size : request);
    }
}

typedef struct sums {
    size_t lists;
    counts_t counts;
    size_t used;   /* bytes of items at the ends */
    size_t unused; /* bytes of their blocks beyond these */
} sums_t;

static void life_lead(const life_t *life, size_t arm, sums_t *sums)
{
    grown_t grown;
    grown_begin(&grown, arm);
    if (life->first != 'r') {
        grown_resize(&grown, life->requests[0]);
    } else {
        request_follow(&grown, life->requests[0], 0);
    }
    for (size_t i = 1; i < life->count; i++) {
        request_follow(&grown, life->requests[i], life->requests[i - 1]);
    }
    size_reach(&grown, life->size);
    sums->lists += life->lists;
    sums->used += life->lists * life->size * sizeof(void *);
    sums->unused += life->lists * grown_unused(&grown);
    grown_end(&grown);
    sums->counts.changes += life->lists * grown.vectors.counts.changes;
    sums->counts.most += life->lists * grown.vectors.counts.most;
}

static void sums_print(const char *name, const sums_t *sums)
{
    for (size_t arm = 0; arm < ARM_COUNT; arm++) {
        const sums_t *sum = &sums[arm];
        printf("%-12s %-8s %9zu %10zu %8.3f %14zu %14zu %14zu %7.1f%%\n", arm == 0 ? name : "", arm_names[arm],
               sum->lists, sum->counts.changes, (double)sum->counts.changes / (double)sum->lists, sum->counts.most,
               sum->used, sum->unused, 100.0 * (double)sum->unused / (double)(sum->used + sum->unused));
    }
}

static bool history_lead(const char *path, sums_t *all)
{
    sums_t sums[ARM_COUNT] = {{0}};
    static char line[LINE_MOST];
    life_t life;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        perror(path);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL) {
        good = life_read(line, &life);
        for (size_t arm = 0; good && arm < ARM_COUNT; arm++) {
            life_lead(&life, arm, &sums[arm]);
        }
    }
    (void)fclose(file);
    if (!good || sums[0].lists == 0) {
        fprintf(stderr, "%s: not a history as lab/lists/record.py writes them\n", path);
        return false;
    }
    const char *slash = strrchr(path, '/');
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(slash == NULL ? path : slash + 1, "."),
                   slash == NULL ? path : slash + 1);
    sums_print(name, sums);
    for (size_t arm = 0; arm < ARM_COUNT; arm++) {
        all[arm].lists += sums[arm].lists;
        all[arm].used += sums[arm].used;
        all[arm].unused += sums[arm].unused;
        all[arm].counts.changes += sums[arm].counts.changes;
        all[arm].counts.most += sums[arm].counts.most;
    }
    return true;
}

int main(int count, char **arguments)
{
    if (!sizes_print()) {
        return 1;
    }
    heap_begin();
    sums_t all[ARM_COUNT] = {{0}};
    if (count > 1) {
        puts("\nLists of real programs, from their first buffer to their end. Unused is what their blocks had left at "
             "the\n"
             "end of each, and its share of all blocks.\n");
        printf("%-12s %-8s %9s %10s %8s %14s %14s %14s %8s\n", "program", "rule", "lists", "changes", "a list",
               "bytes copied", "bytes used", "bytes unused", "share");
    }
    for (int i = 1; i < count; i++) {
        if (!history_lead(arguments[i], all)) {
            return 2;
        }
    }
    if (count > 2) {
        sums_print("all", all);
    }
    cubby_heap_destroy(heap);
    return 0;
}
