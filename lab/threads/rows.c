/* SPDX-License-Identifier: MIT */
#include "lab/peers.h"
#include "lab/threads/suite.h"

/*
 * So many operations that a run takes about a third of a second: long beside the birth of its threads, and short enough
 * for twenty rounds of all arms in five minutes.
 */
const threads_row_t threads_rows[THREADS_ROW_COUNT] = {
    {.name = "private",
     .meaning = "each thread has 8,192 blocks of 16 to 1,024 bytes and replaces one at random",
     .threads = 2,
     .operations = {6000000, 4000000},
     .seconds = {0.3, 0.3}},
    {.name = "private-large",
     .meaning = "the same with 512 blocks of 16 bytes to 64 KiB",
     .threads = 2,
     .operations = {2000000, 1000000},
     .seconds = {0.3, 0.6}},
    {.name = "single",
     .meaning = "private in one thread, without a second one",
     .threads = 1,
     .operations = {4000000, 0},
     .seconds = {0.3, 0}},
    {.name = "handed",
     .meaning = "each thread allocates, the next one frees",
     .threads = 2,
     .operations = {6000000, 3000000},
     .seconds = {0.3, 0.6}},
    {.name = "consumer",
     .meaning = "one thread frees what all others allocate",
     .threads = 2,
     .operations = {5000000, 1000000},
     .seconds = {0.4, 0.6}},
    {.name = "born",
     .meaning = "threads are born, leave one in 20 of 2,000 blocks behind, and end",
     .threads = 2,
     .operations = {4000000, 3000000},
     .seconds = {0.3, 0.3}},
    {.name = "sharing",
     .meaning = "each thread writes a block of 16 bytes 200 times, frees it and allocates the next",
     .threads = 2,
     .operations = {3000000, 2000000},
     .seconds = {0.4, 0.3}},
};

/* What a process costs beside its row. */
#define PROCESS_SECONDS 0.02

/* What a run of the quick form does of one of the full form. */
enum { QUICK_SHARE = 4 };

void threads_plan(threads_t *threads, bool quick)
{
    threads->quick = quick;
    threads->rounds[THREADS_FEW] = quick ? 5 : 20;
    threads->rounds[THREADS_MANY] = quick ? 1 : 3;
    for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
        threads->selected[row] = true;
    }
}

const char *threads_row_name(size_t row)
{
    return threads_rows[row].name;
}

bool threads_select(threads_t *threads, const char *list, char *wrong, size_t size)
{
    return peers_rows_select(list, threads_row_name, THREADS_ROW_COUNT, threads->selected, wrong, size);
}

bool threads_row_is_in(const threads_t *threads, threads_form_t form, size_t row)
{
    return threads->selected[row] && threads_rows[row].operations[form] > 0;
}

long threads_row_operations(const threads_t *threads, threads_form_t form, size_t row)
{
    return threads_rows[row].operations[form] / (threads->quick ? QUICK_SHARE : 1);
}

int threads_row_threads(threads_form_t form, size_t row)
{
    return form == THREADS_MANY ? THREADS_MANY_COUNT : threads_rows[row].threads;
}

double threads_run_estimate(const threads_t *threads, threads_form_t form, size_t row)
{
    double cores = threads->machine.cores_allowed > 1 || threads_rows[row].threads == 1 ? 1 : 2;
    return threads_rows[row].seconds[form] * cores / (threads->quick ? QUICK_SHARE : 1) + PROCESS_SECONDS;
}

double threads_estimate(const threads_t *threads)
{
    double arms = 0, seconds = 0;
    for (size_t i = 0; i < ARM_COUNT; i++) {
        arms += arm_is_in(&threads->arms.arms[i]);
    }
    for (threads_form_t form = 0; form < THREADS_FORM_COUNT; form++) {
        for (size_t row = 0; row < THREADS_ROW_COUNT; row++) {
            if (threads_row_is_in(threads, form, row)) {
                seconds += threads_run_estimate(threads, form, row) * arms * (double)threads->rounds[form];
            }
        }
    }
    return seconds;
}
