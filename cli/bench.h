/* SPDX-License-Identifier: MIT */
/* cubby bench: the experiments of lab/. */
#ifndef CUBBY_CLI_BENCH_H
#define CUBBY_CLI_BENCH_H

/* Returns the exit status. arguments[0] is the subcommand. */
int bench_command(int count, char **arguments);

#endif
