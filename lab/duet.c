/* SPDX-License-Identifier: MIT */
#include "lab/duet.h"

#include <errno.h>

duet_cores_t duet_cores(const machine_t *machine, bool swapped)
{
    bool together = machine->cores_allowed > 1;
    int first = machine->cores_allowed > 0 ? machine->allowed[0] : CHILD_ANY_CORE;
    int second = together ? machine->allowed[1] : first;
    return (duet_cores_t){.base = swapped ? second : first, .arm = swapped ? first : second, .together = together};
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
    while (children[0].pid != 0 || children[1].pid != 0) {
        if (children_wait(children, 2) == CHILD_INTERRUPTED) {
            return false;
        }
    }
    return true;
}
