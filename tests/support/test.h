/* SPDX-License-Identifier: MIT */
/* What every unit test begins with: cmocka and what it wants before it, and a generator whose seed is told. */
#ifndef CUBBY_TESTS_SUPPORT_TEST_H
#define CUBBY_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* True where a sanitizer adds memory, faults and checks of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED true
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED false
#endif

/* Of a function that looks at freed blocks, which AddressSanitizer is told nobody may touch. */
#define TEST_UNCHECKED __attribute__((noinline, no_sanitize_address))

/* xorshift64* (Vigna 2016): the state is never 0. */
typedef struct test_random {
    uint64_t state;
} test_random_t;

static inline uint64_t random_next(test_random_t *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545F4914F6CDD1DULL;
}

/* A number of [0, end). */
static inline size_t random_below(test_random_t *random, size_t end)
{
    return (size_t)((random_next(random) >> 11) % end);
}

/* Reads a number from the environment. */
static inline uint64_t test_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? otherwise : strtoull(text, NULL, 0);
}

/* Seeded by CUBBY_TEST_SEED, else by the clock; says which seed it is. */
static inline test_random_t test_random(const char *test)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t chance = (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec + (uint64_t)getpid();
    uint64_t seed = test_number("CUBBY_TEST_SEED", chance % 1000000000);
    printf("# %s: CUBBY_TEST_SEED=%llu\n", test, (unsigned long long)seed);
    (void)fflush(stdout);
    test_random_t random = {(seed + 1) * 0x9E3779B97F4A7C15ULL};
    return random;
}

/* Hides from the compiler where a pointer came from, so that it does not reason about what may be done with it. */
static inline void *test_launder(const void *pointer)
{
    uintptr_t bits = (uintptr_t)pointer;
    __asm__ volatile("" : "+r"(bits));
    return (void *)bits;
}

/* A value the compiler cannot know, for sizes that it would warn of. */
static inline size_t test_size(size_t size)
{
    __asm__ volatile("" : "+r"(size));
    return size;
}

#endif
