/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "lab/interrupt.h"
#include "lab/spans/report.h"
#include "lab/spans/result.h"

#include <cubby/cubby.h>

#include <stdlib.h>
#include <unistd.h>

/* Applies the options. Returns 0 or a status. */
static int rows_choose(const bench_options_t *options, spans_t *spans)
{
    char wrong[64];
    spans_plan(spans, options->quick);
    if (options->pairs > 0) {
        spans->swaps = (size_t)options->pairs;
    }
    if (options->rows != NULL && !spans_select(spans, options->rows, wrong, sizeof wrong)) {
        fprintf(stderr, "cubby bench: --rows: %s is not one of", wrong);
        for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
            fprintf(stderr, "%s %s", row == 0 ? "" : ",", spans_rows[row].name);
        }
        fputc('\n', stderr);
        return STATUS_USAGE;
    }
    if (options->arms != NULL && !arm_set_select(&spans->arms, options->arms, ARM_CUBBY, wrong, sizeof wrong)) {
        fprintf(stderr, "cubby bench: --arms: %s is not one of libc, cubby, mimalloc, jemalloc, tcmalloc\n", wrong);
        return STATUS_USAGE;
    }
    return 0;
}

/* Finds the program of the rows, and strace. Returns 0 or a status. */
static int programs_choose(spans_t *spans)
{
    char folder[PATH_MAX] = "";
    executable_folder(folder, sizeof folder);
    snprintf(spans->program, sizeof spans->program, "%s/lab/native/cubby-spans", folder);
    if (access(spans->program, X_OK) != 0) {
        fprintf(stderr, "cubby bench: %s is not there\n", spans->program);
        return STATUS_REFUSED;
    }
    if (program_find("strace", spans->strace, sizeof spans->strace) != PROGRAM_FOUND) {
        spans->strace[0] = '\0';
        snprintf(spans->strace_reason, sizeof spans->strace_reason, "strace is not installed");
    }
    return 0;
}

static int spans_prepare(const bench_options_t *options, spans_t *spans)
{
    machine_read(&spans->machine);
    arm_set_fill_native(&spans->arms);
    spans->seed = suite_seed(options);
    stats_rng_seed(&spans->rng, spans->seed);
    int status = rows_choose(options, spans);
    return status != 0 ? status : programs_choose(spans);
}

/* Runs the suite and shows it. */
static int spans_show(spans_t *spans, char **arguments, const suite_output_t *output)
{
    spans_report_plan(spans, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = spans_run(spans);
    progress_clear(&spans->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        spans_report_print(spans, stdout);
    }
    bool written = suite_json_write(output, spans_to_json(spans, cubby_version(), arguments));
    return spans->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int spans_bench(const bench_options_t *options, char **arguments)
{
    suite_output_t output = {0};
    spans_t *spans = calloc(1, sizeof *spans);
    if (spans == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = spans_prepare(options, spans);
    if (status == 0) {
        status = suite_output_open(options, &output) ? spans_show(spans, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    spans_clear(spans);
    free(spans);
    return status;
}
