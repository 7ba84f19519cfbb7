/* SPDX-License-Identifier: MIT */
/* What of the machine can move a result. Read from /proc and /sys; what cannot be read is empty or 0. */
#ifndef CUBBY_LAB_MACHINE_H
#define CUBBY_LAB_MACHINE_H

#include <jansson.h>
#include <stddef.h>

enum { MACHINE_ALLOWED_MAX = 1024 };

typedef struct machine {
    char cpu[128];
    char architecture[80];
    char kernel[160];
    char libc[64];
    long page_bytes;
    long cores_online;
    size_t cores_allowed;
    int allowed[MACHINE_ALLOWED_MAX]; /* numbers of the cores this process may use, ascending */
    long long memory_kib;
    long long available_kib;
    char overcommit[16]; /* 0 heuristic, 1 always, 2 never */
    char thp_enabled[64];
    char thp_defrag[80];
    long long thp_bytes;           /* size of a huge page */
    char aslr[16];                 /* 2 full, 1 without the heap, 0 off */
    long long address_space_limit; /* RLIMIT_AS in bytes; -1 unlimited */
} machine_t;

void machine_read(machine_t *machine);

/* A new JSON object with all of it. */
json_t *machine_to_json(const machine_t *machine);

/* The word in [brackets] of a kernel switch such as "always [madvise] never", or the whole text. */
void switch_chosen(const char *text, char *chosen, size_t size);

#endif
