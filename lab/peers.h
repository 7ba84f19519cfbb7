/* SPDX-License-Identifier: MIT */
/* What the suites of C programs do alike: Cubby, linked to a program, beside libc and the peers, preloaded to it. */
#ifndef CUBBY_LAB_PEERS_H
#define CUBBY_LAB_PEERS_H

#include "lab/arm.h"
#include "lab/progress.h"
#include "lab/stats.h"

#include <jansson.h>
#include <stdio.h>

enum { PEERS_ENTRY_COUNT = 6 };

/* The environment of a run; what the arm preloads only when asked for. The strings belong to set and arm. */
void peers_environment_fill(const arm_set_t *set, const arm_t *arm, bool preload,
                            const char *entries[PEERS_ENTRY_COUNT]);

/* The arms that take part, but for left_out (ARM_COUNT: all), in a random order; returns how many. */
size_t peers_shuffle(const arm_set_t *set, arm_id_t left_out, stats_rng_t *rng, arm_id_t arms[ARM_COUNT]);

/* Drops an arm and says so, once. */
void peers_drop(arm_t *arm, const char *reason, const progress_t *progress);

/* Names the arms that are left out, and why. */
void peers_note_absent(const arm_set_t *set, FILE *stream);

/*
 * Selects rows by a comma-separated list of names, or beginnings of names up to a hyphen. False, with the first wrong
 * one, when it names no row.
 */
bool peers_rows_select(const char *list, const char *(*name_of)(size_t row), size_t count, bool *selected, char *wrong,
                       size_t size);

/*
 * Reads the line of JSON that a run of a row printed. NULL, with what is wrong with it, when it is of another row or
 * another allocator than the arm's.
 */
json_t *peers_line_read(const char *line, const char *row, const arm_t *arm, const char **fault);

/* True when a member of the report is this text. */
bool peers_text_is(const json_t *report, const char *key, const char *expected);

/* What a run is told about its allocator: "--on=...". */
const char *peers_on(const arm_t *arm);

#endif
