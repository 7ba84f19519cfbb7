/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <cubby/cubby.h>

#include <stdio.h>
#include <stdlib.h>

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

static error_t common_parser(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    switch (key) {
    case '?':
        argp_help(state->root_argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, state->name);
        exit(EXIT_SUCCESS);
    case KEY_USAGE:
        argp_help(state->root_argp, stdout, ARGP_HELP_USAGE, state->name);
        exit(EXIT_SUCCESS);
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
    unsigned flags = ARGP_IN_ORDER | ARGP_NO_EXIT | ARGP_NO_HELP;
    if (argp_parse(&argp, count, arguments, flags, NULL, input) == 0) {
        return true;
    }
    fputs("Options:\n", stderr);
    argp_help(&argp, stderr, ARGP_HELP_LONG, name);
    return false;
}
