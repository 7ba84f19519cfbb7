/* SPDX-License-Identifier: MIT */
/* Peak and settled size of each arm in a row, as bars. */
#ifndef CUBBY_LAB_PAGE_MEMORY_H
#define CUBBY_LAB_PAGE_MEMORY_H

#include <jansson.h>
#include <stdio.h>

/* An SVG of the arms that have a peak. Nothing when none has. */
void memory_print(const json_t *row, const json_t *arms, FILE *page);

#endif
