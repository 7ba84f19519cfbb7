/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 301, OPERATIONS = 20000 };

bool rows_options_take(const char *program, int argc, char **argv, bool *json)
{
    *json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !*json) {
        fprintf(stderr, "usage: %s [--json]\n", program);
        return false;
    }
    return true;
}

void rows_run(const row_t *rows, size_t count, bool json)
{
    printf(json ? "{\"rows\": [" : "%-24s %10s %10s %7s\n", "", "ns", "against", "ratio");
    for (size_t i = 0; i < count; i++) {
        timing_pair_t result = timing_compare(rows[i].arm, rows[i].rival, OPERATIONS, ROUNDS);
        if (json) {
            printf("%s{\"name\": \"%s\", \"nanoseconds\": %.3f, \"against_nanoseconds\": %.3f, \"ratio\": %.3f, "
                   "\"against\": \"%s\"}",
                   i == 0 ? "" : ", ", rows[i].name, result.nanoseconds, result.against, result.ratio, rows[i].against);
        } else {
            printf("%-24s %10.2f %10.2f %7.3f   %s\n", rows[i].name, result.nanoseconds, result.against, result.ratio,
                   rows[i].against);
        }
    }
    printf(json ? "]}\n" : "");
}
