/* SPDX-License-Identifier: MIT */
/* What of the machine can move a result. Read from /proc and /sys; what cannot be read is empty or 0. */
#ifndef CUBBY_LAB_MACHINE_H
#define CUBBY_LAB_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MACHINE_ALLOWED_MAX = 1024, MACHINE_WARNING_MAX = 12, MACHINE_WARNING_SIZE = 200 };

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
    char governor[32];             /* of the first core */
    char boost[8];                 /* 1: cores may run faster than their frequency for a while */
    char shared_cores[8];          /* 1: two threads run on one core */
    bool hypervisor;               /* this is a virtual machine */
    double load[3];                /* processes that wanted to run, over 1, 5 and 15 minutes; -1 unknown */
    long long swap_used_kib;
    double stolen; /* since it was started: the share of time in which others had this machine's cores */
} machine_t;

void machine_read(machine_t *machine);

typedef char machine_warning_t[MACHINE_WARNING_SIZE];

/* What of this machine makes times worth little, each with what would mend it. Returns how many there are. */
size_t machine_warnings(const machine_t *machine, machine_warning_t warnings[MACHINE_WARNING_MAX]);

/* The same, a line each. */
void machine_warnings_print(const machine_t *machine, FILE *stream);

/* A new JSON object with all of it. */
json_t *machine_to_json(const machine_t *machine);

/* The word in [brackets] of a kernel switch such as "always [madvise] never", or the whole text. */
void switch_chosen(const char *text, char *chosen, size_t size);

#endif
