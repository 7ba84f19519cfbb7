/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/suite.h"
#include "lab/interrupt.h"
#include "lab/threads/report.h"
#include "lab/threads/result.h"

#include <cubby/cubby.h>

#include <stdlib.h>

/* Applies the options and finds the program. Returns 0 or a status. */
static int threads_prepare(const bench_options_t *options, threads_t *threads)
{
    char wrong[64];
    machine_read(&threads->machine);
    arm_set_fill_native(&threads->arms);
    threads->seed = suite_seed(options);
    stats_rng_seed(&threads->rng, threads->seed);
    threads_plan(threads, options->quick);
    if (options->pairs > 0) {
        threads->rounds[THREADS_FEW] = threads->rounds[THREADS_MANY] = (size_t)options->pairs;
    }
    if (options->rows != NULL && !threads_select(threads, options->rows, wrong, sizeof wrong)) {
        return suite_row_refuse(wrong, threads_row_name, THREADS_ROW_COUNT);
    }
    int status = suite_arms_choose(options, &threads->arms);
    return status != 0 ? status : suite_program_choose("cubby-threads", threads->program, sizeof threads->program);
}

/* Runs the suite and shows it. */
static int threads_show(threads_t *threads, char **arguments, const suite_output_t *output)
{
    threads_report_plan(threads, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = threads_run(threads);
    progress_clear(&threads->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        threads_report_print(threads, stdout);
    }
    bool written = suite_json_write(output, threads_to_json(threads, cubby_version(), arguments));
    return threads->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int threads_bench(const bench_options_t *options, char **arguments)
{
    suite_output_t output = {0};
    threads_t *threads = calloc(1, sizeof *threads);
    if (threads == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = threads_prepare(options, threads);
    if (status == 0) {
        status = suite_output_open(options, &output) ? threads_show(threads, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    threads_clear(threads);
    free(threads);
    return status;
}
