/* SPDX-License-Identifier: MIT */
#include "lab/page/axis.h"

#include <math.h>
#include <stdbool.h>

enum { MARKS = 5 };

#define PERCENT_MAX 10000.0
#define PERCENT_MIN (-100.0)

static double percent_bound(double percent)
{
    return fmin(fmax(percent, PERCENT_MIN), PERCENT_MAX);
}

void axis_take(axis_t *axis, double percent)
{
    if (isfinite(percent)) {
        axis->low = fmin(axis->low, percent_bound(percent));
        axis->high = fmax(axis->high, percent_bound(percent));
    }
}

/* 1, 2 or 5 times a power of ten, so that about as many marks fit. */
static double axis_step(const axis_t *axis)
{
    double rough = fmax(axis->high - axis->low, 1.0) / MARKS;
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return power * (share <= 1 ? 1 : (share <= 2 ? 2 : (share <= 5 ? 5 : 10)));
}

void axis_round(axis_t *axis)
{
    double step = axis_step(axis);
    axis->step = step;
    axis->low = floor(axis->low / step) * step;
    axis->high = fmax(ceil(axis->high / step) * step, axis->low + step);
}

double axis_place(const axis_t *axis, double percent)
{
    double bounded = fmin(fmax(percent, axis->low), axis->high);
    return AXIS_LEFT + (bounded - axis->low) / (axis->high - axis->low) * (AXIS_RIGHT - AXIS_LEFT);
}

void axis_print(const axis_t *axis, double top, double bottom, FILE *page)
{
    double step = axis->step;
    int marks = (int)lround((axis->high - axis->low) / step);
    for (int mark = 0; mark <= marks; mark++) {
        double percent = axis->low + mark * step;
        double place = axis_place(axis, percent);
        bool zero = fabs(percent) < step / 2;
        fprintf(page, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", zero ? "zero" : "grid",
                place, top, place, bottom);
        fprintf(page, "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\">", place, bottom + 14);
        if (zero) {
            fputs("0</text>\n", page);
        } else {
            fprintf(page, "%+g</text>\n", percent);
        }
    }
}
