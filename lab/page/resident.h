/* SPDX-License-Identifier: MIT */
/* The size of each arm in a row over time, as lines. */
#ifndef CUBBY_LAB_PAGE_RESIDENT_H
#define CUBBY_LAB_PAGE_RESIDENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What a row has of an arm. */
typedef struct resident_line {
    const json_t *points; /* KiB; at least one */
    size_t count;
    double step; /* seconds that a point stands for */
} resident_line_t;

/* False when the size was not followed. */
bool resident_line_find(const json_t *row, const char *arm, resident_line_t *line);

/* MiB of a point. */
double resident_line_size(const resident_line_t *line, size_t point);

/* An SVG with a line for each arm that was followed. Nothing when none was. */
void resident_print(const json_t *row, const json_t *arms, FILE *page);

#endif
