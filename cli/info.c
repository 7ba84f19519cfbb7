/* SPDX-License-Identifier: MIT */
#include "cli/info.h"

#include "cli/adapter.h"
#include "cli/judge.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/settings.h"
#include "lab/arm.h"
#include "lab/machine.h"

#include <cubby/cubby.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 0x100 };

#define GIB_KIB 1048576.0

static const struct argp_option info_table[] = {
    {.name = "json", .key = KEY_JSON, .doc = "Print JSON"},
    {0},
};

static error_t info_parser(int key, char *argument, struct argp_state *state)
{
    bool *json = state->input;
    switch (key) {
    case KEY_JSON:
        *json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "%s: no argument is expected", argument);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const options_t info_help = {
    .name = "cubby info",
    .text = "Shows versions, the machine, and what a run would use.",
    .table = info_table,
    .parser = info_parser,
};

/* An allocation failed: what lacks a part of the truth is not printed. */
static bool memory_ended;

/* Jansson's. */
static void *noted_malloc(size_t size)
{
    void *block = malloc(size);
    memory_ended = memory_ended || block == NULL;
    return block;
}

/* What the library holds once it has served one request. */
static json_t *library_describe(void)
{
    cubby_stats_t stats;
    void *block = cubby_malloc(1);
    cubby_stats_get(&stats);
    json_t *library = json_pack("{s:s, s:b, s:I, s:I, s:I}", "version", cubby_version(), "serves", block != NULL,
                                "reserved_bytes", (json_int_t)stats.reserved, "committed_bytes",
                                (json_int_t)stats.committed, "regions", (json_int_t)stats.regions);
    cubby_free(block);
    return library;
}

static const char *judgement_text(judgement_t judgement)
{
    switch (judgement) {
    case JUDGED_PYTHON:
        return "a Python interpreter that Cubby can serve";
    case JUDGED_SHELL_SCRIPT:
        return "a shell script; the Python interpreter it starts is served";
    case JUDGED_UNKNOWN:
        return "of a kind that cannot be told from its file";
    case JUDGED_OTHER:
    case JUDGED_STATIC:
    case JUDGED_FOREIGN:
    case JUDGED_PRIVILEGED:
        break;
    }
    const char *note = judgement_note(judgement);
    return strncmp(note, "is ", 3) == 0 ? note + 3 : note;
}

static json_t *python_describe(void)
{
    char path[PATH_MAX] = "";
    if (program_find("python3", path, sizeof path) != PROGRAM_FOUND) {
        return json_pack("{s:n, s:b, s:s}", "path", "served", 0, "kind", "python3 is not in PATH");
    }
    judgement_t judgement = program_judge(path);
    bool served = judgement == JUDGED_PYTHON || judgement == JUDGED_SHELL_SCRIPT;
    return json_pack("{s:s, s:b, s:s}", "path", path, "served", served, "kind", judgement_text(judgement));
}

static json_t *adapter_describe(void)
{
    adapter_t adapter;
    adapter_find(&adapter);
    if (!adapter.usable) {
        return json_pack("{s:n, s:s, s:s}", "path", "reason", adapter.reason, "module", adapter.module);
    }
    return json_pack("{s:s, s:s}", "path", adapter.path, "module", adapter.module);
}

/* Settings of this environment that would change what a run does, each with its effect. */
static json_t *interference_describe(void)
{
    static const char *const variables[][2] = {
        {"PYTHONMALLOC", "chooses CPython's allocator itself, and Cubby stands back; or asks for debug checks"},
        {"PYTHONDEVMODE", "asks for debug checks, which are Cubby's"},
        {"LD_PRELOAD", "stays loaded behind the adapter; an allocator in it serves what Cubby does not"},
        {"CUBBY_ADAPTER", "names the adapter"},
    };
    json_t *found = json_array();
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i][0]);
        if (value != NULL && value[0] != '\0') {
            json_array_append_new(found, json_pack("{s:s, s:s%, s:s}", "name", variables[i][0], "value", value,
                                                   strlen(value), "effect", variables[i][1]));
        }
    }
    return found;
}

static json_t *peers_describe(void)
{
    json_t *peers = json_array();
    arm_set_t *set = calloc(1, sizeof *set);
    if (set == NULL) {
        memory_ended = true;
        return peers;
    }
    arm_set_fill(set, NULL, "");
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &set->arms[i];
        if (arm->library == NULL) {
            continue;
        }
        json_t *peer = json_pack("{s:s, s:b}", "name", arm->name, "found", arm->present);
        json_object_set_new(peer, arm->present ? "path" : "reason",
                            json_string(arm->present ? strchr(arm->preload, '=') + 1 : arm->reason));
        json_array_append_new(peers, peer);
    }
    free(set);
    return peers;
}

static const char *text_get(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static double number_get(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *overcommit_meaning(const char *mode)
{
    static const char *const meanings[] = {"heuristic", "always", "never more than is there"};
    return mode[0] >= '0' && mode[0] <= '2' ? meanings[mode[0] - '0'] : "unknown";
}

static void machine_print(const json_t *machine)
{
    printf("machine        %s, %s, %s, %s\n", text_get(machine, "cpu"), text_get(machine, "architecture"),
           text_get(machine, "kernel"), text_get(machine, "libc"));
    printf("cores          %.0f, of which %zu may be used\n", number_get(machine, "cores_online"),
           json_array_size(json_object_get(machine, "cores_allowed")));
    printf("memory         %.1f GiB, %.1f GiB available\n", number_get(machine, "memory_kib") / GIB_KIB,
           number_get(machine, "available_kib") / GIB_KIB);
    printf("page           %.0f bytes; huge pages %s (defrag %s), %.0f KiB\n", number_get(machine, "page_bytes"),
           text_get(machine, "thp_enabled"), text_get(machine, "thp_defrag"), number_get(machine, "thp_bytes") / 1024);
    const char *overcommit = text_get(machine, "overcommit");
    printf("overcommit     %s (%s)\n", overcommit, overcommit_meaning(overcommit));
    printf("address space  random layout %s; ", text_get(machine, "aslr"));
    double limit = number_get(machine, "address_space_limit_bytes");
    if (limit < 0) {
        puts("no limit");
    } else {
        printf("limited to %.1f GiB\n", limit / 1024 / GIB_KIB);
    }
}

static void list_print(const char *heading, const json_t *list, const char *first, const char *second,
                       const char *nothing)
{
    if (json_array_size(list) == 0) {
        printf("%-14s %s\n", heading, nothing);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *detail = text_get(entry, second);
        printf("%-14s %s: %s\n", i == 0 ? heading : "", text_get(entry, first),
               detail[0] != '\0' ? detail : text_get(entry, "reason"));
    }
}

static void info_print(const json_t *info)
{
    const json_t *library = json_object_get(info, "library");
    const json_t *python = json_object_get(info, "python3");
    const json_t *adapter = json_object_get(info, "adapter");
    printf("cubby          %s; JSON by jansson %s\n", text_get(library, "version"), text_get(info, "jansson"));
    machine_print(json_object_get(info, "machine"));
    if (json_is_true(json_object_get(library, "serves"))) {
        printf("region         %.1f GiB of addresses reserved, %.1f MiB committed\n",
               number_get(library, "reserved_bytes") / 1024 / GIB_KIB,
               number_get(library, "committed_bytes") / 1048576);
    } else {
        puts("region         the system gives no memory");
    }
    huge_pages_print(json_object_get(info, "huge_pages"));
    settings_print();
    printf("purge thread   %s\n", json_is_true(json_object_get(info, "purge_thread"))
                                      ? "runs: memory comes back while the program is idle"
                                      : "none: memory comes back while the program does something");
    const char *reason = text_get(adapter, "reason");
    printf("adapter        %s\n", reason[0] != '\0' ? reason : text_get(adapter, "path"));
    const char *module = text_get(adapter, "module");
    printf("module         %s\n", module[0] != '\0' ? module : "none; `import cubby` finds nothing");
    const char *path = text_get(python, "path");
    printf("python3        %s%s%s\n", path, path[0] != '\0' ? ": " : "", text_get(python, "kind"));
    list_print("environment", json_object_get(info, "environment"), "name", "effect", "nothing that interferes");
    list_print("peers", json_object_get(info, "peers"), "name", "path", "none known");
}

/* Says why there is nothing to print. */
static int info_refuse(json_t *info)
{
    fputs(memory_ended ? "cubby info: out of memory\n" : "cubby info: a path or setting is not UTF-8 text\n", stderr);
    json_decref(info);
    return EXIT_FAILURE;
}

int info_command(int count, char **arguments)
{
    bool as_json = false;
    if (!options_parse(&info_help, count, arguments, &as_json)) {
        return STATUS_USAGE;
    }
    machine_t machine;
    machine_read(&machine);
    json_set_alloc_funcs(noted_malloc, free);
    json_t *info = json_pack("{s:o, s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "library", library_describe(),
                             "jansson", JANSSON_VERSION, "machine", machine_to_json(&machine), "huge_pages",
                             huge_pages_describe(&machine), "settings", settings_describe(), "purge_thread",
                             setting_value("CUBBY_PURGE_THREAD") != 0, "adapter", adapter_describe(), "python3",
                             python_describe(), "environment", interference_describe(), "peers", peers_describe());
    char *text = info != NULL && as_json ? json_dumps(info, JSON_INDENT(2)) : NULL;
    if (info == NULL || memory_ended || (as_json && text == NULL)) {
        free(text);
        return info_refuse(info);
    }
    if (as_json) {
        puts(text);
        free(text);
    } else {
        info_print(info);
    }
    json_decref(info);
    return EXIT_SUCCESS;
}
