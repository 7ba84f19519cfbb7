/* SPDX-License-Identifier: MIT */
/*
 * Settings: one table gives each its environment name, unit, default with its reason, bound and help text (settings.c).
 * The environment is read at the first question, which the span layer asks under its lock before the first region is
 * made; `cubby info` prints them all.
 */
#ifndef CUBBY_OS_SETTINGS_H
#define CUBBY_OS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum setting_id {
    SETTING_RETAIN_MS,
    SETTING_RETAIN_MOST,
    SETTING_HUGE_PAGES,
    SETTING_HUGE_FROM,
    SETTING_PURGE_THREAD,
    SETTING_COUNT,
} setting_id_t;

typedef struct setting {
    const char *name; /* of the environment variable */
    const char *unit; /* "ms", "bytes", or "0 or 1" */
    uint64_t value_default;
    uint64_t most;
    const char *help;
} setting_t;

extern const setting_t setting_table[SETTING_COUNT];

/* The value in force. */
uint64_t setting(setting_id_t id);

/* Reads the environment anew. A value that is no number in range is reported on stderr, and the default stays. */
void settings_read(void);

/* Replaces a value; for tests. */
void setting_set(setting_id_t id, uint64_t value);

#endif
