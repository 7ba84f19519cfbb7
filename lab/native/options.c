/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *option_value(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

bool number_read(const char *text, long low, long high, long *number)
{
    char *end;
    errno = 0;
    long read = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || read < low || read > high) {
        return false;
    }
    *number = read;
    return true;
}
