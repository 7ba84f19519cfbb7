/* SPDX-License-Identifier: MIT */
/* Writes the suite as JSON: every raw run, and all that is needed to do it again. */
#ifndef CUBBY_LAB_THREADS_RESULT_H
#define CUBBY_LAB_THREADS_RESULT_H

#include "lab/threads/suite.h"

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *threads_to_json(const threads_t *threads, const char *version, char *const *arguments);

#endif
