/* SPDX-License-Identifier: MIT */
/* Prints an experiment for people. */
#ifndef CUBBY_LAB_REPORT_H
#define CUBBY_LAB_REPORT_H

#include "lab/experiment.h"

#include <stdio.h>

/* What will run, where, and how long it will take; before it starts. */
void report_plan(const experiment_t *experiment, FILE *stream);

/* The tables of everything that has been measured. */
void report_print(const experiment_t *experiment, FILE *stream);

#endif
