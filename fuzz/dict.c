/* SPDX-License-Identifier: MIT */
/*
 * Dict operations: three bytes a step, which is the step and a key. Beside the dict goes an array, which has for each key
 * its value and the step in which it was first set. After each step both say the same, or the step was refused for want
 * of memory and the dict is as it was.
 */
#include "target.h"

#include <cubby/limit.h>
#include <cubby/object.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BYTES = 3, KEYS = 4096 };

typedef enum step {
    STEP_SET,
    STEP_SET_AGAIN, /* so that there are more that set than that remove */
    STEP_FIND,
    STEP_REMOVE,
    STEP_CLEAR,
    STEP_STARVE, /* from now on the heap gets no pages; and next time it does again */
    STEP_UNHASHABLE,
    STEP_COUNT,
} step_t;

static cubby_heap_t *heap;
static cubby_runtime_t *runtime;
static cubby_object_t *dict;
static int64_t values[KEYS];
static uint64_t since[KEYS]; /* 0: not there */
static size_t count, refused;
static uint64_t now;
static bool starved;

static void check(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz-dict: step %llu, %zu keys: not true: %s\n", (unsigned long long)now, count, what);
        abort();
    }
}

/* What failed for want of memory, which it may only where there is none. */
static bool was_refused(bool done)
{
    if (!done) {
        check(cubby_error_get(runtime)->code == CUBBY_ERROR_MEMORY, "only memory is missing");
        check(starved, "there is memory");
        refused++;
    }
    cubby_error_clear(runtime);
    return !done;
}

/* Of four keys in a row one is an int or the float equal to it, one a float, one a str, one an int far away. */
static cubby_object_t *key_of(size_t number, bool other)
{
    char text[32];
    int size;
    switch (number % 4) {
    case 0:
        return other ? cubby_float_new(runtime, (double)number) : cubby_int_new(runtime, (int64_t)number);
    case 1:
        return cubby_float_new(runtime, (double)number + 0.5);
    case 2:
        size = snprintf(text, sizeof text, "%zu", number);
        return cubby_str_new(runtime, text, (size_t)size);
    default:
        return cubby_int_new(runtime, (int64_t)number << 40);
    }
}

static void key_set(size_t number, cubby_object_t *key)
{
    cubby_object_t *value = cubby_int_new(runtime, (int64_t)now * KEYS + (int64_t)number);
    if (was_refused(value != NULL)) {
        return;
    }
    if (!was_refused(cubby_dict_set(runtime, dict, key, value))) {
        values[number] = cubby_int_value(value);
        count += since[number] == 0;
        since[number] = since[number] == 0 ? now : since[number];
    }
    cubby_object_release(runtime, value);
}

static void key_find(size_t number, const cubby_object_t *key)
{
    cubby_object_t *value;
    check(cubby_dict_find(runtime, dict, key, &value), "finding needs no memory");
    check((value != NULL) == (since[number] != 0), "a key is found when it is there");
    check(value == NULL || cubby_int_value(value) == values[number], "a key has its value");
}

static void key_remove(size_t number, const cubby_object_t *key)
{
    bool removed = cubby_dict_remove(runtime, dict, key);
    check(removed == (since[number] != 0), "a key is removed when it is there");
    check(removed || cubby_error_get(runtime)->code == CUBBY_ERROR_KEY, "otherwise it is said to be missing");
    cubby_error_clear(runtime);
    count -= removed;
    since[number] = 0;
}

static void all_clear(void)
{
    cubby_dict_clear(runtime, dict);
    memset(since, 0, sizeof since);
    count = 0;
}

static void unhashable_set(cubby_object_t *key)
{
    check(!cubby_dict_set(runtime, dict, dict, key), "a dict is no key");
    check(cubby_error_get(runtime)->code == CUBBY_ERROR_TYPE, "and that is said");
    cubby_error_clear(runtime);
}

static void step_do(step_t step, size_t number, bool other)
{
    if (step == STEP_STARVE) {
        starved = !starved;
        cubby_heap_limit_set(heap, starved ? 0 : SIZE_MAX);
    }
    cubby_object_t *key = key_of(number, other);
    if (was_refused(key != NULL)) {
        return;
    }
    if (step == STEP_SET || step == STEP_SET_AGAIN) {
        key_set(number, key);
    } else if (step == STEP_REMOVE) {
        key_remove(number, key);
    } else if (step == STEP_CLEAR) {
        all_clear();
    } else if (step == STEP_UNHASHABLE) {
        unhashable_set(key);
    }
    key_find(number, key);
    check(cubby_dict_size(dict) == count, "both have as many keys");
    cubby_object_release(runtime, key);
}

/* The entries are those of the array, in the order in which they were first set. */
static void entries_check(void)
{
    size_t position = 0, seen = 0;
    uint64_t last = 0;
    cubby_object_t *key, *value;
    while (cubby_dict_next(dict, &position, &key, &value)) {
        size_t number = (size_t)(cubby_int_value(value) % KEYS);
        check(since[number] > last && values[number] == cubby_int_value(value), "entries are in their order");
        last = since[number];
        seen++;
    }
    check(seen == count, "all entries are there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cubby_heap_stats_t held;
    cubby_runtime_options_t options = {.hash_seed = 1};
    heap = cubby_heap_create();
    runtime = heap == NULL ? NULL : cubby_runtime_create(heap, &options);
    dict = runtime == NULL ? NULL : cubby_dict_new(runtime);
    check(dict != NULL, "there is memory to begin with");
    memset(since, 0, sizeof since);
    count = refused = 0;
    starved = false;
    for (now = 1; size >= STEP_BYTES; now++, data += STEP_BYTES, size -= STEP_BYTES) {
        step_do((step_t)(data[0] % STEP_COUNT), ((size_t)data[1] | (size_t)data[2] << 8) % KEYS, data[2] >= 128);
        if (now % 64 == 0) {
            entries_check();
        }
    }
    entries_check();
    cubby_object_release(runtime, dict);
    cubby_runtime_destroy(runtime);
    check(cubby_heap_check(heap), "the heap is in order");
    cubby_heap_stats_get(heap, &held);
    check(held.blocks_used == 0 && held.large_blocks == 0, "the heap is empty");
    cubby_heap_destroy(heap);
    return 0;
}
