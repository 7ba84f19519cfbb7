/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a process, this library installs Cubby in the CPython it finds there, before the interpreter starts,
 * and does nothing in a process without one.
 *
 * CUBBY_OBJ, CUBBY_MEM and CUBBY_RAW say who serves the domains, CUBBY_HEAPS whose heaps do, CUBBY_QUIET keeps the notes
 * back; the table of settings has them all.
 *
 * The raw domain is the interpreter's own unless it is asked for, or debug checks are on, which CUBBY_DEBUG=1, development
 * mode and PYTHONMALLOC=debug ask for: little goes there, and the interpreter puts the C library's functions in the place
 * of whatever is installed while it starts and ends. Blocks of Cubby's then reach the C library's free and realloc, which
 * crossing.c sends home; others reach Cubby's table, which sends them on.
 *
 * CPython up to 3.11 calls both domains under its one lock, so one lock heap serves both. From 3.12 on several
 * interpreters may each have a lock, so each thread has its own heap. Free-threaded builds find their objects through
 * their own allocator: there Cubby stands back and says so.
 */
#define _GNU_SOURCE
#include <cubby/check.h>
#include <cubby/domain.h>

#include "adapter.h"
#include "debug.h"
#include "interpreter.h"
#include "override.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stood in the interpreter's tables before: it knows the blocks that are not Cubby's. */
static cubby_allocator_t stock[CUBBY_DOMAIN_COUNT];

/* The lock heap that serves this process, NULL when there is none: nothing is served, or thread heaps serve. */
static cubby_heap_t *heap;
static bool uses_thread_heaps;
static bool installed; /* what was chosen */

static void note(const char *text, const char *detail)
{
    cubby_setting_t quiet;
    if (cubby_setting_find("CUBBY_QUIET", &quiet) && quiet.value != 0) {
        return;
    }
    char line[512];
    int length = snprintf(line, sizeof line, "cubby: %s%s\n", text, detail);
    if (length > 0 && (size_t)length < sizeof line) {
        ssize_t written = write(STDERR_FILENO, line, (size_t)length);
        (void)written;
    }
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

typedef enum choice { CHOICE_CUBBY, CHOICE_LIBC, CHOICE_STOCK } choice_t;

typedef struct domain_row {
    const char *setting;
    choice_t choice;
} domain_row_t;

static domain_row_t domains[CUBBY_DOMAIN_COUNT] = {
    [CUBBY_DOMAIN_RAW] = {.setting = "CUBBY_RAW"},
    [CUBBY_DOMAIN_MEM] = {.setting = "CUBBY_MEM"},
    [CUBBY_DOMAIN_OBJ] = {.setting = "CUBBY_OBJ"},
};

/* True when the setting has that text. */
static bool setting_is(const char *name, const char *text)
{
    cubby_setting_t setting;
    return cubby_setting_find(name, &setting) && strcmp(setting.text, text) == 0;
}

static void domains_choose(void)
{
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        const char *name = domains[domain].setting;
        domains[domain].choice = setting_is(name, "cubby")  ? CHOICE_CUBBY
                                 : setting_is(name, "libc") ? CHOICE_LIBC
                                                            : CHOICE_STOCK;
    }
}

/* True when some domain's choice is, or, `all`, when every domain's is. */
static bool domains_are(choice_t choice, bool all)
{
    int count = 0;
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        count += domains[domain].choice == choice;
    }
    return all ? count == CUBBY_DOMAIN_COUNT : count > 0;
}

static void domain_install(const interpreter_t *python, cubby_domain_t domain)
{
    choice_t choice = domains[domain].choice;
    if (choice == CHOICE_STOCK) {
        return;
    }
    cubby_allocator_t table;
    if (choice == CHOICE_LIBC) {
        table = cubby_libc_allocator();
    } else {
        /*
         * Nothing of mem and obj was given out before, so under checks a block that is not Cubby's is a fault there. In
         * raw it may be one that the interpreter took while it had the C library's functions in this place.
         */
        bool reported = cubby_check_is_on() && domain != CUBBY_DOMAIN_RAW;
        const cubby_allocator_t *foreign = reported ? NULL : &stock[domain];
        table =
            uses_thread_heaps ? cubby_thread_allocator(domain, foreign) : cubby_heap_allocator(heap, domain, foreign);
    }
    debug_table_keep((int)domain, &table);
    python->set_allocator((int)domain, &table);
}

/* With debug checks, raw is served as well, by any thread's heap: it needs no lock. */
static void raw_install(const interpreter_t *python)
{
    cubby_allocator_t table = cubby_thread_allocator(CUBBY_DOMAIN_RAW, &stock[CUBBY_DOMAIN_RAW]);
    debug_table_keep((int)CUBBY_DOMAIN_RAW, &table);
    python->set_allocator((int)CUBBY_DOMAIN_RAW, &table);
}

/* Says why this interpreter is not served, and that the checks that were asked for are not made either. */
static void stand_back(const char *text, const char *reason)
{
    char line[256];
    const char *checks = cubby_check_is_on() ? "; debug checks see nothing of this interpreter either" : "";
    (void)snprintf(line, sizeof line, "%s%s", reason, checks);
    note(text, line);
}

/* Domains that are left to others are not checked, which whoever asked for checks should hear. */
static void unchecked_note(void)
{
    for (int domain = 0; cubby_check_is_on() && domain < CUBBY_DOMAIN_COUNT; domain++) {
        if (domains[domain].choice == CHOICE_LIBC) {
            note(domains[domain].setting, "=libc: debug checks do not see what the C library serves");
        } else if (domains[domain].choice == CHOICE_STOCK && domain != CUBBY_DOMAIN_RAW) {
            note(domains[domain].setting, "=stock: debug checks do not see what the interpreter serves itself");
        }
    }
}

/* Why this interpreter is not served, NULL when it is. */
static const char *reason_to_stand_back(const interpreter_t *python, const char *override, bool means_checks)
{
    static char reason[96];
    /* 3.7 has blocks of its own checks by the time the adapter could take over from them. */
    if (override != NULL && (!means_checks || (python->major == 3 && python->minor < 8))) {
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

/*
 * Decides which heaps serve. False, with a note, when what was asked for is not safe: a lock heap may be entered by who
 * holds the one lock, and the raw domain is called without it.
 */
static bool heaps_choose(const interpreter_t *python)
{
    bool raw = domains[CUBBY_DOMAIN_RAW].choice == CHOICE_CUBBY;
    bool many_locks = python->minor > 11;
    uses_thread_heaps = many_locks || raw || setting_is("CUBBY_HEAPS", "thread");
    if (!setting_is("CUBBY_HEAPS", "lock") || !uses_thread_heaps) {
        return true;
    }
    stand_back("CUBBY_HEAPS=lock", many_locks
                                       ? " is for CPython up to 3.11; the interpreter keeps its own allocators"
                                       : " does not go with CUBBY_RAW=cubby, which is called without the lock; the "
                                         "interpreter keeps its own allocators");
    uses_thread_heaps = false;
    return false;
}

bool adapter_serves(cubby_domain_t domain)
{
    return installed && domains[domain].choice == CHOICE_CUBBY;
}

cubby_heap_t *adapter_heap(void)
{
    return heap;
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
    domains_choose();
    unchecked_note();
    if (domains_are(CHOICE_STOCK, true)) {
        return;
    }
    bool means_checks = false;
    const char *override = override_find(argv, &means_checks);
    const char *reason = reason_to_stand_back(&python, override, means_checks);
    if (reason != NULL) {
        stand_back("standing back: ", reason);
        return;
    }
    if (!heaps_choose(&python)) {
        return;
    }
    if (means_checks && !cubby_check_is_on() && !cubby_check_start(NULL)) {
        note("standing back: ", "the system gives no memory for debug checks");
        return;
    }
    if (domains_are(CHOICE_CUBBY, false) && !heaps_create()) {
        stand_back("standing back: ", "the system gives no memory for a heap");
        return;
    }
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        python.get_allocator(domain, &stock[domain]);
    }
    if (cubby_check_is_on()) {
        debug_introduce(&python);
        if (means_checks) {
            debug_expect(&python, stock);
        }
        raw_install(&python);
    }
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        domain_install(&python, (cubby_domain_t)domain);
    }
    installed = true;
    if (stock[CUBBY_DOMAIN_OBJ].ctx != NULL && !cubby_check_is_on()) {
        python.setup_debug_hooks(); /* a debug build: its checks, on top of Cubby */
    }
}
