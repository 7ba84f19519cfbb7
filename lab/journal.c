/* SPDX-License-Identifier: MIT */
#include "lab/journal.h"

#include "lab/exclusion.h"
#include "lab/peers.h"
#include "lab/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Changes with what the lines hold. */
enum { JOURNAL_FORMAT = 3 };

static json_t *head_to_json(const experiment_t *experiment, const char *suite)
{
    return json_pack("{s:i, s:s, s:b, s:s, s:I}", "format", JOURNAL_FORMAT, "suite", suite, "quick",
                     experiment->plan.quick, "python", experiment->python, "seed", (json_int_t)experiment->seed);
}

/* Writes a line, which it takes over. */
static void line_write(experiment_t *experiment, json_t *line)
{
    FILE *file = experiment->journal;
    if (json_dumpf(line, file, JSON_COMPACT) != 0 || fputc('\n', file) == EOF || fflush(file) != 0) {
        progress_clear(&experiment->progress);
        fprintf(stderr, "cubby bench: --resume: what follows is not kept: %s\n", strerror(errno));
        experiment->failed = true;
        journal_close(experiment);
    }
    json_decref(line);
}

void journal_row_write(experiment_t *experiment, workload_id_t workload)
{
    if (experiment->journal != NULL) {
        line_write(experiment,
                   json_pack("{s:s, s:i, s:f, s:f, s:f}", "row", experiment->workloads[workload].name, "loops",
                             experiment->plan.rounds[workload], "seconds", experiment->plan.round_seconds[workload],
                             "other_seconds", experiment->plan.other_seconds[workload], "elapsed_over_cpu",
                             experiment->plan.usual_elapsed[workload]));
    }
}

void journal_pair_write(experiment_t *experiment, workload_id_t workload, const pair_t *pair)
{
    if (experiment->journal != NULL) {
        json_t *line = pair_to_json(experiment, pair);
        json_object_set_new(line, "arm_first", json_boolean(pair->arm_first));
        json_object_set_new(line, "pass", json_integer((json_int_t)pair->pass));
        json_object_set_new(line, "row", json_string(experiment->workloads[workload].name));
        line_write(experiment, line);
    }
}

void journal_counters_write(experiment_t *experiment, workload_id_t workload, arm_id_t arm)
{
    if (experiment->journal != NULL) {
        line_write(experiment, json_pack("{s:s, s:s, s:o}", "row", experiment->workloads[workload].name, "counted",
                                         experiment->arms.arms[arm].name, "counters",
                                         counters_to_json(&experiment->results[workload].counters[arm])));
    }
}

void journal_close(experiment_t *experiment)
{
    if (experiment->journal != NULL) {
        fclose(experiment->journal);
        experiment->journal = NULL;
    }
}

/* True when the head is of this experiment; takes its seed. */
static bool head_take(experiment_t *experiment, const json_t *head, const char *suite, bool seed_given)
{
    const json_t *seed = json_object_get(head, "seed");
    if (json_integer_value(json_object_get(head, "format")) != JOURNAL_FORMAT || !peers_text_is(head, "suite", suite) ||
        !peers_text_is(head, "python", experiment->python) ||
        json_is_true(json_object_get(head, "quick")) != experiment->plan.quick || !json_is_integer(seed)) {
        return false;
    }
    if (seed_given && (uint64_t)json_integer_value(seed) != experiment->seed) {
        return false;
    }
    experiment->seed = (uint64_t)json_integer_value(seed);
    return true;
}

/* The place of a name; `count` when it is not there. */
static size_t workload_find(const experiment_t *experiment, const char *name)
{
    size_t i = 0;
    while (i < experiment->workload_count && (name == NULL || strcmp(experiment->workloads[i].name, name) != 0)) {
        i++;
    }
    return i;
}

static arm_id_t arm_find(const experiment_t *experiment, const char *name)
{
    arm_id_t arm = 0;
    while (arm < ARM_COUNT && (name == NULL || strcmp(experiment->arms.arms[arm].name, name) != 0)) {
        arm++;
    }
    return arm;
}

/* Takes one half of a pair, if it is what a run of the row in the arm would have printed. */
static bool half_take(const experiment_t *experiment, workload_id_t workload, arm_id_t arm, const json_t *run,
                      sample_t *sample)
{
    char reason[256];
    char *line = json_dumps(run, JSON_COMPACT);
    bool taken =
        line != NULL && sample_read(line, &experiment->workloads[workload], experiment->plan.rounds[workload], false,
                                    experiment->arms.arms[arm].preload[0] != '\0', sample, reason, sizeof reason);
    free(line);
    return taken;
}

static bool pair_take(experiment_t *experiment, workload_id_t workload, const json_t *line)
{
    const char *base = json_string_value(json_object_get(line, "base"));
    const char *arm = json_string_value(json_object_get(line, "arm"));
    pair_t pair = {.base = arm_find(experiment, base),
                   .arm = arm_find(experiment, arm),
                   .base_core = (int)json_integer_value(json_object_get(line, "base_core")),
                   .arm_core = (int)json_integer_value(json_object_get(line, "arm_core")),
                   .hash_seed = (uint32_t)json_integer_value(json_object_get(line, "hash_seed")),
                   .arm_first = json_is_true(json_object_get(line, "arm_first")),
                   .pass = (size_t)json_integer_value(json_object_get(line, "pass"))};
    if (!json_is_integer(json_object_get(line, "pass")) || pair.base == ARM_COUNT || pair.arm == ARM_COUNT ||
        !experiment->results[workload].calibrated) {
        return false;
    }
    if (!half_take(experiment, workload, pair.base, json_object_get(line, "base_run"), &pair.base_sample)) {
        return false;
    }
    if (!half_take(experiment, workload, pair.arm, json_object_get(line, "arm_run"), &pair.arm_sample)) {
        json_decref(pair.base_sample.raw);
        return false;
    }
    pair.excluded = exclusion_of(&pair, experiment->plan.usual_elapsed[workload]);
    pair_keep(&experiment->results[workload], &pair);
    return true;
}

/* A count that may be null, and is negative then. */
static double count_get(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_number(number) ? json_number_value(number) : -1;
}

static bool counters_take(experiment_t *experiment, workload_id_t workload, const json_t *line)
{
    arm_id_t arm = arm_find(experiment, json_string_value(json_object_get(line, "counted")));
    const json_t *object = json_object_get(line, "counters");
    row_counters_t counters = {.known = true,
                               .settled_kib = json_integer_value(json_object_get(object, "settled_kib")),
                               .peak_kib = json_integer_value(json_object_get(object, "peak_kib")),
                               .minor_faults = json_integer_value(json_object_get(object, "minor_faults")),
                               .calls = count_get(object, "system_calls_a_loop"),
                               .instructions = count_get(object, "instructions_a_loop")};
    if (arm == ARM_COUNT || counters.settled_kib < 1 || counters.peak_kib < 1 || counters.minor_faults < 1) {
        return false;
    }
    const json_t *resident = json_object_get(object, "resident");
    counters.resident = json_is_object(resident) ? json_incref((json_t *)resident) : NULL;
    json_decref(experiment->results[workload].counters[arm].resident);
    experiment->results[workload].counters[arm] = counters;
    return true;
}

/* Takes a line after the head. */
static bool line_take(experiment_t *experiment, const json_t *line)
{
    size_t workload = workload_find(experiment, json_string_value(json_object_get(line, "row")));
    if (workload == experiment->workload_count) {
        return false;
    }
    if (json_object_get(line, "counted") != NULL) {
        return counters_take(experiment, workload, line);
    }
    if (json_object_get(line, "base") != NULL) {
        return pair_take(experiment, workload, line);
    }
    json_int_t loops = json_integer_value(json_object_get(line, "loops"));
    double seconds = json_number_value(json_object_get(line, "seconds"));
    double other = json_number_value(json_object_get(line, "other_seconds"));
    double usual = json_number_value(json_object_get(line, "elapsed_over_cpu"));
    if (loops < 1 || loops > INT32_MAX || !(seconds > 0) || !(other >= 0) || !(usual > 0)) {
        return false;
    }
    experiment->plan.rounds[workload] = (int)loops;
    experiment->plan.round_seconds[workload] = seconds;
    experiment->plan.other_seconds[workload] = other;
    experiment->plan.usual_elapsed[workload] = usual;
    experiment->results[workload].calibrated = true;
    return true;
}

/* Takes all whole lines; *length is where they end, *lines how many there were. False at a line that is no good. */
static bool lines_take(experiment_t *experiment, FILE *file, const char *suite, bool seed_given, off_t *length,
                       size_t *lines)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t got;
    bool good = true;
    while (good && (got = getline(&text, &room, file)) > 0 && text[got - 1] == '\n') {
        json_t *line = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        good = line != NULL &&
               (*lines == 0 ? head_take(experiment, line, suite, seed_given) : line_take(experiment, line));
        json_decref(line);
        *length += good ? got : 0;
        *lines += good;
    }
    free(text);
    return good;
}

bool journal_open(experiment_t *experiment, const char *path, const char *suite, bool seed_given, char *reason,
                  size_t size)
{
    off_t length = 0;
    size_t lines = 0;
    FILE *file = fopen(path, "a+e");
    if (file == NULL) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        return false;
    }
    rewind(file);
    if (!lines_take(experiment, file, suite, seed_given, &length, &lines)) {
        const char *what =
            lines == 0 ? "it is of another experiment: suite, form, interpreter or seed" : "it is damaged";
        snprintf(reason, size, "%s, line %zu: %s; name a new file", path, lines + 1, what);
        fclose(file);
        return false;
    }
    if (fseeko(file, 0, SEEK_END) != 0 || (ftello(file) > length && ftruncate(fileno(file), length) != 0)) {
        snprintf(reason, size, "%s: %s", path, strerror(errno));
        fclose(file);
        return false;
    }
    experiment->journal = file;
    if (lines == 0) {
        line_write(experiment, head_to_json(experiment, suite));
    }
    return true;
}
