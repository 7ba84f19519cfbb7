/* SPDX-License-Identifier: MIT */
#include "lab/native_result.h"

#include "lab/json.h"
#include "lab/native_summary.h"

#include <stdio.h>

static const char *const figure_keys[NATIVE_COUNTERS] = {
    [NATIVE_TIME] = "median_cpu_seconds_a_unit",
    [NATIVE_ELAPSED] = "median_wall_seconds_a_unit",
    [NATIVE_FAULTS] = "minor_faults_a_unit",
    [NATIVE_PEAK] = "peak_kib",
};

/* Null for what was not measured. */
static json_t *entry_to_json(const native_t *native, size_t row, native_entry_t entry)
{
    const native_kind_t *kind = native->kind;
    native_summary_t summary;
    native_summarize(native, row, entry, &summary);
    bool known = summary.pairs > 0;
    json_t *object = json_pack("{s:s, s:s, s:I}", "arm", native->arms.arms[entry.arm].name, kind->variant,
                               kind->variants[entry.variant].name, "pairs", (json_int_t)summary.pairs);
    json_object_set_new(object, "time_over_cubby", known ? estimate_to_json(&summary.time) : json_null());
    for (size_t i = 0; i < NATIVE_COUNTERS + kind->counter_count; i++) {
        char key[64];
        if (i < NATIVE_COUNTERS) {
            snprintf(key, sizeof key, "%s", figure_keys[i]);
        } else {
            snprintf(key, sizeof key, "%s_a_unit", kind->counters[i - NATIVE_COUNTERS].name);
        }
        json_object_set_new(object, key, known ? json_real(summary.medians[i]) : json_null());
    }
    return object;
}

/* Every pair that counts, as its two runs were printed. */
static json_t *pairs_to_json(const native_t *native, size_t row)
{
    const native_kind_t *kind = native->kind;
    const native_result_t *result = &native->results[row];
    json_t *pairs = json_array();
    for (size_t i = 0; i < result->count; i++) {
        const native_pair_t *pair = &result->pairs[i];
        json_array_append_new(
            pairs, json_pack("{s:s, s:s, s:i, s:i, s:O, s:O}", "arm", native->arms.arms[pair->entry.arm].name,
                             kind->variant, kind->variants[pair->entry.variant].name, "cubby_core", pair->base_core,
                             "arm_core", pair->entry_core, "cubby_run", pair->base.raw, "arm_run", pair->sample.raw));
    }
    return pairs;
}

static json_t *row_to_json(const native_t *native, size_t row)
{
    const native_row_t *planned = &native->kind->rows[row];
    verdict_t verdict;
    native_judge(native, row, &verdict);
    json_t *entries = json_array();
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        bool shown = native->arms.arms[arm].selected && native->arms.arms[arm].present;
        for (size_t variant = 0; shown && variant < native->kind->variant_count; variant++) {
            json_array_append_new(entries, entry_to_json(native, row, (native_entry_t){arm, variant}));
        }
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "name", planned->name, "meaning", planned->meaning, "loops",
                     (json_int_t)native_loops(native, row), "entries", entries, "verdict",
                     verdict_to_json(&verdict, &native->arms, "peak"), "pairs", pairs_to_json(native, row));
}

json_t *native_to_json(const native_t *native, const char *version, char *const *arguments)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < native->kind->row_count; row++) {
        if (native->selected[row]) {
            json_array_append_new(rows, row_to_json(native, row));
        }
    }
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:b, s:I, s:s, s:f, s:s, s:o, s:o, s:o}", "format", 1, "suite",
                     native->kind->suite, "cubby", version, "date", date_to_json(), "command",
                     command_to_json(arguments), "quick", native->quick, "seed", (json_int_t)native->seed, "unit",
                     native->kind->unit, "elapsed_seconds", progress_seconds(&native->progress), "jansson",
                     JANSSON_VERSION, "machine", machine_to_json(&native->machine), "arms", arms_to_json(&native->arms),
                     "rows", rows);
}
