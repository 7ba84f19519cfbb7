/* SPDX-License-Identifier: MIT */
#include "lab/page/bars.h"

#include "lab/page/axis.h"
#include "lab/page/markup.h"

#include <math.h>

/* A bar has its name above it, so that long names cost no width. */
enum { ROW_HEIGHT = 34, NAME_DROP = 13, BAR_DROP = 18, BAR_HEIGHT = 10, AXIS_HEIGHT = 24 };

static double percent_of(double ratio)
{
    return (ratio - 1) * 100;
}

static axis_t bars_axis(const bar_t *bars, size_t count)
{
    axis_t axis = {0};
    for (size_t i = 0; i < count; i++) {
        const stats_estimate_t *estimate = &bars[i].change.estimate;
        axis_take(&axis, percent_of(estimate->value));
        if (estimate->known) {
            axis_take(&axis, percent_of(estimate->interval.low));
            axis_take(&axis, percent_of(estimate->interval.high));
        }
    }
    axis_round(&axis);
    return axis;
}

static void whisker_print(const axis_t *axis, const stats_interval_t *interval, double middle, FILE *page)
{
    double low = axis_place(axis, percent_of(interval->low)), high = axis_place(axis, percent_of(interval->high));
    fprintf(page, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n", low, middle, high, low,
            middle - 4, high, middle - 4);
}

static void bar_print(const axis_t *axis, const bar_t *bar, double top, FILE *page)
{
    const stats_estimate_t *estimate = &bar->change.estimate;
    double percent = percent_of(estimate->value);
    double zero = axis_place(axis, 0), width = fmax(fabs(axis_place(axis, percent) - zero), 1); /* to be seen at all */
    fprintf(page, "<text x=\"%d\" y=\"%.1f\">", AXIS_LEFT, top + NAME_DROP);
    markup_text(page, recorded_text(bar->row, "name"));
    fprintf(page, "</text><text class=\"figure\" x=\"%d\" y=\"%.1f\">%+.2f %%</text>\n", AXIS_RIGHT, top + NAME_DROP,
            percent);
    fprintf(page, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
            percent < 0 ? "slower" : "faster", percent < 0 ? zero - width : zero, top + BAR_DROP, width, BAR_HEIGHT);
    if (estimate->known) {
        whisker_print(axis, &estimate->interval, top + BAR_DROP + BAR_HEIGHT / 2.0, page);
    }
}

void bars_print(const bar_t *bars, size_t count, const char *title, FILE *page)
{
    axis_t axis = bars_axis(bars, count);
    double bottom = (double)count * ROW_HEIGHT;
    fprintf(page, "<svg role=\"img\" viewBox=\"0 0 %d %.0f\"><title>", AXIS_WIDTH, bottom + AXIS_HEIGHT);
    markup_text(page, title);
    fputs("</title>\n", page);
    axis_print(&axis, 0, bottom, page);
    for (size_t i = 0; i < count; i++) {
        bar_print(&axis, &bars[i], (double)i * ROW_HEIGHT, page);
    }
    fputs("</svg>\n", page);
}
