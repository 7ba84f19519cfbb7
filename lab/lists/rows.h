/* SPDX-License-Identifier: MIT */
/* `cubby bench lists`: lists on Cubby, libc and the peers, each with Cubby's growth rule and with CPython's. */
#ifndef CUBBY_LAB_LISTS_ROWS_H
#define CUBBY_LAB_LISTS_ROWS_H

#include "lab/native_suite.h"

extern const native_kind_t lists_kind;

#endif
