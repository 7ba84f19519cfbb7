/* SPDX-License-Identifier: MIT */
/* How the ratios of a row's pairs lie: a dot for each pair, a line of dots for each arm. */
#ifndef CUBBY_LAB_PAGE_SPREAD_H
#define CUBBY_LAB_PAGE_SPREAD_H

#include "lab/recorded.h"

#include <stdio.h>

/* An SVG of the arms' pairs beside stock, the median marked. Nothing when the row has no such pairs. */
void spread_print(const json_t *row, const json_t *arms, FILE *page);

#endif
