/* SPDX-License-Identifier: MIT */
/* The library's settings, and what they come to on this machine, for `cubby info`. */
#ifndef CUBBY_CLI_SETTINGS_H
#define CUBBY_CLI_SETTINGS_H

#include "lab/machine.h"

#include <cubby/cubby.h>

#include <jansson.h>
#include <stdint.h>

/* Long enough for a value as people read it; a longer file name is cut off. */
enum { SETTING_TEXT_MOST = 128 };

/* Writes the default of a setting as people read it. */
void setting_text_default(const cubby_setting_t *setting, char *text, size_t size);

/*
 * A new array: name, option, kind, value, default, unit, choices, help and reason of each setting. NULL when a value is
 * not UTF-8 text, or memory ran out.
 */
json_t *settings_describe(void);

/* The value of a setting by its name; 0 when there is none of that name. */
uint64_t setting_value(const char *name);

/* A new object: what the system does with huge pages, whether Cubby asks for them, and from which size on. */
json_t *huge_pages_describe(const machine_t *machine);

/* Prints them for people. */
void settings_print(void);
void huge_pages_print(const json_t *huge_pages);

#endif
