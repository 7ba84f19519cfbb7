/* SPDX-License-Identifier: MIT */
/* Recorded results as one HTML page: no script, nothing from elsewhere. */
#ifndef CUBBY_LAB_PAGE_PAGE_H
#define CUBBY_LAB_PAGE_PAGE_H

#include "lab/recorded.h"

#include <stdio.h>

/* A section for each file. Whether all was written, the stream knows. */
void page_print(const recorded_t *files, size_t count, FILE *page);

#endif
