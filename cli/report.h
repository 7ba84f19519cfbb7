/* SPDX-License-Identifier: MIT */
/* `cubby report`: recorded results as one HTML page. */
#ifndef CUBBY_CLI_REPORT_H
#define CUBBY_CLI_REPORT_H

/* Runs the subcommand and returns the exit status. */
int report_command(int count, char **arguments);

#endif
