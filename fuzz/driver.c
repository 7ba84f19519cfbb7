/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over the files of the folders it is given: the main function where there is no libFuzzer. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static size_t file_count;

static int complain(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return 2;
}

/* Reads the file whole and hands it over. The name is printed first, so that it is known which one went wrong. */
static int file_run(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return complain(path);
    }
    size_t size = fread(data, 1, sizeof data, file);
    int failed = ferror(file);
    (void)fclose(file);
    if (failed != 0) {
        return complain(path);
    }
    printf("%s: %zu bytes\n", path, size);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, size);
    file_count++;
    return 0;
}

static int folder_run(const char *path)
{
    DIR *folder = opendir(path);
    int status = 0;
    if (folder == NULL) {
        return complain(path);
    }
    for (const struct dirent *entry; status == 0 && (entry = readdir(folder)) != NULL;) {
        char inner[4096];
        if (entry->d_name[0] != '.') {
            (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            status = file_run(inner);
        }
    }
    (void)closedir(folder);
    return status;
}

int main(int count, char **arguments)
{
    int status = 0;
    for (int i = 1; status == 0 && i < count; i++) {
        status = folder_run(arguments[i]);
    }
    if (status == 0 && file_count == 0) {
        fputs("usage: fuzz-TARGET FOLDER...   folders with inputs, one a file\n", stderr);
        status = 2;
    }
    return status;
}
