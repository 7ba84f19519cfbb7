/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program, this makes its allocations from the C library fail.
 *
 *   SCARCE_AT=N       the N-th one fails, counted from 1
 *   SCARCE_ONWARDS=1  and all after it
 *   SCARCE_PROGRAM    the name of the program that is meant; another, which it starts, has what it wants
 *   SCARCE_NOTE       a file that is made when an allocation was failed
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static unsigned long fail_at; /* 0: none */
static bool fail_onwards;
static unsigned long count;

/* What is allocated before is the loader's. */
__attribute__((constructor)) static void scarce_begin(void)
{
    const char *at = getenv("SCARCE_AT");
    const char *program = getenv("SCARCE_PROGRAM");
    if (at != NULL && (program == NULL || strcmp(program, program_invocation_short_name) == 0)) {
        fail_onwards = getenv("SCARCE_ONWARDS") != NULL;
        fail_at = strtoul(at, NULL, 10);
    }
}

static bool fails(void)
{
    if (fail_at == 0) {
        return false;
    }
    unsigned long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (number != fail_at && !(fail_onwards && number > fail_at)) {
        return false;
    }
    const char *note = getenv("SCARCE_NOTE");
    if (note != NULL) {
        int descriptor = open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
    }
    errno = ENOMEM;
    return true;
}

/* The C library's headers name the parameters in its own way. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t members, size_t size)
{
    return fails() ? NULL : __libc_calloc(members, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
