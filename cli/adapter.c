/* SPDX-License-Identifier: MIT */
#include "cli/adapter.h"

#include "cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADAPTER_FILE "libcubby-python.so"
#define ADAPTER_GUARDED_FILE "libcubby-python-guard.so"

static bool file_is_readable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

/* Takes a found adapter, unless ld.so would cut its path in pieces. A relative path is made absolute. */
static void adapter_take(adapter_t *adapter, const char *path)
{
    char *whole = realpath(path, NULL);
    snprintf(adapter->path, sizeof adapter->path, "%s", whole != NULL ? whole : path);
    free(whole);
    if (strpbrk(adapter->path, " :") != NULL) {
        snprintf(adapter->reason, sizeof adapter->reason,
                 "the adapter %s cannot be preloaded: LD_PRELOAD ends a path at a space or a colon", adapter->path);
        return;
    }
    adapter->usable = true;
}

/* Takes the first folder that holds the module and that PYTHONPATH can carry. */
static void module_find(adapter_t *adapter, const char *build_folder)
{
    char beside[PATH_MAX] = "";
    char file[PATH_MAX + sizeof "/cubby/__init__.py"];
    if (build_folder[0] != '\0') {
        snprintf(beside, sizeof beside, "%s/adapters/python/module", build_folder);
    }
    const char *candidates[] = {beside, CUBBY_LIBDIR "/python"};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        snprintf(file, sizeof file, "%s/cubby/__init__.py", candidates[i]);
        if (file_is_readable(file) && strchr(candidates[i], ':') == NULL) {
            snprintf(adapter->module, sizeof adapter->module, "%s", candidates[i]);
            return;
        }
    }
}

void adapter_find(adapter_t *adapter)
{
    char folder[PATH_MAX - sizeof "/adapters/python/" ADAPTER_GUARDED_FILE] = "";
    char beside[PATH_MAX] = "";
    char installed[PATH_MAX];
    memset(adapter, 0, sizeof *adapter);
    bool has_folder = executable_folder(folder, sizeof folder);
    module_find(adapter, has_folder ? folder : "");
    const char *chosen = getenv("CUBBY_ADAPTER");
    if (chosen != NULL && chosen[0] != '\0') {
        if (file_is_readable(chosen)) {
            adapter_take(adapter, chosen);
            return;
        }
        snprintf(adapter->reason, sizeof adapter->reason,
                 "the adapter %s, which CUBBY_ADAPTER names, is not a file that can be read", chosen);
        return;
    }
    const char *guard = getenv("CUBBY_GUARD");
    const char *file = guard != NULL && strcmp(guard, "1") == 0 ? ADAPTER_GUARDED_FILE : ADAPTER_FILE;
    if (has_folder) {
        snprintf(beside, sizeof beside, "%s/adapters/python/%s", folder, file);
    }
    snprintf(installed, sizeof installed, CUBBY_LIBDIR "/%s", file);
    const char *candidates[] = {beside, installed};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (file_is_readable(candidates[i])) {
            adapter_take(adapter, candidates[i]);
            return;
        }
    }
    snprintf(adapter->reason, sizeof adapter->reason, "no adapter for Python: neither %s nor %s is there",
             candidates[0], candidates[1]);
}
