/* SPDX-License-Identifier: MIT */
#include "lab/page/counters.h"

#include "lab/recorded.h"

#include <stdlib.h>
#include <string.h>

#define KIB_PER_MIB 1024.0

/* A counter by the keys under which results have it, and how many of its units the page's unit is. */
typedef struct counter {
    const char *heading;
    const char *keys[2];
    double unit;
} counter_t;

static const counter_t counter_table[COUNTERS_COUNT] = {
    [COUNTERS_PEAK] = {"peak MiB", {"peak_kib", NULL}, KIB_PER_MIB},
    [COUNTERS_SETTLED] = {"settled MiB", {"settled_kib", "after_kib"}, KIB_PER_MIB},
    [COUNTERS_FAULTS] = {"minor faults", {"minor_faults", NULL}, 1},
    [COUNTERS_CALLS] = {"system calls", {"system_calls", "system_calls_a_loop"}, 1},
    [COUNTERS_INSTRUCTIONS] = {"instructions", {"instructions", "instructions_a_loop"}, 1},
};

const char *counter_heading(counter_id_t id)
{
    return counter_table[id].heading;
}

/* A number of the object under one of the counter's keys; negative when there is none. */
static double counter_read(const json_t *object, const counter_t *counter)
{
    for (size_t i = 0; i < 2 && counter->keys[i] != NULL; i++) {
        const json_t *value = json_object_get(object, counter->keys[i]);
        if (json_is_number(value) && json_number_value(value) >= 0) {
            return json_number_value(value) / counter->unit;
        }
    }
    return -1;
}

/* The median over an arm's runs in pairs; negative when no run has it. */
static double counter_median(const json_t *row, const char *arm, const counter_t *counter)
{
    static const char *const sides[][2] = {{"base", "base_run"}, {"arm", "arm_run"}};
    const json_t *pairs = json_object_get(row, "pairs");
    size_t count = 0;
    double *values = malloc((2 * json_array_size(pairs) + 1) * sizeof *values);
    for (size_t i = 0; values != NULL && i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        for (size_t side = 0; side < 2; side++) {
            double value = counter_read(json_object_get(pair, sides[side][1]), counter);
            if (strcmp(recorded_text(pair, sides[side][0]), arm) == 0 && value >= 0) {
                values[count++] = value;
            }
        }
    }
    double median = count > 0 ? stats_median(values, count) : -1;
    free(values);
    return median;
}

double counter_find(const json_t *row, const char *arm, counter_id_t id)
{
    static const char *const places[] = {"memory", "counters"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double value = counter_read(json_object_get(json_object_get(row, places[i]), arm), &counter_table[id]);
        if (value >= 0) {
            return value;
        }
    }
    return counter_median(row, arm, &counter_table[id]);
}
