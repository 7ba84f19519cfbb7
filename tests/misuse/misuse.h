/* SPDX-License-Identifier: MIT */
/* What every program here starts with: the size of the block to be misused, from the command line. */
#ifndef CUBBY_TESTS_MISUSE_H
#define CUBBY_TESTS_MISUSE_H

#include <cubby/check.h>

#include <stdlib.h>

/* Keeps the compiler from seeing that a pointer is misused, and so from warning or from leaving the misuse out. */
static inline char *hidden(char *pointer)
{
    char *volatile copy = pointer;
    return copy;
}

static inline size_t size_asked(int argc, char **argv)
{
    return argc == 2 ? strtoul(argv[1], NULL, 10) : 24;
}

#endif
