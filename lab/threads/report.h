/* SPDX-License-Identifier: MIT */
/* Prints the suite for people. */
#ifndef CUBBY_LAB_THREADS_REPORT_H
#define CUBBY_LAB_THREADS_REPORT_H

#include "lab/threads/suite.h"

#include <stdio.h>

/* What will run, where, and how long it will take; before it starts. */
void threads_report_plan(const threads_t *threads, FILE *stream);

/* The tables, and under them the rows in which Cubby is not where it wants to be. */
void threads_report_print(const threads_t *threads, FILE *stream);

#endif
