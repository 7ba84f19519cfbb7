/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/output.h"

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool file_append(const char *file, const char *text, size_t length)
{
    int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    if (descriptor < 0) {
        return false;
    }
    ssize_t written = write(descriptor, text, length);
    int failure = written < 0 ? errno : ENOSPC;
    (void)close(descriptor);
    errno = failure;
    return written == (ssize_t)length;
}

bool output_append(const char *file, const char *text, size_t length)
{
    int saved = errno;
    bool done = true;
    if (strcmp(file, "-") == 0) {
        os.write_error(text, length);
    } else if (!file_append(file, text, length)) {
        char message[256];
        int size = snprintf(message, sizeof message, "cubby: %.150s: the report cannot be written: %s\n", file,
                            strerror(errno));
        os.write_error(message, (size_t)size < sizeof message ? (size_t)size : sizeof message - 1);
        done = false;
    }
    errno = saved;
    return done;
}

static int access_refusal(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

/* Whether a file can be made in its folder. */
static int folder_refusal(const char *file)
{
    char folder[4096];
    const char *slash = strrchr(file, '/');
    if (slash == NULL) {
        return access_refusal(".", W_OK | X_OK);
    }
    int length = snprintf(folder, sizeof folder, "%.*s/", (int)(slash - file), file);
    return (size_t)length < sizeof folder ? access_refusal(folder, W_OK | X_OK) : ENAMETOOLONG;
}

int output_refusal(const char *file)
{
    int saved = errno;
    struct stat found;
    int refusal = stat(file, &found) != 0 ? errno : S_ISDIR(found.st_mode) ? EISDIR : access_refusal(file, W_OK);
    if (refusal == ENOENT) {
        refusal = folder_refusal(file);
    }
    errno = saved;
    return refusal;
}

size_t output_process_name(char *text, size_t size)
{
    int length = snprintf(text, size, "process %ld (%s)", (long)getpid(), program_invocation_short_name);
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}
