/* SPDX-License-Identifier: MIT */
#include "lab/page/memory.h"

#include "lab/page/axis.h"
#include "lab/page/counters.h"
#include "lab/page/markup.h"
#include "lab/recorded.h"

#include <math.h>

/* An arm's name and sizes, and below them its peak with the settled size drawn into it. */
enum { ARM_HEIGHT = 32, NAME_DROP = 13, BAR_DROP = 18, BAR_HEIGHT = 9 };

static void arm_print(const char *arm, double peak, double settled, double largest, double top, FILE *page)
{
    double scale = (AXIS_RIGHT - AXIS_LEFT) / largest;
    fprintf(page, "<text x=\"%d\" y=\"%.1f\">", AXIS_LEFT, top + NAME_DROP);
    markup_text(page, arm);
    fprintf(page, "</text><text class=\"figure\" x=\"%d\" y=\"%.1f\">%.1f MiB", AXIS_RIGHT, top + NAME_DROP, peak);
    if (settled >= 0) {
        fprintf(page, ", settled %.1f", settled);
    }
    fprintf(page, "</text>\n<rect class=\"peak\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n", AXIS_LEFT,
            top + BAR_DROP, peak * scale, BAR_HEIGHT);
    if (settled >= 0) {
        fprintf(page, "<rect class=\"settled\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n", AXIS_LEFT,
                top + BAR_DROP, settled * scale, BAR_HEIGHT);
    }
}

void memory_print(const json_t *row, const json_t *arms, FILE *page)
{
    double largest = 0, top = 0;
    size_t lines = 0;
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        double peak = counter_find(row, arm, COUNTERS_PEAK);
        largest = fmax(largest, fmax(peak, counter_find(row, arm, COUNTERS_SETTLED)));
        lines += peak >= 0;
    }
    if (lines == 0 || largest <= 0) {
        return;
    }
    fprintf(page, "<svg role=\"img\" viewBox=\"0 0 %d %.0f\"><title>Peak and settled size in ", AXIS_WIDTH,
            (double)lines * ARM_HEIGHT);
    markup_text(page, recorded_text(row, "name"));
    fputs("</title>\n", page);
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const char *arm = recorded_text(json_array_get(arms, i), "name");
        double peak = counter_find(row, arm, COUNTERS_PEAK);
        if (peak >= 0) {
            arm_print(arm, peak, counter_find(row, arm, COUNTERS_SETTLED), largest, top, page);
            top += ARM_HEIGHT;
        }
    }
    fputs("</svg>\n", page);
}
