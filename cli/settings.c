/* SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include <cubby/cubby.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *kind_name(cubby_setting_kind_t kind)
{
    switch (kind) {
    case CUBBY_SETTING_NUMBER:
        return "number";
    case CUBBY_SETTING_SWITCH:
        return "switch";
    case CUBBY_SETTING_CHOICE:
        return "choice";
    case CUBBY_SETTING_FILE:
        return "file";
    case CUBBY_SETTING_REPORT:
        return "report";
    }
    return "";
}

/* A new value: text, or a number; JSON's integers are signed, and "no bound" is the largest of them. */
static json_t *value_describe(const char *text, uint64_t value)
{
    if (text != NULL) {
        return json_string(text);
    }
    return json_integer(value < INT64_MAX ? (json_int_t)value : INT64_MAX);
}

json_t *settings_describe(void)
{
    json_t *settings = json_array();
    cubby_setting_t setting;
    for (size_t i = 0; cubby_setting_get(i, &setting); i++) {
        char by_default[SETTING_TEXT_MOST];
        setting_text_default(&setting, by_default, sizeof by_default);
        json_t *choices = setting.choices != NULL ? json_array() : NULL;
        for (size_t j = 0; choices != NULL && setting.choices[j] != NULL; j++) {
            json_array_append_new(choices, json_string(setting.choices[j]));
        }
        json_t *row = json_pack(
            "{s:s, s:s?, s:s, s:o, s:o, s:s, s:s, s:o*, s:s, s:s}", "name", setting.name, "option", setting.option,
            "kind", kind_name(setting.kind), "value", value_describe(setting.text, setting.value), "default",
            value_describe(setting.text_default, setting.value_default), "default_text", by_default, "unit",
            setting.unit, "choices", choices, "help", setting.help, "reason", setting.reason);
        if (json_array_append_new(settings, row) != 0) {
            json_decref(settings);
            return NULL;
        }
    }
    return settings;
}

uint64_t setting_value(const char *name)
{
    cubby_setting_t setting;
    return cubby_setting_find(name, &setting) ? setting.value : 0;
}

static const char *huge_pages_meaning(const char *mode, bool wanted)
{
    if (mode[0] == '\0') {
        return "the system has none; Cubby uses small pages";
    }
    if (strcmp(mode, "never") == 0) {
        return "the system gives none, whoever asks; Cubby uses small pages";
    }
    if (strcmp(mode, "always") == 0) {
        return wanted ? "the system gives them to everyone; Cubby declines them for small heaps and asks for large ones"
                      : "the system gives them to everyone; Cubby does not ask";
    }
    return wanted ? "the system gives them to who asks; Cubby asks once a heap is large"
                  : "the system gives them to who asks; Cubby does not";
}

json_t *huge_pages_describe(const machine_t *machine)
{
    char mode[64];
    switch_chosen(machine->thp_enabled, mode, sizeof mode);
    bool wanted = setting_value("CUBBY_HUGE_PAGES") != 0;
    bool asked = wanted && mode[0] != '\0' && strcmp(mode, "never") != 0;
    return json_pack("{s:s, s:I, s:b, s:I, s:s}", "system", mode, "page_bytes", (json_int_t)machine->thp_bytes, "asked",
                     asked, "from_bytes", (json_int_t)setting_value("CUBBY_HUGE_FROM"), "meaning",
                     huge_pages_meaning(mode, wanted));
}

/* A size as people write it, when the unit is bytes. */
static void number_write(char *text, size_t size, uint64_t value, const char *unit)
{
    if (value >= INT64_MAX) {
        snprintf(text, size, "no bound");
    } else if (strcmp(unit, "bytes") == 0 && value > 0 && value % (1 << 20) == 0) {
        snprintf(text, size, "%" PRIu64 " MiB", value >> 20);
    } else {
        snprintf(text, size, "%" PRIu64 " %s", value, unit);
    }
}

/* What people read for a value: of a number with its unit, of a file name that is empty "none". */
static void value_write(char *text, size_t size, const cubby_setting_t *setting, uint64_t value, const char *name)
{
    switch (setting->kind) {
    case CUBBY_SETTING_NUMBER:
        number_write(text, size, value, setting->unit);
        return;
    case CUBBY_SETTING_SWITCH:
        snprintf(text, size, "%" PRIu64, value);
        return;
    case CUBBY_SETTING_CHOICE:
    case CUBBY_SETTING_FILE:
        snprintf(text, size, "%s", name[0] != '\0' ? name : "none");
        return;
    case CUBBY_SETTING_REPORT:
        snprintf(text, size, "%s", name[0] != '\0' ? name : "0");
        return;
    }
}

void setting_text_default(const cubby_setting_t *setting, char *text, size_t size)
{
    value_write(text, size, setting, setting->value_default, setting->text_default);
}

void settings_print(void)
{
    cubby_setting_t setting;
    for (size_t i = 0; cubby_setting_get(i, &setting); i++) {
        char value[SETTING_TEXT_MOST];
        char by_default[SETTING_TEXT_MOST];
        value_write(value, sizeof value, &setting, setting.value, setting.text);
        setting_text_default(&setting, by_default, sizeof by_default);
        printf("%-14s %s = %s", i == 0 ? "settings" : "", setting.name, value);
        if (strcmp(value, by_default) != 0) {
            printf(" (default %s)", by_default);
        }
        printf(": %s", setting.help);
        if (setting.kind != CUBBY_SETTING_NUMBER) {
            printf(" [%s]", setting.unit);
        }
        putchar('\n');
    }
}

void huge_pages_print(const json_t *huge_pages)
{
    printf("huge pages     %s: %s", json_string_value(json_object_get(huge_pages, "system")),
           json_string_value(json_object_get(huge_pages, "meaning")));
    if (json_is_true(json_object_get(huge_pages, "asked"))) {
        char size[SETTING_TEXT_MOST];
        number_write(size, sizeof size, (uint64_t)json_integer_value(json_object_get(huge_pages, "from_bytes")),
                     "bytes");
        printf(", beyond its first %s", size);
    }
    putchar('\n');
}
