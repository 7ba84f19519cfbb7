/* SPDX-License-Identifier: MIT */
/*
 * A file that each pair is written to as soon as it is there, so that an experiment that was interrupted goes on where
 * it was. One JSON object a line: first what the experiment is, then rows with their loops, and pairs.
 *
 * An experiment that goes on draws the same order and the same hash seeds as before, and leaves out the pairs that the
 * file holds. So it ends with the pairs that it would have had without the interruption.
 */
#ifndef CUBBY_LAB_JOURNAL_H
#define CUBBY_LAB_JOURNAL_H

#include "lab/experiment.h"

/*
 * Opens or makes the file and takes what it holds: the seed (unless seed_given, when it must be the same), the loops of
 * rows, the pairs. A line that was cut off at the end is removed. False with a reason when the file cannot be used, or
 * is of another experiment; it is left as it was then.
 */
bool journal_open(experiment_t *experiment, const char *path, const char *suite, bool seed_given, char *reason,
                  size_t size);

/* Each does nothing without a journal. When it cannot be written any more, that is said once, and the experiment goes on. */
void journal_row_write(experiment_t *experiment, workload_id_t workload);
void journal_pair_write(experiment_t *experiment, workload_id_t workload, const pair_t *pair);
void journal_counters_write(experiment_t *experiment, workload_id_t workload, arm_id_t arm);

void journal_close(experiment_t *experiment);

#endif
