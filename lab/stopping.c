/* SPDX-License-Identifier: MIT */
#include "lab/stopping.h"

#include "lab/inference.h"

bool stopping_is_due(const double *logarithms, size_t count, double width)
{
    if (count < STOPPING_PAIRS_LEAST) {
        return false;
    }
    stats_estimate_t estimate = inference_t_ratio(logarithms, count);
    return estimate.interval.high - estimate.interval.low < width * estimate.value;
}
