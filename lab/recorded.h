/* SPDX-License-Identifier: MIT */
/* What `cubby bench` wrote as JSON, read again: the rows of a file, their arms and pairs. */
#ifndef CUBBY_LAB_RECORDED_H
#define CUBBY_LAB_RECORDED_H

#include "lab/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A file of a suite whose pairs are of Python processes: seeds, gupb or pybench. The texts belong to root. */
typedef struct recorded {
    const char *path;
    json_t *root;
    const char *suite;
    const json_t *rows;
} recorded_t;

/* An arm beside another one in a row. */
typedef struct recorded_change {
    size_t pairs;              /* of the two directly; 0: through stock, with which both were paired */
    stats_estimate_t estimate; /* how many times the base's processor time is the arm's */
} recorded_change_t;

/* False with the reason, which says what to do, when there is no such file, or it is damaged or of another kind. */
bool recorded_open(const char *path, recorded_t *recorded, char *reason, size_t size);
void recorded_close(recorded_t *recorded);

/* A text or number of an object; "" or 0 when it is not there. */
const char *recorded_text(const json_t *object, const char *key);
double recorded_number(const json_t *object, const char *key);

/* The row of that name, or NULL. */
const json_t *recorded_row(const recorded_t *recorded, const char *name);

/* Whether the file names the arm. */
bool recorded_has_arm(const recorded_t *recorded, const char *name);

/* How much a run of the row did: "2016", "quick", or the rounds of seeds. */
void recorded_size(const json_t *row, char *text, size_t size);

/* The loops, or rounds, of a run; at least 1. */
double recorded_loops(const json_t *row);

/* Whether the pair counts: it has both times, and nobody excluded it. */
bool recorded_pair_counts(const json_t *pair);

/* Logarithms of the base's time over the arm's, for each pair of the two. The caller frees them; NULL when none. */
double *recorded_logarithms(const json_t *row, const char *base, const char *arm, size_t *count);

/* Of the pairs, or of both arms' pairs with stock. False when there are neither. */
bool recorded_compare(const json_t *row, const char *base, const char *arm, recorded_change_t *change);

#endif
