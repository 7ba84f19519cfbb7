/* SPDX-License-Identifier: MIT */
#include "lab/stopping.h"

#include "lab/inference.h"

#include <math.h>

double stopping_width(const double *logarithms, size_t count)
{
    if (count < 2) {
        return INFINITY;
    }
    stats_estimate_t estimate = inference_t_ratio(logarithms, count);
    return (estimate.interval.high - estimate.interval.low) / estimate.value;
}

bool stopping_is_due(const double *logarithms, size_t count, double width)
{
    return count >= STOPPING_PAIRS_LEAST && stopping_width(logarithms, count) < width;
}

/* How many widths come before one. */
static size_t widths_before(const double *widths, size_t count, size_t place)
{
    size_t before = 0;
    for (size_t i = 0; i < count; i++) {
        before += widths[i] > widths[place] || (i < place && widths[i] == widths[place]);
    }
    return before;
}

void stopping_widest(const double *widths, size_t count, bool *widest)
{
    for (size_t i = 0; i < count; i++) {
        widest[i] = widths_before(widths, count, i) < (count + 3) / 4;
    }
}
