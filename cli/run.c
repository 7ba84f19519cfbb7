/* SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include "cli/adapter.h"
#include "cli/judge.h"
#include "cli/options.h"
#include "cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_OBJ = 0x100, KEY_MEM, KEY_HEAPS };

static const struct argp_option run_table[] = {
    {.name = "obj", .key = KEY_OBJ, .arg = "ALLOCATOR", .doc = "For objects: cubby (default), libc or stock"},
    {.name = "mem", .key = KEY_MEM, .arg = "ALLOCATOR", .doc = "For buffers: cubby (default), libc or stock"},
    {.name = "heaps",
     .key = KEY_HEAPS,
     .arg = "OWNER",
     .doc =
         "One heap under the interpreter's lock, or one for each thread: lock (default up to CPython 3.11) or thread"},
    {.name = "quiet", .key = 'q', .doc = "No notes on stderr, neither from here nor from the adapter"},
    {0},
};

typedef struct run_options {
    const char *obj;
    const char *mem;
    const char *heaps; /* NULL: as the interpreter needs */
    bool quiet;
    char **program; /* the program and its arguments, NULL at the end */
} run_options_t;

static error_t allocator_take(const char *option, const char *value, const char **taken, struct argp_state *state)
{
    if (strcmp(value, "cubby") != 0 && strcmp(value, "libc") != 0 && strcmp(value, "stock") != 0) {
        argp_error(state, "--%s=%s: the allocator must be cubby, libc or stock", option, value);
        return EINVAL;
    }
    *taken = value;
    return 0;
}

static error_t run_parser(int key, char *argument, struct argp_state *state)
{
    run_options_t *options = state->input;
    switch (key) {
    case KEY_OBJ:
        return allocator_take("obj", argument, &options->obj, state);
    case KEY_MEM:
        return allocator_take("mem", argument, &options->mem, state);
    case KEY_HEAPS:
        if (strcmp(argument, "lock") != 0 && strcmp(argument, "thread") != 0) {
            argp_error(state, "--heaps=%s: the owner must be lock or thread", argument);
            return EINVAL;
        }
        options->heaps = argument;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
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

static const options_t run_help = {
    .name = "cubby run",
    .arguments = "PROGRAM [ARG...]",
    .text =
        "Runs PROGRAM with Cubby as the allocator of every Python interpreter in it.\v"
        "PROGRAM is looked up in PATH and takes the place of this process: signals and the exit status are its own. "
        "Status 2: wrong options. 126: PROGRAM cannot be executed, or there is no adapter to preload. 127: PROGRAM "
        "is not found. CUBBY_ADAPTER names another adapter.",
    .table = run_table,
    .parser = run_parser,
};

/* Puts the adapter in front of what is preloaded already. */
static bool preload_prepend(const char *adapter)
{
    const char *before = getenv("LD_PRELOAD");
    if (before == NULL || before[0] == '\0') {
        return setenv("LD_PRELOAD", adapter, 1) == 0;
    }
    size_t size = strlen(adapter) + strlen(before) + 2;
    char *both = malloc(size);
    if (both == NULL) {
        return false;
    }
    snprintf(both, size, "%s:%s", adapter, before);
    bool set = setenv("LD_PRELOAD", both, 1) == 0;
    free(both);
    return set;
}

static bool environment_prepare(const run_options_t *options, const char *adapter)
{
    return setenv("CUBBY_OBJ", options->obj, 1) == 0 && setenv("CUBBY_MEM", options->mem, 1) == 0 &&
           (options->heaps == NULL || setenv("CUBBY_HEAPS", options->heaps, 1) == 0) &&
           (!options->quiet || setenv("CUBBY_QUIET", "1", 1) == 0) && preload_prepend(adapter);
}

/* A text file without a first line that names an interpreter goes to the shell, as it would from a shell. */
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
    }
    const char *meaning = failure == ENOENT ? "its interpreter is not there" : strerror(failure);
    fprintf(stderr, "cubby run: %s cannot be executed: %s\n", path, meaning);
    return STATUS_REFUSED;
}

int run_command(int count, char **arguments)
{
    run_options_t options = {.obj = "cubby", .mem = "cubby"};
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
    adapter_find(&adapter);
    if (!adapter.usable) {
        fprintf(stderr, "cubby run: %s\n", adapter.reason);
        return STATUS_REFUSED;
    }
    const char *note = options.quiet ? NULL : judgement_note(program_judge(path));
    if (note != NULL) {
        fprintf(stderr, "cubby run: note: %s %s\n", options.program[0], note);
    }
    if (!environment_prepare(&options, adapter.path)) {
        fprintf(stderr, "cubby run: %s\n", strerror(errno));
        return STATUS_REFUSED;
    }
    return program_exec(path, options.program);
}
