/* SPDX-License-Identifier: MIT */
/* What the results of all suites say alike. Each function makes a new JSON value. */
#ifndef CUBBY_LAB_JSON_H
#define CUBBY_LAB_JSON_H

#include "lab/arm.h"
#include "lab/stats.h"

#include <jansson.h>

/* {value, low, high}; low and high are null where there is no interval. */
json_t *estimate_to_json(const stats_estimate_t *estimate);

/* The arms that were asked for, with their environment, and whether they were measured. */
json_t *arms_to_json(const arm_set_t *set);

/* The words of a command line, NULL at the end. */
json_t *command_to_json(char *const *arguments);

/* Now, in UTC. */
json_t *date_to_json(void);

#endif
