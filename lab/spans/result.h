/* SPDX-License-Identifier: MIT */
/* Writes the suite as JSON: every raw run, and all that is needed to do it again. */
#ifndef CUBBY_LAB_SPANS_RESULT_H
#define CUBBY_LAB_SPANS_RESULT_H

#include "lab/spans/suite.h"

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *spans_to_json(const spans_t *spans, const char *version, char *const *arguments);

#endif
