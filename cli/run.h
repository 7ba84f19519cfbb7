/* SPDX-License-Identifier: MIT */
/* cubby run: starts a program with Cubby. */
#ifndef CUBBY_CLI_RUN_H
#define CUBBY_CLI_RUN_H

/* Becomes the program, or returns the status that says why not. arguments[0] is the subcommand. */
int run_command(int count, char **arguments);

#endif
