/* SPDX-License-Identifier: MIT */
/*
 * The axis of percent that charts share. A chart is 360 units wide, so that on a phone a unit is about a pixel and its
 * text can be read.
 */
#ifndef CUBBY_LAB_PAGE_AXIS_H
#define CUBBY_LAB_PAGE_AXIS_H

#include <stdio.h>

enum { AXIS_WIDTH = 360, AXIS_LEFT = 20, AXIS_RIGHT = 338 };

typedef struct axis {
    double low; /* percent; zero is always between low and high */
    double high;
    double step; /* from mark to mark; both ends are marks */
} axis_t;

/* Makes room for a value on the axis. What is no number, or beyond all reason, makes no room. */
void axis_take(axis_t *axis, double percent);

/* Rounds both ends outwards to where marks are. */
void axis_round(axis_t *axis);

/* Where a value is, within the chart. */
double axis_place(const axis_t *axis, double percent);

/* Marks with their numbers below bottom, and a line at each from top to bottom. */
void axis_print(const axis_t *axis, double top, double bottom, FILE *page);

#endif
