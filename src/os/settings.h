/* SPDX-License-Identifier: MIT */
/*
 * Settings: one table gives each its environment name, its option of `cubby run`, kind, default with its reason, and
 * help text (settings.c). `cubby info` prints them all, and docs/settings.md shows the table.
 *
 * The environment is read once, before main or at the first question, whichever is earlier. A value that is wrong, or a
 * CUBBY_ name that is almost one of the table's, ends the process with status 2 and a message that lists what is right:
 * a program that was to run with a setting must not run without it. That holds for a library inside a host as well. Any
 * other name is left alone. A set-user-id program takes the defaults whatever its environment says.
 */
#ifndef CUBBY_OS_SETTINGS_H
#define CUBBY_OS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum setting_id {
    SETTING_OBJ,
    SETTING_MEM,
    SETTING_RAW,
    SETTING_HEAPS,
    SETTING_STATS,
    SETTING_QUIET,
    SETTING_CROSSINGS,
    SETTING_GUARD,
    SETTING_ADAPTER,
    SETTING_RETAIN_MS,
    SETTING_RETAIN_MOST,
    SETTING_HUGE_PAGES,
    SETTING_HUGE_FROM,
    SETTING_PURGE_THREAD,
    SETTING_DEBUG,
    SETTING_DEBUG_HOLD,
    SETTING_DEBUG_STACKS,
    SETTING_DEBUG_LEAKS,
    SETTING_DEBUG_CONTINUE,
    SETTING_DEBUG_FILE,
    SETTING_COUNT,
} setting_id_t;

typedef enum setting_kind {
    SETTING_NUMBER, /* value: at most `most`; in bytes with a suffix k, m or g */
    SETTING_SWITCH, /* value: 0 or 1 */
    SETTING_CHOICE, /* value: an index of `choices` */
    SETTING_FILE,   /* text: a file name, or empty */
    SETTING_REPORT, /* text: a file name, "-" for stderr, or empty for no report; 1 and 0 mean the last two */
} setting_kind_t;

typedef struct setting {
    const char *name;   /* of the environment variable */
    const char *option; /* of `cubby run`, without dashes; NULL: none */
    setting_kind_t kind;
    const char *unit; /* of a number; for other kinds all that may be given, in words */
    const char *const *choices;
    uint64_t value_default;
    uint64_t most;      /* of a number */
    const char *help;   /* what it does */
    const char *reason; /* why the default is what it is */
} setting_t;

extern const setting_t setting_table[SETTING_COUNT];

/* The value in force. */
uint64_t setting(setting_id_t id);

/* The text in force: the name of a choice, a file name; NULL for a number or a switch. */
const char *setting_text(setting_id_t id);

/* The row of that environment name, SETTING_COUNT when there is none. */
setting_id_t setting_find(const char *name);

/*
 * True when the setting takes the text. Otherwise `expected` gets what it takes, cut off where size ends it. Empty text
 * is the default.
 */
bool setting_check(setting_id_t id, const char *text, char *expected, size_t size);

/*
 * Reads the environment anew. Returns how many of its values and names are wrong, each of which is reported on stderr
 * in a line of its own; for these the default holds.
 */
size_t settings_read(void);

/* Replaces a value; for tests. */
void setting_set(setting_id_t id, uint64_t value);

#pragma GCC visibility pop

#endif
