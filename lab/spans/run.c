/* SPDX-License-Identifier: MIT */
#include "lab/spans/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run may take beyond its limit and its light work: the loop under way at the limit, and a slow machine. */
#define TIMEOUT_SECONDS 120.0

static const char *row_kind(size_t row)
{
    return row == SPANS_NOTHING ? "nothing" : spans_rows[row].kind;
}

/* Puts strace before the program. LD_PRELOAD is for the program alone. */
static size_t arguments_trace(const spans_t *spans, const arm_t *arm, const char **arguments)
{
    size_t used = 0;
    arguments[used++] = spans->strace;
    arguments[used++] = "-f";
    arguments[used++] = "-c";
    arguments[used++] = "-U";
    arguments[used++] = "calls,name";
    arguments[used++] = "-o";
    arguments[used++] = "/dev/stdout";
    if (arm->preload[0] != '\0') {
        arguments[used++] = "-E";
        arguments[used++] = arm->preload;
    }
    return used;
}

void spans_command_fill(const spans_t *spans, const spans_job_t *job, spans_command_t *command)
{
    const arm_t *arm = &spans->arms.arms[job->arm];
    char(*options)[sizeof command->options[0]] = command->options;
    size_t used = job->traced ? arguments_trace(spans, arm, command->arguments) : 0;
    command->arguments[used++] = spans->program;
    command->arguments[used++] = row_kind(job->row);
    command->arguments[used++] = peers_on(arm);
    size_t count = 0;
    if (job->row != SPANS_NOTHING) {
        const spans_row_t *row = &spans_rows[job->row];
        snprintf(options[count++], sizeof *options, "--touch=%s", row->touch);
        snprintf(options[count++], sizeof *options, "--mib=%d", row->mib);
        snprintf(options[count++], sizeof *options, "--loops=%d", row->loops);
        snprintf(options[count++], sizeof *options, "--limit=%g", spans_row_limit(spans, job->row));
        snprintf(options[count++], sizeof *options, "--settle=%g", job->settle);
    }
    for (size_t i = 0; i < count; i++) {
        command->arguments[used++] = options[i];
    }
    command->arguments[used] = NULL;

    peers_environment_fill(&spans->arms, arm, !job->traced, command->environment);
    command->spec = (child_spec_t){.arguments = command->arguments,
                                   .environment = command->environment,
                                   .core = job->core,
                                   .timeout = TIMEOUT_SECONDS + job->settle};
}

/* What is wrong with the report, or NULL. Fills the sample's figures. */
static const char *report_fault(const json_t *report, const spans_job_t *job, spans_sample_t *sample)
{
    bool nothing = job->row == SPANS_NOTHING;
    if (!nothing && (json_integer_value(json_object_get(report, "loops")) != spans_rows[job->row].loops ||
                     json_integer_value(json_object_get(report, "mib")) != spans_rows[job->row].mib ||
                     !peers_text_is(report, "touch", spans_rows[job->row].touch))) {
        return "it did something else";
    }
    double cpu = json_number_value(json_object_get(report, "cpu_seconds"));
    double wall = json_number_value(json_object_get(report, "wall_seconds"));
    sample->loops = (long)json_integer_value(json_object_get(report, "loops_done"));
    sample->finished = json_is_true(json_object_get(report, "finished"));
    sample->peak_kib = json_integer_value(json_object_get(report, "peak_kib"));
    sample->settled_kib = json_integer_value(json_object_get(report, "settled_kib"));
    if (nothing) {
        return NULL;
    }
    if (!(cpu > 0) || !(wall > 0) || sample->loops < 1 || sample->peak_kib < 1 ||
        (job->settle > 0 && sample->settled_kib < 1)) {
        return "a figure is missing";
    }
    double loops = (double)sample->loops;
    sample->seconds = cpu / loops;
    sample->elapsed = wall / loops;
    sample->faults = json_number_value(json_object_get(report, "minor_faults")) / loops;
    return NULL;
}

bool spans_sample_read(const char *line, const spans_job_t *job, const arm_t *arm, spans_sample_t *sample, char *reason,
                       size_t size)
{
    const char *fault;
    json_t *report = peers_line_read(line, row_kind(job->row), arm, &fault);
    memset(sample, 0, sizeof *sample);
    if (report != NULL) {
        fault = report_fault(report, job, sample);
    }
    if (fault != NULL) {
        snprintf(reason, size, "%s printed what cannot be used: %s", row_kind(job->row), fault);
        json_decref(report);
        return false;
    }
    sample->raw = report;
    sample->good = true;
    return true;
}

bool spans_finish(spans_t *spans, const spans_job_t *job, const child_t *child, spans_sample_t *sample)
{
    char reason[256], what[200];
    if (!child_succeeded(child, what, sizeof what)) {
        snprintf(reason, sizeof reason, "%s %s", job->row == SPANS_NOTHING ? "nothing" : spans_rows[job->row].name,
                 what);
        spans_drop(spans, job->arm, reason);
        return false;
    }
    if (!spans_sample_read(child->output.text, job, &spans->arms.arms[job->arm], sample, reason, sizeof reason)) {
        spans_drop(spans, job->arm, reason);
        return false;
    }
    return true;
}

double spans_calls_read(const char *text)
{
    const char *total = strstr(text, " total\n");
    if (total == NULL) {
        return -1;
    }
    const char *start = total;
    while (start > text && start[-1] != '\n') {
        start--;
    }
    char *end;
    double calls = strtod(start, &end);
    return end == total && calls > 0 ? calls : -1;
}
