/* SPDX-License-Identifier: MIT */
/* The tables and the JSON of the suite. */
#include "lab/json.h"
#include "lab/objects/suite.h"
#include "lab/peers.h"
#include "lab/table.h"

enum {
    COLUMN_ARM = 1,
    COLUMN_SECONDS,
    COLUMN_TIME,
    COLUMN_INTERVAL,
    COLUMN_PEAK,
    COLUMN_DROPPED,
    COLUMN_COMPACTED,
    COLUMN_FAULTS,
    COLUMN_MISSES,
    COLUMN_COUNT,
};

static const char *const headings[COLUMN_COUNT] = {
    "", "arm", "s a round", "time", "95 %", "peak MiB", "dropped MiB", "compacted MiB", "faults", "D1, LL misses"};

void objects_report_plan(const objects_t *objects, FILE *stream)
{
    char duration[64];
    progress_announce(objects_estimate(objects), duration, sizeof duration);
    fprintf(stream, "cubby bench objects: %s, %ld cores, %s (seed %llu)\n", objects->machine.cpu,
            objects->machine.cores_online, duration, (unsigned long long)objects->seed);
    peers_note_absent(&objects->arms, stream);
    if (objects->valgrind[0] == '\0') {
        fputs("note: valgrind is not installed; the misses of caches are left out\n", stream);
    }
}

static void figure_cells(table_t *table, const objects_t *objects, size_t row, arm_id_t arm,
                         const objects_summary_t *summary)
{
    char faults[32];
    const objects_misses_t *misses = &objects->misses[row][arm];
    table_cell(table, COLUMN_SECONDS, "%.3f", summary->medians[OBJECTS_WALL]);
    if (summary->compared > 0) {
        table_cell(table, COLUMN_TIME, "%.2fx", summary->time.value);
    }
    if (summary->time.known) {
        table_cell(table, COLUMN_INTERVAL, "%.2f-%.2f", summary->time.interval.low, summary->time.interval.high);
    }
    table_cell(table, COLUMN_PEAK, "%.1f", summary->medians[OBJECTS_PEAK] / 1024);
    table_cell(table, COLUMN_DROPPED, "%.1f", summary->medians[OBJECTS_DROPPED] / 1024);
    table_cell(table, COLUMN_COMPACTED, "%.1f", summary->medians[OBJECTS_COMPACTED] / 1024);
    number_group((long long)summary->medians[OBJECTS_FAULTS], faults, sizeof faults);
    table_cell(table, COLUMN_FAULTS, "%s", faults);
    if (misses->known) {
        table_cell(table, COLUMN_MISSES, "%.2f, %.2f", misses->first, misses->last);
    }
}

static void arm_row(table_t *table, const objects_t *objects, size_t row, arm_id_t id)
{
    const arm_t *arm = &objects->arms.arms[id];
    table_row(table, id == ARM_CUBBY ? objects_rows[row].name : "");
    table_cell(table, COLUMN_ARM, "%s", arm->name);
    if (arm->dropped) {
        table_remark(table, "%s, dropped: %s", arm->name, arm->reason);
        return;
    }
    objects_summary_t summary;
    objects_summarize(objects, row, id, &summary);
    if (summary.runs > 0) {
        figure_cells(table, objects, row, id, &summary);
    }
}

/* Cubby first, then the others. */
static void loop_print(const objects_t *objects, size_t loop, FILE *stream)
{
    table_t table;
    table_begin(&table, COLUMN_COUNT, headings);
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        if (!objects->selected[row] || objects_rows[row].loop != loop) {
            continue;
        }
        arm_row(&table, objects, row, ARM_CUBBY);
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            if (arm != ARM_CUBBY && objects->arms.arms[arm].selected && objects->arms.arms[arm].present) {
                arm_row(&table, objects, row, arm);
            }
        }
    }
    fprintf(stream, "\n%s (2008: %s; %ld items)\n", objects_loops[loop].name, objects_loops[loop].meaning,
            objects_loops[loop].items / objects->item_share);
    table_print(&table, stream);
}

void objects_report_print(const objects_t *objects, FILE *stream)
{
    fputs(
        "A row's name has the freelists of ints and of floats. time: over that without freelists on Cubby in the same "
        "round,\n"
        "geometric mean. dropped: resident when everything was dropped and a while has passed; compacted: after the "
        "freelists\n"
        "were compacted, too. faults: in a round. misses: of simulated caches of 32 KiB and 1 MiB, for each item.\n",
        stream);
    for (size_t loop = 0; loop < OBJECTS_LOOP_COUNT; loop++) {
        if (objects->selected[objects_loops[loop].base]) {
            loop_print(objects, loop, stream);
        }
    }
}

/* ---- JSON ---- */

static const char *const figure_keys[OBJECTS_FIGURE_COUNT] = {
    [OBJECTS_WALL] = "median_seconds_a_round",
    [OBJECTS_FAULTS] = "minor_faults_a_round",
    [OBJECTS_PEAK] = "peak_kib",
    [OBJECTS_START] = "start_kib",
    [OBJECTS_DROPPED] = "dropped_kib",
    [OBJECTS_COMPACTED] = "compacted_kib",
};

/* Null for what was not measured. */
static json_t *arm_to_json(const objects_t *objects, size_t row, arm_id_t arm)
{
    objects_summary_t summary;
    const objects_misses_t *misses = &objects->misses[row][arm];
    objects_summarize(objects, row, arm, &summary);
    json_t *entry = json_pack("{s:s, s:I}", "arm", objects->arms.arms[arm].name, "runs", (json_int_t)summary.runs);
    json_object_set_new(entry, "time_over_none_on_cubby",
                        summary.compared > 0 ? estimate_to_json(&summary.time) : json_null());
    for (int i = 0; i < OBJECTS_FIGURE_COUNT; i++) {
        json_object_set_new(entry, figure_keys[i], summary.runs > 0 ? json_real(summary.medians[i]) : json_null());
    }
    json_object_set_new(entry, "simulated_d1_misses_an_item", misses->known ? json_real(misses->first) : json_null());
    json_object_set_new(entry, "simulated_ll_misses_an_item", misses->known ? json_real(misses->last) : json_null());
    return entry;
}

/* Every run that counts, as it was printed, with its round and its place in it. */
static json_t *runs_to_json(const objects_t *objects, size_t row)
{
    json_t *runs = json_array();
    for (size_t round = 0; round < objects->rounds; round++) {
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            const objects_sample_t *sample = objects_sample(objects, row, round, arm);
            if (sample->good) {
                json_array_append_new(runs, json_pack("{s:I, s:I, s:s, s:O}", "round", (json_int_t)round, "place",
                                                      (json_int_t)sample->place, "arm", objects->arms.arms[arm].name,
                                                      "run", sample->raw));
            }
        }
    }
    return runs;
}

static json_t *rows_to_json(const objects_t *objects)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < OBJECTS_ROW_COUNT; row++) {
        json_t *arms = json_array();
        for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
            if (objects->selected[row] && objects->arms.arms[arm].selected && objects->arms.arms[arm].present) {
                json_array_append_new(arms, arm_to_json(objects, row, arm));
            }
        }
        if (!objects->selected[row]) {
            json_decref(arms);
            continue;
        }
        const objects_row_t *own = &objects_rows[row];
        json_array_append_new(rows,
                              json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o}", "name", own->name, "loop",
                                        objects_loops[own->loop].name, "ints", own->ints, "floats", own->floats,
                                        "items", (json_int_t)(objects_loops[own->loop].items / objects->item_share),
                                        "arms", arms, "runs", runs_to_json(objects, row)));
    }
    return rows;
}

json_t *objects_to_json(const objects_t *objects, const char *version, char *const *arguments)
{
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:b, s:I, s:f, s:s, s:o, s:o, s:o}", "format", 1, "suite", "objects",
                     "cubby", version, "date", date_to_json(), "command", command_to_json(arguments), "quick",
                     objects->quick, "seed", (json_int_t)objects->seed, "elapsed_seconds",
                     progress_seconds(&objects->progress), "jansson", JANSSON_VERSION, "machine",
                     machine_to_json(&objects->machine), "arms", arms_to_json(&objects->arms), "rows",
                     rows_to_json(objects));
}
