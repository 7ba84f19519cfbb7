/* SPDX-License-Identifier: MIT */
#include "cli/compare.h"

#include "cli/options.h"
#include "lab/comparison.h"
#include "lab/pyperf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_BASE = 0x100, KEY_ARM, KEY_ROWS, KEY_PYPERF };

typedef struct compare_options {
    comparison_t wanted;
    const char *folder; /* for pyperf's files, or NULL */
    const char *files[2];
    size_t count;
} compare_options_t;

static const struct argp_option compare_table[] = {
    {.name = "base", .key = KEY_BASE, .arg = "ARM", .doc = "What the others are compared with (default: stock)"},
    {.name = "arm", .key = KEY_ARM, .arg = "ARM", .doc = "This arm alone (default: each)"},
    {.name = "rows", .key = KEY_ROWS, .arg = "LIST", .doc = "Some of the rows (default: all)"},
    {.name = "pyperf",
     .key = KEY_PYPERF,
     .arg = "DIR",
     .doc = "Write DIR/ARM.json for each arm of one file, for `pyperf compare_to` and `pyperf stats`; no file that is "
            "there is replaced"},
    {0},
};

static error_t arguments_check(const compare_options_t *options, struct argp_state *state)
{
    if (options->count == 0) {
        argp_error(state, "name a file that `cubby bench SUITE --json=FILE` wrote");
        return EINVAL;
    }
    if (options->folder != NULL && options->count != 1) {
        argp_error(state, "--pyperf takes one file");
        return EINVAL;
    }
    return 0;
}

static error_t compare_parser(int key, char *argument, struct argp_state *state)
{
    compare_options_t *options = state->input;
    switch (key) {
    case KEY_BASE:
        options->wanted.base = argument;
        return 0;
    case KEY_ARM:
        options->wanted.arm = argument;
        return 0;
    case KEY_ROWS:
        options->wanted.rows = argument;
        return 0;
    case KEY_PYPERF:
        options->folder = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == 2) {
            argp_error(state, "%s: two files at most", argument);
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

static const options_t compare_help = {
    .name = "cubby compare",
    .arguments = "FILE.json [LATER.json]",
    .text = "Shows what `cubby bench` seeds, gupb or pybench recorded: of one file the arms beside a base, of two how "
            "an arm stood to the base then and now.",
    .notes = "%D is that of 2016: how many percent more processor time the base takes than\n"
             "the arm. Status 1: nothing to compare. 2: a wrong option or file.\n",
    .table = compare_table,
    .parser = compare_parser,
};

static void names_print(const json_t *list, FILE *stream)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        fprintf(stream, "%s %s", i == 0 ? "" : ",", recorded_text(json_array_get(list, i), "name"));
    }
    fputc('\n', stream);
}

static bool arm_check(const recorded_t *recorded, const char *option, const char *arm)
{
    if (arm == NULL || recorded_has_arm(recorded, arm)) {
        return true;
    }
    fprintf(stderr, "cubby compare: --%s: %s is not an arm of %s, which has", option, arm, recorded->path);
    names_print(json_object_get(recorded->root, "arms"), stderr);
    return false;
}

static bool rows_check(const recorded_t *recorded, const char *rows)
{
    for (const char *name = rows; name != NULL && name[0] != '\0';) {
        char one[64];
        size_t span = strcspn(name, ",");
        snprintf(one, sizeof one, "%.*s", (int)(span < sizeof one ? span : sizeof one - 1), name);
        if (recorded_row(recorded, one) == NULL) {
            fprintf(stderr, "cubby compare: --rows: %s is not a row of %s, which has", one, recorded->path);
            names_print(recorded->rows, stderr);
            return false;
        }
        name += span + (name[span] == ',');
    }
    return true;
}

/* Writes beside nothing: a file of that name is left as it is, and that is said. */
static bool pyperf_write(const char *folder, const char *arm, const json_t *content)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.json", folder, arm);
    FILE *file = fopen(path, "wxe");
    bool written = file != NULL && json_dumpf(content, file, JSON_INDENT(1)) == 0 && fputc('\n', file) != EOF;
    written = (file == NULL || fclose(file) == 0) && written;
    if (!written) {
        fprintf(stderr, "cubby compare: %s: %s\n", path, strerror(errno));
        return false;
    }
    puts(path);
    return true;
}

static int pyperf_command(const recorded_t *recorded, const char *folder)
{
    const json_t *arms = json_object_get(recorded->root, "arms");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cubby compare: %s: %s\n", folder, strerror(errno));
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        if (arm[0] == '\0' || strchr(arm, '/') != NULL) {
            fprintf(stderr, "cubby compare: %s: damaged: an arm has no usable name\n", recorded->path);
            return STATUS_USAGE;
        }
        json_t *content = pyperf_from_arm(recorded, arm);
        bool written = content == NULL || pyperf_write(folder, arm, content);
        json_decref(content);
        if (!written) {
            return STATUS_USAGE;
        }
    }
    return EXIT_SUCCESS;
}

static int tables_print(const recorded_t files[2], const compare_options_t *options)
{
    fputs("%D: how many percent more processor time the second takes than the first; 95 %: its interval.\n", stdout);
    if (options->count == 2) {
        fputs("change: how much that grew from the first file to the second.\n", stdout);
    }
    size_t tables = options->count == 2 ? comparison_print_two(&files[0], &files[1], &options->wanted, stdout)
                                        : comparison_print(&files[0], &options->wanted, stdout);
    if (tables == 0) {
        fputs("cubby compare: nothing to compare: no row has pairs of these arms, at the same size\n", stderr);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static int files_compare(recorded_t files[2], const compare_options_t *options)
{
    for (size_t i = 0; i < options->count; i++) {
        if (!arm_check(&files[i], "base", options->wanted.base) || !arm_check(&files[i], "arm", options->wanted.arm) ||
            !rows_check(&files[i], options->wanted.rows)) {
            return STATUS_USAGE;
        }
    }
    if (options->count == 2 && strcmp(files[0].suite, files[1].suite) != 0) {
        fprintf(stderr, "cubby compare: %s is of the suite %s, %s of %s; name two files of one suite\n", files[0].path,
                files[0].suite, files[1].path, files[1].suite);
        return STATUS_USAGE;
    }
    return options->folder != NULL ? pyperf_command(&files[0], options->folder) : tables_print(files, options);
}

int compare_command(int count, char **arguments)
{
    compare_options_t options = {.wanted.base = "stock"};
    recorded_t files[2] = {0};
    char reason[PATH_MAX + 512];
    if (!options_parse(&compare_help, count, arguments, &options)) {
        return STATUS_USAGE;
    }
    int status = 0;
    for (size_t i = 0; i < options.count && status == 0; i++) {
        if (!recorded_open(options.files[i], &files[i], reason, sizeof reason)) {
            fprintf(stderr, "cubby compare: %s\n", reason);
            status = STATUS_USAGE;
        }
    }
    status = status != 0 ? status : files_compare(files, &options);
    for (size_t i = 0; i < options.count; i++) {
        recorded_close(&files[i]);
    }
    return status;
}
