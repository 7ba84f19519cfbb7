/* SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/compare.h"
#include "cli/info.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct command {
    const char *name;
    const char *meaning;
    int (*run)(int count, char **arguments);
} command_t;

static const command_t command_table[] = {
    {"run", "runs a program, and the Python in it, with Cubby", run_command},
    {"bench", "measures Python loops and large blocks on Cubby and on other allocators", bench_command},
    {"compare", "shows recorded results as tables, one file or two, or writes them for pyperf", compare_command},
    {"report", "makes one HTML page of recorded results", report_command},
    {"info", "shows versions, the machine, and what a run would use", info_command},
};

enum { COMMAND_COUNT = sizeof command_table / sizeof *command_table };

static void usage_print(FILE *stream)
{
    fputs("Usage: cubby COMMAND [OPTION...]\n\n", stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(stream, "  %-8s %s\n", command_table[i].name, command_table[i].meaning);
    }
    fputs("\n`cubby COMMAND --help` says more. `cubby --version` prints the version.\n", stream);
}

static bool argument_is(const char *argument, const char *word, const char *letter)
{
    return strcmp(argument, word) == 0 || strcmp(argument, letter) == 0;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        usage_print(stderr);
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(arguments[1], command_table[i].name) == 0) {
            return command_table[i].run(count - 1, arguments + 1);
        }
    }
    if (argument_is(arguments[1], "--help", "-h") || argument_is(arguments[1], "help", "-?")) {
        usage_print(stdout);
        return EXIT_SUCCESS;
    }
    if (argument_is(arguments[1], "--version", "-V")) {
        version_print();
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "cubby: %s: no such command\n", arguments[1]);
    usage_print(stderr);
    return STATUS_USAGE;
}
