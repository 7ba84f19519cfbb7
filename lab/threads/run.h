/* SPDX-License-Identifier: MIT */
/* One process of cubby-threads: its arguments and environment, and the sample that it gives back. */
#ifndef CUBBY_LAB_THREADS_RUN_H
#define CUBBY_LAB_THREADS_RUN_H

#include "lab/child.h"
#include "lab/peers.h"
#include "lab/threads/suite.h"

typedef struct threads_job {
    threads_form_t form;
    size_t row;
    arm_id_t arm;
} threads_job_t;

typedef struct threads_command {
    child_spec_t spec;
    char threads[32];
    char operations[40];
    const char *arguments[6];
    const char *environment[PEERS_ENTRY_COUNT];
} threads_command_t;

void threads_command_fill(const threads_t *threads, const threads_job_t *job, threads_command_t *command);

/*
 * Reads the line that a run printed. False with a reason when it is not what that run should say: another row, another
 * number of operations, another allocator than the arm's, a figure that is missing.
 */
bool threads_sample_read(const threads_t *threads, const threads_job_t *job, const char *line, threads_sample_t *sample,
                         char *reason, size_t size);

#endif
