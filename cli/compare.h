/* SPDX-License-Identifier: MIT */
/* `cubby compare`: recorded results as tables, and for pyperf. */
#ifndef CUBBY_CLI_COMPARE_H
#define CUBBY_CLI_COMPARE_H

/* Runs the subcommand and returns the exit status. */
int compare_command(int count, char **arguments);

#endif
