/* SPDX-License-Identifier: MIT */
#include "lab/threads/run.h"

#include <stdio.h>
#include <string.h>

/* What any run may take, on a machine that is busy with other things. */
#define TIMEOUT_SECONDS 120.0

/* What the program calls the figures. */
static const char *const figure_names[FIGURE_COUNT] = {
    [FIGURE_WALL] = "wall_seconds", [FIGURE_CPU] = "cpu_seconds",  [FIGURE_FAULTS] = "minor_faults",
    [FIGURE_PEAK] = "peak_kib",     [FIGURE_TAKES] = "lock_takes", [FIGURE_WAITS] = "lock_waits",
    [FIGURE_PARCELS] = "parcels",
};

void threads_command_fill(const threads_t *threads, const threads_job_t *job, threads_command_t *command)
{
    const arm_t *arm = &threads->arms.arms[job->arm];
    snprintf(command->threads, sizeof command->threads, "--threads=%d", threads_row_threads(job->form, job->row));
    snprintf(command->operations, sizeof command->operations, "--operations=%ld",
             threads_row_operations(threads, job->form, job->row));
    size_t used = 0;
    command->arguments[used++] = threads->program;
    command->arguments[used++] = threads_rows[job->row].name;
    command->arguments[used++] = peers_on(arm);
    command->arguments[used++] = command->threads;
    command->arguments[used++] = command->operations;
    command->arguments[used] = NULL;
    peers_environment_fill(&threads->arms, arm, true, command->environment);
    command->spec = (child_spec_t){.arguments = command->arguments,
                                   .environment = command->environment,
                                   .core = CHILD_ANY_CORE,
                                   .timeout = TIMEOUT_SECONDS};
}

/* What is wrong with the report, or NULL. Fills the sample's figures. */
static const char *report_fault(const threads_t *threads, const threads_job_t *job, const json_t *report,
                                threads_sample_t *sample)
{
    long operations = threads_row_operations(threads, job->form, job->row);
    if (json_integer_value(json_object_get(report, "operations")) != operations ||
        json_integer_value(json_object_get(report, "threads")) != threads_row_threads(job->form, job->row)) {
        return "it did something else";
    }
    int count = job->arm == ARM_CUBBY ? FIGURE_COUNT : FIGURE_COUNTERS;
    for (int i = 0; i < count; i++) {
        const json_t *figure = json_object_get(report, figure_names[i]);
        double value = json_number_value(figure);
        bool positive = i == FIGURE_WALL || i == FIGURE_CPU || i == FIGURE_PEAK;
        if (!json_is_number(figure) || value < 0 || (positive && !(value > 0))) {
            return "a figure is missing";
        }
        sample->figures[i] = i == FIGURE_PEAK ? value : value / (double)operations;
    }
    return NULL;
}

bool threads_sample_read(const threads_t *threads, const threads_job_t *job, const char *line, threads_sample_t *sample,
                         char *reason, size_t size)
{
    const char *name = threads_rows[job->row].name, *fault;
    json_t *report = peers_line_read(line, name, &threads->arms.arms[job->arm], &fault);
    if (report != NULL) {
        fault = report_fault(threads, job, report, sample);
    }
    if (fault != NULL) {
        snprintf(reason, size, "%s printed what cannot be used: %s", name, fault);
        json_decref(report);
        return false;
    }
    sample->raw = report;
    sample->good = true;
    return true;
}
