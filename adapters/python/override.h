/* SPDX-License-Identifier: MIT */
/*
 * What, in the environment or on the command line, makes the interpreter choose its own allocators and so throw any
 * preloaded one out: PYTHONMALLOC with a value, development mode (-X dev, PYTHONDEVMODE); but -E and -I make it ignore
 * the environment.
 */
#ifndef CUBBY_PYTHON_OVERRIDE_H
#define CUBBY_PYTHON_OVERRIDE_H

#include <stdbool.h>

/*
 * The name of what overrides, for a message; NULL when nothing does. `*means_checks`: it asks for debug checks. argv as
 * main gets it, ended by NULL.
 */
const char *override_find(char **argv, bool *means_checks);

#endif
