/* SPDX-License-Identifier: MIT */
#include "lab/threads/result.h"

#include "lab/json.h"
#include "lab/threads/summary.h"

static const char *const figure_keys[FIGURE_COUNT] = {
    [FIGURE_WALL] = "median_wall_seconds_an_operation", [FIGURE_CPU] = "median_cpu_seconds_an_operation",
    [FIGURE_FAULTS] = "minor_faults_an_operation",      [FIGURE_PEAK] = "peak_kib",
    [FIGURE_TAKES] = "lock_takes_an_operation",         [FIGURE_WAITS] = "lock_waits_an_operation",
    [FIGURE_PARCELS] = "parcels_an_operation",
};

/* Null for what was not measured, and for counters that the arm does not have. */
static json_t *arm_to_json(const threads_t *threads, threads_form_t form, size_t row, arm_id_t arm)
{
    threads_summary_t summary;
    threads_summarize(threads, form, row, arm, &summary);
    json_t *entry = json_pack("{s:s, s:I}", "arm", threads->arms.arms[arm].name, "runs", (json_int_t)summary.runs);
    json_object_set_new(entry, "time_over_cubby", summary.compared > 0 ? estimate_to_json(&summary.time) : json_null());
    for (int i = 0; i < FIGURE_COUNT; i++) {
        bool known = summary.runs > 0 && (i < FIGURE_COUNTERS || arm == ARM_CUBBY);
        json_object_set_new(entry, figure_keys[i], known ? json_real(summary.medians[i]) : json_null());
    }
    return entry;
}

/* Every run that counts, as it was printed, with its round and its place in it. */
static json_t *runs_to_json(const threads_t *threads, threads_form_t form, size_t row)
{
    json_t *runs = json_array();
    for (size_t round = 0; round < threads->rounds[form]; round++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            const threads_sample_t *sample = threads_sample(threads, form, row, round, arm);
            if (sample->good) {
                json_array_append_new(runs, json_pack("{s:I, s:I, s:s, s:O}", "round", (json_int_t)round, "place",
                                                      (json_int_t)sample->place, "arm", threads->arms.arms[arm].name,
                                                      "run", sample->raw));
            }
        }
    }
    return runs;
}

static json_t *row_to_json(const threads_t *threads, threads_form_t form, size_t row)
{
    verdict_t verdict;
    threads_judge(threads, form, row, &verdict);
    json_t *arms = json_array();
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (threads->arms.arms[arm].selected && threads->arms.arms[arm].present) {
            json_array_append_new(arms, arm_to_json(threads, form, row, arm));
        }
    }
    return json_pack("{s:s, s:s, s:i, s:I, s:o, s:o, s:o}", "name", threads_rows[row].name, "meaning",
                     threads_rows[row].meaning, "threads", threads_row_threads(form, row), "operations",
                     (json_int_t)threads_row_operations(threads, form, row), "arms", arms, "verdict",
                     verdict_to_json(&verdict, &threads->arms, "peak"), "runs", runs_to_json(threads, form, row));
}

static json_t *form_to_json(const threads_t *threads, threads_form_t form)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
        if (threads_row_is_in(threads, form, row)) {
            json_array_append_new(rows, row_to_json(threads, form, row));
        }
    }
    return rows;
}

json_t *threads_to_json(const threads_t *threads, const char *version, char *const *arguments)
{
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:o, s:o, s:o, s:o}", "format", 1, "suite",
                     "threads", "cubby", version, "date", date_to_json(), "command", command_to_json(arguments),
                     "quick", threads->quick, "seed", (json_int_t)threads->seed, "elapsed_seconds",
                     progress_seconds(&threads->progress), "jansson", JANSSON_VERSION, "machine",
                     machine_to_json(&threads->machine), "arms", arms_to_json(&threads->arms), "rows",
                     form_to_json(threads, THREADS_FEW), "rows_of_64_threads", form_to_json(threads, THREADS_MANY));
}
