/* SPDX-License-Identifier: MIT */
#include "lab/page/resident.h"

#include "lab/page/axis.h"
#include "lab/page/markup.h"
#include "lab/recorded.h"

#include <math.h>

#define KIB_PER_MIB 1024.0

/* The lines, the marks below and left of them, and then the names, in two columns. */
enum { LEFT = 40, TOP = 18, BOTTOM = 188, MARKS_HEIGHT = 34, NAME_HEIGHT = 18, NAME_COLUMNS = 2, SAMPLE_WIDTH = 26 };

/* As many as the page's style has colours and dashes for. */
enum { STYLES = 7 };

bool resident_line_find(const json_t *row, const char *arm, resident_line_t *line)
{
    static const char *const places[] = {"memory", "counters"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const json_t *counted = json_object_get(json_object_get(row, places[i]), arm);
        const json_t *resident = json_object_get(counted, "resident");
        line->points = json_object_get(resident, "kib");
        line->count = json_array_size(line->points);
        line->step = recorded_number(resident, "step_ms") / 1000;
        if (line->count > 0 && line->step > 0) {
            return true;
        }
    }
    return false;
}

double resident_line_size(const resident_line_t *line, size_t point)
{
    return json_number_value(json_array_get(line->points, point)) / KIB_PER_MIB;
}

static double place_across(const axis_t *seconds, double value)
{
    return LEFT + fmin(value / seconds->high, 1) * (AXIS_RIGHT - LEFT);
}

static double place_up(const axis_t *sizes, double value)
{
    return BOTTOM - fmin(fmax(value / sizes->high, 0), 1) * (BOTTOM - TOP);
}

/* Returns how many arms were followed, and makes room for all that was seen. */
static size_t lines_measure(const json_t *row, const json_t *arms, axis_t *seconds, axis_t *sizes)
{
    size_t lines = 0;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        resident_line_t line;
        if (!resident_line_find(row, recorded_text(json_array_get(arms, i), "name"), &line)) {
            continue;
        }
        axis_take(seconds, (double)line.count * line.step);
        for (size_t point = 0; point < line.count; point++) {
            axis_take(sizes, fmax(resident_line_size(&line, point), 0));
        }
        lines++;
    }
    axis_round(seconds);
    axis_round(sizes);
    return lines;
}

static void marks_print(const axis_t *seconds, const axis_t *sizes, FILE *page)
{
    long up = lround(sizes->high / sizes->step), across = lround(seconds->high / seconds->step);
    fprintf(page, "<text class=\"side\" x=\"%d\" y=\"%d\">MiB</text>\n", LEFT - 5, TOP - 8);
    for (long mark = 0; mark <= up; mark++) {
        double size = (double)mark * sizes->step, place = place_up(sizes, size);
        fprintf(page, "<line class=\"%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", mark == 0 ? "zero" : "grid",
                LEFT, place, AXIS_RIGHT, place);
        fprintf(page, "<text class=\"side\" x=\"%d\" y=\"%.1f\">%g</text>\n", LEFT - 5, place + 4, size);
    }
    for (long mark = 0; mark <= across; mark++) {
        double time = (double)mark * seconds->step;
        fprintf(page, "<text class=\"mark\" x=\"%.1f\" y=\"%d\">%g%s</text>\n", place_across(seconds, time),
                BOTTOM + 15, time, mark == across ? " s" : "");
    }
}

/* Each point is drawn at the end of its step. */
static void line_print(const axis_t *seconds, const axis_t *sizes, const resident_line_t *line, size_t style,
                       FILE *page)
{
    fprintf(page, "<path class=\"line arm%zu\" d=\"", style);
    for (size_t point = 0; point < line->count; point++) {
        fprintf(page, "%s%.1f %.1f", point == 0 ? "M" : "L", place_across(seconds, (double)(point + 1) * line->step),
                place_up(sizes, resident_line_size(line, point)));
    }
    if (line->count == 1) { /* a point alone would not be seen */
        fputs("h2", page);
    }
    fputs("\"/>\n", page);
}

/* A piece of the line, and whose it is. */
static void name_print(const char *arm, size_t number, size_t style, FILE *page)
{
    size_t width = (AXIS_RIGHT - LEFT) / NAME_COLUMNS;
    size_t left = LEFT + number % NAME_COLUMNS * width;
    size_t middle = BOTTOM + MARKS_HEIGHT + number / NAME_COLUMNS * NAME_HEIGHT;
    fprintf(page, "<path class=\"line arm%zu\" d=\"M%zu %zuh%d\"/>", style, left, middle, SAMPLE_WIDTH);
    fprintf(page, "<text x=\"%zu\" y=\"%zu\">", left + SAMPLE_WIDTH + 6, middle + 4);
    markup_text(page, arm);
    fputs("</text>\n", page);
}

void resident_print(const json_t *row, const json_t *arms, FILE *page)
{
    axis_t seconds = {0}, sizes = {0};
    size_t lines = lines_measure(row, arms, &seconds, &sizes), number = 0;
    if (lines == 0) {
        return;
    }
    size_t height = BOTTOM + MARKS_HEIGHT + (lines + NAME_COLUMNS - 1) / NAME_COLUMNS * NAME_HEIGHT;
    fprintf(page, "<svg role=\"img\" viewBox=\"0 0 %d %zu\"><title>Resident size in MiB over seconds, in ", AXIS_WIDTH,
            height);
    markup_text(page, recorded_text(row, "name"));
    fputs("; the table below has the figures</title>\n", page);
    marks_print(&seconds, &sizes, page);
    for (size_t i = 0; i < json_array_size(arms); i++) {
        resident_line_t line;
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        if (resident_line_find(row, arm, &line)) {
            line_print(&seconds, &sizes, &line, i % STYLES, page);
            name_print(arm, number++, i % STYLES, page);
        }
    }
    fputs("</svg>\n", page);
}
