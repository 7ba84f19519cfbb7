/* SPDX-License-Identifier: MIT */
/* Bodies of tests that need a process of their own: its peak, its threads, its limits. */
#ifndef CUBBY_TESTS_SUPPORT_CHILD_H
#define CUBBY_TESTS_SUPPORT_CHILD_H

#include "support/test.h"

#include <sys/wait.h>

/* Runs a body in a child and returns what it returned: 0 when all went well, else the line that it did not pass. */
static inline int in_child(int (*body)(void))
{
    int ends[2];
    int line = -1;
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(TEST_SANITIZED ? 250 : 100);
        line = body();
        (void)fflush(stdout);
        (void)!write(ends[1], &line, sizeof line);
        _exit(0);
    }
    (void)close(ends[1]);
    (void)!read(ends[0], &line, sizeof line);
    (void)close(ends[0]);
    int status = -1;
    (void)waitpid(child, &status, 0);
    return status == 0 ? line : -1;
}

/* In a body: goes on when the condition holds. */
#define STEP(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);                                                   \
            (void)fflush(stdout);                                                                                      \
            return __LINE__;                                                                                           \
        }                                                                                                              \
    } while (0)

#endif
