/* SPDX-License-Identifier: MIT */
/* Child processes: started with a fixed environment, on a chosen core, with what they print collected. */
#ifndef CUBBY_LAB_CHILD_H
#define CUBBY_LAB_CHILD_H

#include "lab/resident.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

enum {
    CHILD_ANY_CORE = -1,
    CHILD_INTERRUPTED = -1,
    CHILD_NONE = -2,        /* of children_wait_for() alone */
    CHILD_TEXT_MAX = 65536, /* what a child prints beyond this is read and dropped */
};

typedef struct child_spec {
    const char *const *arguments;   /* the program's path first; NULL at the end */
    const char *const *environment; /* "NAME=value", NULL at the end */
    int core;                       /* or CHILD_ANY_CORE */
    double timeout;                 /* seconds until it is killed */
    resident_t *resident;           /* where its size over time goes while children_wait() waits; or NULL */
} child_spec_t;

/* What came through one of a child's two pipes. */
typedef struct child_text {
    int pipe; /* -1 once it has ended */
    size_t length;
    char text[CHILD_TEXT_MAX + 1]; /* ends with a zero byte */
} child_text_t;

typedef struct child {
    pid_t pid; /* 0 when it is not running */
    struct timespec started;
    double timeout;
    resident_t *resident; /* or NULL */
    bool timed_out;
    int status;     /* as waitpid() gives it, once it has ended */
    double seconds; /* from just before the fork until it was waited for */
    child_text_t output;
    child_text_t complaint; /* its stderr */
} child_t;

/* Starts a process. False, with errno, when the system refuses; nothing runs then. */
bool child_start(child_t *child, const child_spec_t *spec);

/*
 * Waits until one of the running children has ended and returns its index. At least one must be running. On an
 * interrupt all of them are killed and the result is CHILD_INTERRUPTED.
 */
int children_wait(child_t *children, size_t count);

/* The same, but for so many seconds at most, below 1; CHILD_NONE when none has ended by then. */
int children_wait_for(child_t *children, size_t count, double seconds);

/* Kills those that still run, and waits for them. */
void children_kill(child_t *children, size_t count);

/*
 * True when the child ended by itself with status 0 and complained of nothing. Otherwise the reason is written, one
 * line. Complaints count, because that is how ld.so says that it could not preload something.
 */
bool child_succeeded(const child_t *child, char *reason, size_t size);

#endif
