/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "cli/options.h"
#include "lab/page/page.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_COUNT = 32 };

typedef struct report_options {
    const char *output;
    const char *files[FILE_MAX_COUNT];
    size_t count;
} report_options_t;

static const struct argp_option report_table[] = {
    {.name = "output", .key = 'o', .arg = "PAGE.html", .doc = "Where the page goes; what is there is replaced"},
    {0},
};

static error_t arguments_check(const report_options_t *options, struct argp_state *state)
{
    if (options->count == 0) {
        argp_error(state, "name a file that `cubby bench SUITE --json=FILE` wrote");
        return EINVAL;
    }
    if (options->output == NULL) {
        argp_error(state, "say with -o where the page goes");
        return EINVAL;
    }
    return 0;
}

static error_t report_parser(int key, char *argument, struct argp_state *state)
{
    report_options_t *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == FILE_MAX_COUNT) {
            argp_error(state, "%s: %d files at most", argument, FILE_MAX_COUNT);
            return EINVAL;
        }
        options->files[options->count++] = argument;
        return 0;
    case ARGP_KEY_END:
        return arguments_check(options, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const options_t report_help = {
    .name = "cubby report",
    .arguments = "FILE.json... -o PAGE.html",
    .text = "Makes one HTML page of what `cubby bench` seeds, gupb or pybench recorded: charts, tables, the machine, "
            "warnings and commands. It needs no script and nothing from elsewhere.",
    .notes = "Status 1: the page could not be written. 2: a wrong option or file.\n",
    .table = report_table,
    .parser = report_parser,
};

/*
 * Writes beside the page and renames, so that a page that was there stays whole until the new one is. What is no plain
 * file, a terminal or a link, is written to as it is: a file in its place is not what was asked for.
 */
static int page_write(const recorded_t *files, const report_options_t *options)
{
    char path[PATH_MAX];
    struct stat there;
    bool beside = lstat(options->output, &there) != 0 || S_ISREG(there.st_mode);
    int length = beside ? snprintf(path, sizeof path, "%s.%ld.part", options->output, (long)getpid())
                        : snprintf(path, sizeof path, "%s", options->output);
    errno = ENAMETOOLONG;
    FILE *page = length > 0 && (size_t)length < sizeof path ? fopen(path, beside ? "wxe" : "we") : NULL;
    if (page == NULL) {
        fprintf(stderr, "cubby report: %s: %s\n", options->output, strerror(errno));
        return EXIT_FAILURE;
    }
    page_print(files, options->count, page);
    bool written = ferror(page) == 0;
    written = fclose(page) == 0 && written;
    if (!written || (beside && rename(path, options->output) != 0)) {
        fprintf(stderr, "cubby report: %s: %s\n", options->output, strerror(errno));
        if (beside) {
            unlink(path);
        }
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

int report_command(int count, char **arguments)
{
    report_options_t options = {0};
    recorded_t files[FILE_MAX_COUNT] = {0};
    char reason[PATH_MAX + 512];
    if (!options_parse(&report_help, count, arguments, &options)) {
        return STATUS_USAGE;
    }
    int status = 0;
    for (size_t i = 0; i < options.count && status == 0; i++) {
        if (!recorded_open(options.files[i], &files[i], reason, sizeof reason)) {
            fprintf(stderr, "cubby report: %s\n", reason);
            status = STATUS_USAGE;
        }
    }
    status = status != 0 ? status : page_write(files, &options);
    for (size_t i = 0; i < options.count; i++) {
        recorded_close(&files[i]);
    }
    return status;
}
