/* SPDX-License-Identifier: MIT */
#include "lab/native_report.h"

#include "lab/native_summary.h"
#include "lab/peers.h"
#include "lab/table.h"

#include <assert.h>

enum { COLUMN_ARM, COLUMN_VARIANT, COLUMN_TIME, COLUMN_RATIO, COLUMN_INTERVAL, COLUMN_PEAK, COLUMN_COUNTERS };

static_assert(COLUMN_COUNTERS + NATIVE_COUNTER_MOST <= TABLE_COLUMN_MAX, "every counter has a column");
static_assert(ARM_COUNT * NATIVE_VARIANT_MOST < TABLE_ROW_MAX, "every entry has a line");

static void entry_row(table_t *table, const native_t *native, size_t row, native_entry_t entry)
{
    const native_kind_t *kind = native->kind;
    const arm_t *arm = &native->arms.arms[entry.arm];
    native_summary_t summary;
    table_row(table, arm->name);
    if (arm->dropped) {
        table_remark(table, "dropped: %s", arm->reason);
        return;
    }
    native_summarize(native, row, entry, &summary);
    table_cell(table, COLUMN_VARIANT, "%s", kind->variants[entry.variant].name);
    if (summary.pairs == 0) {
        return;
    }
    table_cell(table, COLUMN_TIME, "%.2f", summary.medians[NATIVE_TIME] * 1e9);
    table_cell(table, COLUMN_RATIO, native_is_base(entry) ? "1" : "%.2fx", summary.time.value);
    if (!native_is_base(entry) && summary.time.known) {
        table_cell(table, COLUMN_INTERVAL, "%.2f-%.2f", summary.time.interval.low, summary.time.interval.high);
    }
    table_cell(table, COLUMN_PEAK, "%.1f", summary.medians[NATIVE_PEAK] / 1024);
    for (size_t i = 0; i < kind->counter_count; i++) {
        table_cell(table, COLUMN_COUNTERS + i, "%.2f", summary.medians[NATIVE_COUNTERS + i] * kind->counters[i].scale);
    }
}

/* Cubby first, then the others. */
static void row_print(const native_t *native, size_t row, FILE *stream)
{
    const native_kind_t *kind = native->kind;
    const char *headings[TABLE_COLUMN_MAX] = {"", kind->variant, "ns", "time", "95 %", "peak MiB"};
    table_t table;
    for (size_t i = 0; i < kind->counter_count; i++) {
        headings[COLUMN_COUNTERS + i] = kind->counters[i].heading;
    }
    table_begin(&table, COLUMN_COUNTERS + kind->counter_count, headings);
    for (size_t place = 0; place <= ARM_COUNT; place++) {
        arm_id_t arm = place == 0 ? ARM_CUBBY : (arm_id_t)(place - 1);
        const arm_t *shown = &native->arms.arms[arm];
        if ((place > 0 && arm == ARM_CUBBY) || !shown->selected || !shown->present) {
            continue;
        }
        for (size_t variant = 0; variant < (shown->dropped ? 1 : kind->variant_count); variant++) {
            entry_row(&table, native, row, (native_entry_t){arm, variant});
        }
    }
    fprintf(stream, "\n%s: %s\n", kind->rows[row].name, kind->rows[row].meaning);
    table_print(&table, stream);
}

static void verdicts_list(const native_t *native, FILE *stream)
{
    verdict_t verdicts[NATIVE_ROW_MOST] = {{0}};
    for (size_t row = 0; row < native->kind->row_count; row++) {
        if (native->selected[row]) {
            native_judge(native, row, &verdicts[row]);
        }
    }
    verdicts_print(verdicts, native->kind->row_count, "peak", stream);
    for (size_t row = 0; row < native->kind->row_count; row++) {
        if (verdict_is_behind(&verdicts[row])) {
            fprintf(stream, "  %s:", native->kind->rows[row].name);
            verdict_print(&verdicts[row], &native->arms, "peak", stream);
        }
    }
}

void native_report_plan(const native_t *native, FILE *stream)
{
    char duration[64];
    progress_announce(native_estimate(native), duration, sizeof duration);
    fprintf(stream, "cubby bench %s: %s, %ld cores, %s (seed %llu)\n", native->kind->suite, native->machine.cpu,
            native->machine.cores_online, duration, (unsigned long long)native->seed);
    peers_note_absent(&native->arms, stream);
    if (native->machine.cores_allowed < 2) {
        fputs("note: only one core may be used; the halves of a pair run one after the other\n", stream);
    }
}

void native_report_print(const native_t *native, FILE *stream)
{
    fputs(native->kind->about, stream);
    for (size_t row = 0; row < native->kind->row_count; row++) {
        if (native->selected[row]) {
            row_print(native, row, stream);
        }
    }
    verdicts_list(native, stream);
}
