/* SPDX-License-Identifier: MIT */
/* cubby info: what a run on this machine would meet. */
#ifndef CUBBY_CLI_INFO_H
#define CUBBY_CLI_INFO_H

/* Returns the exit status. arguments[0] is the subcommand. */
int info_command(int count, char **arguments);

#endif
