/* SPDX-License-Identifier: MIT */
#include "lab/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The interval is drawn the same way each time, so that a file always gives the same table. */
enum { INTERVAL_SEED = 2016 };

const char *recorded_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

double recorded_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Every row has a name that no other row has, and pairs. */
static bool rows_are_whole(const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = recorded_text(row, "name");
        if (name[0] == '\0' || !json_is_array(json_object_get(row, "pairs"))) {
            return false;
        }
        for (size_t other = 0; other < i; other++) {
            if (strcmp(name, recorded_text(json_array_get(rows, other), "name")) == 0) {
                return false;
            }
        }
    }
    return json_array_size(rows) > 0;
}

static bool content_check(recorded_t *recorded, char *reason, size_t size)
{
    recorded->suite = recorded_text(recorded->root, "suite");
    bool seeds = strcmp(recorded->suite, "seeds") == 0;
    if (!seeds && strcmp(recorded->suite, "gupb") != 0 && strcmp(recorded->suite, "pybench") != 0) {
        snprintf(reason, size,
                 "%s: not a result of the suites seeds, gupb or pybench; make one with `cubby bench gupb --json=FILE`",
                 recorded->path);
        return false;
    }
    if (recorded_number(recorded->root, "format") != 1) {
        snprintf(reason, size, "%s: of another format than this version reads, which is 1; use the cubby that wrote it",
                 recorded->path);
        return false;
    }
    recorded->rows = json_object_get(recorded->root, seeds ? "workloads" : "rows");
    if (!rows_are_whole(recorded->rows)) {
        snprintf(reason, size, "%s: damaged: its rows lack names or pairs; measure again", recorded->path);
        return false;
    }
    return true;
}

bool recorded_open(const char *path, recorded_t *recorded, char *reason, size_t size)
{
    json_error_t error;
    *recorded = (recorded_t){.path = path};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        return false;
    }
    recorded->root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (recorded->root == NULL) {
        snprintf(reason, size, "%s: damaged, or not JSON: line %d: %s", path, error.line, error.text);
        return false;
    }
    if (!content_check(recorded, reason, size)) {
        recorded_close(recorded);
        return false;
    }
    return true;
}

void recorded_close(recorded_t *recorded)
{
    json_decref(recorded->root);
    recorded->root = NULL;
}

static const json_t *named_find(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(recorded_text(entry, "name"), name) == 0) {
            return entry;
        }
    }
    return NULL;
}

const json_t *recorded_row(const recorded_t *recorded, const char *name)
{
    return named_find(recorded->rows, name);
}

bool recorded_has_arm(const recorded_t *recorded, const char *name)
{
    return named_find(json_object_get(recorded->root, "arms"), name) != NULL;
}

void recorded_size(const json_t *row, char *text, size_t size)
{
    const json_t *run = json_object_get(json_array_get(json_object_get(row, "pairs"), 0), "base_run");
    const char *said = recorded_text(run, "size");
    if (said[0] != '\0') {
        snprintf(text, size, "%s", said);
    } else {
        snprintf(text, size, "%.0f rounds", recorded_loops(row));
    }
}

double recorded_loops(const json_t *row)
{
    double loops = recorded_number(row, "loops");
    loops = loops > 0 ? loops : recorded_number(row, "rounds");
    return loops > 0 ? loops : 1;
}

static double seconds_of(const json_t *pair, const char *run)
{
    return recorded_number(json_object_get(pair, run), "cpu_seconds");
}

bool recorded_pair_counts(const json_t *pair)
{
    const json_t *excluded = json_object_get(pair, "excluded");
    bool left_out = json_is_true(excluded) || (json_is_string(excluded) && json_string_length(excluded) > 0);
    return !left_out && seconds_of(pair, "base_run") > 0 && seconds_of(pair, "arm_run") > 0;
}

double *recorded_logarithms(const json_t *row, const char *base, const char *arm, size_t *count)
{
    const json_t *pairs = json_object_get(row, "pairs");
    double *values = malloc((json_array_size(pairs) + 1) * sizeof *values);
    *count = 0;
    for (size_t i = 0; values != NULL && i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const char *first = recorded_text(pair, "base"), *second = recorded_text(pair, "arm");
        bool straight = strcmp(first, base) == 0 && strcmp(second, arm) == 0;
        bool turned = strcmp(first, arm) == 0 && strcmp(second, base) == 0;
        if ((straight || turned) && recorded_pair_counts(pair)) {
            double logarithm = log(seconds_of(pair, "base_run") / seconds_of(pair, "arm_run"));
            values[(*count)++] = straight ? logarithm : -logarithm;
        }
    }
    if (*count == 0) {
        free(values);
        return NULL;
    }
    return values;
}

static bool stock_compare(const json_t *row, const char *base, const char *arm, stats_rng_t *rng,
                          recorded_change_t *change)
{
    size_t count, under_count;
    double *values = recorded_logarithms(row, "stock", arm, &count);
    double *under = recorded_logarithms(row, "stock", base, &under_count);
    bool known = values != NULL && under != NULL;
    if (known) {
        *change = (recorded_change_t){.estimate = stats_ratio_between(values, count, under, under_count, rng)};
    }
    free(values);
    free(under);
    return known;
}

bool recorded_compare(const json_t *row, const char *base, const char *arm, recorded_change_t *change)
{
    size_t count;
    stats_rng_t rng;
    stats_rng_seed(&rng, INTERVAL_SEED);
    double *values = recorded_logarithms(row, base, arm, &count);
    if (values == NULL) {
        return strcmp(base, arm) != 0 && stock_compare(row, base, arm, &rng, change);
    }
    *change = (recorded_change_t){.pairs = count, .estimate = stats_ratio(values, count, &rng)};
    free(values);
    return true;
}
