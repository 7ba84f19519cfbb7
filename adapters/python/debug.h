/* SPDX-License-Identifier: MIT */
/*
 * Debug checks in an interpreter: all three domains are served by checked tables, the interpreter lock is asked about,
 * and reports say where the Python program is.
 *
 * Development mode and PYTHONMALLOC=debug mean these checks. There the interpreter itself, while it reads its
 * configuration, sets its own tables with its own checks; after that it calls setlocale(), which here passes through
 * the adapter, and the adapter sets its tables again. An interpreter that is told to leave the locale alone keeps its
 * own.
 */
#ifndef CUBBY_PYTHON_DEBUG_H
#define CUBBY_PYTHON_DEBUG_H

#include <cubby/check.h>

#include "interpreter.h"

/* Tells the checks, which are on, about the interpreter. */
void debug_introduce(const interpreter_t *python);

/* Learns what the interpreter's own tables with checks look like, so that they are known when they turn up. */
void debug_expect(const interpreter_t *python, const cubby_allocator_t *stock);

/* From now on puts this table where the interpreter's own with checks stands. */
void debug_table_keep(int domain, const cubby_allocator_t *table);

#endif
