/* SPDX-License-Identifier: MIT */
#include "cli/options.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "lab/interrupt.h"
#include "lab/objects/suite.h"

#include <cubby/cubby.h>

#include <stdlib.h>

/* Finds the programs, and valgrind. Returns 0 or a status. */
static int programs_choose(objects_t *objects)
{
    if (program_find("valgrind", objects->valgrind, sizeof objects->valgrind) != PROGRAM_FOUND) {
        objects->valgrind[0] = '\0';
    }
    int status = suite_program_choose("cubby-objects", objects->program, sizeof objects->program);
    return status != 0
               ? status
               : suite_program_choose("cubby-objects-malloc", objects->program_malloc, sizeof objects->program_malloc);
}

/* Applies the options and finds the programs. Returns 0 or a status. */
static int objects_prepare(const bench_options_t *options, objects_t *objects)
{
    char wrong[64];
    machine_read(&objects->machine);
    arm_set_fill_native(&objects->arms);
    objects->seed = suite_seed(options);
    stats_rng_seed(&objects->rng, objects->seed);
    objects_plan(objects, options->quick);
    if (options->pairs > 0) {
        objects->rounds = (size_t)options->pairs;
    }
    if (options->rows != NULL && !objects_select(objects, options->rows, wrong, sizeof wrong)) {
        return suite_row_refuse(wrong, objects_row_name, OBJECTS_ROW_COUNT);
    }
    int status = suite_arms_choose(options, &objects->arms);
    return status != 0 ? status : programs_choose(objects);
}

/* Runs the suite and shows it. */
static int objects_show(objects_t *objects, char **arguments, const suite_output_t *output)
{
    objects_report_plan(objects, output->people);
    fflush(output->people);
    interrupt_watch();
    bool finished = objects_run(objects);
    progress_clear(&objects->progress);
    if (!finished) {
        return suite_unfinished();
    }
    if (output->people == stdout) {
        objects_report_print(objects, stdout);
    }
    bool written = suite_json_write(output, objects_to_json(objects, cubby_version(), arguments));
    return objects->failed || !written ? EXIT_FAILURE : EXIT_SUCCESS;
}

int objects_bench(const bench_options_t *options, char **arguments)
{
    suite_output_t output = {0};
    objects_t *objects = calloc(1, sizeof *objects);
    if (objects == NULL) {
        fputs("cubby bench: no memory\n", stderr);
        return EXIT_FAILURE;
    }
    int status = objects_prepare(options, objects);
    if (status == 0) {
        status = suite_output_open(options, &output) ? objects_show(objects, arguments, &output) : STATUS_USAGE;
        suite_output_close(&output);
    }
    objects_clear(objects);
    free(objects);
    return status;
}
