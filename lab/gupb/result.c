/* SPDX-License-Identifier: MIT */
#include "lab/gupb/report.h"
#include "lab/json.h"
#include "lab/result.h"
#include "lab/summary.h"

/* Null for a table that the row is not in. */
static json_t *published_to_json(const row_t *row)
{
    json_t *tables = json_array();
    for (size_t i = 0; i < ROWS_TABLE_COUNT; i++) {
        json_array_append_new(tables, row->known[i] ? json_real(row->published[i]) : json_null());
    }
    return tables;
}

static json_t *summaries_to_json(const gupb_t *gupb, size_t row)
{
    json_t *summaries = json_array();
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        summary_t summary;
        if (summary_make(&gupb->experiment, row, ARM_STOCK, arm, &summary)) {
            json_array_append_new(summaries,
                                  json_pack("{s:s, s:s, s:I, s:f, s:o, s:o}", "base", "stock", "arm",
                                            gupb->experiment.arms.arms[arm].name, "pairs", (json_int_t)summary.pairs,
                                            "median_cpu_seconds", summary.median_seconds, "speedup",
                                            estimate_to_json(&summary.speedup), "elapsed_speedup",
                                            estimate_to_json(&summary.elapsed)));
        }
    }
    return summaries;
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

static json_t *row_to_json(const gupb_t *gupb, size_t row)
{
    const row_t *entry = &gupb->list.rows[row];
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "name", entry->name, "program", entry->file, "note",
                     entry->note, "loops", gupb->experiment.plan.rounds[row], "published_percent",
                     published_to_json(entry), "summary", summaries_to_json(gupb, row), "left_out",
                     reasons_to_json(gupb, row), "pairs",
                     pairs_to_json(&gupb->experiment, &gupb->experiment.results[row]));
}

json_t *gupb_to_json(const gupb_t *gupb, const char *version, char *const *arguments)
{
    const experiment_t *experiment = &gupb->experiment;
    json_t *rows = json_array();
    for (size_t row = 0; row < gupb->list.count; row++) {
        if (experiment->plan.selected[row]) {
            json_array_append_new(rows, row_to_json(gupb, row));
        }
    }
    return json_pack("{s:i, s:s, s:b, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:s, s:I, s:f, s:b, s:o, s:o, s:o}", "format",
                     1, "suite", gupb->suite, "even_environments", gupb->even, "cubby", version, "date", date_to_json(),
                     "command", command_to_json(arguments), "quick", experiment->plan.quick, "seed",
                     (json_int_t)experiment->seed, "elapsed_seconds", progress_seconds(&experiment->progress), "python",
                     experiment->python, "jansson", JANSSON_VERSION, "passes", (json_int_t)gupb->passes_done,
                     "budget_seconds", gupb->budget, "budget_spent", gupb->ended, "machine",
                     machine_to_json(&experiment->machine), "arms", arms_to_json(&experiment->arms), "rows", rows);
}
