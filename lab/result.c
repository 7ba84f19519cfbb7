/* SPDX-License-Identifier: MIT */
#include "lab/result.h"

#include "lab/json.h"
#include "lab/summary.h"

#include <string.h>

static json_t *count_to_json(double count)
{
    return count < 0 ? json_null() : json_real(count);
}

json_t *counters_to_json(const row_counters_t *counters)
{
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:o, s:o}", "settled_kib", (json_int_t)counters->settled_kib, "peak_kib",
        (json_int_t)counters->peak_kib, "minor_faults", (json_int_t)counters->minor_faults, "system_calls_a_loop",
        count_to_json(counters->calls), "instructions_a_loop", count_to_json(counters->instructions));
    if (counters->resident != NULL) {
        json_object_set(object, "resident", counters->resident);
    }
    return object;
}

json_t *pair_to_json(const experiment_t *experiment, const pair_t *pair)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:I, s:O, s:O}", "base", experiment->arms.arms[pair->base].name, "arm",
                     experiment->arms.arms[pair->arm].name, "base_core", pair->base_core, "arm_core", pair->arm_core,
                     "hash_seed", (json_int_t)pair->hash_seed, "base_run", pair->base_sample.raw, "arm_run",
                     pair->arm_sample.raw);
}

json_t *pairs_to_json(const experiment_t *experiment, const workload_result_t *result)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < result->pair_count; i++) {
        json_array_append_new(pairs, pair_to_json(experiment, &result->pairs[i]));
    }
    return pairs;
}

static json_t *memory_to_json(const experiment_t *experiment, const workload_result_t *result)
{
    json_t *memory = json_object();
    for (size_t i = 0; i < ARM_COUNT; i++) {
        if (result->memory[i].good) {
            json_object_set(memory, experiment->arms.arms[i].name, result->memory[i].raw);
        }
    }
    return memory;
}

static void summary_append(json_t *summaries, const experiment_t *experiment, workload_id_t workload, arm_id_t base,
                           arm_id_t arm)
{
    summary_t summary;
    if (!summary_make(experiment, workload, base, arm, &summary)) {
        return;
    }
    json_array_append_new(summaries, json_pack("{s:s, s:s, s:I, s:f, s:o, s:o}", "base",
                                               experiment->arms.arms[base].name, "arm", experiment->arms.arms[arm].name,
                                               "pairs", (json_int_t)summary.pairs, "median_cpu_seconds",
                                               summary.median_seconds, "speedup", estimate_to_json(&summary.speedup),
                                               "elapsed_speedup", estimate_to_json(&summary.elapsed)));
}

/* Null when there is no peer to compare with; "direct" is null where the two were not paired. */
static json_t *peer_to_json(const experiment_t *experiment, workload_id_t workload)
{
    peer_summary_t summary;
    if (!summary_peer(experiment, workload, &summary)) {
        return json_null();
    }
    json_t *direct = summary.pairs > 0 ? estimate_to_json(&summary.direct) : json_null();
    return json_pack("{s:s, s:o, s:I, s:o}", "peer", experiment->arms.arms[summary.peer].name, "through_stock",
                     estimate_to_json(&summary.through_stock), "direct_pairs", (json_int_t)summary.pairs, "direct",
                     direct);
}

static json_t *figures_to_json(const experiment_t *experiment, const char *workload)
{
    json_t *figures = json_array();
    for (size_t i = 0; i < experiment->figures.count; i++) {
        const figure_t *figure = &experiment->figures.figures[i];
        if (strcmp(figure->workload, workload) != 0) {
            continue;
        }
        json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "year", figure->year, "machine", figure->machine, "variant",
                                  figure->variant, "source", figure->source);
        if (figure->seconds > 0) {
            json_object_set_new(entry, "seconds", json_real(figure->seconds));
        }
        if (figure->speedup_percent > 0) {
            json_object_set_new(entry, "speedup_percent", json_real(figure->speedup_percent));
        }
        json_array_append_new(figures, entry);
    }
    return figures;
}

static json_t *workload_to_json(const experiment_t *experiment, workload_id_t workload)
{
    const workload_result_t *result = &experiment->results[workload];
    json_t *summaries = json_array();
    for (arm_id_t arm = ARM_STOCK + 1; arm < ARM_COUNT; arm++) {
        summary_append(summaries, experiment, workload, ARM_STOCK, arm);
    }
    for (arm_id_t base = ARM_STOCK + 1; base < ARM_COUNT; base++) {
        summary_append(summaries, experiment, workload, base, ARM_CUBBY);
    }
    const workload_t *entry = &workload_table[workload];
    return json_pack("{s:s, s:s, s:i, s:f, s:o, s:o, s:o, s:o, s:o}", "name", entry->name, "meaning", entry->meaning,
                     "rounds", experiment->plan.rounds[workload], "stock_median_cpu_seconds",
                     summary_base_seconds(experiment, workload, ARM_STOCK), "summary", summaries, "over_fastest_peer",
                     peer_to_json(experiment, workload), "memory", memory_to_json(experiment, result), "pairs",
                     pairs_to_json(experiment, result), "seed_figures", figures_to_json(experiment, entry->name));
}

static json_t *column_to_json(const double *values, size_t count)
{
    json_t *column = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(column, json_real(values[i]));
    }
    return column;
}

static json_t *startup_to_json(const experiment_t *experiment)
{
    const startup_result_t *result = &experiment->startup;
    startup_summary_t summary;
    if (!summary_startup(experiment, &summary)) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o}}", "added_milliseconds",
                     estimate_to_json(&summary.milliseconds), "added_rss_kib", estimate_to_json(&summary.rss_kib),
                     "milliseconds", "stock", column_to_json(result->milliseconds[0], result->pairs), "cubby",
                     column_to_json(result->milliseconds[1], result->pairs), "rss_kib", "stock",
                     column_to_json(result->rss_kib[0], result->memory_pairs), "cubby",
                     column_to_json(result->rss_kib[1], result->memory_pairs));
}

/* The interpreter's version as the first run said it; null before there was one. */
static json_t *python_version(const experiment_t *experiment)
{
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        if (experiment->results[i].pair_count > 0) {
            return json_incref(json_object_get(experiment->results[i].pairs[0].base_sample.raw, "python"));
        }
    }
    return json_null();
}

json_t *result_to_json(const experiment_t *experiment, const char *version, char *const *arguments)
{
    json_t *workloads = json_array();
    for (workload_id_t i = 0; i < WORKLOAD_COUNT; i++) {
        if (experiment->plan.selected[i]) {
            json_array_append_new(workloads, workload_to_json(experiment, i));
        }
    }
    json_t *native = experiment->native_report != NULL ? json_incref(experiment->native_report) : json_null();
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "format",
                     1, "suite", "seeds", "cubby", version, "date", date_to_json(), "command",
                     command_to_json(arguments), "quick", experiment->plan.quick, "seed", (json_int_t)experiment->seed,
                     "elapsed_seconds", progress_seconds(&experiment->progress), "python", experiment->python,
                     "python_version", python_version(experiment), "jansson", JANSSON_VERSION, "machine",
                     machine_to_json(&experiment->machine), "arms", arms_to_json(&experiment->arms), "workloads",
                     workloads, "startup", startup_to_json(experiment), "native", native, "native_reason",
                     experiment->native_reason);
}
