/* SPDX-License-Identifier: MIT */
/*
 * Blocks that reach the C library. Stock CPython takes buffers of more than 512 bytes from malloc, so an extension that
 * takes one with PyMem_Malloc and gives it back with free or PyMem_RawFree works by accident. Here those two names are
 * the preloaded adapter's: a block of Cubby's goes home, everything else to the C library. With CUBBY_CROSSINGS=1 the
 * first such block is reported.
 */
#define _GNU_SOURCE
#include <cubby/cubby.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* AddressSanitizer's runtime frees while it starts, before its shadow is there for what it looks after. */
#define CALLED_EARLY __attribute__((no_sanitize_address))

/* Under the C library's own name, whatever its headers make of it. */
#define INTERPOSED(name) __asm__(name) __attribute__((visibility("default")))

void crossing_free(void *block) INTERPOSED("free");
void *crossing_realloc(void *block, size_t size) INTERPOSED("realloc");

static void (*next_free)(void *);
static void *(*next_realloc)(void *, size_t);
static bool started; /* set by the constructor; Cubby serves nobody before, and no block is its own */

/*
 * Finds the functions that would be called without the adapter: another preloaded library's, or the C library's. The
 * look-up itself may free the text of an earlier error: such a call finds none yet, and leaves the block be.
 */
CALLED_EARLY static bool next_find(void)
{
    static bool looking;
    if (__atomic_exchange_n(&looking, true, __ATOMIC_RELAXED)) {
        return false;
    }
    void *address = dlsym(RTLD_NEXT, "free");
    memcpy(&next_free, &address, sizeof address);
    address = dlsym(RTLD_NEXT, "realloc");
    memcpy(&next_realloc, &address, sizeof address);
    return true;
}

/* Before any other constructor, and so before there is a second thread. */
__attribute__((constructor(101))) static void crossing_start(void)
{
    if (next_free == NULL) {
        (void)next_find();
    }
    started = true;
}

static void crossing_report(const char *function, const void *caller)
{
    static bool reported;
    cubby_setting_t asked;
    if (!cubby_setting_find("CUBBY_CROSSINGS", &asked) || asked.value == 0 ||
        __atomic_exchange_n(&reported, true, __ATOMIC_RELAXED)) {
        return;
    }
    Dl_info where;
    const char *library = dladdr(caller, &where) != 0 && where.dli_fname != NULL ? where.dli_fname : "?";
    char line[512];
    int length = snprintf(line, sizeof line,
                          "cubby: %s of the C library got a block of PyMem_Malloc or PyObject_Malloc, from %.300s; "
                          "served, further ones are not reported\n",
                          function, library);
    if (length > 0 && (size_t)length < sizeof line) {
        ssize_t written = write(STDERR_FILENO, line, (size_t)length);
        (void)written;
    }
}

CALLED_EARLY void crossing_free(void *block)
{
    if (!started) {
        if (next_free != NULL || (next_find() && next_free != NULL)) {
            next_free(block);
        }
        return;
    }
    if (CUBBY_LIKELY(!cubby_owns(block))) {
        next_free(block);
        return;
    }
    int saved = errno;
    crossing_report("free", __builtin_return_address(0));
    cubby_free_later(block);
    errno = saved;
}

CALLED_EARLY void *crossing_realloc(void *block, size_t size)
{
    if (!started) {
        return next_realloc != NULL || (next_find() && next_realloc != NULL) ? next_realloc(block, size) : NULL;
    }
    if (CUBBY_LIKELY(!cubby_owns(block))) {
        return next_realloc(block, size);
    }
    crossing_report("realloc", __builtin_return_address(0));
    size_t old_size = cubby_usable_size(block);
    void *moved = malloc(size);
    if (moved != NULL) {
        memcpy(moved, block, old_size < size ? old_size : size);
        cubby_free_later(block);
    }
    return moved;
}
