/* SPDX-License-Identifier: MIT */
/* Writes an experiment as JSON: every raw pair, and all that is needed to do it again. */
#ifndef CUBBY_LAB_RESULT_H
#define CUBBY_LAB_RESULT_H

#include "lab/experiment.h"

/* A new JSON object with everything; arguments are the command line, NULL at the end. */
json_t *result_to_json(const experiment_t *experiment, const char *version, char *const *arguments);

/* A new JSON object of a pair. */
json_t *counters_to_json(const row_counters_t *counters);
json_t *pair_to_json(const experiment_t *experiment, const pair_t *pair);

/* A new JSON array of the pairs of a workload. */
json_t *pairs_to_json(const experiment_t *experiment, const workload_result_t *result);

#endif
