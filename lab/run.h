/* SPDX-License-Identifier: MIT */
/* One run of a workload in one arm: its arguments and environment, and the sample that it gives back. */
#ifndef CUBBY_LAB_RUN_H
#define CUBBY_LAB_RUN_H

#include "lab/child.h"
#include "lab/experiment.h"

typedef struct run {
    arm_id_t arm;
    workload_id_t workload;
    double settle; /* seconds of light work, or 0 */
    int core;      /* or CHILD_ANY_CORE */
    uint32_t hash_seed;
} run_t;

/* Starts the run. False when the system refused; the arm has been dropped then. */
bool run_start(experiment_t *experiment, const run_t *run, child_t *child);

/* Takes the sample of a run that has ended. False when it failed; the arm has been dropped then. */
bool run_finish(experiment_t *experiment, const run_t *run, const child_t *child, sample_t *sample);

/* Starts `python3 -c code` in an arm, on a core. */
bool run_start_code(experiment_t *experiment, arm_id_t arm, const char *code, int core, child_t *child);

#endif
