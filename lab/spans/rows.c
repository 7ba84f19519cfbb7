/* SPDX-License-Identifier: MIT */
#include "lab/peers.h"
#include "lab/spans/suite.h"

/*
 * A cycle writes 1 GiB in all, or touches the pages of 4 GiB. The limits are such that the full form ends within a
 * quarter of an hour and the quick one within two minutes, whatever an arm does: growing by small steps with an
 * allocator that copies each time would alone take that long.
 */
#define CYCLE(text, size, in_quick)                                                                                    \
    {                                                                                                                  \
        .name = "cycle-" text, .meaning = text " MiB, every byte written", .kind = "cycle", .touch = "all",            \
        .mib = (size), .loops = (1024 + (size)-1) / (size), .group = SPANS_WRITE, .quick = (in_quick), .limit = 1.5,   \
        .quick_limit = 0.3, .seconds = 0.5, .need_kib = (size)*1024LL + 16384                                          \
    }
#define CYCLE_PAGES(text, size, in_quick)                                                                              \
    {                                                                                                                  \
        .name = "cycle-" text "-page", .meaning = text " MiB, a byte of each page written", .kind = "cycle",           \
        .touch = "page", .mib = (size), .loops = (4096 + (size)-1) / (size), .group = SPANS_TOUCH,                     \
        .quick = (in_quick), .limit = 1.5, .quick_limit = 0.3, .seconds = 0.9, .need_kib = (size)*1024LL + 16384       \
    }
#define OTHER(text, what, does, writes, count, grows, in_quick, most, quick_most, about, need_mib)                     \
    {                                                                                                                  \
        .name = (text), .meaning = (what), .kind = (does), .touch = (writes), .mib = 1, .loops = (count),              \
        .group = SPANS_OTHER, .growth = (grows), .quick = (in_quick), .limit = (most), .quick_limit = (quick_most),    \
        .seconds = (about), .need_kib = (need_mib)*1024LL                                                              \
    }

const spans_row_t spans_rows[SPANS_ROW_COUNT] = {
    CYCLE("1", 1, true),
    CYCLE("4", 4, false),
    CYCLE("8", 8, false),
    CYCLE("16", 16, false),
    CYCLE("32", 32, false),
    CYCLE("33", 33, true),
    CYCLE("64", 64, false),
    CYCLE("100", 100, true),
    CYCLE("256", 256, false),
    CYCLE_PAGES("1", 1, true),
    CYCLE_PAGES("4", 4, false),
    CYCLE_PAGES("8", 8, false),
    CYCLE_PAGES("16", 16, false),
    CYCLE_PAGES("32", 32, false),
    CYCLE_PAGES("33", 33, true),
    CYCLE_PAGES("64", 64, false),
    CYCLE_PAGES("100", 100, true),
    CYCLE_PAGES("256", 256, false),
    OTHER("slots", "20 buffers of 5 to 25 MiB, one replaced", "slots", "all", 1000, false, true, 4, 0.4, 3.2, 600),
    OTHER("slots-page", "the same, a byte of each page written", "slots", "page", 1000, false, true, 4, 0.4, 2.8, 600),
    OTHER("double", "realloc from 1 MiB to 1 GiB, twice as large each time", "double", "all", 1, true, false, 4, 0, 2.2,
          2200),
    OTHER("double-page", "the same, a byte of each page written", "double", "page", 1, true, true, 4, 1.2, 1.8, 2200),
    OTHER("grow", "realloc from 1 MiB to 1 GiB, 1 MiB more each time", "grow", "all", 1, true, false, 4, 0, 3, 2200),
    OTHER("grow-page", "the same, a byte of each page written", "grow", "page", 1, true, true, 4, 1.2, 2.8, 2200),
    OTHER("calloc", "calloc of 1 GiB, one byte written", "calloc", "once", 100, false, true, 1.5, 0.6, 1, 1100),
    OTHER("calloc-page", "the same, a byte of each page written", "calloc", "page", 5, false, false, 4, 0, 3, 1100),
};

/* What a process costs beside its row: start, giving all memory back, exit. */
#define PROCESS_SECONDS 0.05
/* strace stops a process twice in every system call; few rows make many. */
#define TRACED_SECONDS 0.1

bool spans_row_fits(const spans_t *spans, size_t row)
{
    return spans_rows[row].need_kib <= spans->machine.available_kib / 2;
}

void spans_plan(spans_t *spans, bool quick)
{
    spans->quick = quick;
    spans->swaps = quick ? 1 : 2;
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        spans->selected[row] = (spans_rows[row].quick || !quick) && spans_row_fits(spans, row);
    }
}

const char *spans_row_name(size_t row)
{
    return spans_rows[row].name;
}

bool spans_select(spans_t *spans, const char *list, char *wrong, size_t size)
{
    bool known = peers_rows_select(list, spans_row_name, SPANS_ROW_COUNT, spans->selected, wrong, size);
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        spans->selected[row] = spans->selected[row] && spans_row_fits(spans, row);
    }
    return known;
}

double spans_row_limit(const spans_t *spans, size_t row)
{
    const spans_row_t *entry = &spans_rows[row];
    return spans->quick && entry->quick ? entry->quick_limit : entry->limit;
}

double spans_run_estimate(const spans_t *spans, size_t row)
{
    double limit = spans_row_limit(spans, row), seconds = spans_rows[row].seconds;
    return (seconds < limit ? seconds : limit) + PROCESS_SECONDS;
}

double spans_estimate(const spans_t *spans)
{
    double arms = 0, runs = 0, busy = 0, seconds = 0;
    double at_once = spans->machine.cores_allowed > 1 ? 2 : 1;
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arms += arm_is_in(&spans->arms.arms[i]);
    }
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row]) {
            double run = spans_run_estimate(spans, row);
            seconds += run * 4 / at_once * (arms - 1) * (double)spans->swaps;
            busy += run * arms;
            runs += arms;
        }
    }
    double traced = spans->strace[0] != '\0' ? busy + TRACED_SECONDS * runs : 0;
    return seconds + (busy + traced) / at_once + SPANS_SETTLE_SECONDS;
}
