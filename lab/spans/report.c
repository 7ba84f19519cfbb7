/* SPDX-License-Identifier: MIT */
#include "lab/spans/report.h"

#include "lab/peers.h"
#include "lab/spans/summary.h"
#include "lab/table.h"

enum { COLUMN_ARM = 1, COLUMN_TIME, COLUMN_RATIO, COLUMN_INTERVAL, COLUMN_FAULTS, COLUMN_CALLS, COLUMN_PEAK };
enum { COLUMN_SETTLED = COLUMN_PEAK + 1, COLUMN_MARK, COLUMN_COUNT };

static const char *const group_titles[SPANS_GROUP_COUNT] = {
    [SPANS_WRITE] = "allocate, write every byte, free",
    [SPANS_TOUCH] = "allocate, write a byte of each page, free",
    [SPANS_OTHER] = "slots, growing, zeroed",
};

static double mebibytes(long long kib)
{
    return (double)kib / 1024;
}

static void time_cells(table_t *table, arm_id_t arm, const spans_summary_t *summary)
{
    const char *more = summary->at_least ? ">" : "";
    table_cell(table, COLUMN_TIME, "%s%.3f", more, summary->seconds * 1000);
    if (arm == ARM_CUBBY) {
        table_cell(table, COLUMN_RATIO, "1");
    } else if (summary->unknown) {
        table_cell(table, COLUMN_RATIO, "?");
    } else {
        int decimals = summary->time.value < 0.1 ? 5 : 2;
        table_cell(table, COLUMN_RATIO, "%s%.*fx", more, decimals, summary->time.value);
        if (summary->time.known) {
            table_cell(table, COLUMN_INTERVAL, "%.*f-%.*f", decimals, summary->time.interval.low, decimals,
                       summary->time.interval.high);
        }
    }
}

/* Few a loop are shown with their fraction. */
static void count_cell(table_t *table, size_t column, double count)
{
    char text[32];
    if (count < 100) {
        table_cell(table, column, "%.2f", count);
        return;
    }
    number_group((long long)(count + 0.5), text, sizeof text);
    table_cell(table, column, "%s", text);
}

static void arm_row(table_t *table, const spans_t *spans, size_t row, arm_id_t id)
{
    const arm_t *arm = &spans->arms.arms[id];
    const spans_result_t *result = &spans->results[row];
    table_row(table, id == ARM_CUBBY ? spans_rows[row].name : "");
    table_cell(table, COLUMN_ARM, "%s", arm->name);
    if (arm->dropped) {
        table_remark(table, "%s, dropped: %s", arm->name, arm->reason);
        return;
    }
    spans_summary_t summary;
    spans_summarize(spans, row, id, &summary);
    if (summary.pairs > 0) {
        time_cells(table, id, &summary);
    }
    const spans_sample_t *memory = &result->memory[id];
    if (memory->good) {
        count_cell(table, COLUMN_FAULTS, memory->faults);
        table_cell(table, COLUMN_PEAK, "%.1f", mebibytes(memory->peak_kib));
        table_cell(table, COLUMN_SETTLED, "%.1f", mebibytes(memory->settled_kib));
    }
    if (result->calls[id] >= 0) {
        count_cell(table, COLUMN_CALLS, result->calls[id]);
    }
    if (id == ARM_CUBBY) {
        verdict_t verdict;
        spans_judge(spans, row, &verdict);
        verdict_cell(table, COLUMN_MARK, &verdict, "settled");
    }
}

/* Cubby first, then the others. */
static void row_print(table_t *table, const spans_t *spans, size_t row)
{
    arm_row(table, spans, row, ARM_CUBBY);
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (arm != ARM_CUBBY && spans->arms.arms[arm].selected && spans->arms.arms[arm].present) {
            arm_row(table, spans, row, arm);
        }
    }
}

static void group_print(const spans_t *spans, spans_group_t group, FILE *stream)
{
    static const char *const headings[COLUMN_COUNT] = {
        "",         "arm",         "ms a loop", "time", "95 %", "faults a loop", "calls a loop",
        "peak MiB", "settled MiB", "behind in"};
    table_t table;
    bool any = false;
    table_begin(&table, COLUMN_COUNT, headings);
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row] && spans_rows[row].group == group) {
            row_print(&table, spans, row);
            any = true;
        }
    }
    if (!any) {
        return;
    }
    fprintf(stream, "\n%s\n", group_titles[group]);
    table_print(&table, stream);
}

static void verdicts_list(const spans_t *spans, FILE *stream)
{
    verdict_t verdicts[SPANS_ROW_COUNT] = {{0}};
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row]) {
            spans_judge(spans, row, &verdicts[row]);
        }
    }
    verdicts_print(verdicts, SPANS_ROW_COUNT, "settled", stream);
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (verdict_is_behind(&verdicts[row])) {
            fprintf(stream, "  %s (%s; %d loop%s):", spans_rows[row].name, spans_rows[row].meaning,
                    spans_rows[row].loops, spans_rows[row].loops == 1 ? "" : "s");
            verdict_print(&verdicts[row], &spans->arms, "settled", stream);
        }
    }
}

void spans_report_plan(const spans_t *spans, FILE *stream)
{
    char duration[64];
    progress_announce(spans_estimate(spans), duration, sizeof duration);
    fprintf(stream, "cubby bench spans: %s, %ld cores, %s (seed %llu)\n", spans->machine.cpu,
            spans->machine.cores_online, duration, (unsigned long long)spans->seed);
    peers_note_absent(&spans->arms, stream);
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (!spans_row_fits(spans, row)) {
            fprintf(stream, "note: %s is left out: it may need %.0f MiB, and twice that is not free\n",
                    spans_rows[row].name, mebibytes(spans_rows[row].need_kib));
        }
    }
    if (spans->strace[0] == '\0') {
        fprintf(stream, "note: system calls are not counted: %s\n", spans->strace_reason);
    }
    if (spans->machine.cores_allowed < 2) {
        fputs("note: only one core may be used; pairs run one after the other, and their ratios are rougher\n", stream);
    }
}

void spans_report_print(const spans_t *spans, FILE *stream)
{
    fputs(
        "ms: processor time of a loop, median of the processes. time: the arm's over Cubby's, pair by pair on two\n"
        "cores at once, geometric mean; > where the arm was cut short. faults (minor), peak (VmHWM) and settled (RSS\n"
        "when all is dropped and 2 s of light work have passed) are of runs of their own; so are system calls.\n",
        stream);
    for (spans_group_t group = 0; group < SPANS_GROUP_COUNT; group++) {
        group_print(spans, group, stream);
    }
    if (spans->strace[0] == '\0') {
        fprintf(stream, "\nnote: system calls were not counted: %s\n", spans->strace_reason);
    }
    verdicts_list(spans, stream);
}
