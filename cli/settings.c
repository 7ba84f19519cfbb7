/* SPDX-License-Identifier: MIT */
#include "cli/settings.h"

#include <cubby/cubby.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

json_t *settings_describe(void)
{
    json_t *settings = json_array();
    cubby_setting_t setting;
    for (size_t i = 0; cubby_setting_get(i, &setting); i++) {
        /* JSON's integers are signed; "no bound" is the largest of them. */
        uint64_t value = setting.value < INT64_MAX ? setting.value : INT64_MAX;
        uint64_t by_default = setting.value_default < INT64_MAX ? setting.value_default : INT64_MAX;
        json_array_append_new(settings,
                              json_pack("{s:s, s:I, s:I, s:s, s:s}", "name", setting.name, "value", (json_int_t)value,
                                        "default", (json_int_t)by_default, "unit", setting.unit, "help", setting.help));
    }
    return settings;
}

uint64_t setting_value(const char *name)
{
    cubby_setting_t setting;
    for (size_t i = 0; cubby_setting_get(i, &setting); i++) {
        if (strcmp(setting.name, name) == 0) {
            return setting.value;
        }
    }
    return 0;
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
static void value_print(json_int_t value, const char *unit)
{
    if (value == INT64_MAX) {
        printf("no bound");
    } else if (strcmp(unit, "bytes") == 0 && value > 0 && value % (1 << 20) == 0) {
        printf("%" PRId64 " MiB", (int64_t)value >> 20);
    } else if (strcmp(unit, "ms") == 0 || strcmp(unit, "bytes") == 0) {
        printf("%" PRId64 " %s", (int64_t)value, unit);
    } else {
        printf("%" PRId64, (int64_t)value);
    }
}

void settings_print(const json_t *settings)
{
    for (size_t i = 0; i < json_array_size(settings); i++) {
        const json_t *setting = json_array_get(settings, i);
        const char *unit = json_string_value(json_object_get(setting, "unit"));
        json_int_t value = json_integer_value(json_object_get(setting, "value"));
        json_int_t by_default = json_integer_value(json_object_get(setting, "default"));
        printf("%-14s %s = ", i == 0 ? "settings" : "", json_string_value(json_object_get(setting, "name")));
        value_print(value, unit);
        if (value != by_default) {
            printf(" (default ");
            value_print(by_default, unit);
            putchar(')');
        }
        printf(": %s\n", json_string_value(json_object_get(setting, "help")));
    }
}

void huge_pages_print(const json_t *huge_pages)
{
    printf("huge pages     %s: %s", json_string_value(json_object_get(huge_pages, "system")),
           json_string_value(json_object_get(huge_pages, "meaning")));
    if (json_is_true(json_object_get(huge_pages, "asked"))) {
        printf(", beyond its first ");
        value_print(json_integer_value(json_object_get(huge_pages, "from_bytes")), "bytes");
    }
    putchar('\n');
}
