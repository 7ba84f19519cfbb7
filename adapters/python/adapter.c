/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a process, this library installs Cubby in the CPython it finds there, before the interpreter starts,
 * and does nothing in a process without one.
 *
 * Environment
 *   CUBBY_OBJ, CUBBY_MEM   cubby (default), libc or stock: who serves the object and the memory domain
 *   CUBBY_HEAPS            lock or thread: whose heaps serve them; the default is what the interpreter's version needs
 *   CUBBY_QUIET            with a value: no notes on stderr
 *
 * The raw domain is left alone: the interpreter itself swaps it during start-up and shutdown, and its blocks reach
 * libc's free from extensions.
 *
 * CPython up to 3.11 calls both domains under its one lock, so one lock heap serves both. From 3.12 on several
 * interpreters may each have a lock, so each thread has its own heap. Free-threaded builds find their objects through
 * their own allocator: there Cubby stands back and says so.
 */
#define _GNU_SOURCE
#include <cubby/domain.h>

#include "override.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The interpreter's own numbers for its domains are Cubby's: raw 0, mem 1, obj 2. */
typedef void (*table_function_t)(int domain, cubby_allocator_t *table);

typedef struct interpreter {
    table_function_t get_allocator;
    table_function_t set_allocator;
    void (*setup_debug_hooks)(void);
    unsigned major;
    unsigned minor;
    bool is_free_threaded;
} interpreter_t;

/* What stood in the interpreter's tables before: it knows the blocks that are not Cubby's. */
static cubby_allocator_t stock[CUBBY_DOMAIN_COUNT];

/* The lock heap that serves this process, NULL when there is none: nothing is served, or thread heaps serve. */
static cubby_heap_t *heap;
static bool uses_thread_heaps;

/* From Python, with the interpreter lock held: ctypes.PyDLL(None).cubby_python_trim() */
__attribute__((visibility("default"))) size_t cubby_python_trim(void);

size_t cubby_python_trim(void)
{
    if (heap != NULL) {
        return cubby_heap_trim(heap);
    }
    return uses_thread_heaps ? cubby_trim() : 0;
}

static void note(const char *text, const char *detail)
{
    const char *quiet = getenv("CUBBY_QUIET");
    if (quiet != NULL && quiet[0] != '\0') {
        return;
    }
    char line[512];
    int length = snprintf(line, sizeof line, "cubby: %s%s\n", text, detail);
    if (length > 0 && (size_t)length < sizeof line) {
        ssize_t written = write(STDERR_FILENO, line, (size_t)length);
        (void)written;
    }
}

/* dlsym gives functions as data pointers; C has no conversion, so the bytes are copied. */
static bool function_find(const char *name, void *function, size_t size)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static void interpreter_read_version(interpreter_t *python)
{
    const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version"); /* 3.11 and later: 0xMMmmpprs */
    if (version != NULL) {
        python->major = (unsigned)(*version >> 24) & 0xff;
        python->minor = (unsigned)(*version >> 16) & 0xff;
        return;
    }
    const char *(*get_version)(void);
    if (function_find("Py_GetVersion", &get_version, sizeof get_version)) {
        char *rest = NULL;
        python->major = (unsigned)strtoul(get_version(), &rest, 10);
        python->minor = *rest == '.' ? (unsigned)strtoul(rest + 1, NULL, 10) : 0;
    }
}

/* False in a process that has no CPython. */
static bool interpreter_find(interpreter_t *python)
{
    memset(python, 0, sizeof *python);
    if (!function_find("PyMem_SetAllocator", &python->set_allocator, sizeof python->set_allocator) ||
        !function_find("PyMem_GetAllocator", &python->get_allocator, sizeof python->get_allocator) ||
        !function_find("PyMem_SetupDebugHooks", &python->setup_debug_hooks, sizeof python->setup_debug_hooks)) {
        return false;
    }
    interpreter_read_version(python);
    python->is_free_threaded = dlsym(RTLD_DEFAULT, "PyUnstable_Module_SetGIL") != NULL; /* only these builds have it */
    return true;
}

typedef enum choice { CHOICE_CUBBY, CHOICE_LIBC, CHOICE_STOCK, CHOICE_WRONG } choice_t;

static choice_t choice_read(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL || value[0] == '\0' || strcmp(value, "cubby") == 0) {
        return CHOICE_CUBBY;
    }
    if (strcmp(value, "libc") == 0) {
        return CHOICE_LIBC;
    }
    if (strcmp(value, "stock") == 0) {
        return CHOICE_STOCK;
    }
    note(name, " must be cubby, libc or stock; the interpreter keeps its own allocators");
    return CHOICE_WRONG;
}

static void domain_install(const interpreter_t *python, cubby_domain_t domain, choice_t choice)
{
    if (choice == CHOICE_STOCK) {
        return;
    }
    cubby_allocator_t table;
    if (choice == CHOICE_LIBC) {
        table = cubby_libc_allocator();
    } else if (uses_thread_heaps) {
        table = cubby_thread_allocator(domain, &stock[domain]);
    } else {
        table = cubby_heap_allocator(heap, domain, &stock[domain]);
    }
    python->set_allocator((int)domain, &table);
}

/* Why this interpreter is not served, NULL when it is. */
static const char *reason_to_stand_back(const interpreter_t *python, char **argv)
{
    static char reason[96];
    const char *override = override_find(argv);
    if (override != NULL) {
        (void)snprintf(reason, sizeof reason, "%s chooses the interpreter's own allocators", override);
        return reason;
    }
    if (python->is_free_threaded) {
        return "a free-threaded interpreter needs its own allocator";
    }
    if (python->major != 3 || python->minor < 7) {
        (void)snprintf(reason, sizeof reason, "CPython %u.%u is not served, only 3.7 and later", python->major,
                       python->minor);
        return reason;
    }
    return NULL;
}

/* Reads which heaps serve. False, with a note, when the choice is no choice, or not safe on this interpreter. */
static bool heaps_choose(const interpreter_t *python)
{
    const char *value = getenv("CUBBY_HEAPS");
    bool many_locks = python->minor > 11;
    uses_thread_heaps = many_locks;
    if (value == NULL || value[0] == '\0') {
        return true;
    }
    if (strcmp(value, "thread") != 0 && strcmp(value, "lock") != 0) {
        note("CUBBY_HEAPS", " must be lock or thread; the interpreter keeps its own allocators");
        return false;
    }
    uses_thread_heaps = strcmp(value, "thread") == 0;
    if (many_locks && !uses_thread_heaps) {
        note("CUBBY_HEAPS=lock", " is for CPython up to 3.11; the interpreter keeps its own allocators");
        return false;
    }
    return true;
}

/* Whether the system gives memory for blocks at all. Thread heaps are made when a thread needs one: here, the first. */
static bool heaps_create(void)
{
    if (uses_thread_heaps) {
        void *block = cubby_malloc(1);
        cubby_free(block);
        return block != NULL;
    }
    heap = cubby_heap_create();
    return heap != NULL;
}

/* glibc passes constructors what main gets. */
__attribute__((constructor)) static void adapter_install(int argc, char **argv)
{
    (void)argc;
    interpreter_t python;
    if (!interpreter_find(&python)) {
        return;
    }
    choice_t obj = choice_read("CUBBY_OBJ");
    choice_t mem = choice_read("CUBBY_MEM");
    if (obj == CHOICE_WRONG || mem == CHOICE_WRONG || (obj == CHOICE_STOCK && mem == CHOICE_STOCK)) {
        return;
    }
    const char *reason = reason_to_stand_back(&python, argv);
    if (reason != NULL) {
        note("standing back: ", reason);
        return;
    }
    if (!heaps_choose(&python)) {
        return;
    }
    if ((obj == CHOICE_CUBBY || mem == CHOICE_CUBBY) && !heaps_create()) {
        note("standing back: ", "the system gives no memory for a heap");
        return;
    }
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        python.get_allocator(domain, &stock[domain]);
    }
    domain_install(&python, CUBBY_DOMAIN_MEM, mem);
    domain_install(&python, CUBBY_DOMAIN_OBJ, obj);
    if (stock[CUBBY_DOMAIN_OBJ].ctx != NULL) {
        python.setup_debug_hooks(); /* a debug build: its checks, on top of Cubby */
    }
}
