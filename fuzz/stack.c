/* SPDX-License-Identifier: MIT */
/* Programs of the example interpreter: it must end, with 0 or with a complaint, and leave its heap undamaged. */
#define _GNU_SOURCE
#include "target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The interpreter's main, under another name. */
int stack_main(int argc, char **argv);

static void need(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        abort();
    }
}

/* What the program prints is not looked at. Returns where stdout or stderr went before. */
static int silence(FILE *stream)
{
    (void)fflush(stream);
    int before = dup(fileno(stream)), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    need(before, "dup");
    need(nowhere, "/dev/null");
    need(dup2(nowhere, fileno(stream)), "dup2");
    close(nowhere);
    return before;
}

static void restore(FILE *stream, int before)
{
    (void)fflush(stream);
    need(dup2(before, fileno(stream)), "dup2");
    close(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("program", 0);
    need(file, "memfd_create");
    if (write(file, data, size) != (ssize_t)size) {
        need(-1, "write");
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    static char name[] = "stack", small[] = "--small", checked[] = "--check", stats[] = "--stats";
    char *arguments[] = {name, small, checked, stats, path, NULL};
    int output = silence(stdout), errors = silence(stderr);
    int status = stack_main(5, arguments);
    restore(stdout, output);
    restore(stderr, errors);
    close(file);
    if (status != 0 && status != 1) {
        fprintf(stderr, "fuzz-stack: the interpreter ended with %d\n", status);
        abort();
    }
    return 0;
}
