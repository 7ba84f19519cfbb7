/* SPDX-License-Identifier: MIT */
#include "lab/page/tables.h"

#include "lab/page/counters.h"
#include "lab/page/markup.h"
#include "lab/page/resident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PUBLISHED_TABLES = 4, VALUE_MAX = 1024 };

static void table_open(const char *caption, FILE *page)
{
    fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"", page);
    markup_text(page, caption);
    fputs("\"><table><caption>", page);
    markup_text(page, caption);
    fputs("</caption>\n", page);
}

static void table_close(FILE *page)
{
    fputs("</table></div>\n", page);
}

static void headings_print(const char *const *headings, size_t count, FILE *page)
{
    fputs("<thead><tr>", page);
    for (size_t i = 0; i < count; i++) {
        fprintf(page, "<th scope=\"col\">%s</th>", headings[i]);
    }
    fputs("</tr></thead>\n", page);
}

static double percent_of(double ratio)
{
    return (ratio - 1) * 100;
}

static void published_cells(const json_t *row, FILE *page)
{
    const json_t *published = json_object_get(row, "published_percent");
    for (size_t i = 0; i < PUBLISHED_TABLES; i++) {
        const json_t *figure = json_array_get(published, i);
        if (json_is_number(figure)) {
            fprintf(page, "<td>%+.2f</td>", json_number_value(figure));
        } else {
            fputs("<td></td>", page);
        }
    }
}

static bool bars_were_published(const bar_t *bars, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *published = json_object_get(bars[i].row, "published_percent");
        for (size_t column = 0; column < PUBLISHED_TABLES; column++) {
            if (json_is_number(json_array_get(published, column))) {
                return true;
            }
        }
    }
    return false;
}

static void bar_cells(const bar_t *bar, FILE *page)
{
    const stats_estimate_t *estimate = &bar->change.estimate;
    fprintf(page, "<td>%+.2f</td><td>", percent_of(estimate->value));
    if (estimate->known) {
        fprintf(page, "%+.2f to %+.2f", percent_of(estimate->interval.low), percent_of(estimate->interval.high));
    }
    fprintf(page, "</td><td>%zu</td>", bar->change.pairs);
}

void tables_print_bars(const bar_t *bars, size_t count, FILE *page)
{
    static const char *const headings[] = {"Benchmark", "%D",      "95 %",    "pairs",
                                           "table 1",   "table 2", "table 3", "table 4"};
    enum { FIRST_PUBLISHED = 4 };
    bool published = bars_were_published(bars, count);
    table_open(published ? "The same as figures; tables 1 to 4: %D of 2016" : "The same as figures", page);
    headings_print(headings, FIRST_PUBLISHED + (published ? PUBLISHED_TABLES : 0), page);
    for (size_t i = 0; i < count; i++) {
        fputs("<tr><th scope=\"row\">", page);
        markup_text(page, recorded_text(bars[i].row, "name"));
        fputs("</th>", page);
        bar_cells(&bars[i], page);
        if (published) {
            published_cells(bars[i].row, page);
        }
        fputs("</tr>\n", page);
    }
    table_close(page);
}

/* Which counters any row has; the others get no column. */
static void counters_note(const recorded_t *recorded, const json_t *arms, bool shown[COUNTERS_COUNT])
{
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        for (size_t j = 0; j < json_array_size(arms); j++) {
            const char *arm = recorded_text(json_array_get(arms, j), "name");
            for (counter_id_t id = 0; id < COUNTERS_COUNT; id++) {
                shown[id] = shown[id] || counter_find(json_array_get(recorded->rows, i), arm, id) >= 0;
            }
        }
    }
}

static void counters_row(const json_t *row, const char *arm, const bool shown[COUNTERS_COUNT], FILE *page)
{
    double values[COUNTERS_COUNT];
    bool known = false;
    for (counter_id_t id = 0; id < COUNTERS_COUNT; id++) {
        values[id] = counter_find(row, arm, id);
        known = known || values[id] >= 0;
    }
    if (!known) {
        return;
    }
    fputs("<tr><th scope=\"row\">", page);
    markup_text(page, recorded_text(row, "name"));
    fputs("</th><td>", page);
    markup_text(page, arm);
    fputs("</td>", page);
    for (counter_id_t id = 0; id < COUNTERS_COUNT; id++) {
        if (shown[id] && values[id] >= 0) {
            fprintf(page, "<td>%.*f</td>", id <= COUNTERS_SETTLED ? 1 : 0, values[id]);
        } else if (shown[id]) {
            fputs("<td></td>", page);
        }
    }
    fputs("</tr>\n", page);
}

void tables_print_counters(const recorded_t *recorded, FILE *page)
{
    const json_t *arms = json_object_get(recorded->root, "arms");
    bool shown[COUNTERS_COUNT] = {false};
    counters_note(recorded, arms, shown);
    table_open("Medians of the runs", page);
    fputs("<thead><tr><th scope=\"col\">Benchmark</th><th scope=\"col\">arm</th>", page);
    for (counter_id_t id = 0; id < COUNTERS_COUNT; id++) {
        if (shown[id]) {
            fprintf(page, "<th scope=\"col\">%s</th>", counter_heading(id));
        }
    }
    fputs("</tr></thead>\n", page);
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        for (size_t j = 0; j < json_array_size(arms); j++) {
            counters_row(json_array_get(recorded->rows, i), recorded_text(json_array_get(arms, j), "name"), shown,
                         page);
        }
    }
    table_close(page);
}

/* A value on one line; an estimate as value and interval, anything else as JSON. */
static void value_print(const json_t *value, FILE *page)
{
    const json_t *figure = json_object_get(value, "value");
    if (json_is_string(value)) {
        markup_text(page, json_string_value(value));
    } else if (json_is_number(value)) {
        fprintf(page, "%.10g", json_number_value(value));
    } else if (json_is_number(figure)) {
        fprintf(page, "%.4g", json_number_value(figure));
        if (json_is_number(json_object_get(value, "low")) && json_is_number(json_object_get(value, "high"))) {
            fprintf(page, " (%.4g to %.4g)", recorded_number(value, "low"), recorded_number(value, "high"));
        }
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        markup_text(page, text != NULL ? text : "");
        free(text);
    }
}

/* Keys are words with underscores between them. */
static void key_print(const char *key, FILE *page)
{
    char text[VALUE_MAX];
    snprintf(text, sizeof text, "%s", key);
    for (char *place = text; *place != '\0'; place++) {
        if (*place == '_') {
            *place = ' ';
        }
    }
    markup_text(page, text);
}

void tables_print_object(const json_t *object, const char *caption, FILE *page)
{
    const char *key;
    json_t *value;
    if (json_object_size(object) == 0) {
        return;
    }
    table_open(caption, page);
    json_object_foreach((json_t *)object, key, value)
    {
        fputs("<tr><th scope=\"row\">", page);
        key_print(key, page);
        fputs("</th><td class=\"words\">", page);
        value_print(value, page);
        fputs("</td></tr>\n", page);
    }
    table_close(page);
}

/* The size at each quarter of the run, the last of which is its end; then the largest. */
static void resident_row(const char *arm, const resident_line_t *line, FILE *page)
{
    double largest = 0;
    fputs("<tr><th scope=\"row\">", page);
    markup_text(page, arm);
    fprintf(page, "</th><td>%.2f</td>", (double)line->count * line->step);
    for (size_t quarter = 1; quarter <= 4; quarter++) {
        fprintf(page, "<td>%.1f</td>", resident_line_size(line, (line->count * quarter + 3) / 4 - 1));
    }
    for (size_t point = 0; point < line->count; point++) {
        largest = fmax(largest, resident_line_size(line, point));
    }
    fprintf(page, "<td>%.1f</td></tr>\n", largest);
}

void tables_print_resident(const json_t *row, const json_t *arms, FILE *page)
{
    static const char *const headings[] = {"arm", "seconds", "at 1/4", "at 1/2", "at 3/4", "at the end", "largest"};
    bool opened = false;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        resident_line_t line;
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        if (!resident_line_find(row, arm, &line)) {
            continue;
        }
        if (!opened) {
            table_open("Resident size in MiB over the run", page);
            headings_print(headings, sizeof headings / sizeof *headings, page);
            opened = true;
        }
        resident_row(arm, &line, page);
    }
    if (opened) {
        table_close(page);
    }
}

void tables_print_figures(const json_t *row, FILE *page)
{
    const json_t *summaries = json_object_get(row, "summary");
    const char *key;
    json_t *value;
    if (json_array_size(summaries) == 0) {
        return;
    }
    table_open("All figures", page);
    for (size_t i = 0; i < json_array_size(summaries); i++) {
        const json_t *summary = json_array_get(summaries, i);
        fputs("<tr><th scope=\"row\">", page);
        markup_text(page, recorded_text(summary, "arm"));
        fputs(" over ", page);
        markup_text(page, recorded_text(summary, "base"));
        fputs("</th><td class=\"words\">", page);
        json_object_foreach((json_t *)summary, key, value)
        {
            if (strcmp(key, "arm") != 0 && strcmp(key, "base") != 0) {
                key_print(key, page);
                fputc(' ', page);
                value_print(value, page);
                fputs("<br>", page);
            }
        }
        fputs("</td></tr>\n", page);
    }
    table_close(page);
}
