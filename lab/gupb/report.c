/* SPDX-License-Identifier: MIT */
#include "lab/gupb/report.h"

#include "lab/exclusion.h"
#include "lab/gupb/counters.h"
#include "lab/gupb/findings.h"
#include "lab/peers.h"
#include "lab/stopping.h"
#include "lab/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table of an arm: the rows in which it was measured, with its speedup, the greatest first. */
typedef struct line {
    size_t row;
    size_t pairs;
    stats_estimate_t speedup;
    double adjusted; /* p */
    verdict_of_row_t verdict;
    pooled_t_t pooled;
} line_t;

void gupb_report_start(const gupb_t *gupb, FILE *stream)
{
    const experiment_t *experiment = &gupb->experiment;
    const machine_t *machine = &experiment->machine;
    fprintf(stream, "cubby bench %s: %s, %s, %ld cores (seed %llu)\n", gupb->suite, experiment->python, machine->cpu,
            machine->cores_online, (unsigned long long)experiment->seed);
    peers_note_absent(&experiment->arms, stream);
    if (!gupb->even) {
        fputs(
            "note: liblab-null.so is not there, or in a path that LD_PRELOAD cannot carry: stock preloads nothing, and "
            "the\nenvironments differ in size\n",
            stream);
    }
    machine_warnings_print(machine, stream);
}

/* What will not count, before anything has run. */
static void rules_print(FILE *stream)
{
    fputs("a run that fails leaves its arm out of its row; a pair does not count, and is not run again, when\n",
          stream);
    for (size_t i = EXCLUSION_NONE + 1; i < EXCLUSION_COUNT; i++) {
        fprintf(stream, "  %s: %s\n", exclusion_names[i], exclusion_meanings[i]);
    }
}

void gupb_report_plan(const gupb_t *gupb, FILE *stream)
{
    char duration[64];
    size_t rows = 0;
    for (size_t row = 0; row < gupb->list.count; row++) {
        rows += gupb_row_is_in(gupb, row);
        if (gupb->experiment.plan.selected[row] && !gupb_row_is_in(gupb, row)) {
            fprintf(stream, "note: %s is left out: %s\n", gupb->list.rows[row].name,
                    gupb->experiment.results[row].reasons[ARM_STOCK]);
        }
    }
    progress_announce(gupb_estimate(gupb), duration, sizeof duration);
    double width = gupb->experiment.plan.width;
    fprintf(stream, "%zu row%s, %s%s, in %zu pass%s over all of them\n", rows, rows == 1 ? "" : "s",
            width > 0 ? "at most " : "", duration, gupb->passes, gupb->passes == 1 ? "" : "es");
    if (width > 0) {
        fprintf(stream,
                "an arm of a row ends when its interval is narrower than %g %%, after %d pairs at the earliest; from "
                "then on\na pass takes the widest quarter of the others\n",
                width * 100, STOPPING_PAIRS_LEAST);
    }
    if (gupb->counters) {
        progress_announce(counters_estimate(gupb), duration, sizeof duration);
        fprintf(stream, "and counters of them, %s\n", duration);
    }
    rules_print(stream);
}

static int line_compare(const void *left, const void *right)
{
    double a = ((const line_t *)left)->speedup.value, b = ((const line_t *)right)->speedup.value;
    return (a < b) - (a > b);
}

static verdict_of_row_t verdict_invert(verdict_of_row_t verdict)
{
    if (verdict == ROW_UNDECIDED) {
        return verdict;
    }
    return verdict == ROW_FASTER ? ROW_SLOWER : ROW_FASTER;
}

/* What changes from the first to the second: for list-libc, the baseline of 2016, it is the other way round. */
static line_t line_make(arm_id_t arm, const finding_t *finding)
{
    const summary_t *summary = &finding->summary;
    line_t line = {.row = finding->row,
                   .pairs = summary->pairs,
                   .speedup = summary->speedup,
                   .adjusted = finding->adjusted,
                   .verdict = finding->verdict,
                   .pooled = summary->pooled};
    if (arm == ARM_LIST_LIBC) {
        line.speedup = estimate_invert(line.speedup);
        line.verdict = verdict_invert(line.verdict);
        line.pooled.t = -line.pooled.t;
    }
    return line;
}

static size_t lines_fill(const gupb_t *gupb, arm_id_t arm, line_t lines[WORKLOAD_MAX])
{
    finding_t *findings = calloc(WORKLOAD_MAX, sizeof *findings);
    size_t count = findings != NULL ? findings_make(gupb, arm, findings) : 0;
    for (size_t i = 0; i < count; i++) {
        lines[i] = line_make(arm, &findings[i]);
    }
    free(findings);
    qsort(lines, count, sizeof *lines, line_compare);
    return count;
}

/* The %D of 2016: how much longer the unchanged side takes. */
static double percent_of(double ratio)
{
    return (ratio - 1) * 100;
}

static void estimate_cells(table_t *table, size_t column, const stats_estimate_t *speedup)
{
    table_cell(table, column, "%+.2f", percent_of(speedup->value));
    if (speedup->known) {
        table_cell(table, column + 1, "%+.2f to %+.2f", percent_of(speedup->interval.low),
                   percent_of(speedup->interval.high));
    }
}

/* Whether any of the rows stands in one of the tables of 2016. */
static bool rows_were_published(const gupb_t *gupb)
{
    for (size_t row = 0; row < gupb->list.count; row++) {
        for (size_t i = 0; i < ROWS_TABLE_COUNT; i++) {
            if (gupb->list.rows[row].known[i]) {
                return true;
            }
        }
    }
    return false;
}

static void lines_print(const gupb_t *gupb, const line_t *lines, size_t count, FILE *stream)
{
    static const char *const headings[] = {"Benchmark", "%D",      "95 %",    "p",       "verdict",
                                           "old t",     "table 1", "table 2", "table 3", "table 4"};
    enum { ADJUSTED_P = 3, VERDICT, OLD_T, FIRST_PUBLISHED };
    table_t table;
    table_begin(&table, rows_were_published(gupb) ? FIRST_PUBLISHED + ROWS_TABLE_COUNT : FIRST_PUBLISHED, headings);
    for (size_t i = 0; i < count; i++) {
        const row_t *row = &gupb->list.rows[lines[i].row];
        table_row(&table, row->name);
        estimate_cells(&table, 1, &lines[i].speedup);
        table_cell(&table, ADJUSTED_P, "%.3f", lines[i].adjusted);
        if (lines[i].verdict != ROW_UNDECIDED) {
            table_cell(&table, VERDICT, "%s", verdict_names[lines[i].verdict]);
        }
        if (lines[i].pooled.known) {
            table_cell(&table, OLD_T, "%.1f%s", lines[i].pooled.t, lines[i].pooled.significant ? "*" : "");
        }
        for (size_t column = 0; column < ROWS_TABLE_COUNT; column++) {
            if (row->known[column]) {
                table_cell(&table, FIRST_PUBLISHED + column, "%+.2f", row->published[column]);
            }
        }
    }
    table_print(&table, stream);
}

/* Geometric mean, and how many rows are slower, which their intervals are sure of or not. */
static void lines_sum_print(const line_t *lines, size_t count, FILE *stream)
{
    double sum = 0;
    size_t slower = 0, sure = 0, verdicts[] = {[ROW_UNDECIDED] = 0, [ROW_FASTER] = 0, [ROW_SLOWER] = 0};
    for (size_t i = 0; i < count; i++) {
        sum += log(lines[i].speedup.value);
        slower += lines[i].speedup.value < 1;
        sure += lines[i].speedup.known && lines[i].speedup.interval.high < 1;
        verdicts[lines[i].verdict]++;
    }
    fprintf(stream, "  geometric mean %+.2f %%; %zu of %zu rows slower, %zu of them beyond their interval\n",
            percent_of(exp(sum / (double)count)), slower, count, sure);
    fprintf(stream, "  verdicts: %zu faster, %zu slower, %zu undecided\n", verdicts[ROW_FASTER], verdicts[ROW_SLOWER],
            verdicts[ROW_UNDECIDED]);
}

static void noise_floor_print(const gupb_t *gupb, FILE *stream)
{
    noise_floor_t floor;
    if (noise_floor_find(gupb, &floor)) {
        fprintf(stream, "  noise floor: %zu of %zu rows within %.0f %%, %.2f %% on average, %.2f %% at most\n",
                floor.within, floor.rows, FINDINGS_NOISE_PERCENT, floor.mean_percent, floor.greatest_percent);
    }
}

static void arm_print(const gupb_t *gupb, arm_id_t arm, FILE *stream)
{
    line_t lines[WORKLOAD_MAX];
    const arm_t *entry = &gupb->experiment.arms.arms[arm];
    size_t count = lines_fill(gupb, arm, lines);
    if (count == 0) {
        return;
    }
    size_t fewest = lines[0].pairs;
    for (size_t i = 1; i < count; i++) {
        fewest = lines[i].pairs < fewest ? lines[i].pairs : fewest;
    }
    if (arm == ARM_STOCK) {
        fputs("\nstock beside itself: what noise alone makes", stream);
    } else if (arm == ARM_LIST_LIBC) {
        fputs("\nstock over list-libc: the change of 2016", stream);
    } else {
        fprintf(stream, "\n%s over stock: %s", entry->name, entry->meaning);
    }
    fprintf(stream, " (%zu pairs)\n", fewest);
    lines_print(gupb, lines, count, stream);
    lines_sum_print(lines, count, stream);
    if (arm == ARM_STOCK) {
        noise_floor_print(gupb, stream);
    }
}

static void counters_cells(table_t *table, const row_counters_t *counters)
{
    table_cell(table, 1, "%.1f", (double)counters->peak_kib / 1024);
    table_cell(table, 2, "%.1f", (double)counters->settled_kib / 1024);
    table_cell(table, 3, "%lld", counters->minor_faults);
    if (counters->calls >= 0) {
        table_cell(table, 4, "%.0f", counters->calls);
    }
    if (counters->instructions >= 0) {
        table_cell(table, 5, "%.3f", counters->instructions / 1e6);
    }
}

/* What the rows cost in an arm beside time; nothing when that was not counted. */
static void counters_print(const gupb_t *gupb, arm_id_t arm, FILE *stream)
{
    static const char *const headings[] = {"Benchmark", "peak MiB", "settled", "faults", "calls", "M instructions"};
    table_t table;
    size_t rows = 0;
    table_begin(&table, sizeof headings / sizeof *headings, headings);
    for (size_t row = 0; row < gupb->list.count; row++) {
        const row_counters_t *counters = &gupb->experiment.results[row].counters[arm];
        if (gupb->experiment.plan.selected[row] && counters->known) {
            table_row(&table, gupb->list.rows[row].name);
            counters_cells(&table, counters);
            rows++;
        }
    }
    if (rows > 0) {
        fprintf(stream, "\ncounters of %s; system calls and instructions are those of a loop of the quick form\n",
                gupb->experiment.arms.arms[arm].name);
        table_print(&table, stream);
    }
}

/* What did not count, if anything did not. */
static void exclusions_print(const gupb_t *gupb, FILE *stream)
{
    size_t counts[EXCLUSION_COUNT];
    size_t pairs = exclusions_count(gupb, counts);
    for (size_t i = EXCLUSION_NONE + 1; i < EXCLUSION_COUNT; i++) {
        fprintf(stream, "  excluded for \"%s\": %zu of %zu pairs\n", exclusion_names[i], counts[i], pairs);
    }
}

/* True when an arm of a row has pairs, and none of them counts. */
static bool row_is_disturbed(const workload_result_t *result, arm_id_t arm)
{
    size_t pairs = 0, counting = 0;
    for (size_t i = 0; i < result->pair_count; i++) {
        pairs += result->pairs[i].arm == arm;
        counting += result->pairs[i].arm == arm && result->pairs[i].excluded == EXCLUSION_NONE;
    }
    return pairs > 0 && counting == 0;
}

/* What a budget or the most passes left undone, and how to have it done. */
static void left_print(const gupb_t *gupb, FILE *stream)
{
    gupb_left_t left;
    char duration[64];
    double width = gupb->experiment.plan.width;
    if (gupb->ended && width <= 0) {
        fprintf(stream, "  the budget was spent after %zu of %zu passes\n", gupb->passes_done, gupb->passes);
    } else if (gupb->ended) {
        fprintf(stream, "  the budget was spent after %zu passes\n", gupb->passes_done);
    }
    gupb_left_find(gupb, &left);
    if (width > 0) {
        fprintf(stream, "  %zu of %zu intervals are narrower than %g %%", left.intervals - left.wider, left.intervals,
                width * 100);
        if (isfinite(left.width)) {
            fprintf(stream, "; the widest is %.2f %%, of %s on %s", left.width * 100, gupb->list.rows[left.row].name,
                    gupb->experiment.arms.arms[left.arm].name);
        }
        fputc('\n', stream);
    }
    if (gupb->ended) {
        progress_announce(left.seconds, duration, sizeof duration);
        fprintf(stream, "  what is left takes %s; %s\n", duration,
                gupb->experiment.journal != NULL ? "the same command goes on with it"
                                                 : "with --resume=FILE a run can be gone on with");
    }
}

static void notes_print(const gupb_t *gupb, FILE *stream)
{
    fputc('\n', stream);
    for (size_t row = 0; row < gupb->list.count; row++) {
        const workload_result_t *result = &gupb->experiment.results[row];
        if (!gupb->experiment.plan.selected[row]) {
            continue;
        }
        if (gupb->list.rows[row].note[0] != '\0') {
            fprintf(stream, "  %s: %s\n", gupb->list.rows[row].name, gupb->list.rows[row].note);
        }
        for (size_t arm = 0; arm < ARM_COUNT; arm++) {
            if (row_is_disturbed(result, arm)) {
                fprintf(stream, "  %s: no pair with %s counts; the machine was too busy\n", gupb->list.rows[row].name,
                        gupb->experiment.arms.arms[arm].name);
            }
            if (result->reasons[arm][0] != '\0') {
                fprintf(stream, "  %s: left out on %s: %s\n", gupb->list.rows[row].name,
                        gupb->experiment.arms.arms[arm].name, result->reasons[arm]);
            }
        }
    }
    exclusions_print(gupb, stream);
    left_print(gupb, stream);
}

void gupb_report_print(const gupb_t *gupb, FILE *stream)
{
    fputs(
        "%D: how many percent more processor time the second takes than the first, the geometric mean over pairs that\n"
        "ran on two cores at once; 95 %: its interval; p: of the signed-rank test, adjusted over the rows; verdict: "
        "where "
        "it is at most 0.05,\n"
        "so that one in twenty is wrong; old t: the pooled t of 2016 over the same runs, * where that would be "
        "significant.\n",
        stream);
    if (rows_were_published(gupb)) {
        fputs("Tables 1 to 4: %D of 2016 (CPython 3 on Haswell-EP and Broadwell-EP, CPython 2 on both).\n", stream);
    }
    if (gupb->experiment.plan.quick) {
        fputs("The quick form does a small piece of each row, in few pairs: it shows the direction, not the figure.\n",
              stream);
    }
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        arm_print(gupb, arm, stream);
    }
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        counters_print(gupb, arm, stream);
    }
    notes_print(gupb, stream);
}
