/* SPDX-License-Identifier: MIT */
/* Bars with whiskers: what changed in each row on an arm, and its interval. */
#ifndef CUBBY_LAB_PAGE_BARS_H
#define CUBBY_LAB_PAGE_BARS_H

#include "lab/recorded.h"

#include <stdio.h>

/* A row's name with how many times the base's time is the arm's. */
typedef struct bar {
    const json_t *row;
    recorded_change_t change;
} bar_t;

/* An SVG of the bars, in their order. title says what it shows. */
void bars_print(const bar_t *bars, size_t count, const char *title, FILE *page);

#endif
