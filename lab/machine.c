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

/* The share of stolen time in the line of all cores: user, nice, system, idle, iowait, irq, softirq, steal. */
static double stolen_read(void)
{
    enum { STEAL = 7, TIMES };
    char line[256];
    line_read("/proc/stat", line, sizeof line);
    double total = 0, stolen = 0;
    char *text = line + strcspn(line, " ");
    for (int i = 0; i < TIMES; i++) {
        stolen = strtod(text, &text);
        total += stolen;
    }
    return total > 0 ? stolen / total : 0;
}

static void load_read(machine_t *machine)
{
    char line[128], *text = line;
    line_read("/proc/loadavg", line, sizeof line);
    for (size_t i = 0; i < sizeof machine->load / sizeof *machine->load; i++) {
        char *end;
        machine->load[i] = strtod(text, &end);
        machine->load[i] = end == text ? -1 : machine->load[i];
        text = end;
    }
}

/* What changes the speed of the cores, or takes them away. */
static void cores_speed_read(machine_t *machine)
{
    static char flags[8192]; /* the list is long, and comes late in the file */
    line_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", machine->governor, sizeof machine->governor);
    line_read("/sys/devices/system/cpu/cpufreq/boost", machine->boost, sizeof machine->boost);
    line_read("/sys/devices/system/cpu/smt/active", machine->shared_cores, sizeof machine->shared_cores);
    field_read("/proc/cpuinfo", "flags", flags, sizeof flags);
    machine->hypervisor = strstr(flags, " hypervisor") != NULL;
    machine->stolen = stolen_read();
    load_read(machine);
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
    machine->swap_used_kib = field_number("/proc/meminfo", "SwapTotal") - field_number("/proc/meminfo", "SwapFree");
    cores_speed_read(machine);
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

/* Each is empty where all is well. */
static void scheduling_warn(const machine_t *machine, machine_warning_t warnings[4])
{
    double busy = machine->load[0];
    if (machine->cores_allowed < 2) {
        snprintf(warnings[0], MACHINE_WARNING_SIZE,
                 "only one core may be used: the two of a pair run one after the other, and drift is not cancelled");
    }
    if (busy > 0.25 * (double)machine->cores_online) {
        snprintf(warnings[1], MACHINE_WARNING_SIZE,
                 "other work is running (load %.2f on %ld cores): its times are in these; wait until it has ended",
                 busy, machine->cores_online);
    }
    if (machine->stolen > 0.01) {
        snprintf(warnings[2], MACHINE_WARNING_SIZE,
                 "other machines on the same host have had %.0f %% of the time of these cores", machine->stolen * 100);
    }
    if (machine->hypervisor) {
        snprintf(warnings[3], MACHINE_WARNING_SIZE,
                 "a virtual machine: its speed may drift with what its host does; only ratios within pairs count");
    }
}

static void frequency_warn(const machine_t *machine, machine_warning_t warnings[3])
{
    if (machine->governor[0] != '\0' && strcmp(machine->governor, "performance") != 0) {
        snprintf(warnings[0], MACHINE_WARNING_SIZE,
                 "the cores change their frequency (governor %s): `cpupower frequency-set -g performance` stops that",
                 machine->governor);
    }
    if (strcmp(machine->boost, "1") == 0) {
        snprintf(warnings[1], MACHINE_WARNING_SIZE,
                 "the cores run faster while they are cool: write 0 to /sys/devices/system/cpu/cpufreq/boost");
    }
    if (strcmp(machine->shared_cores, "1") == 0) {
        snprintf(warnings[2], MACHINE_WARNING_SIZE,
                 "two threads share a core: the two of a pair may slow each other; write off to "
                 "/sys/devices/system/cpu/smt/control");
    }
}

static void memory_warn(const machine_t *machine, machine_warning_t warnings[4])
{
    enum { ENOUGH_KIB = 1024 * 1024 };
    if (machine->aslr[0] != '\0' && strcmp(machine->aslr, "2") != 0) {
        snprintf(
            warnings[0], MACHINE_WARNING_SIZE,
            "addresses are not random (randomize_va_space is %s): all runs have one layout, which may favour an arm",
            machine->aslr);
    }
    if (machine->available_kib < ENOUGH_KIB) {
        snprintf(warnings[1], MACHINE_WARNING_SIZE, "only %lld MiB of memory are available; the largest rows need 1024",
                 machine->available_kib / 1024);
    }
    if (machine->swap_used_kib > 0) {
        snprintf(warnings[2], MACHINE_WARNING_SIZE, "%lld MiB are swapped out: a run may wait for a disk",
                 machine->swap_used_kib / 1024);
    }
    if (machine->address_space_limit >= 0) {
        snprintf(warnings[3], MACHINE_WARNING_SIZE,
                 "the address space is limited (ulimit -v): allocators that reserve much of it may fail or fall back");
    }
}

size_t machine_warnings(const machine_t *machine, machine_warning_t warnings[MACHINE_WARNING_MAX])
{
    enum { SCHEDULING = 0, FREQUENCY = 4, MEMORY = 7, END = 11 };
    size_t count = 0;
    memset(warnings, 0, MACHINE_WARNING_MAX * sizeof *warnings);
    scheduling_warn(machine, warnings + SCHEDULING);
    frequency_warn(machine, warnings + FREQUENCY);
    memory_warn(machine, warnings + MEMORY);
    for (size_t i = 0; i < END; i++) {
        if (warnings[i][0] != '\0' && i > count) {
            memcpy(warnings[count], warnings[i], sizeof *warnings);
        }
        count += warnings[i][0] != '\0';
    }
    return count;
}

void machine_warnings_print(const machine_t *machine, FILE *stream)
{
    machine_warning_t warnings[MACHINE_WARNING_MAX];
    size_t count = machine_warnings(machine, warnings);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "warning: %s\n", warnings[i]);
    }
}

/* What has to do with how fast the cores are at the moment, and the warnings. */
static void state_to_json(const machine_t *machine, json_t *object)
{
    machine_warning_t texts[MACHINE_WARNING_MAX];
    size_t count = machine_warnings(machine, texts);
    json_t *warnings = json_array(), *load = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(warnings, json_string(texts[i]));
    }
    for (size_t i = 0; i < sizeof machine->load / sizeof *machine->load; i++) {
        json_array_append_new(load, machine->load[i] < 0 ? json_null() : json_real(machine->load[i]));
    }
    json_object_set_new(object, "governor", json_string(machine->governor));
    json_object_set_new(object, "boost", json_string(machine->boost));
    json_object_set_new(object, "shared_cores", json_string(machine->shared_cores));
    json_object_set_new(object, "hypervisor", json_boolean(machine->hypervisor));
    json_object_set_new(object, "load", load);
    json_object_set_new(object, "swap_used_kib", json_integer(machine->swap_used_kib));
    json_object_set_new(object, "stolen", json_real(machine->stolen));
    json_object_set_new(object, "warnings", warnings);
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
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:I, s:I, s:s, s:s, s:s, s:I, s:s, s:I}", "cpu", machine->cpu,
                  "architecture", machine->architecture, "kernel", machine->kernel, "libc", machine->libc, "page_bytes",
                  (json_int_t)machine->page_bytes, "cores_online", (json_int_t)machine->cores_online, "cores_allowed",
                  allowed, "memory_kib", (json_int_t)machine->memory_kib, "available_kib",
                  (json_int_t)machine->available_kib, "overcommit", machine->overcommit, "thp_enabled", enabled,
                  "thp_defrag", defrag, "thp_bytes", (json_int_t)machine->thp_bytes, "aslr", machine->aslr,
                  "address_space_limit_bytes", (json_int_t)machine->address_space_limit);
    state_to_json(machine, object);
    return object;
}
