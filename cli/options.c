/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <cubby/cubby.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEY_USAGE = 0x1000 };

static const struct argp_option common_table[] = {
    {.name = "help", .key = '?', .doc = "Give this help", .group = -1},
    {.name = "usage", .key = KEY_USAGE, .doc = "Give a short usage message", .group = -1},
    {.name = "version", .key = 'V', .doc = "Print the version", .group = -1},
    {0},
};

void version_print(void)
{
    printf("cubby %s\n", cubby_version());
}

/* Writes only what a handler may. */
static void memory_ended(int signal_number)
{
    static const char text[] = "cubby: out of memory\n";
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXIT_FAILURE);
}

/*
 * argp's help takes memory for granted: where there is none it aborts, or prints nothing. The command ends as with any
 * other failure.
 */
static void help_print(const struct argp *argp, FILE *stream, unsigned flags, char *name)
{
    void (*before)(int) = signal(SIGABRT, memory_ended);
    argp_help(argp, stream, flags, name);
    (void)signal(SIGABRT, before);
}

/* To stdout, and to the end of the program. argp would leave the notes out where memory is short. */
static _Noreturn void help_give(const struct argp *argp, unsigned flags, char *name, const char *notes)
{
    static char buffer[32768];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    help_print(argp, stdout, flags, name);
    if (__fpending(stdout) == 0) {
        memory_ended(SIGABRT);
    }
    if (notes != NULL) {
        printf("\n%s", notes);
    }
    exit(EXIT_SUCCESS);
}

/* Whose options are being parsed. */
static const options_t *parsed;

static error_t common_parser(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case '?':
        help_give(state->root_argp, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, state->name, parsed->notes);
    case KEY_USAGE:
        help_give(state->root_argp, ARGP_HELP_USAGE, state->name, NULL);
    case 'V':
        version_print();
        exit(EXIT_SUCCESS);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool options_parse(const options_t *options, int count, char **arguments, void *input)
{
    static const struct argp common = {.options = common_table, .parser = common_parser};
    const struct argp_child children[] = {{.argp = &common}, {0}};
    const struct argp argp = {.options = options->table,
                              .parser = options->parser,
                              .args_doc = options->arguments,
                              .doc = options->text,
                              .children = children};
    char *name = (char *)options->name;
    arguments[0] = name;
    parsed = options;
    unsigned flags = ARGP_IN_ORDER | ARGP_NO_EXIT | ARGP_NO_HELP;
    error_t failure = argp_parse(&argp, count, arguments, flags, NULL, input);
    if (failure == 0) {
        return true;
    }
    if (failure == ENOMEM) {
        fprintf(stderr, "%s: out of memory\n", name);
        exit(EXIT_FAILURE);
    }
    fputs("Options:\n", stderr);
    help_print(&argp, stderr, ARGP_HELP_LONG, name);
    return false;
}
