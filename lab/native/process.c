/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

double process_cpu_seconds(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

long process_minor_faults(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Fills text with a file of /proc, of which the beginning is enough. */
static void text_read(const char *path, char *text, size_t size)
{
    size_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && length + 1 < size) {
        ssize_t got = read(file, text + length, size - 1 - length);
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    text[length] = '\0';
    if (file >= 0) {
        close(file);
    }
}

long process_status_kib(const char *name)
{
    char text[4096];
    size_t length = strlen(name);
    text_read("/proc/self/status", text, sizeof text);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            return strtol(line + length + 1, NULL, 10);
        }
    }
    return 0;
}

bool process_peak_reset(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    bool written = write(file, "5", 1) == 1;
    close(file);
    return written;
}

const char *process_malloc_file(void)
{
    Dl_info found;
    void *function = dlsym(RTLD_DEFAULT, "malloc");
    return function != NULL && dladdr(function, &found) != 0 && found.dli_fname != NULL ? found.dli_fname : "";
}
