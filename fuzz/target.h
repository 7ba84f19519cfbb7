/* SPDX-License-Identifier: MIT */
/* The one function of a fuzz target, which libFuzzer or driver.c calls. */
#ifndef CUBBY_FUZZ_TARGET_H
#define CUBBY_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Does what the bytes say; ends the process when something is wrong. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
