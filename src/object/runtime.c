/* SPDX-License-Identifier: MIT */
#include "object/object.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

const cubby_error_t *cubby_error_get(const cubby_runtime_t *runtime)
{
    return &runtime->error;
}

void cubby_error_clear(cubby_runtime_t *runtime)
{
    runtime->error = (cubby_error_t){0};
}

void cubby_error_set(cubby_runtime_t *runtime, cubby_error_code_t code, const char *format, ...)
{
    /* Not straight into its place: the arguments may be the text of the last error. */
    cubby_error_t error = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): version 14 overlooks the line above. */
    (void)vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    runtime->error = error;
}

void cubby_error_memory_(cubby_runtime_t *runtime)
{
    cubby_error_set(runtime, CUBBY_ERROR_MEMORY, "no memory, or a limit is reached");
}

/* Scatters the bits of a number over all of it: the last step of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t bits_scatter(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31);
}

static void hash_key_fill(uint64_t key[2], uint64_t seed)
{
    if (seed == 0 && getrandom(key, 2 * sizeof *key, GRND_NONBLOCK) == (ssize_t)(2 * sizeof *key)) {
        return;
    }
    if (seed == 0) {
        /* Early in the boot of a machine: better a key that is hard to guess than to wait. */
        struct timespec now;
        (void)clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 32) ^ (uint64_t)(uintptr_t)key;
    }
    key[0] = bits_scatter(seed + 0x9E3779B97F4A7C15ULL);
    key[1] = bits_scatter(key[0] ^ seed);
}

cubby_runtime_t *cubby_runtime_create(cubby_heap_t *heap, const cubby_runtime_options_t *options)
{
    const cubby_runtime_options_t plain = {0};
    options = options != NULL ? options : &plain;
    cubby_freelist_t ints, floats;
    if (!cubby_freelist_begin(&ints, heap, sizeof(cubby_int_t), CUBBY_ALIGNOF_(cubby_int_t), options->int_policy,
                              options->int_cap, NULL) ||
        !cubby_freelist_begin(&floats, heap, sizeof(cubby_float_t), CUBBY_ALIGNOF_(cubby_float_t),
                              options->float_policy, options->float_cap, NULL)) {
        return NULL;
    }
    cubby_runtime_t *runtime = cubby_heap_calloc(heap, 1, sizeof *runtime);
    if (runtime == NULL) {
        return NULL;
    }
    runtime->heap = heap;
    runtime->ints = ints;
    runtime->floats = floats;
    hash_key_fill(runtime->hash_key, options->hash_seed);
    for (int i = 0; i < CUBBY_SMALL_INT_COUNT; i++) {
        runtime->small_ints[i] = (cubby_int_t){{1, &cubby_int_type}, CUBBY_SMALL_INT_LEAST + i};
    }
    return runtime;
}

void cubby_runtime_destroy(cubby_runtime_t *runtime)
{
    if (runtime != NULL) {
        cubby_freelist_end(&runtime->ints);
        cubby_freelist_end(&runtime->floats);
        cubby_heap_free(runtime->heap, runtime);
    }
}

size_t cubby_runtime_compact(cubby_runtime_t *runtime)
{
    return cubby_freelist_compact(&runtime->ints) + cubby_freelist_compact(&runtime->floats);
}
