/* SPDX-License-Identifier: MIT */
#include "cli/bench.h"

#include "cli/options.h"
#include "cli/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_QUICK = 0x100,
    KEY_JSON,
    KEY_PYTHON,
    KEY_ARMS,
    KEY_WORKLOADS,
    KEY_ROWS,
    KEY_ROUNDS,
    KEY_PAIRS,
    KEY_BUDGET,
    KEY_RESUME,
    KEY_WIDTH,
    KEY_COUNTERS,
    KEY_SEED
};

static const struct argp_option bench_table[] = {
    {.name = "quick",
     .key = KEY_QUICK,
     .doc =
         "In a minute (seeds, threads, lists) or some (spans, objects, gupb, pybench): the direction, not the figure"},
    {.name = "json",
     .key = KEY_JSON,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Write everything as JSON to FILE; without FILE, to stdout in place of the tables"},
    {.name = "python",
     .key = KEY_PYTHON,
     .arg = "PROGRAM",
     .doc = "seeds, gupb, pybench: the interpreter (default: /usr/bin/python3, else python3 in PATH)"},
    {.name = "arms",
     .key = KEY_ARMS,
     .arg = "LIST",
     .doc = "Some of stock,list-libc,libc,cubby,mimalloc,jemalloc,tcmalloc (default: all that the suite has; stock, or "
            "for the others cubby, always)"},
    {.name = "workloads",
     .key = KEY_WORKLOADS,
     .arg = "LIST",
     .doc = "seeds: some of ints,floats,unpickle_list (default: all)"},
    {.name = "rows",
     .key = KEY_ROWS,
     .arg = "LIST",
     .doc =
         "spans: some of cycle-1 to cycle-256, slots, double, grow, calloc, or all cycles as cycle; threads: some of "
         "private, private-large, single, handed, consumer, born, sharing; lists: some of append, beside, pop, "
         "grow-shrink, many, nested, unpickle, large; objects: some of ints-none and its like, or all as ints and "
         "floats; gupb, pybench: some of the benchmarks (default: all)"},
    {.name = "rounds", .key = KEY_ROUNDS, .arg = "N", .doc = "seeds: rounds in each process, 1 to 1000"},
    {.name = "pairs",
     .key = KEY_PAIRS,
     .arg = "N",
     .doc = "Pairs of each arm, run both ways round, or for threads and objects rounds, 1 to 1000"},
    {.name = "budget",
     .key = KEY_BUDGET,
     .arg = "MINUTES",
     .doc = "gupb, pybench: begin no further pass over all rows that would end later, 1 to 100000 (default: none)"},
    {.name = "width",
     .key = KEY_WIDTH,
     .arg = "PERCENT",
     .doc =
         "gupb, pybench: as many pairs of an arm and row as it takes until the interval is narrower, 0.1 to 100, the "
         "widest first; "
         "--pairs and --budget still end it (default: a fixed number)"},
    {.name = "counters",
     .key = KEY_COUNTERS,
     .doc =
         "gupb, pybench: count settled size, system calls (strace) and instructions (valgrind) as well, which is slow"},
    {.name = "resume",
     .key = KEY_RESUME,
     .arg = "FILE",
     .doc = "gupb, pybench: write each pair to FILE as it comes, and go on with what FILE holds already"},
    {.name = "seed",
     .key = KEY_SEED,
     .arg = "N",
     .doc = "Order, hash seeds and intervals as in an earlier run, 0 to 2147483647"},
    {0},
};

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

/* Takes a number of percent, with or without the sign. */
static error_t width_take(const char *text, bench_options_t *options, struct argp_state *state)
{
    char *end;
    double percent = strtod(text, &end);
    bool number = end != text;
    end += number && *end == '%';
    if (!number || *end != '\0' || !(percent >= 0.1 && percent <= 100)) {
        argp_error(state, "--width=%s: must be a number from 0.1 to 100, in percent", text);
        return EINVAL;
    }
    options->width = percent / 100;
    return 0;
}

static const struct {
    const char *name;
    int (*bench)(const bench_options_t *options, char **arguments);
} suites[] = {{"seeds", seeds_bench},     {"spans", spans_bench}, {"threads", threads_bench}, {"lists", lists_bench},
              {"objects", objects_bench}, {"gupb", gupb_bench},   {"pybench", gupb_bench}};

/* Takes the name of a suite; the first one only. */
static error_t suite_take(const char *name, bench_options_t *options, struct argp_state *state)
{
    if (options->suite != NULL) {
        argp_error(state, "%s: one suite at a time", name);
        return EINVAL;
    }
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
        if (strcmp(name, suites[i].name) == 0) {
            options->suite = name;
            return 0;
        }
    }
    argp_error(state, "%s: no such suite; the suites are seeds, spans, threads, lists, objects, gupb and pybench",
               name);
    return EINVAL;
}

/* Refuses options of another suite. */
static error_t suite_check(bench_options_t *options, struct argp_state *state)
{
    options->suite = options->suite != NULL ? options->suite : "seeds";
    bool seeds = strcmp(options->suite, "seeds") == 0;
    bool python = strcmp(options->suite, "gupb") == 0 || strcmp(options->suite, "pybench") == 0;
    if (python && (options->workloads != NULL || options->rounds > 0)) {
        argp_error(state, "%s has no --workloads and --rounds", options->suite);
        return EINVAL;
    }
    if (!python && (options->budget > 0 || options->resume != NULL || options->width > 0 || options->counters)) {
        argp_error(state, "%s has no --budget, --resume, --width and --counters", options->suite);
        return EINVAL;
    }
    if (!seeds && !python && (options->python != NULL || options->workloads != NULL || options->rounds > 0)) {
        argp_error(state, "%s has no --python, --workloads and --rounds", options->suite);
        return EINVAL;
    }
    if (seeds && options->rows != NULL) {
        argp_error(state, "%s has no --rows", options->suite);
        return EINVAL;
    }
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
    case KEY_ROWS:
        options->rows = argument;
        return 0;
    case KEY_ROUNDS:
        return number_take("rounds", argument, 1, 1000, &options->rounds, state);
    case KEY_PAIRS:
        return number_take("pairs", argument, 1, 1000, &options->pairs, state);
    case KEY_BUDGET:
        return number_take("budget", argument, 1, 100000, &options->budget, state);
    case KEY_RESUME:
        options->resume = argument;
        return 0;
    case KEY_COUNTERS:
        options->counters = true;
        return 0;
    case KEY_WIDTH:
        return width_take(argument, options, state);
    case KEY_SEED:
        return number_take("seed", argument, 0, INT32_MAX, &options->seed, state);
    case ARGP_KEY_ARG:
        return suite_take(argument, options, state);
    case ARGP_KEY_END:
        return suite_check(options, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const options_t bench_help = {
    .name = "cubby bench",
    .arguments = "[seeds|spans|threads|lists|objects|gupb|pybench]",
    .text =
        "Measures Cubby beside other allocators: seeds (the default), real Python loops, also on stock pymalloc; "
        "spans, large blocks in a C program; threads, several threads in one; lists, growing lists in one; objects, "
        "the loops of 2008 in C with and without freelists; gupb, the benchmarks of the tables of 2016 on Python; "
        "pybench, the tests of that name.",
    .notes = "Pairs of processes run at the same time on two cores, which they trade all the\n"
             "time; those of threads take both cores, and run in rounds of all arms.\n"
             "In gupb and pybench --pairs is the number of passes over all rows.\n"
             "Status 1: an arm failed and was dropped. 130: interrupted.\n",
    .table = bench_table,
    .parser = bench_parser,
};

int bench_command(int count, char **arguments)
{
    bench_options_t options = {.seed = -1};
    if (!options_parse(&bench_help, count, arguments, &options)) {
        return STATUS_USAGE;
    }
    size_t suite = 0;
    while (strcmp(suites[suite].name, options.suite) != 0) {
        suite++;
    }
    return suites[suite].bench(&options, arguments);
}
