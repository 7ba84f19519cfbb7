/* SPDX-License-Identifier: MIT */
#include "lab/peers.h"

#include <string.h>

void peers_environment_fill(const arm_set_t *set, const arm_t *arm, bool preload,
                            const char *entries[PEERS_ENTRY_COUNT])
{
    size_t used = 0;
    entries[used++] = set->path;
    entries[used++] = set->home;
    entries[used++] = "LANG=C.UTF-8";
    if (preload && arm->preload[0] != '\0') {
        entries[used++] = arm->preload;
    }
    entries[used] = NULL;
}

size_t peers_shuffle(const arm_set_t *set, arm_id_t left_out, stats_rng_t *rng, arm_id_t arms[ARM_COUNT])
{
    size_t count = 0;
    for (arm_id_t arm = 0; arm < ARM_COUNT; arm++) {
        if (arm != left_out && arm_is_in(&set->arms[arm])) {
            size_t place = stats_rng_below(rng, ++count);
            arms[count - 1] = arms[place];
            arms[place] = arm;
        }
    }
    return count;
}

void peers_drop(arm_t *arm, const char *reason, const progress_t *progress)
{
    if (arm_drop(arm, reason)) {
        progress_clear(progress);
        fprintf(stderr, "cubby bench: %s is dropped: %s\n", arm->name, reason);
    }
}

void peers_note_absent(const arm_set_t *set, FILE *stream)
{
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &set->arms[i];
        if (arm->selected && !arm->present) {
            fprintf(stream, "note: %s is left out: %s\n", arm->name, arm->reason);
        }
    }
}

bool peers_rows_select(const char *list, const char *(*name_of)(size_t row), size_t count, bool *selected, char *wrong,
                       size_t size)
{
    memset(selected, 0, count * sizeof *selected);
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        bool known = false;
        for (size_t row = 0; row < count; row++) {
            const char *name = name_of(row);
            if (strncmp(name, list, length) == 0 && (name[length] == '\0' || name[length] == '-')) {
                known = selected[row] = true;
            }
        }
        if (!known) {
            snprintf(wrong, size, "%.*s", (int)length, list);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

bool peers_text_is(const json_t *report, const char *key, const char *expected)
{
    const char *text = json_string_value(json_object_get(report, key));
    return text != NULL && strcmp(text, expected) == 0;
}

const char *peers_on(const arm_t *arm)
{
    return strcmp(arm->name, "cubby") == 0 ? "--on=cubby" : "--on=libc";
}

json_t *peers_line_read(const char *line, const char *row, const arm_t *arm, const char **fault)
{
    json_error_t error;
    json_t *report = json_loads(line, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
    *fault = NULL;
    if (report == NULL) {
        *fault = "it is not JSON";
    } else if (!peers_text_is(report, "row", row) || !peers_text_is(report, "on", strchr(peers_on(arm), '=') + 1)) {
        *fault = "it is another row";
    } else if (arm->preload[0] != '\0' && !peers_text_is(report, "malloc_of", strchr(arm->preload, '=') + 1)) {
        *fault = "what it should preload does not serve it";
    }
    if (*fault != NULL) {
        json_decref(report);
        return NULL;
    }
    return report;
}
