/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/settings.h"

#include "os/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char *const allocators[] = {"cubby", "libc", "stock", NULL};
static const char *const owners[] = {"auto", "lock", "thread", NULL};

enum { ALLOCATOR_CUBBY, ALLOCATOR_LIBC, ALLOCATOR_STOCK };

#define ALLOCATOR_NAMES "cubby, libc or stock"

const setting_t setting_table[SETTING_COUNT] = {
    [SETTING_OBJ] = {"CUBBY_OBJ", "obj", SETTING_CHOICE, ALLOCATOR_NAMES, allocators, ALLOCATOR_CUBBY, 0,
                     "who serves the objects of a Python interpreter", "what Cubby is for"},
    [SETTING_MEM] = {"CUBBY_MEM", "mem", SETTING_CHOICE, ALLOCATOR_NAMES, allocators, ALLOCATOR_CUBBY, 0,
                     "who serves the buffers of a Python interpreter, those of lists, say", "what Cubby is for"},
    [SETTING_RAW] =
        {"CUBBY_RAW", "raw", SETTING_CHOICE, ALLOCATOR_NAMES, allocators, ALLOCATOR_STOCK, 0,
         "who serves what an interpreter takes without its lock; cubby: from heaps of threads",
         "little goes there, and the interpreter itself sends it to the C library while it starts and ends"},
    [SETTING_HEAPS] = {"CUBBY_HEAPS", "heaps", SETTING_CHOICE, "auto, lock or thread", owners, 0, 0,
                       "one heap under the interpreter's lock, or one for each thread",
                       "what the interpreter needs: lock up to CPython 3.11, thread later and where raw is served"},
    [SETTING_STATS] = {"CUBBY_STATS", "stats", SETTING_REPORT, "0, 1, - or a file", NULL, 0, 0,
                       "each process that used Cubby reports its figures when it exits; 1 and -: on stderr",
                       "a program's output is its own"},
    [SETTING_QUIET] = {"CUBBY_QUIET", "quiet", SETTING_SWITCH, "0 or 1", NULL, 0, 1, "no notes on stderr",
                       "a user should hear why an interpreter is not served"},
    [SETTING_CROSSINGS] = {"CUBBY_CROSSINGS", "crossings", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                           "reports the first block of Cubby's that reached the C library's free or realloc",
                           "such blocks are served, and who owns the faulty library is seldom who runs it"},
    [SETTING_GUARD] = {"CUBBY_GUARD", "guard", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                       "`cubby run` preloads the guarded adapter, which stops a program that frees a block twice or "
                       "writes to a freed one",
                       "it costs a few percent"},
    [SETTING_ADAPTER] = {"CUBBY_ADAPTER", "adapter", SETTING_FILE, "a file", NULL, 0, 0, "what `cubby run` preloads",
                         "the adapter that came with the command"},
    [SETTING_RETAIN_MS] = {"CUBBY_RETAIN_MS", "retain-ms", SETTING_NUMBER, "ms", NULL, 1000, 3600000,
                           "free memory is kept this long after it was last wanted",
                           "what builds and drops something every second runs without page faults, and two seconds "
                           "after a peak its memory is gone"},
    [SETTING_RETAIN_MOST] = {"CUBBY_RETAIN_MOST", "retain-most", SETTING_NUMBER, "bytes", NULL, SIZE_MAX, SIZE_MAX,
                             "at most this much free memory is kept",
                             "no bound: the rule of retention has one, what was in use within the window"},
    [SETTING_HUGE_PAGES] = {"CUBBY_HUGE_PAGES", "huge-pages", SETTING_SWITCH, "0 or 1", NULL, 1, 1,
                            "huge pages are asked for where the heap is large",
                            "it only concerns Cubby's own addresses, and the system may decline"},
    [SETTING_HUGE_FROM] = {"CUBBY_HUGE_FROM", "huge-from", SETTING_NUMBER, "bytes", NULL, (uint64_t)8 << 20,
                           (uint64_t)1 << 40, "so much of a heap stays on small pages",
                           "8 MiB: a small script stays below and never pays; beyond, a huge page is at most a fifth "
                           "of the heap"},
    [SETTING_PURGE_THREAD] = {"CUBBY_PURGE_THREAD", "purge-thread", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                              "a thread gives memory back while the program is idle",
                              "a runtime may warn about threads it did not start, above all around fork"},
    [SETTING_DEBUG] = {"CUBBY_DEBUG", "debug", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                       "misuse of memory is found and reported", "the checks cost time and memory"},
    [SETTING_DEBUG_HOLD] = {"CUBBY_DEBUG_HOLD", "debug-hold", SETTING_NUMBER, "bytes", NULL, (uint64_t)16 << 20,
                            (uint64_t)1 << 40, "debug checks hold so much freed memory back",
                            "some 100,000 small objects, the last seconds of an interpreter"},
    [SETTING_DEBUG_STACKS] = {"CUBBY_DEBUG_STACKS", "debug-stacks", SETTING_NUMBER, "count", NULL, 0, 32,
                              "debug checks note so many callers of each call",
                              "each costs a walk up the stack at every call"},
    [SETTING_DEBUG_LEAKS] = {"CUBBY_DEBUG_LEAKS", "debug-leaks", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                             "debug checks report blocks that are not freed",
                             "a runtime ends with much that it means to leave to the system"},
    [SETTING_DEBUG_CONTINUE] = {"CUBBY_DEBUG_CONTINUE", "debug-continue", SETTING_SWITCH, "0 or 1", NULL, 0, 1,
                                "the program goes on after a report",
                                "after a first misuse later ones may be its consequence"},
    [SETTING_DEBUG_FILE] = {"CUBBY_DEBUG_FILE", "debug-file", SETTING_FILE, "a file", NULL, 0, 0,
                            "reports of debug checks are added to it", "stderr, where the user looks"},
};

/* A file name is as long as the system takes one. */
enum { TEXT_MOST = 4096 };

static uint64_t values[SETTING_COUNT];
static const char *texts[SETTING_COUNT];
static char text_store[SETTING_COUNT * TEXT_MOST]; /* copies: some programs write over their environment */
static size_t text_used;
static bool values_read;

static bool setting_has_text(const setting_t *setting)
{
    return setting->kind == SETTING_FILE || setting->kind == SETTING_REPORT;
}

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

static bool choice_read(const char *text, const char *const *choices, uint64_t *index)
{
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* False when the setting does not take the text. */
static bool value_read(const setting_t *setting, const char *text, uint64_t *value)
{
    switch (setting->kind) {
    case SETTING_NUMBER:
        return number_read(text, strcmp(setting->unit, "bytes") == 0, setting->most, value);
    case SETTING_SWITCH:
        return number_read(text, false, 1, value);
    case SETTING_CHOICE:
        return choice_read(text, setting->choices, value);
    case SETTING_FILE:
    case SETTING_REPORT:
        break;
    }
    return strlen(text) < TEXT_MOST;
}

/* Keeps the text of a setting that was found right. */
static void text_take(setting_id_t id, const char *text)
{
    if (setting_table[id].kind == SETTING_REPORT && (strcmp(text, "0") == 0 || strcmp(text, "1") == 0)) {
        text = *text == '0' ? "" : "-";
    }
    size_t size = strlen(text) + 1;
    texts[id] = memcpy(text_store + text_used, text, size);
    text_used += size;
}

bool setting_check(setting_id_t id, const char *text, char *expected, size_t size)
{
    const setting_t *setting = &setting_table[id];
    uint64_t value = 0;
    int saved = errno;
    bool right = *text == '\0' || value_read(setting, text, &value);
    errno = saved;
    if (right) {
        return true;
    }
    if (setting->kind == SETTING_NUMBER) {
        (void)snprintf(expected, size, "a number (%s, at most %llu)", setting->unit, (unsigned long long)setting->most);
    } else {
        (void)snprintf(expected, size, "%s%s", setting->unit,
                       setting_has_text(setting) ? " with a name of less than 4096 bytes" : "");
    }
    return false;
}

/* ---- Names that are almost right ---- */

static const char PREFIX[] = "CUBBY_";
enum { PREFIX_LENGTH = sizeof PREFIX - 1, NAME_MOST = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int upper(char letter)
{
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
}

/* Letters left out, added, taken for another or swapped with their neighbour; the case does not count. */
static size_t name_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MOST + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = upper(a[i - 1]) == b[j - 1];
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && upper(a[i - 1]) == b[j - 2] && upper(a[i - 2]) == b[j - 1]) {
                row[j] = least(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

/*
 * The setting that a name beginning with CUBBY_ was probably meant for, SETTING_COUNT when none. One slip is allowed, two
 * where the rest of the name has more than six letters: shorter words are often one or two letters apart by chance.
 */
static setting_id_t name_nearest(const char *name, size_t length)
{
    size_t rest = length - PREFIX_LENGTH;
    if (rest > NAME_MOST) {
        return SETTING_COUNT;
    }
    for (int id = 0; id < SETTING_COUNT; id++) {
        const char *known = setting_table[id].name + PREFIX_LENGTH;
        size_t known_length = strlen(known);
        if (name_distance(name + PREFIX_LENGTH, rest, known, known_length) <= (known_length > 6 ? 2U : 1U)) {
            return (setting_id_t)id;
        }
    }
    return SETTING_COUNT;
}

static setting_id_t name_find(const char *name, size_t length)
{
    for (int id = 0; id < SETTING_COUNT; id++) {
        if (strncmp(setting_table[id].name, name, length) == 0 && setting_table[id].name[length] == '\0') {
            return (setting_id_t)id;
        }
    }
    return SETTING_COUNT;
}

setting_id_t setting_find(const char *name)
{
    return name_find(name, strlen(name));
}

/* ---- The environment ---- */

static void message_write(const char *message, size_t size, int length)
{
    os.write_error(message, (size_t)length < size ? (size_t)length : size - 1);
}

/* True when the value is wrong, which is said. */
static bool value_is_wrong(setting_id_t id, const char *text)
{
    char expected[96];
    char message[256];
    if (setting_check(id, text, expected, sizeof expected)) {
        return false;
    }
    int length = snprintf(message, sizeof message, "cubby: %s=%.64s: expected %s; the program is not started\n",
                          setting_table[id].name, text, expected);
    message_write(message, sizeof message, length);
    return true;
}

/* True when the name of a variable is almost a setting's, which is said. */
static bool name_is_wrong(const char *variable)
{
    size_t length = strcspn(variable, "=");
    if (strncasecmp(variable, PREFIX, PREFIX_LENGTH) != 0 || name_find(variable, length) != SETTING_COUNT) {
        return false;
    }
    setting_id_t id = name_nearest(variable, length);
    if (id == SETTING_COUNT) {
        return false;
    }
    char message[256];
    int written = snprintf(
        message, sizeof message,
        "cubby: %.*s: there is no such setting; %s (%s) is the nearest; the program is not started\n",
        (int)least(length, PREFIX_LENGTH + NAME_MOST), variable, setting_table[id].name, setting_table[id].unit);
    message_write(message, sizeof message, written);
    return true;
}

size_t settings_read(void)
{
    int saved = errno;
    size_t wrong = 0;
    bool is_privileged = getauxval(AT_SECURE) != 0;
    text_used = 0;
    for (int i = 0; i < SETTING_COUNT; i++) {
        const setting_t *setting = &setting_table[i];
        const char *text = is_privileged ? NULL : getenv(setting->name);
        values[i] = setting->value_default;
        texts[i] = "";
        if (text == NULL || *text == '\0') {
            continue;
        }
        if (value_is_wrong((setting_id_t)i, text)) {
            wrong++;
        } else if (setting_has_text(setting)) {
            text_take((setting_id_t)i, text);
        } else {
            (void)value_read(setting, text, &values[i]);
        }
    }
    for (char **variable = is_privileged ? NULL : environ; variable != NULL && *variable != NULL; variable++) {
        wrong += name_is_wrong(*variable);
    }
    values_read = true;
    errno = saved;
    return wrong;
}

/* Before main, so that a program with a wrong setting does not start; earlier when something asks for a setting earlier. */
__attribute__((constructor)) static void settings_start(void)
{
    enum { STATUS_WRONG = 2 };
    if (!values_read && settings_read() > 0) {
        _exit(STATUS_WRONG);
    }
}

uint64_t setting(setting_id_t id)
{
    if (!values_read) {
        settings_start();
    }
    return values[id];
}

const char *setting_text(setting_id_t id)
{
    uint64_t value = setting(id);
    const setting_t *entry = &setting_table[id];
    if (entry->kind == SETTING_CHOICE) {
        return entry->choices[value];
    }
    return setting_has_text(entry) ? texts[id] : NULL;
}

void setting_set(setting_id_t id, uint64_t value)
{
    (void)setting(id);
    values[id] = value;
}
