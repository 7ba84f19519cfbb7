/* SPDX-License-Identifier: MIT */
#include "lab/lists/rows.h"

/*
 * So many loops that Cubby's run takes about a third of a second, long beside the start of its process. The time of a
 * pair is that of the slower one, which in `large` copies the list.
 */
static const native_row_t rows[] = {
    {"append", "a list of 1,000 items is built item by item, alone, and dropped", 100000, 0.5},
    {"beside", "four lists of 1,000 items are built side by side, item by item, and dropped", 20000, 0.5},
    {"pop", "a list of 1,000 items is made at once and taken apart item by item", 80000, 0.3},
    {"grow-shrink", "a list swings between 20 and 2,000 items, item by item", 100000, 0.15},
    {"many", "of 100,000 lists of 1 to 12 items a random one is replaced", 2000000, 1.2},
    {"nested", "a list of 100 lists of 20 items is built item by item and dropped", 10000, 0.2},
    {"unpickle", "a document of 1,000 lists of 1 to 12 items is built item by item, kept and dropped", 4000, 0.3},
    {"large", "a list of ten million items is built item by item and dropped", 8, 2.6},
};

static const native_variant_t rules[] = {{"cubby", "--rule=cubby"}, {"cpython", "--rule=cpython"}};

static const native_counter_t counters[] = {
    {"bytes_copied", "bytes copied", 1},
    {"changes", "changes in 1,000", 1000},
};

const native_kind_t lists_kind = {
    .suite = "lists",
    .program = "cubby-lists",
    .unit = "items",
    .variant = "rule",
    .about =
        "ns: processor time an item, appended or taken off, median. time: the arm's over Cubby's in the same pair,\n"
        "geometric mean. peak: VmHWM, median. bytes copied: those in the list when its buffer got another address,\n"
        "an item. changes: buffers taken, resized or freed, in 1,000 items. rule: how lists grow, Cubby's or\n"
        "CPython's; Cubby with its own is <cubby/list.h>, all others are the same loops over malloc and realloc.\n",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .variants = rules,
    .variant_count = sizeof rules / sizeof *rules,
    .counters = counters,
    .counter_count = sizeof counters / sizeof *counters,
};
