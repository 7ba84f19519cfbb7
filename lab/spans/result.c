/* SPDX-License-Identifier: MIT */
#include "lab/spans/result.h"

#include "lab/json.h"
#include "lab/spans/summary.h"

/* Null for what was not measured. */
static json_t *arm_to_json(const spans_t *spans, size_t row, arm_id_t arm)
{
    const spans_result_t *result = &spans->results[row];
    spans_summary_t summary;
    spans_summarize(spans, row, arm, &summary);
    json_t *entry = json_pack("{s:s, s:I, s:b, s:b}", "arm", spans->arms.arms[arm].name, "pairs",
                              (json_int_t)summary.pairs, "at_least", summary.at_least, "unknown", summary.unknown);
    bool timed = summary.pairs > 0;
    json_object_set_new(entry, "median_cpu_seconds_a_loop", timed ? json_real(summary.seconds) : json_null());
    json_object_set_new(entry, "time_over_cubby", timed ? estimate_to_json(&summary.time) : json_null());
    const spans_sample_t *memory = &result->memory[arm];
    json_object_set_new(entry, "minor_faults_a_loop", memory->good ? json_real(memory->faults) : json_null());
    json_object_set_new(entry, "peak_kib", memory->good ? json_integer(memory->peak_kib) : json_null());
    json_object_set_new(entry, "settled_kib", memory->good ? json_integer(memory->settled_kib) : json_null());
    json_object_set_new(entry, "system_calls_a_loop",
                        result->calls[arm] >= 0 ? json_real(result->calls[arm]) : json_null());
    json_object_set(entry, "memory_run", memory->good ? memory->raw : json_null());
    return entry;
}

static json_t *pairs_to_json(const spans_t *spans, size_t row)
{
    const spans_result_t *result = &spans->results[row];
    json_t *pairs = json_array();
    for (size_t i = 0; i < result->pair_count; i++) {
        const spans_pair_t *pair = &result->pairs[i];
        json_array_append_new(pairs, json_pack("{s:s, s:i, s:i, s:O, s:O}", "arm", spans->arms.arms[pair->arm].name,
                                               "cubby_core", pair->cubby_core, "arm_core", pair->arm_core, "cubby_run",
                                               pair->cubby.raw, "arm_run", pair->sample.raw));
    }
    return pairs;
}

static json_t *row_to_json(const spans_t *spans, size_t row)
{
    verdict_t verdict;
    spans_judge(spans, row, &verdict);
    const spans_row_t *entry = &spans_rows[row];
    json_t *arms = json_array();
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (spans->arms.arms[arm].selected && spans->arms.arms[arm].present) {
            json_array_append_new(arms, arm_to_json(spans, row, arm));
        }
    }
    return json_pack("{s:s, s:s, s:i, s:f, s:o, s:o, s:o}", "name", entry->name, "meaning", entry->meaning, "loops",
                     entry->loops, "limit_seconds", spans_row_limit(spans, row), "arms", arms, "verdict",
                     verdict_to_json(&verdict, &spans->arms, "settled"), "pairs", pairs_to_json(spans, row));
}

json_t *spans_to_json(const spans_t *spans, const char *version, char *const *arguments)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < SPANS_ROW_COUNT; row++) {
        if (spans->selected[row]) {
            json_array_append_new(rows, row_to_json(spans, row));
        }
    }
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:s, s:o, s:o, s:o}", "format", 1, "suite", "spans",
                     "cubby", version, "date", date_to_json(), "command", command_to_json(arguments), "quick",
                     spans->quick, "seed", (json_int_t)spans->seed, "elapsed_seconds",
                     progress_seconds(&spans->progress), "jansson", JANSSON_VERSION, "strace_reason",
                     spans->strace_reason, "machine", machine_to_json(&spans->machine), "arms",
                     arms_to_json(&spans->arms), "rows", rows);
}
