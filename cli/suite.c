/* SPDX-License-Identifier: MIT */
#include "cli/suite.h"

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
