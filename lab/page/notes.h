/* SPDX-License-Identifier: MIT */
/* What a reader must know of a result before believing it, and how to make it again. */
#ifndef CUBBY_LAB_PAGE_NOTES_H
#define CUBBY_LAB_PAGE_NOTES_H

#include "lab/recorded.h"

#include <stdio.h>

/* Warnings: what was quick, cut short, left out or noisy, and what the file itself warns of. */
void notes_print_warnings(const recorded_t *recorded, FILE *page);

/* The command that measured all, and for each row and arm the run by itself. */
void notes_print_commands(const recorded_t *recorded, FILE *page);

#endif
