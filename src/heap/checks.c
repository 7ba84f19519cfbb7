/* SPDX-License-Identifier: MIT */
#include "heap/checks.h"

const heap_checks_t *heap_checks;

/* Before constructors without a number, such as a runtime's adapter, allocate. */
__attribute__((constructor(102))) static void checks_begin(void)
{
    check_begin();
}
