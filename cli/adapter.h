/* SPDX-License-Identifier: MIT */
/* Where Cubby's adapter for Python is. */
#ifndef CUBBY_CLI_ADAPTER_H
#define CUBBY_CLI_ADAPTER_H

#include <limits.h>
#include <stdbool.h>

typedef struct adapter {
    bool usable;
    char path[PATH_MAX];       /* the file, when there is one */
    char module[PATH_MAX];     /* the folder for PYTHONPATH that holds the module `cubby`; empty when there is none */
    char reason[PATH_MAX * 2]; /* why it is not usable */
} adapter_t;

/*
 * CUBBY_ADAPTER decides when it is set. Otherwise the adapter is looked for in adapters/python beside the executable,
 * as in a build folder, then where it is installed. A path that LD_PRELOAD cannot carry makes it unusable. The module is
 * looked for in the same two places; one in a path with a colon is none.
 */
void adapter_find(adapter_t *adapter);

#endif
