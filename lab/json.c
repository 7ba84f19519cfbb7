/* SPDX-License-Identifier: MIT */
#include "lab/json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

json_t *estimate_to_json(const stats_estimate_t *estimate)
{
    json_t *low = estimate->known ? json_real(estimate->interval.low) : json_null();
    json_t *high = estimate->known ? json_real(estimate->interval.high) : json_null();
    return json_pack("{s:f, s:o, s:o}", "value", estimate->value, "low", low, "high", high);
}

/* The name of the file that a preloaded library's name stands for, which has its version in it; null: none. */
static json_t *preloaded_file_to_json(const arm_t *arm)
{
    const char *path = strchr(arm->preload, '/');
    char *file = path != NULL ? realpath(path, NULL) : NULL;
    json_t *name = file != NULL ? json_string(strrchr(file, '/') + 1) : json_null();
    free(file);
    return name;
}

json_t *arms_to_json(const arm_set_t *set)
{
    json_t *arms = json_array();
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &set->arms[i];
        if (!arm->selected) {
            continue;
        }
        json_t *environment = json_array();
        for (size_t j = 0; j < sizeof arm->variables / sizeof *arm->variables && arm->variables[j] != NULL; j++) {
            json_array_append_new(environment, json_string(arm->variables[j]));
        }
        if (arm->preload[0] != '\0') {
            const char *slash = strrchr(arm->preload, '/');
            json_array_append_new(environment, json_sprintf("LD_PRELOAD=%s", slash == NULL ? "" : slash + 1));
        }
        const char *state = arm->dropped ? "dropped" : (arm->present ? "measured" : "left out");
        json_array_append_new(arms, json_pack("{s:s, s:s, s:o, s:o, s:s, s:s}", "name", arm->name, "meaning",
                                              arm->meaning, "environment", environment, "file",
                                              preloaded_file_to_json(arm), "state", state, "reason", arm->reason));
    }
    return arms;
}

json_t *command_to_json(char *const *arguments)
{
    json_t *command = json_array();
    for (size_t i = 0; arguments[i] != NULL; i++) {
        json_array_append_new(command, json_string(arguments[i]));
    }
    return command;
}

json_t *date_to_json(void)
{
    char date[40];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return json_string(date);
}
