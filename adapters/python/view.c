/* SPDX-License-Identifier: MIT */
/*
 * What the Python module `cubby` (module/cubby) calls, through ctypes, with the interpreter lock held. The module mirrors
 * the structures of cubby.h.
 */
#include "adapter.h"

#include <cubby/cubby.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED unsigned cubby_python_served(void);
EXPORTED bool cubby_python_has_one_heap(void);
EXPORTED const char *cubby_python_version(void);
EXPORTED size_t cubby_python_trim(void);
EXPORTED bool cubby_python_owns(const void *pointer);
EXPORTED size_t cubby_python_stats(cubby_stat_t *stats, size_t most);
EXPORTED void cubby_python_heap_stats(cubby_heap_stats_t *stats);
EXPORTED bool cubby_python_class_stats(size_t index, cubby_class_stats_t *stats);
EXPORTED bool cubby_python_setting(size_t index, cubby_setting_t *setting);
EXPORTED bool cubby_python_check_heap(void);
EXPORTED bool cubby_python_check_blocks(size_t *problems);

/* Of the debug checks: looks at every block they know, reports what is wrong, and returns how many are. */
extern size_t cubby_check_all(void) __attribute__((weak));

/* A bit for each domain that Cubby serves: 1 raw, 2 mem, 4 obj. */
unsigned cubby_python_served(void)
{
    unsigned served = 0;
    for (unsigned domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        served |= (unsigned)adapter_serves((cubby_domain_t)domain) << domain;
    }
    return served;
}

/* False when each thread has a heap, and the figures of heaps are the calling thread's. */
bool cubby_python_has_one_heap(void)
{
    return adapter_heap() != NULL;
}

const char *cubby_python_version(void)
{
    return cubby_version();
}

size_t cubby_python_trim(void)
{
    if (adapter_heap() != NULL) {
        return cubby_heap_trim(adapter_heap());
    }
    return cubby_python_served() != 0 ? cubby_trim() : 0;
}

/* Whether the pointer is the address of a block that Cubby gave out. */
bool cubby_python_owns(const void *pointer)
{
    return cubby_owns(pointer);
}

/* Fills in at most so many; returns how many there are. */
size_t cubby_python_stats(cubby_stat_t *stats, size_t most)
{
    cubby_stats_t all;
    cubby_stat_t stat;
    size_t count = 0;
    cubby_stats_get(&all);
    for (; cubby_stat_get(&all, count, &stat); count++) {
        if (count < most) {
            stats[count] = stat;
        }
    }
    return count;
}

void cubby_python_heap_stats(cubby_heap_stats_t *stats)
{
    cubby_heap_stats_get(adapter_heap(), stats);
}

bool cubby_python_class_stats(size_t index, cubby_class_stats_t *stats)
{
    return cubby_class_stats_get(adapter_heap(), index, stats);
}

bool cubby_python_setting(size_t index, cubby_setting_t *setting)
{
    return cubby_setting_get(index, setting);
}

bool cubby_python_check_heap(void)
{
    return cubby_heap_check(adapter_heap());
}

/* False where there are no debug checks. */
bool cubby_python_check_blocks(size_t *problems)
{
    if (cubby_check_all == NULL) {
        return false;
    }
    *problems = cubby_check_all();
    return true;
}
