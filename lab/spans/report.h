/* SPDX-License-Identifier: MIT */
/* Prints the suite for people. */
#ifndef CUBBY_LAB_SPANS_REPORT_H
#define CUBBY_LAB_SPANS_REPORT_H

#include "lab/spans/suite.h"

#include <stdio.h>

/* What will run, where, and how long it will take; before it starts. */
void spans_report_plan(const spans_t *spans, FILE *stream);

/* The tables, and under them the rows in which Cubby is not where it wants to be. */
void spans_report_print(const spans_t *spans, FILE *stream);

#endif
