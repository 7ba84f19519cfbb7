/* SPDX-License-Identifier: MIT */
/* Prints the suites gupb and pybench in the form of 2016: Benchmark, %D, sorted; for each arm. And the same as JSON. */
#ifndef CUBBY_LAB_GUPB_REPORT_H
#define CUBBY_LAB_GUPB_REPORT_H

#include "lab/gupb/suite.h"

#include <jansson.h>
#include <stdio.h>

/* What will run and where, before calibration; and after it, how long it will take and what is left out. */
void gupb_report_start(const gupb_t *gupb, FILE *stream);
void gupb_report_plan(const gupb_t *gupb, FILE *stream);

/* The tables of everything that has been measured. */
void gupb_report_print(const gupb_t *gupb, FILE *stream);

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *gupb_to_json(const gupb_t *gupb, const char *version, char *const *arguments);

#endif
