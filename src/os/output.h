/* SPDX-License-Identifier: MIT */
/* Reports for people: where a setting says, whole, whoever else writes there. */
#ifndef CUBBY_OS_OUTPUT_H
#define CUBBY_OS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/*
 * Adds text to the end of a file, which is made when it is not there; "-" is stderr. In one call of the system, so that
 * reports of several processes stay apart. False, after a message on stderr, when the file does not take it.
 */
bool output_append(const char *file, const char *text, size_t length);

/*
 * Why output_append() to this file would probably be refused, 0 when nothing speaks against it. Makes no file, and opens
 * none, for that may wait.
 */
int output_refusal(const char *file);

/* "process 42 (python3)": who reports. Returns its length, less than size. */
size_t output_process_name(char *text, size_t size);

#pragma GCC visibility pop

#endif
