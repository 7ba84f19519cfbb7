/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/machine.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file, without its end. */
static void line_read(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    if (fgets(line, (int)size, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    fclose(file);
}

/* What follows "key   : " on the first line that starts with key. */
static void field_read(const char *path, const char *key, char *value, size_t size)
{
    char line[512];
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0) {
            continue;
        }
        char *text = line + strlen(key);
        text += strspn(text, " \t:");
        text[strcspn(text, "\n")] = '\0';
        snprintf(value, size, "%s", text);
        break;
    }
    fclose(file);
}

static long long field_number(const char *path, const char *key)
{
    char value[64];
    field_read(path, key, value, sizeof value);
    return strtoll(value, NULL, 10);
}

static void cores_read(machine_t *machine)
{
    cpu_set_t cores;
    machine->cores_online = sysconf(_SC_NPROCESSORS_ONLN);
    machine->cores_allowed = 0;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) {
        return;
    }
    for (int core = 0; core < CPU_SETSIZE && machine->cores_allowed < MACHINE_ALLOWED_MAX; core++) {
        if (CPU_ISSET((size_t)core, &cores)) {
            machine->allowed[machine->cores_allowed++] = core;
        }
    }
}

void machine_read(machine_t *machine)
{
    memset(machine, 0, sizeof *machine);
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(machine->architecture, sizeof machine->architecture, "%s", name.machine);
        snprintf(machine->kernel, sizeof machine->kernel, "%s %s", name.sysname, name.release);
    }
    snprintf(machine->libc, sizeof machine->libc, "glibc %s", gnu_get_libc_version());
    field_read("/proc/cpuinfo", "model name", machine->cpu, sizeof machine->cpu);
    machine->page_bytes = sysconf(_SC_PAGESIZE);
    cores_read(machine);
    machine->memory_kib = field_number("/proc/meminfo", "MemTotal");
    machine->available_kib = field_number("/proc/meminfo", "MemAvailable");
    line_read("/proc/sys/vm/overcommit_memory", machine->overcommit, sizeof machine->overcommit);
    line_read("/sys/kernel/mm/transparent_hugepage/enabled", machine->thp_enabled, sizeof machine->thp_enabled);
    line_read("/sys/kernel/mm/transparent_hugepage/defrag", machine->thp_defrag, sizeof machine->thp_defrag);
    char huge[32];
    line_read("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", huge, sizeof huge);
    machine->thp_bytes = strtoll(huge, NULL, 10);
    line_read("/proc/sys/kernel/randomize_va_space", machine->aslr, sizeof machine->aslr);
    struct rlimit limit;
    machine->address_space_limit = -1;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        machine->address_space_limit = (long long)limit.rlim_cur;
    }
}

void switch_chosen(const char *text, char *chosen, size_t size)
{
    const char *open = strchr(text, '[');
    const char *close = open != NULL ? strchr(open, ']') : NULL;
    if (close == NULL) {
        snprintf(chosen, size, "%s", text);
        return;
    }
    snprintf(chosen, size, "%.*s", (int)(close - open - 1), open + 1);
}

json_t *machine_to_json(const machine_t *machine)
{
    char enabled[64], defrag[80];
    switch_chosen(machine->thp_enabled, enabled, sizeof enabled);
    switch_chosen(machine->thp_defrag, defrag, sizeof defrag);
    json_t *allowed = json_array();
    for (size_t i = 0; i < machine->cores_allowed; i++) {
        json_array_append_new(allowed, json_integer(machine->allowed[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:I, s:I, s:s, s:s, s:s, s:I, s:s, s:I}", "cpu", machine->cpu,
                     "architecture", machine->architecture, "kernel", machine->kernel, "libc", machine->libc,
                     "page_bytes", (json_int_t)machine->page_bytes, "cores_online", (json_int_t)machine->cores_online,
                     "cores_allowed", allowed, "memory_kib", (json_int_t)machine->memory_kib, "available_kib",
                     (json_int_t)machine->available_kib, "overcommit", machine->overcommit, "thp_enabled", enabled,
                     "thp_defrag", defrag, "thp_bytes", (json_int_t)machine->thp_bytes, "aslr", machine->aslr,
                     "address_space_limit_bytes", (json_int_t)machine->address_space_limit);
}
