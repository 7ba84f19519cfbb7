/* SPDX-License-Identifier: MIT */
/* What all subcommands do alike with their options. */
#ifndef CUBBY_CLI_OPTIONS_H
#define CUBBY_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

/* Statuses as shells use them. */
enum {
    STATUS_USAGE = 2,
    STATUS_REFUSED = 126,
    STATUS_MISSING = 127,
};

/* One option or argument of a subcommand, as argp hands it out. */
typedef error_t (*options_parser_t)(int key, char *argument, struct argp_state *state);

typedef struct options {
    const char *name; /* "cubby run" */
    const char *arguments;
    const char *text;  /* what the subcommand does */
    const char *notes; /* what --help says last, in lines; NULL: nothing */
    const struct argp_option *table;
    options_parser_t parser;
} options_t;

/*
 * Parses a subcommand's arguments; arguments[0] is the subcommand. --help, --usage and --version are answered here,
 * and end the program. False when something is wrong: it has been said, with the options that there are.
 */
bool options_parse(const options_t *options, int count, char **arguments, void *input);

/* Prints the version, as --version does. */
void version_print(void);

#endif
