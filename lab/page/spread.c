/* SPDX-License-Identifier: MIT */
#include "lab/page/spread.h"

#include "lab/page/axis.h"
#include "lab/page/markup.h"

#include <math.h>
#include <stdlib.h>

/* The arm's name, and below it its dots, which alternate between three heights so that equal ones can be told apart. */
enum { ARM_HEIGHT = 40, NAME_DROP = 13, DOT_DROP = 22, DOT_STEP = 5, DOT_HEIGHTS = 3, AXIS_HEIGHT = 24 };

static double percent_of(double logarithm)
{
    return (exp(logarithm) - 1) * 100;
}

/* Returns how many arms have pairs, and makes room for all of them. */
static size_t spread_measure(const json_t *row, const json_t *arms, axis_t *axis)
{
    size_t lines = 0;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        size_t count;
        double *values = recorded_logarithms(row, "stock", recorded_text(json_array_get(arms, i), "name"), &count);
        for (size_t j = 0; values != NULL && j < count; j++) {
            axis_take(axis, percent_of(values[j]));
        }
        lines += values != NULL;
        free(values);
    }
    axis_round(axis);
    return lines;
}

static void arm_print(const axis_t *axis, const char *arm, double *values, size_t count, double top, FILE *page)
{
    fprintf(page, "<text x=\"%d\" y=\"%.1f\">", AXIS_LEFT, top + NAME_DROP);
    markup_text(page, arm);
    fprintf(page, "</text><text class=\"figure\" x=\"%d\" y=\"%.1f\">%zu pair%s</text>\n", AXIS_RIGHT, top + NAME_DROP,
            count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        fprintf(page, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>",
                axis_place(axis, percent_of(values[i])), top + DOT_DROP + (double)(i % DOT_HEIGHTS) * DOT_STEP);
    }
    double median = axis_place(axis, percent_of(stats_median(values, count)));
    fprintf(page, "<path class=\"whisker\" d=\"M%.1f %.1fv18\"/>\n", median, top + DOT_DROP - 4);
}

void spread_print(const json_t *row, const json_t *arms, FILE *page)
{
    axis_t axis = {0};
    size_t lines = spread_measure(row, arms, &axis);
    if (lines == 0) {
        return;
    }
    double top = 0, bottom = (double)lines * ARM_HEIGHT;
    fprintf(page, "<svg role=\"img\" viewBox=\"0 0 %d %.0f\"><title>Each pair of ", AXIS_WIDTH, bottom + AXIS_HEIGHT);
    markup_text(page, recorded_text(row, "name"));
    fputs(", in percent, with the median</title>\n", page);
    axis_print(&axis, 0, bottom, page);
    for (size_t i = 0; i < json_array_size(arms); i++) {
        size_t count;
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        double *values = recorded_logarithms(row, "stock", arm, &count);
        if (values != NULL) {
            arm_print(&axis, arm, values, count, top, page);
            top += ARM_HEIGHT;
        }
        free(values);
    }
    fputs("</svg>\n", page);
}
