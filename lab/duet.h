/* SPDX-License-Identifier: MIT */
/*
 * Two processes at the same time: whatever slows the machine slows both, and their ratio is what counts.
 *
 * What slows one core alone would still be in that ratio: on a virtual machine whose neighbours come and go, pairs of
 * equal processes were seen to scatter by 15 to 20 %. So the two trade cores every few milliseconds, as long as either
 * runs, and get about as much of both; the same pairs then scatter by 2 to 4 %. What a move costs, both pay.
 */
#ifndef CUBBY_LAB_DUET_H
#define CUBBY_LAB_DUET_H

#include "lab/child.h"
#include "lab/machine.h"

/* The core of each half of a pair. On a single core both are that one, and the halves run one after the other. */
typedef struct duet_cores {
    int base;
    int arm;
    bool together;
} duet_cores_t;

duet_cores_t duet_cores(const machine_t *machine, bool swapped);

/*
 * Runs both to their end, the first core of each being the one it is given; in turn, and each on its core, unless
 * together. errors[i] is 0, or the errno for which a process could not be
 * started. False when interrupted; nothing runs any more then.
 */
bool duet_run(const child_spec_t specs[2], bool together, child_t children[2], int errors[2]);

#endif
