/* SPDX-License-Identifier: MIT */
/* On which core a running process is, with its threads and with what it started. */
#ifndef CUBBY_LAB_PLACING_H
#define CUBBY_LAB_PLACING_H

#include <sys/types.h>

/*
 * Moves all of them to the core. Whatever starts or ends meanwhile may be missed, and is found by the next call; what
 * cannot be moved stays.
 */
void process_move(pid_t process, int core);

#endif
