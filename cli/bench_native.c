/* SPDX-License-Identifier: MIT */
/* The suites of C programs that run in pairs, whatever their rows are. */
#include "cli/options.h"
#include "cli/suite.h"
#include "lab/interrupt.h"
#include "lab/lists/rows.h"
#include "lab/native_report.h"
#include "lab/native_result.h"

#include <cubby/cubby.h>

#include <stdlib.h>

static int row_refuse(const native_kind_t *kind, const char *wrong)
{
    fprintf(stderr, "cubby bench: --rows: %s is not one of", wrong);
    for (size_t row = 0; row < kind->row_count; row++) {
        fprintf(stderr, "%s %s", row == 0 ? "" : ",", kind->rows[row].name);
    }
    fputc('\n', stderr);
    return STATUS_USAGE;
}

/* Applies the options and finds the program. Returns 0 or a status. */
static int native_prepare(const bench_options_t *options, const native_kind_t *kind, native_t *native)
{
    char wrong[64];
    machine_read(&native->machine);
    arm_set_fill_native(&native->arms);
    native->seed = suite_seed(options);
    stats_rng_seed(&native->rng, native->seed);
    native_plan(native, kind, options->quick);
    if (options->pairs > 0) {
        native->swaps = (size_t)options->pairs;
    }
    if (options->rows != NULL && !native_select(native, options->rows, wrong, sizeof wrong)) {
        return row_refuse(kind, wrong);
    }
    int status = suite_arms_choose(options, &native->arms);
    return status != 0 ? status : suite_program_choose(kind->program, native->program, sizeof native->program);
}

/* Runs the suite and shows it. */
static int native_show(native_t *native, char **arguments, const suite_output_t *output)
{
    native_report_plan(native, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = native_suite_run(native);
    progress_clear(&native->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        native_report_print(native, stdout);
    }
    bool written = suite_json_write(output, native_to_json(native, cubby_version(), arguments));
    return native->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int native_bench(const bench_options_t *options, char **arguments, const native_kind_t *kind)
{
    suite_output_t output = {0};
    native_t *native = calloc(1, sizeof *native);
    if (native == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = native_prepare(options, kind, native);
    if (status == 0) {
        status = suite_output_open(options, &output) ? native_show(native, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    native_clear(native);
    free(native);
    return status;
}

int lists_bench(const bench_options_t *options, char **arguments)
{
    return native_bench(options, arguments, &lists_kind);
}
