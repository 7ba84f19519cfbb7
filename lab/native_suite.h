/* SPDX-License-Identifier: MIT */
/*
 * A suite of one C program, in pairs: each row of it runs on Cubby, on libc and on the peers, and on each of them in
 * every variant (a growth rule, say). What is to be done, and what has come out so far. The program and its rows are
 * described by a native_kind_t; all else is here, in native_summary.c, native_report.c and native_result.c.
 *
 * Cubby in its first variant is the base: every other entry, an arm in a variant, runs beside it at the same time, then
 * with the cores swapped. The figures of a run are those of one unit of work, but for the peak.
 */
#ifndef CUBBY_LAB_NATIVE_SUITE_H
#define CUBBY_LAB_NATIVE_SUITE_H

#include "lab/arm.h"
#include "lab/machine.h"
#include "lab/progress.h"
#include "lab/stats.h"

#include <jansson.h>

enum { NATIVE_ROW_MOST = 16, NATIVE_VARIANT_MOST = 4, NATIVE_COUNTER_MOST = 4 };

/* Figures that every program prints, under these names; its counters follow. */
typedef enum native_figure {
    NATIVE_TIME,    /* cpu_seconds */
    NATIVE_ELAPSED, /* wall_seconds */
    NATIVE_FAULTS,  /* minor_faults */
    NATIVE_PEAK,    /* peak_kib */
    NATIVE_COUNTERS,
    NATIVE_FIGURE_MOST = NATIVE_COUNTERS + NATIVE_COUNTER_MOST,
} native_figure_t;

typedef struct native_row {
    const char *name; /* as the program calls it */
    const char *meaning;
    long loops;     /* of a run in the full form */
    double seconds; /* what that is thought to take on the average of the entries */
} native_row_t;

typedef struct native_variant {
    const char *name;
    const char *option; /* that chooses it */
} native_variant_t;

/* A figure that only this program has, and its column. */
typedef struct native_counter {
    const char *name; /* in the line that it prints */
    const char *heading;
    double scale; /* shown is so many times that of one unit */
} native_counter_t;

typedef struct native_kind {
    const char *suite;
    const char *program;
    const char *unit;    /* the member of the line that says how much work was done */
    const char *variant; /* what the variants are, and the member that says which it was */
    const char *about;   /* above the tables */
    const native_row_t *rows;
    size_t row_count;
    const native_variant_t *variants; /* Cubby's own first */
    size_t variant_count;
    const native_counter_t *counters;
    size_t counter_count;
} native_kind_t;

typedef struct native_entry {
    arm_id_t arm;
    size_t variant;
} native_entry_t;

/* What one process reported. */
typedef struct native_sample {
    bool good;
    double figures[NATIVE_FIGURE_MOST];
    json_t *raw; /* owned */
} native_sample_t;

typedef struct native_pair {
    native_entry_t entry; /* beside the base */
    int base_core;
    int entry_core;
    native_sample_t base;
    native_sample_t sample;
} native_pair_t;

typedef struct native_result {
    native_pair_t *pairs; /* owned */
    size_t count;
    size_t room;
} native_result_t;

typedef struct native {
    const native_kind_t *kind;
    bool quick;
    size_t swaps; /* pairs of each entry, each run both ways round */
    bool selected[NATIVE_ROW_MOST];
    arm_set_t arms;
    machine_t machine;
    char program[PATH_MAX + 32];
    uint64_t seed;
    stats_rng_t rng;
    progress_t progress;
    native_result_t results[NATIVE_ROW_MOST];
    bool failed;    /* an arm was dropped */
    bool abandoned; /* Cubby itself failed */
} native_t;

/* All rows, and the numbers of the quick form or of the full one. */
void native_plan(native_t *native, const native_kind_t *kind, bool quick);

/* Selects rows by a comma-separated list of names, or beginnings of names. False, with the first wrong one. */
bool native_select(native_t *native, const char *list, char *wrong, size_t size);

/* What a run does. */
long native_loops(const native_t *native, size_t row);

/* Seconds that one run of a row, and everything, will take, roughly. */
double native_run_estimate(const native_t *native, size_t row);
double native_estimate(const native_t *native);

bool native_is_base(native_entry_t entry);

/* Does all of it. False when it was interrupted; interrupt_watch() must have been called. */
bool native_suite_run(native_t *native);

/* Frees what the results hold. */
void native_clear(native_t *native);

#endif
