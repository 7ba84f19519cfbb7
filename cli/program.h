/* SPDX-License-Identifier: MIT */
/* Finds programs as a shell does. */
#ifndef CUBBY_CLI_PROGRAM_H
#define CUBBY_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum program_found {
    PROGRAM_FOUND,
    PROGRAM_MISSING, /* a shell's status 127 */
    PROGRAM_REFUSED, /* it is there but cannot be executed: 126 */
} program_found_t;

/*
 * A name with a slash is a path; any other is looked up in PATH, whose empty parts mean the current folder. The first
 * file that may be executed wins. path gets what was found, or the file that was refused.
 */
program_found_t program_find(const char *name, char *path, size_t size);

/* True when the file's first line holds no zero byte: what a shell would take for a script of its own. */
bool program_is_text(const char *path);

/* The folder of the running executable. False when /proc does not say. */
bool executable_folder(char *folder, size_t size);

#endif
