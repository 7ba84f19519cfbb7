/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "debug.h"

#include <locale.h>
#include <sys/mman.h>
#include <unistd.h>

/* Under the C library's own name, whatever its headers make of it. */
#define INTERPOSED(name) __asm__(name) __attribute__((visibility("default")))

char *debug_setlocale(int category, const char *locale) INTERPOSED("setlocale");

static interpreter_t interpreter;
static cubby_allocator_t expected[CUBBY_DOMAIN_COUNT]; /* the interpreter's own, with checks */
static cubby_allocator_t kept[CUBBY_DOMAIN_COUNT];     /* malloc NULL: none */
static bool expecting;

static int (*lock_is_held)(void);           /* PyGILState_Check */
static int (*is_initialized)(void);         /* Py_IsInitialized */
static void *(*thread_state)(void);         /* of the calling thread, without a look at the lock */
static void (*traceback_dump)(int, void *); /* _Py_DumpTraceback: for signal handlers, allocates nothing */

/* ---- Where the Python program is ---- */

/* The dump in a file without a name; its first line is a title. */
static size_t traceback_read(char *text, size_t size)
{
    int file = memfd_create("cubby", MFD_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    void *state = thread_state();
    ssize_t length = 0;
    if (state != NULL) {
        traceback_dump(file, state);
        length = pread(file, text, size, 0);
    }
    (void)close(file);
    const char *lines = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
    if (lines == NULL) {
        return 0;
    }
    lines++;
    size_t left = (size_t)(text + length - lines);
    memmove(text, lines, left);
    return left;
}

static size_t python_place(void *ctx, bool brief, char *text, size_t size)
{
    (void)ctx;
    if (is_initialized() == 0 || lock_is_held() == 0) {
        return 0;
    }
    char all[4096];
    size_t length = traceback_read(all, sizeof all);
    const char *start = all;
    if (brief && length > 0) { /* the innermost line, without its indentation */
        const char *end = memchr(all, '\n', length);
        length = end == NULL ? 0 : (size_t)(end - all) + 1;
        while (length > 0 && *start == ' ') {
            start++;
            length--;
        }
    }
    if (length > size) {
        length = brief ? 0 : size;
    }
    memcpy(text, start, length);
    return length;
}

/* ---- The interpreter lock ---- */

static bool python_lock_is_held(void *ctx)
{
    (void)ctx;
    return lock_is_held() != 0;
}

void debug_introduce(const interpreter_t *python)
{
    interpreter = *python;
    if (!function_find("PyGILState_Check", &lock_is_held, sizeof lock_is_held)) {
        return;
    }
    cubby_check_domain_lock(CUBBY_DOMAIN_MEM, python_lock_is_held, NULL);
    cubby_check_domain_lock(CUBBY_DOMAIN_OBJ, python_lock_is_held, NULL);
    bool has_state = function_find("PyThreadState_GetUnchecked", &thread_state, sizeof thread_state) ||
                     function_find("_PyThreadState_UncheckedGet", &thread_state, sizeof thread_state);
    if (has_state && function_find("Py_IsInitialized", &is_initialized, sizeof is_initialized) &&
        function_find("_Py_DumpTraceback", &traceback_dump, sizeof traceback_dump)) {
        cubby_check_on_place(python_place, NULL);
    }
}

/* ---- The interpreter's own checks ---- */

void debug_expect(const interpreter_t *python, const cubby_allocator_t *stock)
{
    interpreter = *python;
    python->setup_debug_hooks();
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        cubby_allocator_t before = stock[domain];
        python->get_allocator(domain, &expected[domain]);
        python->set_allocator(domain, &before);
    }
    expecting = function_find("Py_IsInitialized", &is_initialized, sizeof is_initialized);
}

void debug_table_keep(int domain, const cubby_allocator_t *table)
{
    kept[domain] = *table;
}

static void tables_restore(void)
{
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        cubby_allocator_t found;
        interpreter.get_allocator(domain, &found);
        if (kept[domain].malloc != NULL && found.malloc == expected[domain].malloc) {
            interpreter.set_allocator(domain, &kept[domain]);
        }
    }
}

char *debug_setlocale(int category, const char *locale)
{
    static char *(*next)(int, const char *);
    if (next == NULL) {
        void *address = dlsym(RTLD_NEXT, "setlocale");
        memcpy(&next, &address, sizeof address);
    }
    if (expecting && is_initialized() == 0) { /* later on, what stands there was put there by the program */
        tables_restore();
    }
    return next(category, locale);
}
