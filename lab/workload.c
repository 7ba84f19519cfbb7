/* SPDX-License-Identifier: MIT */
#include "lab/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const workload_t workload_table[WORKLOAD_COUNT] = {
    [WORKLOAD_INTS] = {.name = "ints",
                       .meaning = "2008: a dict of 2,000,000 new ints under new ints, made and dropped each round",
                       .round_seconds = 0.65},
    [WORKLOAD_FLOATS] = {.name = "floats",
                         .meaning = "2008: a list of 1,000,000 new floats and a dict of 1,000,000 more, each round",
                         .round_seconds = 0.42},
    [WORKLOAD_UNPICKLE_LIST] = {.name = "unpickle_list",
                                .meaning = "2016: 31 small lists are read from a pickle, 32,000 times a round",
                                .lists = true,
                                .round_seconds = 0.24},
};

bool workloads_select(const char *list, bool selected[WORKLOAD_COUNT], char *wrong, size_t size)
{
    memset(selected, 0, WORKLOAD_COUNT * sizeof *selected);
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        size_t i = 0;
        while (i < WORKLOAD_COUNT &&
               (strlen(workload_table[i].name) != length || strncmp(workload_table[i].name, list, length) != 0)) {
            i++;
        }
        if (i == WORKLOAD_COUNT) {
            snprintf(wrong, size, "%.*s", (int)length, list);
            return false;
        }
        selected[i] = true;
        list += length + (list[length] == ',');
    }
    return true;
}

const folder_spec_t folder_of_seeds = {.name = "seeds", .file = "measure.py", .variable = "CUBBY_SEEDS"};

/* True when the folder holds the file; otherwise it is added to what was tried. */
static bool folder_has(const char *folder, const char *name, char *tried, size_t tried_size)
{
    char file[PATH_MAX + 32];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    if (access(file, R_OK) == 0) {
        return true;
    }
    size_t length = strlen(tried);
    snprintf(tried + length, tried_size - length, "%s%s", length > 0 ? ", " : "", folder);
    return false;
}

bool folder_find(const folder_spec_t *spec, const char *executable_folder, char *folder, size_t size, char *tried,
                 size_t tried_size)
{
    const char *chosen = getenv(spec->variable);
    tried[0] = '\0';
    if (chosen != NULL && chosen[0] != '\0') {
        snprintf(folder, size, "%s", chosen);
        return folder_has(folder, spec->file, tried, tried_size);
    }
    static const char *const beside[] = {"lab", "../lab"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(folder, size, "%s/%s/%s", executable_folder, beside[i], spec->name);
        if (folder_has(folder, spec->file, tried, tried_size)) {
            return true;
        }
    }
    snprintf(folder, size, "%s/%s", CUBBY_LIBDIR, spec->name);
    return folder_has(folder, spec->file, tried, tried_size);
}

/* Splits one line of figures.csv, whose fields hold no commas and no quotes. */
static bool figure_parse(char *line, figure_t *figure)
{
    char *fields[7];
    for (size_t i = 0; i < 7; i++) {
        fields[i] = strsep(&line, i < 6 ? "," : "\n");
        if (fields[i] == NULL) {
            return false;
        }
    }
    snprintf(figure->workload, sizeof figure->workload, "%s", fields[0]);
    snprintf(figure->year, sizeof figure->year, "%s", fields[1]);
    snprintf(figure->machine, sizeof figure->machine, "%s", fields[2]);
    snprintf(figure->variant, sizeof figure->variant, "%s", fields[3]);
    figure->seconds = strtod(fields[4], NULL);
    figure->speedup_percent = strtod(fields[5], NULL);
    snprintf(figure->source, sizeof figure->source, "%s", fields[6]);
    return figure->seconds > 0 || figure->speedup_percent > 0;
}

bool figures_read(const char *folder, figure_list_t *list, char *reason, size_t size)
{
    char path[PATH_MAX + 16], line[512];
    snprintf(path, sizeof path, "%s/figures.csv", folder);
    list->count = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = fgets(line, sizeof line, file) != NULL; /* the heading */
    while (good && list->count < FIGURE_MAX && fgets(line, sizeof line, file) != NULL) {
        good = figure_parse(line, &list->figures[list->count++]);
    }
    fclose(file);
    if (!good) {
        snprintf(reason, size, "%s: line %zu is not a figure", path, list->count + 1);
    }
    return good;
}

/* A number of the report that must be above zero; anything else is 0. */
static double positive_get(const json_t *report, const char *key)
{
    double value = json_number_value(json_object_get(report, key));
    return value > 0 ? value : 0;
}

/* What is wrong with the report, or NULL. Fills the sample's figures. */
static const char *report_fault(const json_t *report, const workload_t *workload, int rounds, bool settled,
                                bool preloads, sample_t *sample)
{
    bool row = workload->file != NULL; /* whose program calls it name, loops and seconds */
    const char *name = json_string_value(json_object_get(report, row ? "name" : "seed"));
    if (name == NULL || strcmp(name, workload->name) != 0) {
        return row ? "it does not name its row" : "it does not name its seed";
    }
    if (json_integer_value(json_object_get(report, row ? "loops" : "rounds")) != rounds) {
        return "it did another number of rounds";
    }
    if (preloads && json_array_size(json_object_get(report, "preloaded")) != 1) {
        return "what it should preload is not loaded";
    }
    sample->cpu_seconds = positive_get(report, "cpu_seconds");
    sample->wall_seconds = positive_get(report, row ? "seconds" : "wall_seconds");
    sample->peak_kib = (long long)positive_get(report, "peak_kib");
    sample->after_kib = settled ? (long long)positive_get(report, "after_kib") : 0;
    sample->minor_faults = (long long)positive_get(report, "minor_faults");
    sample->major_faults = (long long)positive_get(report, "major_faults");
    bool whole = sample->cpu_seconds > 0 && sample->wall_seconds > 0 && sample->peak_kib > 0 &&
                 sample->minor_faults > 0 && (!settled || sample->after_kib > 0);
    return whole ? NULL : "a figure is missing";
}

bool sample_read(const char *line, const workload_t *workload, int rounds, bool settled, bool preloads,
                 sample_t *sample, char *reason, size_t size)
{
    json_error_t error;
    json_t *report = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    const char *fault = "it is not JSON";
    memset(sample, 0, sizeof *sample);
    if (report != NULL) {
        fault = report_fault(report, workload, rounds, settled, preloads, sample);
    }
    if (fault != NULL) {
        snprintf(reason, size, "%s printed what cannot be used: %s", workload->name, fault);
        json_decref(report);
        return false;
    }
    sample->raw = report;
    sample->good = true;
    return true;
}
