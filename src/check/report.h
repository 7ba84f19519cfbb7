/* SPDX-License-Identifier: MIT */
/* Faults in words: where they go, and what happens then. No lock is held. */
#ifndef CUBBY_CHECK_REPORT_H
#define CUBBY_CHECK_REPORT_H

#include "check/fault.h"

#pragma GCC visibility push(hidden)

/* The longest report: four traces of 32 lines, and what the runtime says. */
enum { REPORT_BYTES = 16384 };

/* A text that is being written; what does not fit is left out. */
typedef struct report {
    size_t length;
    char text[REPORT_BYTES];
} report_t;

void reports_begin(const char *file, bool goes_on);
void reports_hand_to(cubby_check_report_t receiver, void *ctx);

void report_add(report_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_add_trace(report_t *report, const char *title, const check_trace_t *trace);

/* "mem", "obj", "raw", or "none". */
const char *domain_name(unsigned domain);

/* To the host's function and to stderr or the file. */
void report_send(const report_t *report);

/* Reports everything in the list, and aborts the program when it holds anything and the program is not to go on. */
void faults_report(const faults_t *faults);

#pragma GCC visibility pop

#endif
