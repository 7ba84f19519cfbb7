/* SPDX-License-Identifier: MIT */
/*
 * Why the float freelist of 2008 was slow: its loops once more (objects.c), with what each explanation blames changed on
 * purpose, and with counters instead of a clock. lab/objects/freelists.py runs all of it.
 *
 *   --policy     the freelist of the ints, or of the floats: none, bounded, blocks
 *   --arrange    what is done to a freelist of blocks between two rounds: nothing (kept), or it is linked anew, by
 *                ascending addresses (sorted) or by chance (shuffled)
 *   --apart      the values of the dict come from a freelist and a heap of their own, as a type of their own
 *
 * Prints one line of JSON. For each round: on how many cache lines and pages 1,024 objects lie that are used one after
 * the other, on the average; and the page faults of the round. The drop and the fill of the last two rounds are
 * functions of their own, late_drop and late_fill, so that callgrind can be told to count in these alone.
 */
#include "options.h"
#include "process.h"

#include <cubby/object.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef OBJECTS_ON
#define OBJECTS_ON "cubby"
#define heap_for_objects() cubby_heap_create()
#else
#define heap_for_objects() NULL
#endif

enum { WINDOW = 1024, LINE_BITS = 6, PAGE_BITS = 12, LATE_ROUNDS = 2, ROUNDS_MOST = 1000 };

typedef enum arrangement { ARRANGE_KEPT, ARRANGE_SORTED, ARRANGE_SHUFFLED, ARRANGE_COUNT } arrangement_t;

static const char *const policy_names[] = {
    [CUBBY_FREELIST_NONE] = "none", [CUBBY_FREELIST_BOUNDED] = "bounded", [CUBBY_FREELIST_BLOCKS] = "blocks"};
static const char *const arrangement_names[ARRANGE_COUNT] = {"kept", "sorted", "shuffled"};

static cubby_runtime_t *runtime;
static cubby_object_t *held_dict;
static cubby_object_t *held_ints; /* of the floats: what they are made of */
static bool floats, apart;
static long items = 100000, rounds = 25;
static cubby_freelist_policy_t policy;
static arrangement_t arrangement;
static cubby_freelist_t results; /* where the values are from, if they are apart */

typedef struct seen {
    double lines, pages;
    long faults;
} seen_t;

static seen_t seen[ROUNDS_MOST];

static void *need(void *made)
{
    if (made == NULL) {
        fputs("cubby-order: no memory\n", stderr);
        exit(1);
    }
    return made;
}

/* ---- A float's twin, from another freelist ---- */

static void result_destroy(cubby_runtime_t *own, cubby_object_t *object)
{
    (void)own;
    cubby_freelist_delete(&results, (cubby_float_t *)(void *)object);
}

static const cubby_type_t result_type = {.name = "result", .size = sizeof(cubby_float_t), .destroy = result_destroy};

static cubby_object_t *value_new(double value)
{
    if (!apart) {
        return need(cubby_float_new(runtime, value));
    }
    cubby_float_t *made = need(cubby_freelist_new(&results, cubby_float_t));
    *made = (cubby_float_t){{1, &result_type}, value};
    return &made->object;
}

/* ---- The loops ---- */

static void round_drop(void)
{
    cubby_object_t *made = need(cubby_dict_new(runtime)), *old = held_dict;
    held_dict = made;
    if (old != NULL) {
        cubby_object_release(runtime, old);
    }
}

static void dict_put(cubby_object_t *key, cubby_object_t *value)
{
    need(cubby_dict_set(runtime, held_dict, key, value) ? held_dict : NULL);
    cubby_object_release(runtime, value);
}

static void list_put(cubby_object_t *list, cubby_object_t *item)
{
    need(cubby_list_object_append(runtime, list, item) ? list : NULL);
    cubby_object_release(runtime, item);
}

static void ints_fill(void)
{
    for (long i = 0; i < items; i++) {
        cubby_object_t *key = need(cubby_int_new(runtime, i));
        dict_put(key, need(cubby_int_new(runtime, i + items)));
        cubby_object_release(runtime, key);
    }
}

static void floats_fill(void)
{
    cubby_object_t *list = need(cubby_list_object_new(runtime));
    for (long i = 0; i < items; i++) {
        int64_t number = cubby_int_value(cubby_list_object_get(runtime, held_ints, i));
        list_put(list, need(cubby_float_new(runtime, (double)number)));
    }
    for (long i = 0; i < items; i++) {
        cubby_object_t *key = cubby_list_object_get(runtime, list, i);
        dict_put(key, value_new(cubby_float_value(key) + (double)items));
    }
    cubby_object_release(runtime, list);
}

static void round_fill(void)
{
    if (floats) {
        floats_fill();
    } else {
        ints_fill();
    }
}

/* Not inlined into the program, whatever is inlined into them. */
static __attribute__((noinline)) void late_drop(void)
{
    round_drop();
}

static __attribute__((noinline)) void late_fill(void)
{
    round_fill();
}

/* ---- The freelist, arranged ---- */

static int address_compare(const void *left, const void *right)
{
    uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
    return (a > b) - (a < b);
}

/* The same order by chance on every run. */
static void addresses_shuffle(uintptr_t *addresses, size_t count)
{
    uint64_t state = 0x2545f4914f6cdd1d;
    for (size_t i = count; i > 1; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        size_t other = (size_t)(state % i);
        uintptr_t address = addresses[i - 1];
        addresses[i - 1] = addresses[other];
        addresses[other] = address;
    }
}

static void freelist_arrange(cubby_freelist_t *list)
{
    size_t count = list->given - list->taken, at = 0;
    if (arrangement == ARRANGE_KEPT || count == 0) {
        return;
    }
    uintptr_t *addresses = need(malloc(count * sizeof *addresses));
    for (void **object = list->free; object != NULL; object = object[1]) {
        addresses[at++] = (uintptr_t)object;
    }
    if (arrangement == ARRANGE_SORTED) {
        qsort(addresses, count, sizeof *addresses, address_compare);
    } else {
        addresses_shuffle(addresses, count);
    }
    list->free = NULL;
    while (at-- > 0) {
        void **object = (void **)addresses[at]; /* NOLINT(performance-no-int-to-ptr) */
        object[1] = list->free;
        list->free = object;
    }
    free(addresses);
}

/* ---- Counting ---- */

/* How many different values the addresses have above their lowest bits. They are sorted. */
static size_t places_count(const uintptr_t *addresses, size_t count, unsigned bits)
{
    size_t places = 1;
    for (size_t i = 1; i < count; i++) {
        places += addresses[i] >> bits != addresses[i - 1] >> bits;
    }
    return places;
}

/* Keys and values in the order in which the dict was filled and will be dropped: key, value, key, value. */
static void order_see(seen_t *found)
{
    uintptr_t window[WINDOW];
    size_t position = 0, used = 0, lines = 0, pages = 0, windows = 0;
    cubby_object_t *key, *value;
    while (cubby_dict_next(held_dict, &position, &key, &value)) {
        window[used++] = (uintptr_t)key;
        window[used++] = (uintptr_t)value;
        if (used == WINDOW) {
            qsort(window, WINDOW, sizeof *window, address_compare);
            lines += places_count(window, WINDOW, LINE_BITS);
            pages += places_count(window, WINDOW, PAGE_BITS);
            windows++;
            used = 0;
        }
    }
    found->lines = windows == 0 ? 0 : (double)lines / (double)windows;
    found->pages = windows == 0 ? 0 : (double)pages / (double)windows;
}

static void rounds_run(void)
{
    for (long i = 0; i < rounds; i++) {
        bool late = i >= rounds - LATE_ROUNDS;
        long start = process_minor_faults();
        (late ? late_drop : round_drop)();
        long dropped = process_minor_faults();
        freelist_arrange(floats ? &runtime->floats : &runtime->ints);
        long arranged = process_minor_faults();
        (late ? late_fill : round_fill)();
        seen[i].faults = process_minor_faults() - arranged + dropped - start;
        order_see(&seen[i]);
    }
}

static void report_print(void)
{
    printf("{\"row\": \"%s\", \"on\": \"%s\", \"policy\": \"%s\", \"arrange\": \"%s\", \"apart\": %s, \"items\": %ld, "
           "\"late_rounds\": %d, \"peak_kib\": %ld, \"rounds\": [",
           floats ? "floats" : "ints", OBJECTS_ON, policy_names[policy], arrangement_names[arrangement],
           apart ? "true" : "false", items, (int)LATE_ROUNDS, process_status_kib("VmHWM"));
    for (long i = 0; i < rounds; i++) {
        printf("%s{\"lines\": %.1f, \"pages\": %.1f, \"faults\": %ld}", i > 0 ? ", " : "", seen[i].lines, seen[i].pages,
               seen[i].faults);
    }
    puts("]}");
}

/* ---- The program ---- */

static void runtime_begin(void)
{
    cubby_runtime_options_t options = {.hash_seed = 1};
    *(floats ? &options.float_policy : &options.int_policy) = policy;
    runtime = need(cubby_runtime_create(heap_for_objects(), &options));
    if (apart) {
        cubby_heap_t *heap = heap_for_objects();
        need(cubby_freelist_begin(&results, heap, sizeof(cubby_float_t), 8, policy, 0, NULL) ? runtime : NULL);
    }
    if (floats) {
        held_ints = need(cubby_list_object_new(runtime));
        for (long i = 0; i < items; i++) {
            list_put(held_ints, need(cubby_int_new(runtime, i)));
        }
    }
}

static bool name_find(const char *name, const char *const *names, size_t count, size_t *found)
{
    for (*found = 0; *found < count; ++*found) {
        if (strcmp(name, names[*found]) == 0) {
            return true;
        }
    }
    return false;
}

static bool option_take(const char *argument)
{
    const char *value;
    size_t found;
    if ((value = option_value(argument, "--policy")) != NULL) {
        bool known = name_find(value, policy_names, sizeof policy_names / sizeof *policy_names, &found);
        policy = known ? (cubby_freelist_policy_t)found : policy;
        return known;
    }
    if ((value = option_value(argument, "--arrange")) != NULL) {
        bool known = name_find(value, arrangement_names, ARRANGE_COUNT, &found);
        arrangement = known ? (arrangement_t)found : arrangement;
        return known;
    }
    if (strcmp(argument, "--apart") == 0) {
        apart = true;
        return true;
    }
    if ((value = option_value(argument, "--items")) != NULL) {
        return number_read(value, WINDOW, 100000000, &items);
    }
    value = option_value(argument, "--rounds");
    return value != NULL && number_read(value, LATE_ROUNDS, ROUNDS_MOST, &rounds);
}

int main(int argc, char **argv)
{
    floats = argc > 1 && strcmp(argv[1], "floats") == 0;
    bool good = floats || (argc > 1 && strcmp(argv[1], "ints") == 0);
    for (int i = 2; good && i < argc; i++) {
        good = option_take(argv[i]);
    }
    if (good && (policy == CUBBY_FREELIST_BLOCKS || arrangement == ARRANGE_KEPT) && (floats || !apart)) {
        runtime_begin();
        rounds_run();
        report_print();
        return 0;
    }
    fputs("usage: cubby-order ints|floats [--policy=none|bounded|blocks] [--arrange=kept|sorted|shuffled] [--apart]\n"
          "                   [--items=N] [--rounds=N]\n"
          "       --arrange is for blocks, --apart for floats; 1,024 items or more, 2 to 1,000 rounds\n",
          stderr);
    return 2;
}
