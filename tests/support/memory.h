/* SPDX-License-Identifier: MIT */
/* What the process holds, as the kernel counts it. */
#ifndef CUBBY_TESTS_SUPPORT_MEMORY_H
#define CUBBY_TESTS_SUPPORT_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static inline size_t memory_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Keeps the kernel from backing more than the pages that are touched, in this process. */
static inline void memory_small_pages(void)
{
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* Resident bytes of the process. */
static inline size_t memory_resident(void)
{
    char text[128] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) {
        return 0;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    const char *second = strchr(text, ' ');
    unsigned long pages = 0;
    return second != NULL && sscanf(second, "%lu", &pages) == 1 ? (size_t)pages * memory_page() : 0;
}

/* Resident bytes of the pages that hold [start, start + size). */
static inline size_t memory_resident_in(const void *start, size_t size)
{
    enum { PAGES_AT_ONCE = 4096 };
    static unsigned char states[PAGES_AT_ONCE];
    size_t unit = memory_page();
    uintptr_t first = (uintptr_t)start & ~(uintptr_t)(unit - 1);
    uintptr_t end = ((uintptr_t)start + size + unit - 1) & ~(uintptr_t)(unit - 1);
    size_t resident = 0;
    while (first < end) {
        size_t pages = (end - first) / unit < PAGES_AT_ONCE ? (end - first) / unit : PAGES_AT_ONCE;
        memset(states, 0, sizeof states);
        (void)mincore((void *)first, pages * unit, states);
        for (size_t i = 0; i < pages; i++) {
            resident += (states[i] & 1U) * unit;
        }
        first += pages * unit;
    }
    return resident;
}

/* Minor page faults of the process so far. */
static inline long memory_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : -1;
}

/* The most that was resident at once since the process began. */
static inline size_t memory_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : SIZE_MAX;
}

/* Lines of /proc/self/maps. */
static inline size_t memory_mappings(void)
{
    size_t lines = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    for (int c; file != NULL && (c = fgetc(file)) != EOF;) {
        lines += c == '\n';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return lines;
}

#endif
