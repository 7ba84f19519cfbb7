/* SPDX-License-Identifier: MIT */
/* The suites of `cubby bench`, the options that they are given, and what they do alike. */
#ifndef CUBBY_CLI_SUITE_H
#define CUBBY_CLI_SUITE_H

#include "cli/adapter.h"
#include "lab/arm.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct bench_options {
    const char *suite; /* by name */
    bool quick;
    bool json;
    bool counters;
    const char *file; /* for JSON, or NULL */
    const char *python;
    const char *arms;
    const char *workloads;
    const char *rows;
    const char *resume; /* a file, or NULL */
    long rounds;        /* 0: as planned */
    long pairs;
    long budget;  /* minutes; 0: none */
    double width; /* a share; 0: none */
    long seed;    /* negative: none given */
} bench_options_t;

/* Where a suite writes: tables for people, and JSON unless that is NULL. */
typedef struct suite_output {
    FILE *people; /* stderr, and then without tables, when JSON goes to stdout */
    FILE *json;
} suite_output_t;

/* Each runs a suite and returns the exit status. arguments are the command line, for the record. */
int objects_bench(const bench_options_t *options, char **arguments);
int seeds_bench(const bench_options_t *options, char **arguments);
int spans_bench(const bench_options_t *options, char **arguments);
int threads_bench(const bench_options_t *options, char **arguments);
int lists_bench(const bench_options_t *options, char **arguments);
int gupb_bench(const bench_options_t *options, char **arguments);

/* The seed that was asked for, or one that is drawn. */
uint64_t suite_seed(const bench_options_t *options);

/* Finds the interpreter. Returns 0 or a status, and has said what is wrong. */
int suite_python_choose(const bench_options_t *options, char *path, size_t size);

/* All arms of Python programs, and Cubby's adapter for two of them. */
void suite_arms_fill(arm_set_t *arms, adapter_t *adapter);

/* Makes the environments of all arms equal in size, with the object that does nothing. False where that is missing. */
bool suite_arms_even(arm_set_t *arms);

/*
 * Without its adapter there is nothing of Cubby's to measure, unless the arms that need it were not asked for. Returns 0
 * or a status, and has said what is wrong.
 */
int suite_adapter_check(const arm_set_t *arms, const adapter_t *adapter);

/* Keeps the arms that were asked for, and Cubby. Returns 0 or a status, and has said what is wrong. */
int suite_arms_choose(const bench_options_t *options, arm_set_t *arms);

/* The same for suites of Python programs, and stock. */
int suite_python_arms_choose(const bench_options_t *options, arm_set_t *arms);

/* Says which rows there are in place of a wrong one, and returns the status for it. */
int suite_row_refuse(const char *wrong, const char *(*name_of)(size_t row), size_t count);

/* Finds a program of the suites beside the command. Returns 0 or a status. */
int suite_program_choose(const char *name, char *path, size_t size);

/* Opens the file for JSON before anything is measured. False when it cannot be: it has been said. */
bool suite_output_open(const bench_options_t *options, suite_output_t *output);
void suite_output_close(const suite_output_t *output);

/* Writes result, which it takes over, where JSON goes, if it goes anywhere. False when it could not be written. */
bool suite_json_write(const suite_output_t *output, json_t *result);

/* Says why a suite did not finish, and returns the status for it. */
int suite_unfinished(void);

#endif
