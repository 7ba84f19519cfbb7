/* SPDX-License-Identifier: MIT */
/*
 * `cubby bench objects`: the loops of 2008 on the objects of <cubby/object.h>, with each freelist for ints and for
 * floats, on Cubby, libc and the peers. What is to be done, and what has come out so far.
 *
 * A row is a loop with a policy for ints and one for floats. In a round of a loop all its rows run on all arms, one
 * after the other in a random order; times are compared within the round, with the row without freelists on Cubby. The
 * misses of the caches come from one further run of each, smaller and under valgrind's cachegrind, where that is
 * installed: of a simulated machine, so that they are the same everywhere.
 */
#ifndef CUBBY_LAB_OBJECTS_SUITE_H
#define CUBBY_LAB_OBJECTS_SUITE_H

#include "lab/arm.h"
#include "lab/machine.h"
#include "lab/progress.h"
#include "lab/stats.h"

#include <jansson.h>
#include <stdio.h>

enum { OBJECTS_ROW_COUNT = 12, OBJECTS_LOOP_COUNT = 2 };

typedef struct objects_loop {
    const char *name; /* as cubby-objects calls it */
    const char *meaning;
    size_t base; /* the row that the others are compared with: no freelists */
    long items;
    double seconds; /* what a round of it is thought to take on the average of the arms */
} objects_loop_t;

typedef struct objects_row {
    const char *name;
    size_t loop;
    const char *ints; /* policies */
    const char *floats;
} objects_row_t;

extern const objects_loop_t objects_loops[OBJECTS_LOOP_COUNT];
extern const objects_row_t objects_rows[OBJECTS_ROW_COUNT];

typedef enum objects_figure {
    OBJECTS_WALL, /* seconds, a round of the loop */
    OBJECTS_FAULTS,
    OBJECTS_PEAK, /* KiB */
    OBJECTS_START,
    OBJECTS_DROPPED,   /* resident after everything was dropped and a while has passed */
    OBJECTS_COMPACTED, /* and after the freelists were compacted and a while has passed again */
    OBJECTS_FIGURE_COUNT,
} objects_figure_t;

/* What one process reported. */
typedef struct objects_sample {
    bool good;
    size_t place; /* in its round, from 0 */
    double figures[OBJECTS_FIGURE_COUNT];
    json_t *raw; /* owned */
} objects_sample_t;

/* Misses of the simulated caches when data is read or written, for each item of each round. */
typedef struct objects_misses {
    bool known;
    double first; /* of the first level: 32 KiB */
    double last;  /* of the last: 1 MiB */
} objects_misses_t;

typedef struct objects {
    bool quick;
    size_t rounds;
    long loop_rounds; /* in one process */
    long item_share;  /* a run has the loop's items divided by this */
    long settle_ms;
    bool selected[OBJECTS_ROW_COUNT];
    arm_set_t arms;
    machine_t machine;
    char program[PATH_MAX + 32];        /* on Cubby */
    char program_malloc[PATH_MAX + 32]; /* on libc's malloc and what replaces it */
    char valgrind[PATH_MAX + 16];       /* empty: it is not installed */
    uint64_t seed;
    stats_rng_t rng;
    progress_t progress;
    objects_sample_t *samples; /* owned */
    objects_misses_t misses[OBJECTS_ROW_COUNT][ARM_COUNT];
    bool failed;    /* an arm was dropped */
    bool abandoned; /* Cubby itself failed */
} objects_t;

/* What an arm's runs of a row come to. */
typedef struct objects_summary {
    size_t runs;
    double medians[OBJECTS_FIGURE_COUNT];
    size_t compared;       /* rounds that have the row to compare with as well */
    stats_estimate_t time; /* over that row on Cubby, round by round; 1 for that row itself */
} objects_summary_t;

/* All rows, and the numbers of the quick form or of the full one. */
void objects_plan(objects_t *objects, bool quick);

/*
 * Selects rows by a comma-separated list of names or beginnings of names, and with them the rows they are compared with.
 * False, with the first wrong one.
 */
bool objects_select(objects_t *objects, const char *list, char *wrong, size_t size);
const char *objects_row_name(size_t row);

/* Seconds that one run of a row, and everything, will take, roughly. */
double objects_run_estimate(const objects_t *objects, size_t row);
double objects_estimate(const objects_t *objects);

/* Does all of it. False when it was interrupted; interrupt_watch() must have been called. */
bool objects_run(objects_t *objects);
objects_sample_t *objects_sample(const objects_t *objects, size_t row, size_t round, arm_id_t arm);
void objects_summarize(const objects_t *objects, size_t row, arm_id_t arm, objects_summary_t *summary);

/* What will run, before it starts; then the tables. */
void objects_report_plan(const objects_t *objects, FILE *stream);
void objects_report_print(const objects_t *objects, FILE *stream);

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *objects_to_json(const objects_t *objects, const char *version, char *const *arguments);

/* Frees what the results hold. */
void objects_clear(objects_t *objects);

#endif
