/* SPDX-License-Identifier: MIT */
/* Options with a value, and numbers. */
#ifndef CUBBY_LAB_NATIVE_OPTIONS_H
#define CUBBY_LAB_NATIVE_OPTIONS_H

#include <stdbool.h>

/* What follows "--name=" in the argument, or NULL. */
const char *option_value(const char *argument, const char *name);

/* Reads a whole number from low to high. False, and nothing is changed, when the text is none. */
bool number_read(const char *text, long low, long high, long *number);

#endif
