/* SPDX-License-Identifier: MIT */
/* The settings as cubby.h shows them. */
#include <cubby/cubby.h>

#include "os/settings.h"

#include <assert.h>

static_assert((int)CUBBY_SETTING_NUMBER == (int)SETTING_NUMBER && (int)CUBBY_SETTING_SWITCH == (int)SETTING_SWITCH &&
                  (int)CUBBY_SETTING_CHOICE == (int)SETTING_CHOICE && (int)CUBBY_SETTING_FILE == (int)SETTING_FILE &&
                  (int)CUBBY_SETTING_REPORT == (int)SETTING_REPORT,
              "the kinds are the same inside and outside");

bool cubby_setting_get(size_t index, cubby_setting_t *found)
{
    if (index >= SETTING_COUNT) {
        return false;
    }
    setting_id_t id = (setting_id_t)index;
    const setting_t *entry = &setting_table[id];
    const char *text = setting_text(id);
    *found = (cubby_setting_t){
        .name = entry->name,
        .option = entry->option,
        .kind = (cubby_setting_kind_t)entry->kind,
        .unit = entry->unit,
        .choices = entry->choices,
        .help = entry->help,
        .reason = entry->reason,
        .value = setting(id),
        .value_default = entry->value_default,
        .most = entry->most,
        .text = text,
        .text_default = text == NULL             ? NULL
                        : entry->choices != NULL ? entry->choices[entry->value_default]
                                                 : "",
    };
    return true;
}

bool cubby_setting_find(const char *name, cubby_setting_t *found)
{
    return cubby_setting_get(setting_find(name), found);
}

bool cubby_setting_check(const char *name, const char *text, char *expected, size_t size)
{
    setting_id_t id = setting_find(name);
    if (id == SETTING_COUNT) {
        if (size > 0) {
            expected[0] = '\0';
        }
        return false;
    }
    return setting_check(id, text, expected, size);
}
