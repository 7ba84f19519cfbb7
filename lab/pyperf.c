/* SPDX-License-Identifier: MIT */
/*
 * pyperf wants the same machine, interpreter and unit in all runs of a benchmark, a name, no text that is empty or has
 * two lines, and no value of zero. Times are per loop, so that files with different numbers of loops can be compared.
 */
#include "lab/pyperf.h"

#include <string.h>

enum { BYTES_PER_KIB = 1024 };

/* pyperf refuses texts that are empty or have a line end. */
static void text_set(json_t *metadata, const char *key, const char *text)
{
    if (text[strspn(text, " \t")] != '\0' && strpbrk(text, "\r\n") == NULL) {
        json_object_set_new(metadata, key, json_string(text));
    }
}

static json_t *run_from_side(const json_t *pair, const char *run_key, const char *core_key, double loops)
{
    const json_t *run = json_object_get(pair, run_key);
    json_t *metadata = json_object();
    json_int_t peak = (json_int_t)recorded_number(run, "peak_kib");
    if (peak > 0) {
        json_object_set_new(metadata, "mem_max_rss", json_integer(peak * BYTES_PER_KIB));
    }
    if (json_is_integer(json_object_get(pair, core_key))) {
        json_object_set(metadata, "cubby_core", json_object_get(pair, core_key));
    }
    if (json_is_integer(json_object_get(pair, "hash_seed"))) {
        json_object_set(metadata, "cubby_hash_seed", json_object_get(pair, "hash_seed"));
    }
    return json_pack("{s:[f], s:o}", "values", recorded_number(run, "cpu_seconds") / loops, "metadata", metadata);
}

/* Of each pair the side, or both, on which the arm ran. */
static json_t *runs_from_row(const json_t *row, const char *arm)
{
    const json_t *pairs = json_object_get(row, "pairs");
    double loops = recorded_loops(row);
    json_t *runs = json_array();
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        if (!recorded_pair_counts(pair)) {
            continue;
        }
        if (strcmp(recorded_text(pair, "base"), arm) == 0) {
            json_array_append_new(runs, run_from_side(pair, "base_run", "base_core", loops));
        }
        if (strcmp(recorded_text(pair, "arm"), arm) == 0) {
            json_array_append_new(runs, run_from_side(pair, "arm_run", "arm_core", loops));
        }
    }
    return runs;
}

static json_t *benchmark_from_row(const json_t *row, json_t *runs)
{
    json_t *metadata = json_pack("{s:s, s:s, s:I}", "name", recorded_text(row, "name"), "unit", "second", "loops",
                                 (json_int_t)recorded_loops(row));
    char size[64];
    recorded_size(row, size, sizeof size);
    text_set(metadata, "cubby_size", size);
    const json_t *run = json_object_get(json_array_get(json_object_get(row, "pairs"), 0), "base_run");
    text_set(metadata, "python_version", recorded_text(run, "python"));
    return json_pack("{s:o, s:o}", "metadata", metadata, "runs", runs);
}

static json_t *metadata_from(const recorded_t *recorded, const char *arm)
{
    const json_t *machine = json_object_get(recorded->root, "machine");
    json_t *metadata = json_object();
    text_set(metadata, "cpu_model_name", recorded_text(machine, "cpu"));
    text_set(metadata, "platform", recorded_text(machine, "kernel"));
    text_set(metadata, "python_executable", recorded_text(recorded->root, "python"));
    text_set(metadata, "cubby_version", recorded_text(recorded->root, "cubby"));
    text_set(metadata, "cubby_suite", recorded->suite);
    text_set(metadata, "cubby_measured", recorded_text(recorded->root, "date"));
    text_set(metadata, "cubby_arm", arm);
    json_int_t cores = (json_int_t)recorded_number(machine, "cores_online");
    if (cores > 0) {
        json_object_set_new(metadata, "cpu_count", json_integer(cores));
    }
    return metadata;
}

json_t *pyperf_from_arm(const recorded_t *recorded, const char *arm)
{
    json_t *benchmarks = json_array();
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        const json_t *row = json_array_get(recorded->rows, i);
        json_t *runs = runs_from_row(row, arm);
        if (json_array_size(runs) > 0) {
            json_array_append_new(benchmarks, benchmark_from_row(row, runs));
        } else {
            json_decref(runs);
        }
    }
    if (json_array_size(benchmarks) == 0) {
        json_decref(benchmarks);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o}", "version", "1.0", "metadata", metadata_from(recorded, arm), "benchmarks",
                     benchmarks);
}
