/* SPDX-License-Identifier: MIT */
/* How Cubby stands in a row beside the others: in time, and in a size. */
#ifndef CUBBY_LAB_VERDICT_H
#define CUBBY_LAB_VERDICT_H

#include "lab/arm.h"
#include "lab/table.h"

#include <jansson.h>

#define VERDICT_TIED 1.05     /* times within this factor are a tie */
#define VERDICT_SIZE_MOST 1.1 /* of the lowest size */

typedef struct verdict {
    bool known;          /* there is something to compare with */
    bool slower;         /* than `fastest`, by more than a tie */
    arm_id_t fastest;    /* of all arms but Cubby */
    double behind;       /* Cubby's time over the fastest's */
    bool larger;         /* more than a tenth above `smallest` */
    arm_id_t smallest;   /* of all arms but Cubby */
    long long least_kib; /* its size */
    long long own_kib;   /* Cubby's */
} verdict_t;

/* Starts with Cubby's size, or 0. */
void verdict_begin(verdict_t *verdict, long long own_kib);

/* Adds another arm: its time over Cubby's, or infinity when it is not known, and its size, or 0. */
void verdict_add(verdict_t *verdict, arm_id_t arm, double time, long long kib);

/* Judges. */
void verdict_end(verdict_t *verdict);

/* Fills a cell with what Cubby is behind in; `size` is what the size is called. */
void verdict_cell(table_t *table, size_t column, const verdict_t *verdict, const char *size);

bool verdict_is_behind(const verdict_t *verdict);

/* Where Cubby is behind in, as the end of a line. */
void verdict_print(const verdict_t *verdict, const arm_set_t *set, const char *size, FILE *stream);

/* How many rows Cubby is not behind in, of those that are known; then what the list of the others begins with. */
void verdicts_print(const verdict_t *verdicts, size_t count, const char *size, FILE *stream);

/* A new JSON object, or null when nothing is known. */
json_t *verdict_to_json(const verdict_t *verdict, const arm_set_t *set, const char *size);

#endif
