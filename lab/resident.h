/* SPDX-License-Identifier: MIT */
/*
 * How large a process is over time: its resident size, looked at every ten milliseconds from outside, so that the
 * process does nothing for it. However long it runs, there are few points: when they are full, two neighbours become
 * one, and from then on a point stands for a step twice as long.
 */
#ifndef CUBBY_LAB_RESIDENT_H
#define CUBBY_LAB_RESIDENT_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

enum { RESIDENT_POINT_MAX = 100 };

#define RESIDENT_STEP_SECONDS 0.01

typedef struct resident {
    double step; /* seconds that a point stands for */
    size_t count;
    long long kib[RESIDENT_POINT_MAX]; /* the largest size that was seen within each step, from the start on */
} resident_t;

void resident_begin(resident_t *resident);

/* Takes a size that was seen so many seconds after the start. Steps in which none was seen repeat the one before. */
void resident_note(resident_t *resident, double seconds, long long kib);

/* Looks at a process that was started so many seconds ago. Nothing is noted of one that has ended. */
void resident_look(resident_t *resident, pid_t pid, double seconds);

/* A new JSON object: "step_ms", and the points as "kib". */
json_t *resident_to_json(const resident_t *resident);

#endif
