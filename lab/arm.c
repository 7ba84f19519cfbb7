/* SPDX-License-Identifier: MIT */
#include "lab/arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const arm_t arm_table[ARM_COUNT] = {
    [ARM_STOCK] = {.name = "stock", .meaning = "pymalloc, as the interpreter comes"},
    [ARM_LIST_LIBC] = {.name = "list-libc",
                       .meaning = "list buffers on libc malloc: the baseline of 2016",
                       .variables = {"CUBBY_OBJ=stock", "CUBBY_MEM=libc"},
                       .adapted = true},
    [ARM_LIBC] = {.name = "libc", .meaning = "libc malloc for all", .variables = {"PYTHONMALLOC=malloc"}, .peer = true},
    [ARM_CUBBY] = {.name = "cubby",
                   .meaning = "Cubby for objects and buffers",
                   .variables = {"CUBBY_OBJ=cubby", "CUBBY_MEM=cubby"},
                   .adapted = true},
    [ARM_MIMALLOC] = {.name = "mimalloc",
                      .meaning = "mimalloc for all",
                      .variables = {"PYTHONMALLOC=malloc"},
                      .library = "libmimalloc.so.2.0",
                      .peer = true},
    [ARM_JEMALLOC] = {.name = "jemalloc",
                      .meaning = "jemalloc for all",
                      .variables = {"PYTHONMALLOC=malloc"},
                      .library = "libjemalloc.so.2",
                      .peer = true},
    [ARM_TCMALLOC] = {.name = "tcmalloc",
                      .meaning = "tcmalloc for all",
                      .variables = {"PYTHONMALLOC=malloc"},
                      .library = "libtcmalloc_minimal.so.4",
                      .peer = true},
};

bool library_find(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {
#if defined(__x86_64__)
        "/usr/lib/x86_64-linux-gnu",
        "/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
        "/usr/lib/aarch64-linux-gnu",
        "/lib/aarch64-linux-gnu",
#endif
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/lib",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int length = snprintf(path, size, "%s/%s", folders[i], name);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* Looks up what an arm preloads. */
static void arm_locate(arm_t *arm, const char *adapter, const char *adapter_reason)
{
    char found[PATH_MAX];
    const char *file = NULL;
    if (arm->library != NULL && library_find(arm->library, found, sizeof found)) {
        file = found;
    } else if (arm->library != NULL) {
        snprintf(arm->reason, sizeof arm->reason, "%s is not installed", arm->library);
    } else if (arm->adapted && adapter != NULL) {
        file = adapter;
    } else if (arm->adapted) {
        snprintf(arm->reason, sizeof arm->reason, "%s", adapter_reason);
    }
    arm->present = file != NULL || (arm->library == NULL && !arm->adapted);
    if (file != NULL) {
        snprintf(arm->preload, sizeof arm->preload, "LD_PRELOAD=%s", file);
    }
}

/* What every child's environment takes from the caller's. */
static void caller_note(arm_set_t *set)
{
    const char *path = getenv("PATH"), *home = getenv("HOME");
    snprintf(set->path, sizeof set->path, "PATH=%s", path != NULL ? path : "/usr/local/bin:/usr/bin:/bin");
    snprintf(set->home, sizeof set->home, "HOME=%s", home != NULL ? home : "/");
}

void arm_set_fill(arm_set_t *set, const char *adapter, const char *adapter_reason)
{
    memcpy(set->arms, arm_table, sizeof set->arms);
    for (size_t i = 0; i < ARM_COUNT; i++) {
        set->arms[i].selected = true;
        arm_locate(&set->arms[i], adapter, adapter_reason);
    }
    caller_note(set);
}

void arm_set_fill_native(arm_set_t *set)
{
    memcpy(set->arms, arm_table, sizeof set->arms);
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arm_t *arm = &set->arms[i];
        arm->selected = arm->peer || i == ARM_CUBBY;
        arm->adapted = false;
        arm->variables[0] = NULL; /* they are for Python */
        arm_locate(arm, NULL, "");
    }
    set->arms[ARM_CUBBY].meaning = "Cubby, linked in";
    caller_note(set);
}

bool arm_set_select(arm_set_t *set, const char *list, arm_id_t base, char *wrong, size_t size)
{
    bool offered[ARM_COUNT];
    for (size_t i = 0; i < ARM_COUNT; i++) {
        offered[i] = set->arms[i].selected;
        set->arms[i].selected = i == base;
    }
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        size_t i = 0;
        while (i < ARM_COUNT &&
               (!offered[i] || strlen(set->arms[i].name) != length || strncmp(set->arms[i].name, list, length) != 0)) {
            i++;
        }
        if (i == ARM_COUNT) {
            snprintf(wrong, size, "%.*s", (int)length, list);
            return false;
        }
        set->arms[i].selected = true;
        list += length + (list[length] == ',');
    }
    return true;
}

bool arm_drop(arm_t *arm, const char *reason)
{
    if (arm->dropped) {
        return false;
    }
    arm->dropped = true;
    snprintf(arm->reason, sizeof arm->reason, "%s", reason);
    return true;
}

bool arm_is_in(const arm_t *arm)
{
    return arm->selected && arm->present && !arm->dropped;
}

static size_t variables_count(const arm_t *arm)
{
    enum { ROOM = sizeof arm->variables / sizeof *arm->variables };
    size_t count = 0;
    while (count < ROOM && arm->variables[count] != NULL) {
        count++;
    }
    return count;
}

/* The bytes of an arm's variables and fillers, each with the zero at its end. */
static size_t variables_size(const arm_t *arm)
{
    size_t size = 0;
    for (size_t i = 0; i < variables_count(arm); i++) {
        size += strlen(arm->variables[i]) + 1;
    }
    for (size_t i = 0; i < ARM_FILLS && arm->fill[i][0] != '\0'; i++) {
        size += strlen(arm->fill[i]) + 1;
    }
    return size;
}

/* Writes LD_PRELOAD with a path of that length: slashes in a row are as good as one. */
static void preload_stretch(arm_t *arm, const char *path, size_t length)
{
    char stretched[PATH_MAX];
    size_t missing = length - strlen(path);
    memset(stretched, '/', missing);
    memcpy(stretched + missing, path, strlen(path) + 1);
    snprintf(arm->preload, sizeof arm->preload, "LD_PRELOAD=%s", stretched);
}

static const char *preload_path(const arm_t *arm, const char *null_object)
{
    return arm->preload[0] != '\0' ? arm->preload + strlen("LD_PRELOAD=") : null_object;
}

bool arm_set_even(arm_set_t *set, const char *null_object)
{
    static const char *const names[ARM_FILLS] = {"LAB_FILL_A=", "LAB_FILL_B=", "LAB_FILL_C="};
    size_t length = 0, size = 0;
    for (size_t i = 0; i < ARM_COUNT && null_object != NULL; i++) {
        const char *path = preload_path(&set->arms[i], null_object);
        length = path[0] == '/' && strlen(path) > length ? strlen(path) : length;
    }
    if (length == 0 || length >= PATH_MAX) {
        return false;
    }
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arm_t *arm = &set->arms[i];
        preload_stretch(arm, preload_path(arm, null_object), length);
        for (size_t j = 0; j + variables_count(arm) < ARM_FILLS; j++) {
            snprintf(arm->fill[j], sizeof arm->fill[j], "%s", names[j]);
        }
        size = variables_size(arm) > size ? variables_size(arm) : size;
    }
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arm_t *arm = &set->arms[i];
        size_t missing = size - variables_size(arm), used = strlen(arm->fill[0]);
        missing = missing < sizeof arm->fill[0] - used ? missing : sizeof arm->fill[0] - used - 1;
        memset(arm->fill[0] + used, 'x', missing);
        arm->fill[0][used + missing] = '\0';
    }
    return true;
}

void arm_environment_fill(const arm_set_t *set, const arm_t *arm, uint32_t hash_seed, arm_environment_t *environment)
{
    size_t used = 0;
    snprintf(environment->hash_seed, sizeof environment->hash_seed, "PYTHONHASHSEED=%lu", (unsigned long)hash_seed);
    environment->entries[used++] = set->path;
    environment->entries[used++] = set->home;
    environment->entries[used++] = "LANG=C.UTF-8";
    environment->entries[used++] = "PYTHONDONTWRITEBYTECODE=1";
    environment->entries[used++] = environment->hash_seed;
    for (size_t i = 0; i < sizeof arm->variables / sizeof *arm->variables && arm->variables[i] != NULL; i++) {
        environment->entries[used++] = arm->variables[i];
    }
    for (size_t i = 0; i < ARM_FILLS && arm->fill[i][0] != '\0'; i++) {
        environment->entries[used++] = arm->fill[i];
    }
    if (arm->preload[0] != '\0') {
        environment->entries[used++] = arm->preload;
    }
    environment->entries[used] = NULL;
}
