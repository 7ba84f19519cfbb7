/* SPDX-License-Identifier: MIT */
#include "lab/objects/suite.h"
#include "lab/peers.h"

#include <string.h>

/* The sizes of 2008, and fewer rounds than its 25: what a round costs is the same from the second one on. */
const objects_loop_t objects_loops[OBJECTS_LOOP_COUNT] = {
    {.name = "ints",
     .meaning = "a dict of new ints under new ints, made and dropped each round",
     .base = 0,
     .items = 2000000,
     .seconds = 0.8},
    {.name = "floats",
     .meaning = "a list of new floats and a dict of as many more under them, each round",
     .base = 3,
     .items = 1000000,
     .seconds = 0.6},
};

/* floats-INTS-FLOATS: the floats are made of a list of ints, which has a policy of its own. */
const objects_row_t objects_rows[OBJECTS_ROW_COUNT] = {
    {"ints-none", 0, "none", "none"},
    {"ints-bounded", 0, "bounded", "none"},
    {"ints-blocks", 0, "blocks", "none"},
    {"floats-none-none", 1, "none", "none"},
    {"floats-none-bounded", 1, "none", "bounded"},
    {"floats-none-blocks", 1, "none", "blocks"},
    {"floats-bounded-none", 1, "bounded", "none"},
    {"floats-bounded-bounded", 1, "bounded", "bounded"},
    {"floats-bounded-blocks", 1, "bounded", "blocks"},
    {"floats-blocks-none", 1, "blocks", "none"},
    {"floats-blocks-bounded", 1, "blocks", "bounded"},
    {"floats-blocks-blocks", 1, "blocks", "blocks"},
};

void objects_plan(objects_t *objects, bool quick)
{
    objects->quick = quick;
    objects->rounds = quick ? 1 : 10;
    objects->loop_rounds = quick ? 2 : 5;
    objects->item_share = quick ? 10 : 1;
    objects->settle_ms = quick ? 100 : 2000;
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        objects->selected[row] = true;
    }
}

const char *objects_row_name(size_t row)
{
    return objects_rows[row].name;
}

bool objects_select(objects_t *objects, const char *list, char *wrong, size_t size)
{
    if (!peers_rows_select(list, objects_row_name, OBJECTS_ROW_COUNT, objects->selected, wrong, size)) {
        return false;
    }
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        if (objects->selected[row]) {
            objects->selected[objects_loops[objects_rows[row].loop].base] = true;
        }
    }
    return true;
}

double objects_run_estimate(const objects_t *objects, size_t row)
{
    const objects_loop_t *loop = &objects_loops[objects_rows[row].loop];
    return loop->seconds * (double)objects->loop_rounds / (double)objects->item_share +
           2 * (double)objects->settle_ms / 1000 + 0.02;
}

double objects_estimate(const objects_t *objects)
{
    double arms = 0, seconds = 0, simulated = objects->valgrind[0] != '\0' ? 2.5 : 0;
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arms += arm_is_in(&objects->arms.arms[i]);
    }
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        if (objects->selected[row]) {
            seconds += (objects_run_estimate(objects, row) * (double)objects->rounds + simulated) * arms;
        }
    }
    return seconds;
}
