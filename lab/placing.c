/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/placing.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* No benchmark starts processes that start processes this deep. */
enum { DEPTH_MOST = 8 };

static void process_move_at(pid_t process, const cpu_set_t *cores, int depth);

/* Moves what a thread started. */
static void children_move(pid_t process, long thread, const cpu_set_t *cores, int depth)
{
    char path[64];
    char *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, thread);
    FILE *list = fopen(path, "re");
    if (list != NULL && getline(&text, &size, list) > 0) {
        char *rest = text;
        for (long child = strtol(rest, &rest, 10); child > 0; child = strtol(rest, &rest, 10)) {
            process_move_at((pid_t)child, cores, depth + 1);
        }
    }
    free(text);
    if (list != NULL) {
        fclose(list);
    }
}

static void process_move_at(pid_t process, const cpu_set_t *cores, int depth)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *threads = depth < DEPTH_MOST ? opendir(path) : NULL;
    const struct dirent *entry;
    while (threads != NULL && (entry = readdir(threads)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10); /* "." and ".." are none */
        if (thread > 0) {
            sched_setaffinity((pid_t)thread, sizeof *cores, cores);
            children_move(process, thread, cores, depth);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
}

void process_move(pid_t process, int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET((size_t)core, &cores);
    process_move_at(process, &cores, 0);
}
