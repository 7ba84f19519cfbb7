/* SPDX-License-Identifier: MIT */
#include "override.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct command_line {
    bool ignores_environment;
    bool dev_mode;
} command_line_t;

/* The interpreter looks at the name only: dev=0 turns development mode on like dev. */
static bool names_dev(const char *value)
{
    return strncmp(value, "dev", 3) == 0 && (value[3] == '\0' || value[3] == '=');
}

/*
 * Reads one argument of short options. `next` is the argument after it, for an option whose value stands there.
 * Returns how many arguments were used; 0 at -c or -m, where the interpreter's options end.
 */
static int options_read(const char *letters, const char *next, command_line_t *found)
{
    for (; *letters != '\0'; letters++) {
        switch (*letters) {
        case 'c':
        case 'm':
            return 0;
        case 'E':
        case 'I':
            found->ignores_environment = true;
            break;
        case 'W':
        case 'X': {
            const char *value = letters[1] != '\0' ? letters + 1 : next;
            if (*letters == 'X' && value != NULL && names_dev(value)) {
                found->dev_mode = true;
            }
            return letters[1] != '\0' ? 1 : 2;
        }
        default:
            break;
        }
    }
    return 1;
}

static command_line_t command_line_read(char **argv)
{
    command_line_t found = {false, false};
    if (argv == NULL || argv[0] == NULL) {
        return found;
    }
    for (char **argument = argv + 1; *argument != NULL && (*argument)[0] == '-' && (*argument)[1] != '\0';) {
        if (strcmp(*argument, "--") == 0) {
            break;
        }
        bool is_long = (*argument)[1] == '-';
        int used = is_long ? 1 + (strcmp(*argument, "--check-hash-based-pycs") == 0)
                           : options_read(*argument + 1, argument[1], &found);
        if (used == 0 || (used == 2 && argument[1] == NULL)) {
            break;
        }
        argument += used;
    }
    return found;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

/* The values of PYTHONMALLOC that ask for checks, whoever allocates. */
static bool names_checks(const char *value)
{
    static const char *const names[] = {"debug", "pymalloc_debug", "malloc_debug", "mimalloc_debug"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *override_find(char **argv, bool *means_checks)
{
    *means_checks = false;
    command_line_t line = command_line_read(argv);
    bool environment = !line.ignores_environment;
    if (environment && is_set("PYTHONMALLOC")) {
        const char *value = getenv("PYTHONMALLOC");
        *means_checks = value != NULL && names_checks(value);
        return "PYTHONMALLOC";
    }
    *means_checks = line.dev_mode || (environment && is_set("PYTHONDEVMODE"));
    if (line.dev_mode) {
        return "-X dev";
    }
    return *means_checks ? "PYTHONDEVMODE" : NULL;
}
