/* SPDX-License-Identifier: MIT */
#include "lab/duet.h"

#include "lab/placing.h"

#include <errno.h>

/* Shorter than bursts of foreign work, and long beside the microseconds that a move takes. */
#define TRADE_SECONDS 0.003

duet_cores_t duet_cores(const machine_t *machine, bool swapped)
{
    bool together = machine->cores_allowed > 1;
    int first = machine->cores_allowed > 0 ? machine->allowed[0] : CHILD_ANY_CORE;
    int second = together ? machine->allowed[1] : first;
    return (duet_cores_t){.base = swapped ? second : first, .arm = swapped ? first : second, .together = together};
}

/* Puts each on the other's core, or back on its own. */
static void cores_trade(const child_spec_t specs[2], const child_t children[2], bool traded)
{
    for (size_t i = 0; i < 2; i++) {
        if (children[i].pid != 0) {
            process_move(children[i].pid, specs[traded ? 1 - i : i].core);
        }
    }
}

bool duet_run(const child_spec_t specs[2], bool together, child_t children[2], int errors[2])
{
    children[0].pid = children[1].pid = 0;
    for (size_t i = 0; i < 2; i++) {
        bool started = child_start(&children[i], &specs[i]);
        errors[i] = started ? 0 : errno;
        if (!together && started && children_wait(children, 2) == CHILD_INTERRUPTED) {
            return false;
        }
    }
    bool traded = false;
    while (children[0].pid != 0 || children[1].pid != 0) {
        int ended = children_wait_for(children, 2, TRADE_SECONDS);
        if (ended == CHILD_INTERRUPTED) {
            return false;
        }
        if (ended == CHILD_NONE && together) {
            traded = !traded;
            cores_trade(specs, children, traded);
        }
    }
    return true;
}
