/* SPDX-License-Identifier: MIT */
#include "lab/report.h"

#include "lab/summary.h"
#include "lab/table.h"

#include <string.h>

static double mebibytes(long long kib)
{
    return (double)kib / 1024;
}

/* "4.51x" and the interval "4.32-4.70"; three decimals where ratios are near 1. */
static void speedup_cells(table_t *table, size_t column, const stats_estimate_t *speedup)
{
    int decimals = speedup->value < 2 ? 3 : 2;
    table_cell(table, column, "%.*fx", decimals, speedup->value);
    if (speedup->known) {
        table_cell(table, column + 1, "%.*f-%.*f", decimals, speedup->interval.low, decimals, speedup->interval.high);
    }
}

static void memory_cells(table_t *table, size_t column, const sample_t *memory)
{
    char faults[32];
    if (!memory->good) {
        return;
    }
    number_group(memory->minor_faults, faults, sizeof faults);
    table_cell(table, column, "%.0f", mebibytes(memory->peak_kib));
    table_cell(table, column + 1, "%.0f", mebibytes(memory->after_kib));
    table_cell(table, column + 2, "%s", faults);
}

static void arm_row(table_t *table, const experiment_t *experiment, workload_id_t workload, arm_id_t id)
{
    const arm_t *arm = &experiment->arms.arms[id];
    if (!arm->selected) {
        return;
    }
    table_row(table, arm->name);
    if (!arm->present || arm->dropped) {
        table_remark(table, "%s: %s", arm->dropped ? "dropped" : "left out", arm->reason);
        return;
    }
    summary_t summary;
    if (id == ARM_STOCK) {
        table_cell(table, 1, "%.3f", summary_base_seconds(experiment, workload, id));
        table_cell(table, 2, "1");
    } else if (summary_make(experiment, workload, ARM_STOCK, id, &summary)) {
        table_cell(table, 1, "%.3f", summary.median_seconds);
        speedup_cells(table, 2, &summary.speedup);
    }
    memory_cells(table, 4, &experiment->results[workload].memory[id]);
}

/* "+20.3 % (+19.1 to +21.5 %)" */
static void percent_print(FILE *stream, const stats_estimate_t *speedup)
{
    fprintf(stream, "%+.1f %%", (speedup->value - 1) * 100);
    if (speedup->known) {
        fprintf(stream, " (%+.1f to %+.1f %%)", (speedup->interval.low - 1) * 100, (speedup->interval.high - 1) * 100);
    }
}

/* The comparison of 2016, then and now: list buffers from pools against list buffers from libc. */
static void lists_print(const experiment_t *experiment, workload_id_t workload, FILE *stream)
{
    summary_t summary;
    if (summary_make(experiment, workload, ARM_STOCK, ARM_LIST_LIBC, &summary)) {
        stats_estimate_t stock = estimate_invert(summary.speedup);
        fputs("  here, stock over list-libc: ", stream);
        percent_print(stream, &stock);
        fputc('\n', stream);
    }
    if (summary_make(experiment, workload, ARM_LIST_LIBC, ARM_CUBBY, &summary)) {
        fprintf(stream, "  here, cubby over list-libc, %zu direct pairs: ", summary.pairs);
        percent_print(stream, &summary.speedup);
        fputc('\n', stream);
    }
}

/* The published figures of the workload, a line for each machine; where times are given, the ratio as well. */
static void figures_print(const experiment_t *experiment, workload_id_t workload, FILE *stream)
{
    const figure_list_t *list = &experiment->figures;
    const char *source = NULL;
    const figure_t *before = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const figure_t *figure = &list->figures[i];
        if (strcmp(figure->workload, workload_table[workload].name) != 0) {
            continue;
        }
        if (source == NULL || strcmp(source, figure->source) != 0) {
            fprintf(stream, "  The seed (%s):\n", figure->source);
        }
        source = figure->source;
        if (figure->speedup_percent > 0) {
            fprintf(stream, "  %s, %s: %+.2f %% over libc malloc\n", figure->machine, figure->variant,
                    figure->speedup_percent);
        } else if (before != NULL && strcmp(before->machine, figure->machine) == 0) {
            fprintf(stream, "  %s: %s %.1f s, %s %.1f s (%s %.2fx)\n", figure->machine, before->variant,
                    before->seconds, figure->variant, figure->seconds, before->variant,
                    figure->seconds / before->seconds);
        }
        before = figure;
    }
}

/* What Cubby does here in the terms of 2008, in which the freelist was compared with pymalloc. */
static void cubby_print(const experiment_t *experiment, workload_id_t workload, FILE *stream)
{
    summary_t summary;
    if (summary_make(experiment, workload, ARM_STOCK, ARM_CUBBY, &summary)) {
        fprintf(stream, "  here: cubby %.2f s, pymalloc %.2f s (cubby %.2fx)\n", summary.median_seconds,
                summary_base_seconds(experiment, workload, ARM_STOCK), summary.speedup.value);
    }
}

/* "1.43x (1.38-1.49)" */
static void ratio_print(FILE *stream, const stats_estimate_t *ratio)
{
    fprintf(stream, "%.2fx", ratio->value);
    if (ratio->known) {
        fprintf(stream, " (%.2f-%.2f)", ratio->interval.low, ratio->interval.high);
    }
}

static void peer_print(const experiment_t *experiment, workload_id_t workload, FILE *stream)
{
    peer_summary_t summary;
    if (!summary_peer(experiment, workload, &summary)) {
        return;
    }
    fprintf(stream, "  cubby over the fastest peer (%s): ", experiment->arms.arms[summary.peer].name);
    ratio_print(stream, &summary.through_stock);
    fputs(" by their speedups", stream);
    if (summary.pairs > 0) {
        fputs(", ", stream);
        ratio_print(stream, &summary.direct);
        fprintf(stream, " in %zu direct pairs", summary.pairs);
    }
    fputc('\n', stream);
}

static void workload_print(const experiment_t *experiment, workload_id_t workload, FILE *stream)
{
    static const char *const headings[] = {"arm",      "seconds",   "speedup",     "95 %",
                                           "peak MiB", "after MiB", "minor faults"};
    table_t table;
    table_begin(&table, sizeof headings / sizeof *headings, headings);
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        arm_row(&table, experiment, workload, arm);
    }
    int rounds = experiment->plan.rounds[workload];
    fprintf(stream, "\n%s (%s; %d round%s)\n", workload_table[workload].name, workload_table[workload].meaning, rounds,
            rounds == 1 ? "" : "s");
    table_print(&table, stream);
    peer_print(experiment, workload, stream);
    figures_print(experiment, workload, stream);
    if (workload_table[workload].lists) {
        lists_print(experiment, workload, stream);
    } else {
        cubby_print(experiment, workload, stream);
    }
}

static void startup_print(const experiment_t *experiment, FILE *stream)
{
    static const char *const headings[] = {"", "milliseconds", "95 %", "RSS KiB", "95 %"};
    startup_summary_t summary;
    if (!summary_startup(experiment, &summary)) {
        return;
    }
    table_t table;
    table_begin(&table, sizeof headings / sizeof *headings, headings);
    table_row(&table, "stock");
    table_cell(&table, 1, "%.2f", summary.stock_milliseconds);
    table_cell(&table, 3, "%.0f", summary.stock_rss_kib);
    table_row(&table, "cubby");
    table_cell(&table, 1, "%.2f", summary.cubby_milliseconds);
    table_cell(&table, 3, "%.0f", summary.cubby_rss_kib);
    table_row(&table, "difference");
    table_cell(&table, 1, "%+.2f", summary.milliseconds.value);
    table_cell(&table, 3, "%+.0f", summary.rss_kib.value);
    if (summary.milliseconds.known && summary.rss_kib.known) {
        table_cell(&table, 2, "%+.2f to %+.2f", summary.milliseconds.interval.low, summary.milliseconds.interval.high);
        table_cell(&table, 4, "%+.0f to %+.0f", summary.rss_kib.interval.low, summary.rss_kib.interval.high);
    }
    fprintf(stream, "\nstart-up (python3 -c pass, %zu pairs in turn)\n", experiment->startup.pairs);
    table_print(&table, stream);
}

static void native_print(const experiment_t *experiment, FILE *stream)
{
    static const char *const headings[] = {"call", "nanoseconds", "ratio", "against"};
    if (experiment->native_reason[0] != '\0') {
        fprintf(stream, "\nnative\n  left out: %s\n", experiment->native_reason);
    }
    if (experiment->native_report == NULL) {
        return;
    }
    table_t table;
    table_begin(&table, sizeof headings / sizeof *headings, headings);
    const json_t *rows = json_object_get(experiment->native_report, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const json_t *ratio = json_object_get(row, "ratio"), *against = json_object_get(row, "against");
        table_row(&table, json_string_value(json_object_get(row, "name")));
        table_cell(&table, 1, "%.2f", json_number_value(json_object_get(row, "nanoseconds")));
        if (json_is_number(ratio)) {
            table_cell(&table, 2, "%.2fx", json_number_value(ratio));
        }
        if (json_is_string(against)) {
            table_cell(&table, 3, "%s", json_string_value(against));
        }
    }
    fputs("\nnative (the library's own calls)\n", stream);
    table_print(&table, stream);
}

void report_plan(const experiment_t *experiment, FILE *stream)
{
    const machine_t *machine = &experiment->machine;
    char duration[64];
    progress_announce(experiment_estimate(experiment), duration, sizeof duration);
    fprintf(stream, "cubby bench seeds: %s, %s, %ld cores, %s (seed %llu)\n", experiment->python, machine->cpu,
            machine->cores_online, duration, (unsigned long long)experiment->seed);
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &experiment->arms.arms[i];
        if (arm->selected && !arm->present) {
            fprintf(stream, "note: %s is left out: %s\n", arm->name, arm->reason);
        }
    }
    if (machine->cores_allowed < 2) {
        fputs("note: only one core may be used; pairs run one after the other, and their ratios are rougher\n", stream);
    }
}

void report_print(const experiment_t *experiment, FILE *stream)
{
    fputs(
        "seconds: processor time of the rounds, median of the processes. speedup: stock's time over the arm's, pair "
        "by\n"
        "pair on two cores at once, geometric mean. peak: VmHWM. after: RSS when all is dropped and 2 s of light work\n"
        "have passed. The figures of memory and the faults are of runs of their own, of as many rounds.\n",
        stream);
    for (workload_id_t workload = 0; workload < WORKLOAD_COUNT; workload++) {
        if (experiment->plan.selected[workload]) {
            workload_print(experiment, workload, stream);
        }
    }
    startup_print(experiment, stream);
    native_print(experiment, stream);
}
