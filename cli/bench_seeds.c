/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "lab/experiment.h"
#include "lab/interrupt.h"
#include "lab/report.h"
#include "lab/result.h"

#include <cubby/cubby.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Applies the options to the plan and the arms. Returns 0 or a status. */
static int plan_choose(const bench_options_t *options, experiment_t *experiment)
{
    char wrong[64];
    plan_t *plan = &experiment->plan;
    plan_fill(plan, options->quick);
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        plan->rounds[i] = options->rounds > 0 ? (int)options->rounds : plan->rounds[i];
        plan->swaps[i] = options->pairs > 0 ? (size_t)options->pairs : plan->swaps[i];
    }
    if (options->workloads != NULL && !workloads_select(options->workloads, plan->selected, wrong, sizeof wrong)) {
        fprintf(stderr, "cubby bench: --workloads: %s is not one of ints, floats, unpickle_list\n", wrong);
        return STATUS_USAGE;
    }
    return suite_python_arms_choose(options, &experiment->arms);
}

/* Finds the workloads, the figures of the seeds and the native program. Returns 0 or a status. */
static int files_choose(experiment_t *experiment)
{
    char folder[PATH_MAX] = "", text[3 * PATH_MAX];
    executable_folder(folder, sizeof folder);
    if (!folder_find(&folder_of_seeds, folder, experiment->seeds, sizeof experiment->seeds, text, sizeof text)) {
        fprintf(stderr, "cubby bench: the workloads are not there; looked in %s\n", text);
        return STATUS_REFUSED;
    }
    if (!figures_read(experiment->seeds, &experiment->figures, text, sizeof text)) {
        fprintf(stderr, "cubby bench: %s\n", text);
        return STATUS_REFUSED;
    }
    snprintf(experiment->native, sizeof experiment->native, "%s/lab/native/cubby-micro", folder);
    if (access(experiment->native, X_OK) != 0) {
        experiment->native[0] = '\0';
    }
    return 0;
}

static int experiment_prepare(const bench_options_t *options, experiment_t *experiment)
{
    adapter_t adapter;
    machine_read(&experiment->machine);
    suite_arms_fill(&experiment->arms, &adapter);
    experiment->workloads = workload_table;
    experiment->workload_count = WORKLOAD_COUNT;
    int status = plan_choose(options, experiment);
    status = status != 0 ? status : suite_python_choose(options, experiment->python, sizeof experiment->python);
    status = status != 0 ? status : suite_adapter_check(&experiment->arms, &adapter);
    status = status != 0 ? status : files_choose(experiment);
    experiment->seed = suite_seed(options);
    stats_rng_seed(&experiment->rng, experiment->seed);
    return status;
}

/* Does the experiment and shows it. */
static int experiment_show(experiment_t *experiment, char **arguments, const suite_output_t *output)
{
    report_plan(experiment, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = experiment_run(experiment);
    progress_clear(&experiment->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        report_print(experiment, stdout);
    }
    bool written = suite_json_write(output, result_to_json(experiment, cubby_version(), arguments));
    if (experiment->abandoned) {
        fputs("cubby bench: without stock there is nothing to compare with\n", stderr);
    }
    return experiment->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int seeds_bench(const bench_options_t *options, char **arguments)
{
    suite_output_t output = {0};
    experiment_t *experiment = calloc(1, sizeof *experiment);
    if (experiment == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = experiment_prepare(options, experiment);
    if (status == 0) {
        status = suite_output_open(options, &output) ? experiment_show(experiment, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    experiment_clear(experiment);
    free(experiment);
    return status;
}
