/* SPDX-License-Identifier: MIT */
#include "lab/gupb/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const folder_spec_t folder_of_gupb = {.name = "gupb", .file = "rows.csv", .variable = "CUBBY_GUPB"};

enum { FIELD_MAX = 5, LINE_MAX_BYTES = 512 };

/* Splits a line, whose fields hold no commas and no quotes. False unless it has so many. */
static bool line_split(char *line, char *fields[FIELD_MAX], size_t count)
{
    line[strcspn(line, "\r\n")] = '\0';
    for (size_t i = 0; i < count; i++) {
        fields[i] = strsep(&line, ",");
        if (fields[i] == NULL) {
            return false;
        }
    }
    return line == NULL;
}

/* Copies a field; false when it does not fit. */
static bool field_copy(char *to, size_t size, const char *field)
{
    return (size_t)snprintf(to, size, "%s", field) < size;
}

/* Takes the line suite,name,file,note. False when it is damaged; a row of another suite is left alone. */
static bool row_take(char *line, const char *suite, row_list_t *list)
{
    char *fields[FIELD_MAX];
    if (!line_split(line, fields, 4) || fields[1][0] == '\0' || fields[2][0] == '\0') {
        return false;
    }
    if (strcmp(fields[0], suite) != 0) {
        return true;
    }
    if (list->count == WORKLOAD_MAX) {
        return false;
    }
    row_t *row = &list->rows[list->count];
    if (!field_copy(row->name, sizeof row->name, fields[1]) || !field_copy(row->file, sizeof row->file, fields[2]) ||
        !field_copy(row->note, sizeof row->note, fields[3])) {
        return false;
    }
    list->workloads[list->count++] = (workload_t){.name = row->name, .meaning = row->note, .file = row->file};
    return true;
}

/* Takes the line table,interpreter,cpu,benchmark,speedup_percent. False when it is damaged. */
static bool figure_take(char *line, const char *suite, row_list_t *list)
{
    char *fields[FIELD_MAX], *end;
    (void)suite;
    if (!line_split(line, fields, 5)) {
        return false;
    }
    long table = strtol(fields[0], &end, 10);
    if (*end != '\0' || table < 1 || table > ROWS_TABLE_COUNT) {
        return false;
    }
    double percent = strtod(fields[4], &end);
    if (end == fields[4] || *end != '\0') {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->rows[i].name, fields[3]) == 0) {
            list->rows[i].published[table - 1] = percent;
            list->rows[i].known[table - 1] = true;
        }
    }
    return true;
}

/* Hands each line of a file but its heading to take. False with a reason. */
static bool file_read(const char *folder, const char *name, const char *suite, row_list_t *list,
                      bool (*take)(char *line, const char *suite, row_list_t *list), char *reason, size_t size)
{
    char path[PATH_MAX + 32], line[LINE_MAX_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        return false;
    }
    size_t number = 1;
    bool good = fgets(line, sizeof line, file) != NULL;
    while (good && fgets(line, sizeof line, file) != NULL) {
        number++;
        good = take(line, suite, list);
    }
    fclose(file);
    if (!good) {
        snprintf(reason, size, "%s: line %zu cannot be read", path, number);
    }
    return good;
}

bool rows_read(const char *folder, const char *suite, row_list_t *list, char *reason, size_t size)
{
    memset(list, 0, sizeof *list);
    if (!file_read(folder, "rows.csv", suite, list, row_take, reason, size) ||
        !file_read(folder, "figures.csv", suite, list, figure_take, reason, size)) {
        return false;
    }
    if (list->count == 0) {
        snprintf(reason, size, "%s/rows.csv: no row of %s", folder, suite);
    }
    return list->count > 0;
}

bool rows_select(const row_list_t *list, const char *names, bool selected[WORKLOAD_MAX], char *wrong, size_t size)
{
    memset(selected, 0, WORKLOAD_MAX * sizeof *selected);
    while (*names != '\0') {
        size_t length = strcspn(names, ",");
        size_t i = 0;
        while (i < list->count &&
               (strlen(list->rows[i].name) != length || strncmp(list->rows[i].name, names, length) != 0)) {
            i++;
        }
        if (i == list->count) {
            snprintf(wrong, size, "%.*s", (int)length, names);
            return false;
        }
        selected[i] = true;
        names += length + (names[length] == ',');
    }
    return true;
}
