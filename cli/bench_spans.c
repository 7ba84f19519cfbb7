/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "lab/interrupt.h"
#include "lab/spans/report.h"
#include "lab/spans/result.h"

#include <cubby/cubby.h>

#include <stdlib.h>

/* Applies the options. Returns 0 or a status. */
static int rows_choose(const bench_options_t *options, spans_t *spans)
{
    char wrong[64];
    spans_plan(spans, options->quick);
    if (options->pairs > 0) {
        spans->swaps = (size_t)options->pairs;
    }
    if (options->rows != NULL && !spans_select(spans, options->rows, wrong, sizeof wrong)) {
        return suite_row_refuse(wrong, spans_row_name, SPANS_ROW_COUNT);
    }
    return suite_arms_choose(options, &spans->arms);
}

/* Finds the program of the rows, and strace. Returns 0 or a status. */
static int programs_choose(spans_t *spans)
{
    if (program_find("strace", spans->strace, sizeof spans->strace) != PROGRAM_FOUND) {
        spans->strace[0] = '\0';
        snprintf(spans->strace_reason, sizeof spans->strace_reason, "strace is not installed");
    }
    return suite_program_choose("cubby-spans", spans->program, sizeof spans->program);
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
