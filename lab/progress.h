/* SPDX-License-Identifier: MIT */
/* One line on stderr that shows how far the experiment is. Nothing at all unless stderr is a terminal. */
#ifndef CUBBY_LAB_PROGRESS_H
#define CUBBY_LAB_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef struct progress {
    bool shown;
    double expected; /* seconds that all steps were thought to take together */
    double done;     /* of those, behind us */
    struct timespec started;
} progress_t;

void progress_begin(progress_t *progress, double expected);

/* "about 50 seconds" or, from three minutes on, "about 12 minutes". */
void progress_announce(double expected, char *text, size_t size);

/* Says what runs now. */
void progress_show(const progress_t *progress, const char *doing);

/* A step that was thought to take `expected` seconds is over, however long it took. */
void progress_advance(progress_t *progress, double expected);

/* Clears the line, before anything else is printed. */
void progress_clear(const progress_t *progress);

/* Elapsed seconds. */
double progress_seconds(const progress_t *progress);

#endif
