/* SPDX-License-Identifier: MIT */
/* The tables of the page. */
#ifndef CUBBY_LAB_PAGE_TABLES_H
#define CUBBY_LAB_PAGE_TABLES_H

#include "lab/page/bars.h"

/* The bars as figures, with what was published in 2016 beside them. */
void tables_print_bars(const bar_t *bars, size_t count, FILE *page);

/* Peak, settled size, faults and other counters of each row and arm, where they are known. */
void tables_print_counters(const recorded_t *recorded, FILE *page);

/* Whatever an object says, a line for each of its keys. Nothing when there is no object. */
void tables_print_object(const json_t *object, const char *caption, FILE *page);

/* Each arm's size at the quarters of its run, where it was followed. Nothing when none was. */
void tables_print_resident(const json_t *row, const json_t *arms, FILE *page);

/* Each figure of a row's arms, whatever it is called. */
void tables_print_figures(const json_t *row, FILE *page);

#endif
