/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a shell would make of one path. */
static program_found_t path_judge(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return PROGRAM_MISSING;
    }
    bool runs = S_ISREG(status.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
    return runs ? PROGRAM_FOUND : PROGRAM_REFUSED;
}

program_found_t program_find(const char *name, char *path, size_t size)
{
    if (strchr(name, '/') != NULL) {
        snprintf(path, size, "%s", name);
        return path_judge(path);
    }
    const char *folders = getenv("PATH");
    folders = folders != NULL ? folders : "/usr/local/bin:/usr/bin:/bin";
    program_found_t best = PROGRAM_MISSING;
    for (const char *part = folders; name[0] != '\0' && part != NULL;) {
        char candidate[PATH_MAX];
        size_t length = strcspn(part, ":");
        int written =
            snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)length, part, length > 0 ? "/" : "./", name);
        part = part[length] == ':' ? part + length + 1 : NULL;
        if (written < 0 || (size_t)written >= sizeof candidate) {
            continue;
        }
        struct stat status;
        program_found_t found = path_judge(candidate);
        if (found == PROGRAM_FOUND) {
            snprintf(path, size, "%s", candidate);
            return found;
        }
        /* A folder of that name is passed over; a file that may not be executed is remembered. */
        if (found == PROGRAM_REFUSED && best == PROGRAM_MISSING && stat(candidate, &status) == 0 &&
            S_ISREG(status.st_mode)) {
            snprintf(path, size, "%s", candidate);
            best = found;
        }
    }
    return best;
}

bool program_is_text(const char *path)
{
    char start[80];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return false;
    }
    ssize_t length = pread(file, start, sizeof start, 0);
    close(file);
    if (length < 0) {
        return false;
    }
    const char *line_end = memchr(start, '\n', (size_t)length);
    return memchr(start, '\0', line_end != NULL ? (size_t)(line_end - start) : (size_t)length) == NULL;
}

bool executable_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0) {
        return false;
    }
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}
