/* SPDX-License-Identifier: MIT */
#include "lab/comparison.h"

#include "lab/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLISHED_TABLES = 4, COLUMN_PUBLISHED = 4, LINE_MAX_COUNT = TABLE_ROW_MAX - 1 };

/* A line of a table: a row with what changed in it; with two files, first and second. */
typedef struct line {
    const json_t *row;
    recorded_change_t first;
    recorded_change_t second;
    stats_estimate_t shift; /* the second over the first */
} line_t;

comparison_view_t comparison_view(const char *base, const char *arm)
{
    if (strcmp(base, "stock") == 0 && strcmp(arm, "list-libc") == 0) {
        return (comparison_view_t){.base = arm, .arm = base};
    }
    return (comparison_view_t){.base = base, .arm = arm};
}

bool comparison_wants(const comparison_t *wanted, const char *row)
{
    size_t length = strlen(row);
    for (const char *name = wanted->rows; name != NULL && name[0] != '\0';) {
        size_t span = strcspn(name, ",");
        if (span == length && strncmp(name, row, length) == 0) {
            return true;
        }
        name += span + (name[span] == ',');
    }
    return wanted->rows == NULL;
}

static int line_compare(const void *left, const void *right)
{
    double a = ((const line_t *)left)->first.estimate.value, b = ((const line_t *)right)->first.estimate.value;
    return (a < b) - (a > b);
}

static double percent_of(double ratio)
{
    return (ratio - 1) * 100;
}

static void estimate_cells(table_t *table, size_t column, const stats_estimate_t *estimate)
{
    table_cell(table, column, "%+.2f", percent_of(estimate->value));
    if (estimate->known) {
        table_cell(table, column + 1, "%+.2f to %+.2f", percent_of(estimate->interval.low),
                   percent_of(estimate->interval.high));
    }
}

static bool rows_were_published(const recorded_t *recorded)
{
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        const json_t *published = json_object_get(json_array_get(recorded->rows, i), "published_percent");
        for (size_t column = 0; column < PUBLISHED_TABLES; column++) {
            if (json_is_number(json_array_get(published, column))) {
                return true;
            }
        }
    }
    return false;
}

static void published_cells(table_t *table, const json_t *row)
{
    const json_t *published = json_object_get(row, "published_percent");
    for (size_t column = 0; column < PUBLISHED_TABLES; column++) {
        const json_t *figure = json_array_get(published, column);
        if (json_is_number(figure)) {
            table_cell(table, COLUMN_PUBLISHED + column, "%+.2f", json_number_value(figure));
        }
    }
}

static void lines_print(const recorded_t *recorded, const line_t *lines, size_t count, FILE *stream)
{
    static const char *const headings[] = {"Benchmark", "%D",      "95 %",    "pairs",
                                           "table 1",   "table 2", "table 3", "table 4"};
    table_t table;
    table_begin(&table, COLUMN_PUBLISHED + (rows_were_published(recorded) ? PUBLISHED_TABLES : 0), headings);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        table_row(&table, recorded_text(lines[i].row, "name"));
        estimate_cells(&table, 1, &lines[i].first.estimate);
        if (lines[i].first.pairs > 0) {
            table_cell(&table, 3, "%zu", lines[i].first.pairs);
        } else {
            table_cell(&table, 3, "by stock");
        }
        published_cells(&table, lines[i].row);
        sum += log(lines[i].first.estimate.value);
    }
    table_print(&table, stream);
    fprintf(stream, "  geometric mean %+.2f %% over %zu row%s\n", percent_of(exp(sum / (double)count)), count,
            count == 1 ? "" : "s");
}

static bool arm_print(const recorded_t *recorded, const comparison_t *wanted, const char *arm, FILE *stream)
{
    line_t lines[LINE_MAX_COUNT];
    size_t count = 0;
    comparison_view_t view = comparison_view(wanted->base, arm);
    for (size_t i = 0; i < json_array_size(recorded->rows) && count < LINE_MAX_COUNT; i++) {
        const json_t *row = json_array_get(recorded->rows, i);
        if (comparison_wants(wanted, recorded_text(row, "name")) &&
            recorded_compare(row, view.base, view.arm, &lines[count].first)) {
            lines[count++].row = row;
        }
    }
    if (count == 0) {
        return false;
    }
    qsort(lines, count, sizeof *lines, line_compare);
    fprintf(stream, "\n%s over %s\n", view.arm, strcmp(view.base, view.arm) == 0 ? "itself: noise alone" : view.base);
    lines_print(recorded, lines, count, stream);
    return true;
}

size_t comparison_print(const recorded_t *recorded, const comparison_t *wanted, FILE *stream)
{
    size_t tables = 0;
    const json_t *arms = json_object_get(recorded->root, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        if (wanted->arm == NULL || strcmp(wanted->arm, arm) == 0) {
            tables += arm_print(recorded, wanted, arm, stream);
        }
    }
    return tables;
}

/* Both files have the row, at the same size. What they do not share is said once, with the first table. */
static bool row_is_shared(const json_t *row, const recorded_t *now, const json_t **other, FILE *notes)
{
    char size[64], other_size[64];
    *other = recorded_row(now, recorded_text(row, "name"));
    if (*other == NULL) {
        if (notes != NULL) {
            fprintf(notes, "  left out: %s is not in %s\n", recorded_text(row, "name"), now->path);
        }
        return false;
    }
    recorded_size(row, size, sizeof size);
    recorded_size(*other, other_size, sizeof other_size);
    if (strcmp(size, other_size) != 0 && notes != NULL) {
        fprintf(notes, "  left out: %s has size %s in the first file and %s in the second\n",
                recorded_text(row, "name"), size, other_size);
    }
    return strcmp(size, other_size) == 0;
}

/* How much the second change is above the first, with the interval of pairs on both sides. */
static bool line_shift(line_t *line, const json_t *other, const comparison_view_t *view)
{
    size_t count, under_count;
    stats_rng_t rng;
    stats_rng_seed(&rng, 1);
    double *under = recorded_logarithms(line->row, view->base, view->arm, &under_count);
    double *values = recorded_logarithms(other, view->base, view->arm, &count);
    bool known = values != NULL && under != NULL;
    if (known) {
        line->shift = stats_ratio_between(values, count, under, under_count, &rng);
    }
    free(values);
    free(under);
    return known && recorded_compare(line->row, view->base, view->arm, &line->first) &&
           recorded_compare(other, view->base, view->arm, &line->second);
}

static void shifts_print(const line_t *lines, size_t count, FILE *stream)
{
    static const char *const headings[] = {"Benchmark", "%D then", "%D now", "change, %", "95 %"};
    table_t table;
    table_begin(&table, sizeof headings / sizeof *headings, headings);
    for (size_t i = 0; i < count; i++) {
        table_row(&table, recorded_text(lines[i].row, "name"));
        table_cell(&table, 1, "%+.2f", percent_of(lines[i].first.estimate.value));
        table_cell(&table, 2, "%+.2f", percent_of(lines[i].second.estimate.value));
        estimate_cells(&table, 3, &lines[i].shift);
    }
    table_print(&table, stream);
}

static bool arm_print_two(const recorded_t *then, const recorded_t *now, const comparison_t *wanted, const char *arm,
                          FILE *stream)
{
    line_t lines[LINE_MAX_COUNT];
    size_t count = 0;
    comparison_view_t view = comparison_view(wanted->base, arm);
    for (size_t i = 0; i < json_array_size(then->rows) && count < LINE_MAX_COUNT; i++) {
        const json_t *other;
        lines[count].row = json_array_get(then->rows, i);
        if (comparison_wants(wanted, recorded_text(lines[count].row, "name")) &&
            row_is_shared(lines[count].row, now, &other, NULL) && line_shift(&lines[count], other, &view)) {
            count++;
        }
    }
    if (count == 0) {
        return false;
    }
    qsort(lines, count, sizeof *lines, line_compare);
    fprintf(stream, "\n%s over %s\n", view.arm, strcmp(view.base, view.arm) == 0 ? "itself: noise alone" : view.base);
    shifts_print(lines, count, stream);
    return true;
}

size_t comparison_print_two(const recorded_t *then, const recorded_t *now, const comparison_t *wanted, FILE *stream)
{
    size_t tables = 0;
    const json_t *arms = json_object_get(then->root, "arms"), *other;
    for (size_t i = 0; i < json_array_size(then->rows); i++) {
        const json_t *row = json_array_get(then->rows, i);
        if (comparison_wants(wanted, recorded_text(row, "name"))) {
            row_is_shared(row, now, &other, stream);
        }
    }
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        if (wanted->arm == NULL || strcmp(wanted->arm, arm) == 0) {
            tables += arm_print_two(then, now, wanted, arm, stream);
        }
    }
    return tables;
}
