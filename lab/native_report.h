/* SPDX-License-Identifier: MIT */
/* Prints a suite of a C program for people. */
#ifndef CUBBY_LAB_NATIVE_REPORT_H
#define CUBBY_LAB_NATIVE_REPORT_H

#include "lab/native_suite.h"

#include <stdio.h>

/* What will run, where, and how long it will take; before it starts. */
void native_report_plan(const native_t *native, FILE *stream);

/* A table for each row, and under them the rows in which Cubby is not where it wants to be. */
void native_report_print(const native_t *native, FILE *stream);

#endif
