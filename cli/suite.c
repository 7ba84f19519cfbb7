/* SPDX-License-Identifier: MIT */
#include "cli/suite.h"

#include "cli/options.h"
#include "cli/program.h"
#include "lab/interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

uint64_t suite_seed(const bench_options_t *options)
{
    uint32_t drawn = 1;
    if (options->seed >= 0) {
        return (uint64_t)options->seed;
    }
    if (getrandom(&drawn, sizeof drawn, 0) < 0) {
        drawn = (uint32_t)getpid();
    }
    return drawn & INT32_MAX;
}

int suite_python_choose(const bench_options_t *options, char *path, size_t size)
{
    const char *debian = "/usr/bin/python3";
    const char *name = options->python != NULL ? options->python : (access(debian, X_OK) == 0 ? debian : "python3");
    switch (program_find(name, path, size)) {
    case PROGRAM_FOUND:
        return 0;
    case PROGRAM_REFUSED:
        fprintf(stderr, "cubby bench: %s: found, but it is not a program that may be executed\n", path);
        return STATUS_REFUSED;
    case PROGRAM_MISSING:
        break;
    }
    fprintf(stderr, "cubby bench: %s: not found\n", name);
    return STATUS_MISSING;
}

void suite_arms_fill(arm_set_t *arms, adapter_t *adapter)
{
    char reason[sizeof arms->arms[0].reason];
    adapter_find(adapter);
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, adapter->reason);
    arm_set_fill(arms, adapter->usable ? adapter->path : NULL, reason);
}

bool suite_arms_even(arm_set_t *arms)
{
    char folder[PATH_MAX] = "", built[PATH_MAX + 32];
    executable_folder(folder, sizeof folder);
    snprintf(built, sizeof built, "%s/lab/liblab-null.so", folder);
    const char *installed = CUBBY_LIBDIR "/liblab-null.so";
    const char *found = access(built, R_OK) == 0 ? built : installed;
    return access(found, R_OK) == 0 && strpbrk(found, " :") == NULL && arm_set_even(arms, found);
}

int suite_adapter_check(const arm_set_t *arms, const adapter_t *adapter)
{
    for (size_t i = 0; i < ARM_COUNT; i++) {
        const arm_t *arm = &arms->arms[i];
        if (arm->adapted && arm->selected && !arm->present) {
            fprintf(stderr, "cubby bench: %s\n", adapter->reason);
            return STATUS_REFUSED;
        }
    }
    return 0;
}

int suite_arms_choose(const bench_options_t *options, arm_set_t *arms)
{
    char wrong[64];
    if (options->arms == NULL || arm_set_select(arms, options->arms, ARM_CUBBY, wrong, sizeof wrong)) {
        return 0;
    }
    fprintf(stderr, "cubby bench: --arms: %s is not one of libc, cubby, mimalloc, jemalloc, tcmalloc\n", wrong);
    return STATUS_USAGE;
}

int suite_python_arms_choose(const bench_options_t *options, arm_set_t *arms)
{
    char wrong[64];
    if (options->arms == NULL || arm_set_select(arms, options->arms, ARM_STOCK, wrong, sizeof wrong)) {
        return 0;
    }
    fprintf(stderr,
            "cubby bench: --arms: %s is not one of stock, list-libc, libc, cubby, mimalloc, jemalloc, tcmalloc\n",
            wrong);
    return STATUS_USAGE;
}

int suite_row_refuse(const char *wrong, const char *(*name_of)(size_t row), size_t count)
{
    fprintf(stderr, "cubby bench: --rows: %s is not one of", wrong);
    for (size_t row = 0; row < count; row++) {
        fprintf(stderr, "%s %s", row == 0 ? "" : ",", name_of(row));
    }
    fputc('\n', stderr);
    return STATUS_USAGE;
}

int suite_program_choose(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX] = "";
    executable_folder(folder, sizeof folder);
    snprintf(path, size, "%s/lab/native/%s", folder, name);
    if (access(path, X_OK) != 0) {
        fprintf(stderr, "cubby bench: %s is not there\n", path);
        return STATUS_REFUSED;
    }
    return 0;
}

bool suite_output_open(const bench_options_t *options, suite_output_t *output)
{
    *output = (suite_output_t){.people = stdout};
    if (options->json && options->file == NULL) {
        *output = (suite_output_t){.people = stderr, .json = stdout};
    }
    if (options->file == NULL) {
        return true;
    }
    output->json = fopen(options->file, "we");
    if (output->json == NULL) {
        fprintf(stderr, "cubby bench: %s: %s\n", options->file, strerror(errno));
    }
    return output->json != NULL;
}

void suite_output_close(const suite_output_t *output)
{
    if (output->json != NULL && output->json != stdout) {
        fclose(output->json);
    }
}

bool suite_json_write(const suite_output_t *output, json_t *result)
{
    FILE *file = output->json;
    bool written = file == NULL || (result != NULL && json_dumpf(result, file, JSON_INDENT(1)) == 0 &&
                                    fputc('\n', file) != EOF && fflush(file) == 0);
    json_decref(result);
    if (!written) {
        fputs("cubby bench: the JSON could not be written\n", stderr);
    }
    return written;
}

int suite_unfinished(void)
{
    if (interrupt_signal() == 0) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    fputs("cubby bench: interrupted\n", stderr);
    return 128 + interrupt_signal();
}
