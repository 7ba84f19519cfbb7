/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/machine.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first bytes of a file, as text; without stdio, which needs memory that there may not be. */
static void start_read(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    ssize_t length = 0;
    for (size_t used = 0; (length = read(file, text + used, size - 1 - used)) > 0;) {
        used += (size_t)length;
        text[used] = '\0';
    }
    close(file);
}

/* The first line of a file, without its end. */
static void line_read(const char *path, char *line, size_t size)
{
    start_read(path, line, size);
    line[strcspn(line, "\n")] = '\0';
}

/* What follows "key   : " on the first line that starts with key, near the beginning of the file. */
static void field_read(const char *path, const char *key, char *value, size_t size)
{
    char text[8192];
    value[0] = '\0';
    start_read(path, text, sizeof text);
    for (char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, key, strlen(key)) == 0) {
            line += strlen(key);
            line += strspn(line, " \t:");
            snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
            return;
        }
    }
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
