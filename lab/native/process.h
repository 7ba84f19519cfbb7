/* SPDX-License-Identifier: MIT */
/* What the system knows about this process. Nothing here allocates. */
#ifndef CUBBY_LAB_NATIVE_PROCESS_H
#define CUBBY_LAB_NATIVE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Processor time of the process, user and system, in seconds, exact to a microsecond. Not CLOCK_PROCESS_CPUTIME_ID,
 * which becomes as coarse as a tick while a timer of processor time runs.
 */
double process_cpu_seconds(void);

/* Minor page faults since the process started. */
long process_minor_faults(void);

/* A size of /proc/self/status in KiB, by its name ("VmRSS"); 0 when it cannot be read. */
long process_status_kib(const char *name);

/* Makes VmHWM start anew from what is resident now. False when the system does not allow it. */
bool process_peak_reset(void);

/* The file of the object that gives this process its malloc. */
const char *process_malloc_file(void);

#endif
