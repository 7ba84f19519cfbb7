/* SPDX-License-Identifier: MIT */
#include "lab/gupb/report.h"

#include "lab/exclusion.h"
#include "lab/gupb/findings.h"
#include "lab/json.h"
#include "lab/result.h"
#include "lab/stopping.h"

#include <math.h>
#include <stdlib.h>

/* Null for a table that the row is not in. */
static json_t *published_to_json(const row_t *row)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < ROWS_TABLE_COUNT; i++) {
        json_array_append_new(tables, row->known[i] ? json_real(row->published[i]) : json_null());
    }
    return tables;
}

/* Null where the pairs do not allow one. */
static json_t *pooled_to_json(const pooled_t_t *pooled)
{
    return pooled->known ? json_pack("{s:f, s:I, s:b}", "t", pooled->t, "degrees", (json_int_t)pooled->degrees,
                                     "significant", pooled->significant)
                         : json_null();
}

static json_t *finding_to_json(const gupb_t *gupb, arm_id_t arm, const finding_t *finding)
{
    const summary_t *summary = &finding->summary;
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:f, s:f, s:s, s:o, s:f, s:f}", "base", "stock", "arm",
                     gupb->experiment.arms.arms[arm].name, "pairs", (json_int_t)summary->pairs, "excluded_pairs",
                     (json_int_t)summary->excluded, "median_cpu_seconds", summary->median_seconds, "speedup",
                     estimate_to_json(&summary->speedup), "elapsed_speedup", estimate_to_json(&summary->elapsed),
                     "student", estimate_to_json(&summary->student), "signed_rank_p", summary->signed_rank,
                     "adjusted_p", finding->adjusted, "verdict", verdict_names[finding->verdict], "pooled_t",
                     pooled_to_json(&summary->pooled), "median_peak_kib", summary->median_peak_kib,
                     "median_minor_faults", summary->median_faults);
}

/* An array for each row: its summaries, one for each arm. NULL without memory. */
static json_t *summaries_to_json(const gupb_t *gupb)
{
    json_t *rows = json_array();
    finding_t *findings = calloc(WORKLOAD_MAX, sizeof *findings);
    for (size_t row = 0; row < gupb->list.count; row++) {
        json_array_append_new(rows, json_array());
    }
    for (arm_id_t arm = 0; findings != NULL && arm < ARM_COUNT; arm++) {
        size_t count = findings_make(gupb, arm, findings);
        for (size_t i = 0; i < count; i++) {
            json_array_append_new(json_array_get(rows, findings[i].row), finding_to_json(gupb, arm, &findings[i]));
        }
    }
    free(findings);
    return rows;
}

/* A pair as it ran, and what is worked out of it: seconds a loop, whether it counts. */
static json_t *row_pair_to_json(const gupb_t *gupb, size_t row, const pair_t *pair)
{
    json_t *object = pair_to_json(&gupb->experiment, pair);
    double loops = gupb->experiment.plan.rounds[row];
    const char *excluded = exclusion_names[pair->excluded];
    json_object_set_new(object, "pass", json_integer((json_int_t)pair->pass));
    json_object_set_new(object, "started_first", json_string(pair->arm_first ? "arm" : "base"));
    json_object_set_new(object, "base_seconds", json_real(pair->base_sample.cpu_seconds / loops));
    json_object_set_new(object, "arm_seconds", json_real(pair->arm_sample.cpu_seconds / loops));
    json_object_set_new(object, "excluded", excluded != NULL ? json_string(excluded) : json_null());
    return object;
}

static json_t *row_pairs_to_json(const gupb_t *gupb, size_t row)
{
    const workload_result_t *result = &gupb->experiment.results[row];
    json_t *pairs = json_array();
    for (size_t i = 0; i < result->pair_count; i++) {
        json_array_append_new(pairs, row_pair_to_json(gupb, row, &result->pairs[i]));
    }
    return pairs;
}

/* Null when stock was not measured beside itself. */
static json_t *noise_floor_to_json(const gupb_t *gupb)
{
    noise_floor_t floor;
    if (!noise_floor_find(gupb, &floor)) {
        return json_null();
    }
    return json_pack("{s:I, s:f, s:I, s:I, s:f, s:f}", "rows", (json_int_t)floor.rows, "bound_percent",
                     FINDINGS_NOISE_PERCENT, "within_bound", (json_int_t)floor.within, "verdicts",
                     (json_int_t)floor.verdicts, "greatest_percent", floor.greatest_percent, "mean_percent",
                     floor.mean_percent);
}

/* The rules, and how many pairs each of them took. */
static json_t *exclusions_to_json(const gupb_t *gupb)
{
    size_t counts[EXCLUSION_COUNT];
    json_t *rules = json_array();
    exclusions_count(gupb, counts);
    for (size_t i = EXCLUSION_NONE + 1; i < EXCLUSION_COUNT; i++) {
        json_array_append_new(rules, json_pack("{s:s, s:s, s:I}", "reason", exclusion_names[i], "meaning",
                                               exclusion_meanings[i], "pairs", (json_int_t)counts[i]));
    }
    return rules;
}

/* Why arms do not take part in the row. */
static json_t *reasons_to_json(const gupb_t *gupb, size_t row)
{
    json_t *reasons = json_object();
    for (size_t arm = 0; arm < ARM_COUNT; arm++) {
        const char *reason = gupb->experiment.results[row].reasons[arm];
        if (reason[0] != '\0') {
            json_object_set_new(reasons, gupb->experiment.arms.arms[arm].name, json_string(reason));
        }
    }
    return reasons;
}

/* Of each arm that was counted. */
static json_t *row_counters_to_json(const gupb_t *gupb, size_t row)
{
    json_t *object = json_object();
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        const row_counters_t *counters = &gupb->experiment.results[row].counters[arm];
        if (counters->known) {
            json_object_set_new(object, gupb->experiment.arms.arms[arm].name, counters_to_json(counters));
        }
    }
    return object;
}

static json_t *row_to_json(const gupb_t *gupb, size_t row, json_t *summaries)
{
    const row_t *entry = &gupb->list.rows[row];
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:O, s:o, s:o, s:o}", "name", entry->name, "program", entry->file,
                     "note", entry->note, "loops", gupb->experiment.plan.rounds[row], "published_percent",
                     published_to_json(entry), "summary", summaries, "left_out", reasons_to_json(gupb, row), "pairs",
                     row_pairs_to_json(gupb, row), "counters", row_counters_to_json(gupb, row));
}

/* What a width asked for and the run did not reach; null where none was asked for. */
static json_t *left_to_json(const gupb_t *gupb)
{
    gupb_left_t left;
    if (gupb->experiment.plan.width <= 0) {
        return json_null();
    }
    gupb_left_find(gupb, &left);
    return json_pack("{s:I, s:I, s:o, s:s, s:s}", "intervals", (json_int_t)left.intervals, "wider",
                     (json_int_t)left.wider, "widest", isfinite(left.width) ? json_real(left.width) : json_null(),
                     "row", gupb->list.rows[left.row].name, "arm", gupb->experiment.arms.arms[left.arm].name);
}

/* The interpreter's version as the first run said it; null before there was one. */
static json_t *python_version(const gupb_t *gupb)
{
    for (size_t row = 0; row < gupb->list.count; row++) {
        if (gupb->experiment.results[row].pair_count > 0) {
            return json_incref(json_object_get(gupb->experiment.results[row].pairs[0].base_sample.raw, "python"));
        }
    }
    return json_null();
}

json_t *gupb_to_json(const gupb_t *gupb, const char *version, char *const *arguments)
{
    const experiment_t *experiment = &gupb->experiment;
    json_t *rows = json_array(), *summaries = summaries_to_json(gupb);
    for (size_t row = 0; row < gupb->list.count; row++) {
        if (experiment->plan.selected[row]) {
            json_array_append_new(rows, row_to_json(gupb, row, json_array_get(summaries, row)));
        }
    }
    json_decref(summaries);
    json_t *result =
        json_pack("{s:i, s:s, s:b, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:s, s:I, s:f, s:b, s:o, s:o, s:o}", "format", 1,
                  "suite", gupb->suite, "even_environments", gupb->even, "cubby", version, "date", date_to_json(),
                  "command", command_to_json(arguments), "quick", experiment->plan.quick, "seed",
                  (json_int_t)experiment->seed, "elapsed_seconds", progress_seconds(&experiment->progress), "python",
                  experiment->python, "jansson", JANSSON_VERSION, "passes", (json_int_t)gupb->passes_done,
                  "budget_seconds", gupb->budget, "budget_spent", gupb->ended, "machine",
                  machine_to_json(&experiment->machine), "arms", arms_to_json(&experiment->arms), "rows", rows);
    json_object_set_new(result, "python_version", python_version(gupb));
    json_object_set_new(result, "width", experiment->plan.width > 0 ? json_real(experiment->plan.width) : json_null());
    json_object_set_new(result, "left", left_to_json(gupb));
    json_object_set_new(result, "stopping_least_pairs", json_integer(STOPPING_PAIRS_LEAST));
    json_object_set_new(result, "passes_most", json_integer((json_int_t)gupb->passes));
    json_object_set_new(result, "noise_floor", noise_floor_to_json(gupb));
    json_object_set_new(result, "exclusions", exclusions_to_json(gupb));
    return result;
}
