/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "lab/gupb/counters.h"
#include "lab/gupb/report.h"
#include "lab/interrupt.h"
#include "lab/journal.h"

#include <cubby/cubby.h>

#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_MINUTE 60.0

/* Says which rows there are in place of a wrong one. */
static int row_refuse(const gupb_t *gupb, const char *wrong)
{
    fprintf(stderr, "cubby bench: --rows: %s is not one of", wrong);
    for (size_t row = 0; row < gupb->list.count; row++) {
        fprintf(stderr, "%s %s", row == 0 ? "" : ",", gupb->list.rows[row].name);
    }
    fputc('\n', stderr);
    return STATUS_USAGE;
}

/* Finds the programs and their list. Returns 0 or a status. */
static int rows_find(gupb_t *gupb)
{
    char folder[PATH_MAX] = "", text[3 * PATH_MAX];
    experiment_t *experiment = &gupb->experiment;
    executable_folder(folder, sizeof folder);
    if (!folder_find(&folder_of_gupb, folder, experiment->seeds, sizeof experiment->seeds, text, sizeof text)) {
        fprintf(stderr, "cubby bench: the programs are not there; looked in %s\n", text);
        return STATUS_REFUSED;
    }
    if (!rows_read(experiment->seeds, gupb->suite, &gupb->list, text, sizeof text)) {
        fprintf(stderr, "cubby bench: %s\n", text);
        return STATUS_REFUSED;
    }
    return 0;
}

/* Applies the options. Returns 0 or a status. */
static int plan_choose(const bench_options_t *options, gupb_t *gupb)
{
    char wrong[64];
    experiment_t *experiment = &gupb->experiment;
    gupb_plan(gupb, options->quick);
    if (options->width > 0) {
        gupb_width_take(gupb, options->width);
    }
    gupb->passes = options->pairs > 0 ? (size_t)options->pairs : gupb->passes;
    gupb->budget = SECONDS_PER_MINUTE * (double)options->budget;
    if (options->rows != NULL &&
        !rows_select(&gupb->list, options->rows, experiment->plan.selected, wrong, sizeof wrong)) {
        return row_refuse(gupb, wrong);
    }
    return suite_python_arms_choose(options, &experiment->arms);
}

/* What counts system calls and instructions; where one is missing, so is its figure. */
static void tools_find(gupb_t *gupb)
{
    gupb->counters = true;
    if (program_find("strace", gupb->strace, sizeof gupb->strace) != PROGRAM_FOUND) {
        gupb->strace[0] = '\0';
    }
    if (program_find("valgrind", gupb->valgrind, sizeof gupb->valgrind) != PROGRAM_FOUND) {
        gupb->valgrind[0] = '\0';
    }
}

static int gupb_prepare(const bench_options_t *options, gupb_t *gupb)
{
    adapter_t adapter;
    experiment_t *experiment = &gupb->experiment;
    gupb->suite = options->suite;
    if (options->counters) {
        tools_find(gupb);
    }
    machine_read(&experiment->machine);
    suite_arms_fill(&experiment->arms, &adapter);
    gupb->even = suite_arms_even(&experiment->arms);
    experiment->seed = suite_seed(options);
    int status = rows_find(gupb);
    status = status != 0 ? status : plan_choose(options, gupb);
    status = status != 0 ? status : suite_python_choose(options, experiment->python, sizeof experiment->python);
    return status != 0 ? status : suite_adapter_check(&experiment->arms, &adapter);
}

/* Goes on with what --resume names. Returns 0 or a status. */
static int journal_take(const bench_options_t *options, experiment_t *experiment)
{
    char reason[PATH_MAX + 256];
    if (options->resume != NULL &&
        !journal_open(experiment, options->resume, options->suite, options->seed >= 0, reason, sizeof reason)) {
        fprintf(stderr, "cubby bench: --resume: %s\n", reason);
        return STATUS_USAGE;
    }
    stats_rng_seed(&experiment->rng, experiment->seed); /* which may be the journal's */
    return 0;
}

/* Runs the suite and shows it. */
static int gupb_show(gupb_t *gupb, char **arguments, const suite_output_t *output)
{
    experiment_t *experiment = &gupb->experiment;
    gupb_report_start(gupb, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = gupb_calibrate(gupb);
    if (finished) {
        gupb_report_plan(gupb, output->people);
        fflush(output->people);
        finished = gupb_run(gupb) && (!gupb->counters || experiment->abandoned || counters_run(gupb));
    }
    progress_clear(&experiment->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        gupb_report_print(gupb, stdout);
    }
    bool written = suite_json_write(output, gupb_to_json(gupb, cubby_version(), arguments));
    return experiment->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int gupb_bench(const bench_options_t *options, char **arguments)
{
    suite_output_t output = {0};
    gupb_t *gupb = calloc(1, sizeof *gupb);
    if (gupb == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = gupb_prepare(options, gupb);
    status = status != 0 ? status : journal_take(options, &gupb->experiment);
    if (status == 0) {
        status = suite_output_open(options, &output) ? gupb_show(gupb, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    journal_close(&gupb->experiment);
    experiment_clear(&gupb->experiment);
    free(gupb);
    return status;
}
