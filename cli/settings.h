/* SPDX-License-Identifier: MIT */
/* The library's settings, and what they come to on this machine, for `cubby info`. */
#ifndef CUBBY_CLI_SETTINGS_H
#define CUBBY_CLI_SETTINGS_H

#include "lab/machine.h"

#include <jansson.h>
#include <stdint.h>

/* A new array: name, value, default, unit and help of each setting. */
json_t *settings_describe(void);

/* The value of a setting by its name; 0 when there is none of that name. */
uint64_t setting_value(const char *name);

/* A new object: what the system does with huge pages, whether Cubby asks for them, and from which size on. */
json_t *huge_pages_describe(const machine_t *machine);

/* Prints for people what the two have made. */
void settings_print(const json_t *settings);
void huge_pages_print(const json_t *huge_pages);

#endif
