/* SPDX-License-Identifier: MIT */
#include "lab/threads/report.h"

#include "lab/peers.h"
#include "lab/threads/summary.h"

enum { COLUMN_ARM = 1, COLUMN_TIME, COLUMN_RATIO, COLUMN_INTERVAL, COLUMN_PEAK, COLUMN_MARK };
enum { COLUMN_TAKES = COLUMN_MARK, COLUMN_WAITS, COLUMN_PARCELS };

static const char *const headings[THREADS_FORM_COUNT][TABLE_COLUMN_MAX] = {
    [THREADS_FEW] = {"", "arm", "ns an operation", "time", "95 %", "peak MiB", "behind in"},
    [THREADS_MANY] = {"", "arm", "ns an operation", "time", "95 %", "peak MiB", "lock takes", "lock waits", "parcels"},
};

static const size_t columns[THREADS_FORM_COUNT] = {COLUMN_MARK + 1, COLUMN_PARCELS + 1};

static void time_cells(table_t *table, arm_id_t arm, const threads_summary_t *summary)
{
    table_cell(table, COLUMN_TIME, "%.1f", summary->medians[FIGURE_WALL] * 1e9);
    if (arm == ARM_CUBBY) {
        table_cell(table, COLUMN_RATIO, "1");
    } else if (summary->compared > 0) {
        table_cell(table, COLUMN_RATIO, "%.2fx", summary->time.value);
        if (summary->time.known) {
            table_cell(table, COLUMN_INTERVAL, "%.2f-%.2f", summary->time.interval.low, summary->time.interval.high);
        }
    }
}

/* What only Cubby's row has: the mark, or the counters, for a thousand operations. */
static void cubby_cells(table_t *table, const threads_t *threads, threads_form_t form, size_t row,
                        const threads_summary_t *summary)
{
    if (form == THREADS_FEW) {
        verdict_t verdict;
        threads_judge(threads, form, row, &verdict);
        verdict_cell(table, COLUMN_MARK, &verdict, "peak");
        return;
    }
    table_cell(table, COLUMN_TAKES, "%.3f", summary->medians[FIGURE_TAKES] * 1000);
    table_cell(table, COLUMN_WAITS, "%.3f", summary->medians[FIGURE_WAITS] * 1000);
    table_cell(table, COLUMN_PARCELS, "%.3f", summary->medians[FIGURE_PARCELS] * 1000);
}

static void arm_row(table_t *table, const threads_t *threads, threads_form_t form, size_t row, arm_id_t id)
{
    const arm_t *arm = &threads->arms.arms[id];
    table_row(table, id == ARM_CUBBY ? threads_rows[row].name : "");
    table_cell(table, COLUMN_ARM, "%s", arm->name);
    if (arm->dropped) {
        table_remark(table, "%s, dropped: %s", arm->name, arm->reason);
        return;
    }
    threads_summary_t summary;
    threads_summarize(threads, form, row, id, &summary);
    if (summary.runs > 0) {
        time_cells(table, id, &summary);
        table_cell(table, COLUMN_PEAK, "%.1f", summary.medians[FIGURE_PEAK] / 1024);
        if (id == ARM_CUBBY) {
            cubby_cells(table, threads, form, row, &summary);
        }
    }
}

/* Cubby first, then the others. */
static void form_print(const threads_t *threads, threads_form_t form, const char *title, FILE *stream)
{
    table_t table;
    bool any = false;
    table_begin(&table, columns[form], headings[form]);
    for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
        if (!threads_row_is_in(threads, form, row)) {
            continue;
        }
        any = true;
        arm_row(&table, threads, form, row, ARM_CUBBY);
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            if (arm != ARM_CUBBY && threads->arms.arms[arm].selected && threads->arms.arms[arm].present) {
                arm_row(&table, threads, form, row, arm);
            }
        }
    }
    if (any) {
        fprintf(stream, "\n%s\n", title);
        table_print(&table, stream);
    }
}

static void verdicts_list(const threads_t *threads, FILE *stream)
{
    verdict_t verdicts[THREADS_ROW_COUNT] = {{0}};
    for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
        if (threads_row_is_in(threads, THREADS_FEW, row)) {
            threads_judge(threads, THREADS_FEW, row, &verdicts[row]);
        }
    }
    verdicts_print(verdicts, THREADS_ROW_COUNT, "peak", stream);
    for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
        if (verdict_is_behind(&verdicts[row])) {
            fprintf(stream, "  %s (%s):", threads_rows[row].name, threads_rows[row].meaning);
            verdict_print(&verdicts[row], &threads->arms, "peak", stream);
        }
    }
}

void threads_report_plan(const threads_t *threads, FILE *stream)
{
    char duration[64];
    progress_announce(threads_estimate(threads), duration, sizeof duration);
    fprintf(stream, "cubby bench threads: %s, %ld cores, %s (seed %llu)\n", threads->machine.cpu,
            threads->machine.cores_online, duration, (unsigned long long)threads->seed);
    peers_note_absent(&threads->arms, stream);
    if (threads->machine.cores_allowed < 2) {
        fputs("note: only one core may be used; threads take turns on it, and what they would cost each other on two "
              "is not seen\n",
              stream);
    }
}

void threads_report_print(const threads_t *threads, FILE *stream)
{
    fputs("ns: elapsed time of the row by its operations, median of the rounds; an operation is one block, allocated "
          "and\n"
          "freed. time: the arm's over Cubby's in the same round, geometric mean. peak: VmHWM, median.\n",
          stream);
    form_print(threads, THREADS_FEW, "two threads (single: one)", stream);
    form_print(
        threads, THREADS_MANY,
        "64 threads, by counters: for a thousand operations, the locks that Cubby took, those that it had to wait\n"
        "for, and the parcels of blocks sent home to another thread, each by one atomic exchange; peers count none",
        stream);
    verdicts_list(threads, stream);
}
