/* SPDX-License-Identifier: MIT */
#include "cli/judge.h"

#include "cli/elf.h"
#include "cli/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPT_DEPTH_MAX = 4 };

/* True when the kernel runs the program in secure mode, in which ld.so drops LD_PRELOAD. */
static bool program_is_privileged(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    bool user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
    bool group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
    return user || group || (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Reads the first line of a script into line, without "#!". False when the file does not begin so. */
static bool script_line(const char *path, char *line, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return false;
    }
    ssize_t length = pread(file, line, size - 1, 0);
    close(file);
    if (length < 2 || line[0] != '#' || line[1] != '!') {
        return false;
    }
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    memmove(line, line + 2, strlen(line + 2) + 1);
    return true;
}

/* The next word of text, which is cut; NULL at its end. */
static char *word_next(char **text)
{
    char *word = *text + strspn(*text, " \t");
    if (*word == '\0') {
        return NULL;
    }
    char *end = word + strcspn(word, " \t");
    *text = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

static const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool name_is_shell(const char *name)
{
    static const char *const shells[] = {"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "busybox"};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(name, shells[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The program that a script's first line names. For env it is the first word that is no option and no assignment. */
static bool script_interpreter(char *line, char *path, size_t size)
{
    char *word = word_next(&line);
    if (word == NULL) {
        return false;
    }
    if (strcmp(path_name(word), "env") != 0) {
        snprintf(path, size, "%s", word);
        return true;
    }
    do {
        word = word_next(&line);
    } while (word != NULL && (word[0] == '-' || strchr(word, '=') != NULL));
    return word != NULL && program_find(word, path, size) == PROGRAM_FOUND;
}

static judgement_t elf_judge(const char *path)
{
    elf_facts_t facts = elf_read(path);
    switch (facts.kind) {
    case ELF_FOREIGN:
        return JUDGED_FOREIGN;
    case ELF_STATIC:
        return JUDGED_STATIC;
    case ELF_DYNAMIC:
        return facts.exports_hook || facts.needs_libpython ? JUDGED_PYTHON : JUDGED_OTHER;
    case ELF_NONE:
    case ELF_DAMAGED:
        break;
    }
    return JUDGED_UNKNOWN;
}

judgement_t program_judge(const char *path)
{
    char current[PATH_MAX], line[512];
    snprintf(current, sizeof current, "%s", path);
    for (int depth = 0; depth < SCRIPT_DEPTH_MAX && script_line(current, line, sizeof line); depth++) {
        if (!script_interpreter(line, current, sizeof current)) {
            return JUDGED_UNKNOWN;
        }
        if (name_is_shell(path_name(current))) {
            return JUDGED_SHELL_SCRIPT;
        }
    }
    return program_is_privileged(current) ? JUDGED_PRIVILEGED : elf_judge(current);
}

const char *judgement_note(judgement_t judgement)
{
    switch (judgement) {
    case JUDGED_OTHER:
        return "is not a Python interpreter; only Python programs it starts use Cubby";
    case JUDGED_STATIC:
        return "is statically linked and cannot be preloaded; only Python programs it starts use Cubby";
    case JUDGED_FOREIGN:
        return "is built for another kind of machine and cannot be preloaded";
    case JUDGED_PRIVILEGED:
        return "runs with privileges of its own, where nothing can be preloaded";
    case JUDGED_PYTHON:
    case JUDGED_SHELL_SCRIPT:
    case JUDGED_UNKNOWN:
        break;
    }
    return NULL;
}
