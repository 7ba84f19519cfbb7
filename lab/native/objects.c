/* SPDX-License-Identifier: MIT */
/*
 * The two loops of 2008 on the objects of <cubby/object.h>: one row of `cubby bench objects` in one process.
 *
 *   ints      a dict of --items new ints under as many new ints, made anew each round
 *   floats    a list of --items new floats, made of a list of ints that stays, and a dict of as many new floats under
 *             them, made anew each round
 *
 * As in Python, the old dict lives until the new one has been made, empty; and the list of floats lives until the dict
 * is full. Each of the policies of <cubby/freelist.h> may serve ints and floats.
 *
 * cubby-objects runs on Cubby; cubby-objects-malloc is compiled of the same text on malloc (over_malloc.h).
 *
 * Prints one line of JSON. The time is that of the rounds. After everything was dropped, and --settle milliseconds of
 * light work have passed, it says what is resident, then compacts the freelists, and says so again after as long.
 */
#include "process.h"
#include "timing.h"

#include <cubby/object.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef OBJECTS_ON
#define OBJECTS_ON "cubby"
#define heap_for_objects() cubby_heap_create()
#else
#define heap_for_objects() NULL
#endif

typedef struct row {
    const char *name;
    void (*round)(void);
} row_t;

static cubby_runtime_t *runtime;
static cubby_object_t *held_dict;
static cubby_object_t *held_ints; /* of `floats`: what its floats are made of */
static long items = 100000, rounds = 5, settle_ms = 0;
static cubby_runtime_options_t options = {.hash_seed = 1};

static const char *const policy_names[] = {
    [CUBBY_FREELIST_NONE] = "none", [CUBBY_FREELIST_BOUNDED] = "bounded", [CUBBY_FREELIST_BLOCKS] = "blocks"};

static void give_up(const char *what)
{
    fprintf(stderr, "cubby-objects: %s\n", what);
    exit(1);
}

/* What a call gave, unless it failed. */
static cubby_object_t *need(cubby_object_t *object)
{
    if (object == NULL) {
        give_up(cubby_error_get(runtime)->text);
    }
    return object;
}

static void need_done(bool done)
{
    if (!done) {
        give_up(cubby_error_get(runtime)->text);
    }
}

/* ---- The loops ---- */

static void dict_renew(void)
{
    cubby_object_t *made = need(cubby_dict_new(runtime)), *old = held_dict;
    held_dict = made;
    if (old != NULL) {
        cubby_object_release(runtime, old);
    }
}

static void dict_put(cubby_object_t *key, cubby_object_t *value)
{
    need_done(cubby_dict_set(runtime, held_dict, key, value));
    cubby_object_release(runtime, value);
}

static void ints_round(void)
{
    dict_renew();
    for (long i = 0; i < items; i++) {
        cubby_object_t *key = need(cubby_int_new(runtime, i));
        dict_put(key, need(cubby_int_new(runtime, i + items)));
        cubby_object_release(runtime, key);
    }
}

static cubby_object_t *list_of_ints(void)
{
    cubby_object_t *list = need(cubby_list_object_new(runtime));
    for (long i = 0; i < items; i++) {
        cubby_object_t *item = need(cubby_int_new(runtime, i));
        need_done(cubby_list_object_append(runtime, list, item));
        cubby_object_release(runtime, item);
    }
    return list;
}

static cubby_object_t *list_of_floats(const cubby_object_t *ints)
{
    const cubby_list_t *from = &((const cubby_list_object_t *)(const void *)ints)->list;
    cubby_object_t *list = need(cubby_list_object_new(runtime));
    for (size_t i = 0; i < from->size; i++) {
        cubby_object_t *item = need(cubby_float_new(runtime, (double)cubby_int_value(from->items[i])));
        need_done(cubby_list_object_append(runtime, list, item));
        cubby_object_release(runtime, item);
    }
    return list;
}

static void floats_round(void)
{
    if (held_ints == NULL) {
        held_ints = list_of_ints();
    }
    dict_renew();
    cubby_object_t *list = list_of_floats(held_ints);
    const cubby_list_t *from = &((const cubby_list_object_t *)(void *)list)->list;
    for (size_t i = 0; i < from->size; i++) {
        cubby_object_t *key = from->items[i];
        dict_put(key, need(cubby_float_new(runtime, cubby_float_value(key) + (double)items)));
    }
    cubby_object_release(runtime, list);
}

/* The last round's dict has all keys, each with its value. */
static void result_check(void)
{
    size_t position = 0, seen = 0;
    cubby_object_t *key, *value;
    while (cubby_dict_next(held_dict, &position, &key, &value)) {
        double number = cubby_is_int(key) ? (double)cubby_int_value(key) : cubby_float_value(key);
        double got = cubby_is_int(value) ? (double)cubby_int_value(value) : cubby_float_value(value);
        if (number != (double)seen++ || got != number + (double)items) {
            give_up("the dict came out wrong");
        }
    }
    if (seen != (size_t)items) {
        give_up("the dict came out wrong");
    }
}

static const row_t rows[] = {{"ints", ints_round}, {"floats", floats_round}};

/* ---- Measuring ---- */

static void all_drop(void)
{
    cubby_object_release(runtime, held_dict);
    if (held_ints != NULL) {
        cubby_object_release(runtime, held_ints);
    }
}

/* A little work now and then, as of a program that goes on: allocators that give memory back do so meanwhile. */
static void settle(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (long passed = 0; passed < settle_ms; passed += 10) {
        cubby_object_t *list = need(cubby_list_object_new(runtime));
        for (int i = 0; i < 1000; i++) {
            cubby_object_t *item = need(cubby_int_new(runtime, 1000 + i));
            need_done(cubby_list_object_append(runtime, list, item));
            cubby_object_release(runtime, item);
        }
        cubby_object_release(runtime, list);
        (void)nanosleep(&pause, NULL);
    }
}

static void row_run(const row_t *row)
{
    cubby_heap_t *heap = heap_for_objects();
    runtime = cubby_runtime_create(heap, &options);
    if (runtime == NULL) {
        give_up("no memory for a runtime");
    }
    long start_kib = process_status_kib("VmRSS"), faults = process_minor_faults();
    uint64_t start = timing_now_ns();
    for (long i = 0; i < rounds; i++) {
        row->round();
    }
    double elapsed = (double)(timing_now_ns() - start) / 1e9;
    faults = process_minor_faults() - faults;
    long peak = process_status_kib("VmHWM");
    result_check();
    all_drop();
    settle();
    long dropped_kib = process_status_kib("VmRSS");
    size_t compacted = cubby_runtime_compact(runtime);
    settle();
    cubby_freelist_stats_t ints, floats;
    cubby_freelist_stats_get(&runtime->ints, &ints);
    cubby_freelist_stats_get(&runtime->floats, &floats);
    printf("{\"row\": \"%s\", \"on\": \"%s\", \"malloc_of\": \"%s\", \"ints\": \"%s\", \"floats\": \"%s\", "
           "\"items\": %ld, \"rounds\": %ld, \"wall_seconds\": %.9f, \"minor_faults\": %ld, \"peak_kib\": %ld, "
           "\"start_kib\": %ld, \"dropped_kib\": %ld, \"compacted_kib\": %ld, \"compacted_bytes\": %zu, "
           "\"int_hits\": %zu, \"float_hits\": %zu}\n",
           row->name, OBJECTS_ON, process_malloc_file(), policy_names[options.int_policy],
           policy_names[options.float_policy], items, rounds, elapsed, faults, peak, start_kib, dropped_kib,
           process_status_kib("VmRSS"), compacted, ints.hits, floats.hits);
}

/* ---- The program ---- */

static int usage_print(void)
{
    fputs("usage: cubby-objects ints|floats [--ints=none|bounded|blocks] [--floats=none|bounded|blocks]\n"
          "           [--items=N] [--rounds=N] [--settle=MS]\n",
          stderr);
    return 2;
}

static const char *option_value(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool number_take(const char *text, long low, long high, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *number >= low && *number <= high;
}

static bool policy_take(const char *text, cubby_freelist_policy_t *policy)
{
    for (size_t i = 0; i < sizeof policy_names / sizeof *policy_names; i++) {
        if (strcmp(text, policy_names[i]) == 0) {
            *policy = (cubby_freelist_policy_t)i;
            return true;
        }
    }
    return false;
}

static bool option_take(const char *argument)
{
    const char *value;
    if ((value = option_value(argument, "--ints")) != NULL) {
        return policy_take(value, &options.int_policy);
    }
    if ((value = option_value(argument, "--floats")) != NULL) {
        return policy_take(value, &options.float_policy);
    }
    if ((value = option_value(argument, "--items")) != NULL) {
        return number_take(value, 1, 100000000, &items);
    }
    if ((value = option_value(argument, "--rounds")) != NULL) {
        return number_take(value, 1, 1000000, &rounds);
    }
    value = option_value(argument, "--settle");
    return value != NULL && number_take(value, 0, 60000, &settle_ms);
}

int main(int argc, char **argv)
{
    const row_t *row = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++) {
        row = strcmp(argv[1], rows[i].name) == 0 ? &rows[i] : row;
    }
    if (row == NULL) {
        return usage_print();
    }
    for (int i = 2; i < argc; i++) {
        if (!option_take(argv[i])) {
            fprintf(stderr, "cubby-objects: %s: no such option, or not a value for it\n", argv[i]);
            return usage_print();
        }
    }
    row_run(row);
    return 0;
}
