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
    resident_t *resident; /* where its size over time goes, or NULL */
} run_t;

/* The arguments and the environment of a run, as a child takes them. */
typedef struct run_command {
    child_spec_t spec;
    char program[PATH_MAX + 64];
    char rounds[32];
    char settle[32];
    const char *arguments[7];
    arm_environment_t environment;
} run_command_t;

void run_command_fill(const experiment_t *experiment, const run_t *run, run_command_t *command);

/* Drops the arm of a run that could not be started, for the reason in error. */
void run_refuse(experiment_t *experiment, arm_id_t arm, int error);

/* Starts the run. False when the system refused; the arm has been dropped then. */
bool run_start(experiment_t *experiment, const run_t *run, child_t *child);

/* Takes the sample of a run that has ended. False when it failed; the arm has been dropped then. */
bool run_finish(experiment_t *experiment, const run_t *run, const child_t *child, sample_t *sample);

/* Starts `python3 -c code` in an arm, on a core. */
bool run_start_code(experiment_t *experiment, arm_id_t arm, const char *code, int core, child_t *child);

#endif
