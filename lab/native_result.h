/* SPDX-License-Identifier: MIT */
/* Writes a suite of a C program as JSON: every raw pair, and all that is needed to do it again. */
#ifndef CUBBY_LAB_NATIVE_RESULT_H
#define CUBBY_LAB_NATIVE_RESULT_H

#include "lab/native_suite.h"

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *native_to_json(const native_t *native, const char *version, char *const *arguments);

#endif
