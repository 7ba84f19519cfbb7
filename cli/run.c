/* SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include "cli/adapter.h"
#include "cli/judge.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/settings.h"

#include <cubby/cubby.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One option for each setting that has one, and those of the command itself. */
enum { OPTIONS_MOST = 64, OPTION_TEXT_MOST = 320, KEY_SETTING = 0x100 };

typedef struct run_options {
    const char *values[OPTIONS_MOST]; /* of the settings, by index; NULL: as the environment has it */
    char **program;                   /* the program and its arguments, NULL at the end */
} run_options_t;

/* What stands behind the option's equals sign: the choices, or the kind of value. */
static const char *setting_argument(const cubby_setting_t *setting)
{
    switch (setting->kind) {
    case CUBBY_SETTING_NUMBER:
        return strcmp(setting->unit, "bytes") == 0 ? "BYTES" : strcmp(setting->unit, "ms") == 0 ? "MS" : "N";
    case CUBBY_SETTING_SWITCH:
        return "0|1";
    case CUBBY_SETTING_CHOICE:
        return "WHICH";
    case CUBBY_SETTING_FILE:
    case CUBBY_SETTING_REPORT:
        break;
    }
    return "FILE";
}

/* Help and default of a setting. The texts live as long as the program. */
static const char *setting_doc(const cubby_setting_t *setting, size_t index)
{
    static char texts[OPTIONS_MOST][OPTION_TEXT_MOST];
    char *text = texts[index];
    char by_default[SETTING_TEXT_MOST];
    setting_text_default(setting, by_default, sizeof by_default);
    const char *choices = setting->kind == CUBBY_SETTING_CHOICE ? setting->unit : "";
    snprintf(text, OPTION_TEXT_MOST, "%s%s%s (default %s)", setting->help, choices[0] != '\0' ? ": " : "", choices,
             by_default);
    return text;
}

static const struct argp_option *run_table_make(void)
{
    static struct argp_option table[OPTIONS_MOST + 4];
    size_t count = 0;
    cubby_setting_t setting;
    for (size_t i = 0; i < OPTIONS_MOST && cubby_setting_get(i, &setting); i++) {
        if (setting.option == NULL) {
            continue;
        }
        bool may_be_alone = setting.kind == CUBBY_SETTING_SWITCH || setting.kind == CUBBY_SETTING_REPORT;
        table[count++] = (struct argp_option){.name = setting.option,
                                              .key = KEY_SETTING + (int)i,
                                              .arg = setting_argument(&setting),
                                              .flags = may_be_alone ? OPTION_ARG_OPTIONAL : 0,
                                              .doc = setting_doc(&setting, i)};
        if (strcmp(setting.option, "quiet") == 0) {
            table[count++] = (struct argp_option){.key = 'q', .doc = "The same as --quiet"};
        }
    }
    return table;
}

static error_t setting_take(run_options_t *options, size_t index, const char *value, struct argp_state *state)
{
    cubby_setting_t setting;
    char expected[128];
    if (!cubby_setting_get(index, &setting)) {
        return ARGP_ERR_UNKNOWN;
    }
    value = value != NULL ? value : "1"; /* a switch is on, a report goes to stderr */
    if (!cubby_setting_check(setting.name, value, expected, sizeof expected)) {
        argp_error(state, "--%s=%s: expected %s", setting.option, value, expected);
        return EINVAL;
    }
    options->values[index] = value;
    return 0;
}

static size_t setting_index(const char *name)
{
    cubby_setting_t setting;
    size_t index = 0;
    while (cubby_setting_get(index, &setting) && strcmp(setting.name, name) != 0) {
        index++;
    }
    return index;
}

static error_t run_parser(int key, char *argument, struct argp_state *state)
{
    run_options_t *options = state->input;
    if (key >= KEY_SETTING && key < KEY_SETTING + OPTIONS_MOST) {
        return setting_take(options, (size_t)(key - KEY_SETTING), argument, state);
    }
    switch (key) {
    case 'q':
        return setting_take(options, setting_index("CUBBY_QUIET"), NULL, state);
    case ARGP_KEY_ARG: /* from here on everything is the program's */
        options->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no PROGRAM to run");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static options_t run_help = {
    .name = "cubby run",
    .arguments = "PROGRAM [ARG...]",
    .text = "Runs PROGRAM with Cubby as the allocator of every Python interpreter in it.",
    .notes = "Each option sets an environment variable spelled like it, --retain-ms\n"
             "CUBBY_RETAIN_MS; what no option sets stays as the environment has it. PROGRAM\n"
             "is looked up in PATH and takes the place of this process: signals and the exit\n"
             "status are its own. Status 2: wrong options or settings. 126: PROGRAM cannot be\n"
             "executed, or there is no adapter to preload. 127: PROGRAM is not found.\n",
    .parser = run_parser,
};

/* Joins two parts of a list with a colon; an empty part of none at all. False when memory runs out. */
static bool list_set(const char *variable, const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 2;
    char *both = malloc(size);
    if (both == NULL) {
        return false;
    }
    snprintf(both, size, "%s%s%s", first, first[0] != '\0' && second[0] != '\0' ? ":" : "", second);
    bool set = setenv(variable, both, 1) == 0;
    free(both);
    return set;
}

static const char *variable_get(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/* A report's file is where the user is now, wherever the program goes. */
static bool file_setting_set(const char *name, const char *value)
{
    char folder[PATH_MAX];
    bool is_file = value[0] != '\0' && value[0] != '/' && strcmp(value, "-") != 0 && strcmp(value, "0") != 0 &&
                   strcmp(value, "1") != 0;
    if (!is_file || getcwd(folder, sizeof folder) == NULL) {
        return setenv(name, value, 1) == 0;
    }
    size_t size = strlen(folder) + strlen(value) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        return false;
    }
    snprintf(path, size, "%s/%s", folder, value);
    bool set = setenv(name, path, 1) == 0;
    free(path);
    return set;
}

static bool settings_set(const run_options_t *options)
{
    cubby_setting_t setting;
    for (size_t i = 0; i < OPTIONS_MOST && cubby_setting_get(i, &setting); i++) {
        const char *value = options->values[i];
        bool is_file = setting.kind == CUBBY_SETTING_FILE || setting.kind == CUBBY_SETTING_REPORT;
        if (value != NULL && !(is_file ? file_setting_set(setting.name, value) : setenv(setting.name, value, 1) == 0)) {
            return false;
        }
    }
    return true;
}

/*
 * The adapter goes in front of what is preloaded already; the folder of the Python module goes behind what is in
 * PYTHONPATH, so that nothing of the user's is hidden by it.
 */
static bool environment_prepare(const adapter_t *adapter)
{
    return list_set("LD_PRELOAD", adapter->path, variable_get("LD_PRELOAD")) &&
           (adapter->module[0] == '\0' || list_set("PYTHONPATH", variable_get("PYTHONPATH"), adapter->module));
}

/* True when the program's environment asks for no notes. */
static bool is_quiet(void)
{
    return strcmp(variable_get("CUBBY_QUIET"), "1") == 0;
}

/*
 * A text file without a first line that names an interpreter goes to the shell, as it would from a shell. Returns, with
 * errno, when that fails.
 */
static void shell_exec(const char *path, char **program)
{
    size_t count = 0;
    while (program[count] != NULL) {
        count++;
    }
    const char **arguments = calloc(count + 2, sizeof *arguments);
    if (arguments == NULL) {
        return;
    }
    arguments[0] = "sh";
    arguments[1] = path;
    for (size_t i = 1; i < count; i++) {
        arguments[i + 1] = program[i];
    }
    execv("/bin/sh", (char **)arguments);
    free(arguments);
}

static int program_exec(const char *path, char **program)
{
    execv(path, program);
    int failure = errno;
    if (failure == ENOEXEC && program_is_text(path)) {
        shell_exec(path, program);
        failure = errno;
    }
    const char *meaning = failure == ENOENT ? "its interpreter is not there" : strerror(failure);
    fprintf(stderr, "cubby run: %s cannot be executed: %s\n", path, meaning);
    return STATUS_REFUSED;
}

int run_command(int count, char **arguments)
{
    run_options_t options = {0};
    run_help.table = run_table_make();
    if (!options_parse(&run_help, count, arguments, &options)) {
        return STATUS_USAGE;
    }
    char path[PATH_MAX] = "";
    switch (program_find(options.program[0], path, sizeof path)) {
    case PROGRAM_MISSING:
        fprintf(stderr, "cubby run: %s: not found\n", options.program[0]);
        return STATUS_MISSING;
    case PROGRAM_REFUSED:
        fprintf(stderr, "cubby run: %s: found, but it is not a program that may be executed\n", path);
        return STATUS_REFUSED;
    case PROGRAM_FOUND:
        break;
    }
    adapter_t adapter;
    if (!settings_set(&options)) {
        fprintf(stderr, "cubby run: %s\n", strerror(errno));
        return STATUS_REFUSED;
    }
    adapter_find(&adapter);
    if (!adapter.usable) {
        fprintf(stderr, "cubby run: %s\n", adapter.reason);
        return STATUS_REFUSED;
    }
    const char *note = is_quiet() ? NULL : judgement_note(program_judge(path));
    if (note != NULL) {
        fprintf(stderr, "cubby run: note: %s %s\n", options.program[0], note);
    }
    if (!environment_prepare(&adapter)) {
        fprintf(stderr, "cubby run: %s\n", strerror(errno));
        return STATUS_REFUSED;
    }
    return program_exec(path, options.program);
}
