/* SPDX-License-Identifier: MIT */
#include "os/settings.h"

#include "os/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The defaults.
 *
 *   CUBBY_RETAIN_MS     One second: a program that builds and drops something more often than that runs without page
 *                       faults, and a user who looks two seconds after a peak sees it gone.
 *   CUBBY_RETAIN_MOST   No bound: the rule of retention bounds it by what was in use within the window.
 *   CUBBY_HUGE_PAGES    On: the advice only concerns Cubby's own addresses, and the system may decline.
 *   CUBBY_HUGE_FROM     8 MiB: an interpreter that only starts, or runs a small script, stays below and never pays;
 *                       beyond, a huge page is at most a fifth of the heap at first and soon noise.
 *   CUBBY_PURGE_THREAD  Off: a runtime may warn about, or forbid, threads it did not start, above all around fork.
 */
const setting_t setting_table[SETTING_COUNT] = {
    [SETTING_RETAIN_MS] = {"CUBBY_RETAIN_MS", "ms", 1000, 3600000,
                           "free memory is kept this long after it was last wanted"},
    [SETTING_RETAIN_MOST] = {"CUBBY_RETAIN_MOST", "bytes", SIZE_MAX, SIZE_MAX, "at most this much free memory is kept"},
    [SETTING_HUGE_PAGES] = {"CUBBY_HUGE_PAGES", "0 or 1", 1, 1, "huge pages are asked for where the heap is large"},
    [SETTING_HUGE_FROM] = {"CUBBY_HUGE_FROM", "bytes", (uint64_t)8 << 20, (uint64_t)1 << 40,
                           "so much of a heap stays on small pages"},
    [SETTING_PURGE_THREAD] = {"CUBBY_PURGE_THREAD", "0 or 1", 0, 1,
                              "a thread gives memory back while the program is idle"},
};

static uint64_t values[SETTING_COUNT];
static bool values_read;

/* Bytes may have a suffix k, m or g. False when the text is anything but a number of at most `most`. */
static bool number_read(const char *text, bool is_bytes, uint64_t most, uint64_t *number)
{
    char *rest = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &rest, 10);
    if (errno != 0 || rest == text || *text < '0' || *text > '9') {
        return false;
    }
    unsigned shift = 0;
    if (is_bytes && *rest != '\0') {
        shift = *rest == 'k' ? 10 : *rest == 'm' ? 20 : *rest == 'g' ? 30 : 64;
        rest++;
    }
    if (shift == 64 || *rest != '\0' || value > most >> shift) {
        return false;
    }
    *number = (uint64_t)value << shift;
    return true;
}

static void setting_refuse(const setting_t *setting, const char *text)
{
    char message[256];
    int length = snprintf(message, sizeof message,
                          "cubby: %s=%.64s: expected a number (%s, at most %llu); using %llu\n", setting->name, text,
                          setting->unit, (unsigned long long)setting->most, (unsigned long long)setting->value_default);
    os.write_error(message, (size_t)length < sizeof message ? (size_t)length : sizeof message - 1);
}

void settings_read(void)
{
    int saved = errno;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const setting_t *setting = &setting_table[i];
        const char *text = getenv(setting->name);
        values[i] = setting->value_default;
        if (text == NULL || *text == '\0') {
            continue;
        }
        if (!number_read(text, setting->unit[0] == 'b', setting->most, &values[i])) {
            setting_refuse(setting, text);
        }
    }
    values_read = true;
    errno = saved;
}

uint64_t setting(setting_id_t id)
{
    if (!values_read) {
        settings_read();
    }
    return values[id];
}

void setting_set(setting_id_t id, uint64_t value)
{
    (void)setting(id);
    values[id] = value;
}
