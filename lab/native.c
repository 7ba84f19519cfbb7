/* SPDX-License-Identifier: MIT */
#include "lab/child.h"
#include "lab/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE_TIMEOUT_SECONDS 300.0

/* Notes why there are no native rows. */
static void native_fail(experiment_t *experiment, const char *reason)
{
    snprintf(experiment->native_reason, sizeof experiment->native_reason, "cubby-micro %s", reason);
    experiment->failed = true;
}

/* Takes what the program printed, if it is an object with an array of rows that have a name and a time. */
static void native_take(experiment_t *experiment, const child_t *child)
{
    char reason[200];
    json_error_t error;
    if (!child_succeeded(child, reason, sizeof reason)) {
        native_fail(experiment, reason);
        return;
    }
    json_t *report = json_loads(child->output.text, 0, &error);
    const json_t *rows = json_object_get(report, "rows");
    bool good = json_is_array(rows);
    for (size_t i = 0; good && i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        good = json_is_string(json_object_get(row, "name")) && json_is_number(json_object_get(row, "nanoseconds"));
    }
    if (!good) {
        json_decref(report);
        native_fail(experiment, "printed what cannot be used");
        return;
    }
    experiment->native_report = report;
}

bool native_run(experiment_t *experiment)
{
    if (experiment->native[0] == '\0') {
        return true;
    }
    child_t *child = calloc(1, sizeof *child);
    if (child == NULL) {
        native_fail(experiment, strerror(ENOMEM));
        return true;
    }
    const char *const arguments[] = {experiment->native, "--json", NULL};
    const char *const environment[] = {experiment->arms.path, experiment->arms.home, "LANG=C.UTF-8", NULL};
    int core = experiment->machine.cores_allowed > 0 ? experiment->machine.allowed[0] : CHILD_ANY_CORE;
    child_spec_t spec = {
        .arguments = arguments, .environment = environment, .core = core, .timeout = NATIVE_TIMEOUT_SECONDS};
    bool finished = true;
    progress_show(&experiment->progress, "native");
    if (!child_start(child, &spec)) {
        native_fail(experiment, strerror(errno));
    } else if (children_wait(child, 1) == CHILD_INTERRUPTED) {
        finished = false;
    } else {
        native_take(experiment, child);
    }
    free(child);
    return finished;
}
