/* SPDX-License-Identifier: MIT */
#include "cli/bench.h"

#include "cli/adapter.h"
#include "cli/options.h"
#include "cli/program.h"
#include "lab/experiment.h"
#include "lab/interrupt.h"
#include "lab/report.h"
#include "lab/result.h"

#include <cubby/cubby.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { KEY_QUICK = 0x100, KEY_JSON, KEY_PYTHON, KEY_ARMS, KEY_WORKLOADS, KEY_ROUNDS, KEY_PAIRS, KEY_SEED };

static const struct argp_option bench_table[] = {
    {.name = "quick", .key = KEY_QUICK, .doc = "Less than a minute: the direction, not the figure"},
    {.name = "json",
     .key = KEY_JSON,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Write everything as JSON to FILE; without FILE, to stdout in place of the tables"},
    {.name = "python",
     .key = KEY_PYTHON,
     .arg = "PROGRAM",
     .doc = "The interpreter (default: /usr/bin/python3, else python3 in PATH)"},
    {.name = "arms",
     .key = KEY_ARMS,
     .arg = "LIST",
     .doc = "Some of stock,list-libc,libc,cubby,mimalloc,jemalloc,tcmalloc (default: all; stock always)"},
    {.name = "workloads",
     .key = KEY_WORKLOADS,
     .arg = "LIST",
     .doc = "Some of ints,floats,unpickle_list (default: all)"},
    {.name = "rounds", .key = KEY_ROUNDS, .arg = "N", .doc = "Rounds in each process, 1 to 1000"},
    {.name = "pairs", .key = KEY_PAIRS, .arg = "N", .doc = "Pairs of each arm, run both ways round, 1 to 1000"},
    {.name = "seed", .key = KEY_SEED, .arg = "N", .doc = "Order, hash seeds and intervals as in an earlier run"},
    {0},
};

typedef struct bench_options {
    bool quick;
    bool json;
    const char *file; /* for JSON, or NULL */
    const char *python;
    const char *arms;
    const char *workloads;
    long rounds; /* 0: as planned */
    long pairs;
    long seed; /* negative: none given */
} bench_options_t;

static error_t number_take(const char *option, const char *text, long low, long high, long *taken,
                           struct argp_state *state)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < low || number > high) {
        argp_error(state, "--%s=%s: must be a number from %ld to %ld", option, text, low, high);
        return EINVAL;
    }
    *taken = number;
    return 0;
}

static error_t bench_parser(int key, char *argument, struct argp_state *state)
{
    bench_options_t *options = state->input;
    switch (key) {
    case KEY_QUICK:
        options->quick = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        options->file = argument;
        return 0;
    case KEY_PYTHON:
        options->python = argument;
        return 0;
    case KEY_ARMS:
        options->arms = argument;
        return 0;
    case KEY_WORKLOADS:
        options->workloads = argument;
        return 0;
    case KEY_ROUNDS:
        return number_take("rounds", argument, 1, 1000, &options->rounds, state);
    case KEY_PAIRS:
        return number_take("pairs", argument, 1, 1000, &options->pairs, state);
    case KEY_SEED:
        return number_take("seed", argument, 0, INT32_MAX, &options->seed, state);
    case ARGP_KEY_ARG:
        if (strcmp(argument, "seeds") == 0) {
            return 0;
        }
        argp_error(state, "%s: no such suite; the suite is seeds", argument);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const options_t bench_help = {
    .name = "cubby bench",
    .arguments = "[seeds]",
    .text =
        "Measures real Python loops on Cubby, on stock pymalloc and on other allocators.\v"
        "Pairs of processes run at the same time on two cores, then with the cores swapped. Status 1: an arm failed "
        "and was dropped. 130: interrupted.",
    .table = bench_table,
    .parser = bench_parser,
};

/* Finds the interpreter. Returns 0, or the status that says what is wrong. */
static int python_choose(const char *wanted, char *path, size_t size)
{
    const char *debian = "/usr/bin/python3";
    const char *name = wanted != NULL ? wanted : (access(debian, X_OK) == 0 ? debian : "python3");
    switch (program_find(name, path, size)) {
    case PROGRAM_FOUND:
        return 0;
    case PROGRAM_REFUSED:
        fprintf(stderr, "cubby bench: %s: found, but it is not a program that may be executed\n", path);
        return STATUS_REFUSED;
    case PROGRAM_MISSING:
        break;
    }
    fprintf(stderr, "cubby bench: %s: not found\n", name);
    return STATUS_MISSING;
}

/* Applies the options to the plan and the arms. Returns 0 or a status. */
static int plan_choose(const bench_options_t *options, experiment_t *experiment)
{
    char wrong[64];
    plan_t *plan = &experiment->plan;
    plan_fill(plan, options->quick, &experiment->machine);
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        plan->rounds[i] = options->rounds > 0 ? (int)options->rounds : plan->rounds[i];
        plan->swaps[i] = options->pairs > 0 ? (size_t)options->pairs : plan->swaps[i];
    }
    if (options->workloads != NULL && !workloads_select(options->workloads, plan->selected, wrong, sizeof wrong)) {
        fprintf(stderr, "cubby bench: --workloads: %s is not one of ints, floats, unpickle_list\n", wrong);
        return STATUS_USAGE;
    }
    if (options->arms != NULL && !arm_set_select(&experiment->arms, options->arms, wrong, sizeof wrong)) {
        fprintf(stderr,
                "cubby bench: --arms: %s is not one of stock, list-libc, libc, cubby, mimalloc, jemalloc, tcmalloc\n",
                wrong);
        return STATUS_USAGE;
    }
    return 0;
}

/* Without its adapter there is nothing of Cubby's to measure, unless the arms that need it were not asked for. */
static int adapter_choose(experiment_t *experiment, const adapter_t *adapter)
{
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &experiment->arms.arms[i];
        if (arm->adapted && arm->selected && !arm->present) {
            fprintf(stderr, "cubby bench: %s\n", adapter->reason);
            return STATUS_REFUSED;
        }
    }
    return 0;
}

/* Finds the workloads, the figures of the seeds and the native program. Returns 0 or a status. */
static int files_choose(experiment_t *experiment)
{
    char folder[PATH_MAX] = "", text[3 * PATH_MAX];
    executable_folder(folder, sizeof folder);
    if (!seeds_find(folder, experiment->seeds, sizeof experiment->seeds, text, sizeof text)) {
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
    adapter_find(&adapter);
    char reason[sizeof((arm_t *)NULL)->reason];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, adapter.reason);
    arm_set_fill(&experiment->arms, adapter.usable ? adapter.path : NULL, reason);
    int status = plan_choose(options, experiment);
    status = status != 0 ? status : python_choose(options->python, experiment->python, sizeof experiment->python);
    status = status != 0 ? status : adapter_choose(experiment, &adapter);
    status = status != 0 ? status : files_choose(experiment);
    uint32_t drawn = 1;
    if (getrandom(&drawn, sizeof drawn, 0) < 0) {
        drawn = (uint32_t)getpid();
    }
    experiment->seed = options->seed >= 0 ? (uint64_t)options->seed : drawn & INT32_MAX;
    stats_rng_seed(&experiment->rng, experiment->seed);
    return status;
}

/* Writes JSON to the file that was opened for it before the experiment, or to stdout. */
static bool json_write(const experiment_t *experiment, char **arguments, FILE *file)
{
    json_t *result = result_to_json(experiment, cubby_version(), arguments);
    bool written = result != NULL && json_dumpf(result, file, JSON_INDENT(1)) == 0 && fputc('\n', file) != EOF &&
                   fflush(file) == 0;
    json_decref(result);
    if (!written) {
        fputs("cubby bench: the JSON could not be written\n", stderr);
    }
    return written;
}

/* Does the experiment and shows it. file is where JSON goes, or NULL. */
static int bench_run(const bench_options_t *options, experiment_t *experiment, char **arguments, FILE *file)
{
    FILE *people = options->json && options->file == NULL ? stderr : stdout;
    report_plan(experiment, people);
    fflush(people);
    interrupt_watch();
    bool finished = experiment_run(experiment);
    progress_clear(&experiment->progress);
    if (!finished) {
        fputs("cubby bench: interrupted\n", stderr);
        return 128 + interrupt_signal();
    }
    if (people == stdout) {
        report_print(experiment, stdout);
    }
    bool written = file == NULL || json_write(experiment, arguments, file);
    if (experiment->abandoned) {
        fputs("cubby bench: without stock there is nothing to compare with\n", stderr);
    }
    return experiment->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int bench_command(int count, char **arguments)
{
    bench_options_t options = {.seed = -1};
    if (!options_parse(&bench_help, count, arguments, &options)) {
        return STATUS_USAGE;
    }
    experiment_t *experiment = calloc(1, sizeof *experiment);
    if (experiment == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = experiment_prepare(&options, experiment);
    FILE *file = options.json ? stdout : NULL;
    if (status == 0 && options.file != NULL) {
        file = fopen(options.file, "we");
        if (file == NULL) {
            fprintf(stderr, "cubby bench: %s: %s\n", options.file, strerror(errno));
            status = STATUS_USAGE;
        }
    }
    if (status == 0) {
        status = bench_run(&options, experiment, arguments, file);
    }
    if (file != NULL && file != stdout) {
        fclose(file);
    }
    experiment_clear(experiment);
    free(experiment);
    return status;
}
