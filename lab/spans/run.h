/* SPDX-License-Identifier: MIT */
/* One process of cubby-spans: its arguments and environment, and the sample that it gives back. */
#ifndef CUBBY_LAB_SPANS_RUN_H
#define CUBBY_LAB_SPANS_RUN_H

#include "lab/child.h"
#include "lab/peers.h"
#include "lab/spans/suite.h"

/* A row that does nothing: what the start of a process costs. */
enum { SPANS_NOTHING = SPANS_ROW_COUNT };

typedef struct spans_job {
    size_t row; /* or SPANS_NOTHING */
    arm_id_t arm;
    double settle; /* seconds of light work, or 0 */
    bool traced;   /* under strace, which adds its count to what is printed */
    int core;      /* or CHILD_ANY_CORE */
} spans_job_t;

typedef struct spans_command {
    child_spec_t spec;
    char options[5][32];
    const char *arguments[24];
    const char *environment[PEERS_ENTRY_COUNT];
} spans_command_t;

void spans_command_fill(const spans_t *spans, const spans_job_t *job, spans_command_t *command);

/* Takes the sample of a run that has ended. False when it failed; the arm has been dropped then. */
bool spans_finish(spans_t *spans, const spans_job_t *job, const child_t *child, spans_sample_t *sample);

/*
 * Reads the line that a run printed. False with a reason when it is not what that run should say: another row, another
 * number of loops, another allocator than the arm's, a figure that is missing.
 */
bool spans_sample_read(const char *line, const spans_job_t *job, const arm_t *arm, spans_sample_t *sample, char *reason,
                       size_t size);

/* Reads the total of strace's table, behind the line. Negative when there is none. */
double spans_calls_read(const char *text);

#endif
