/* SPDX-License-Identifier: MIT */
/* A domain's limit: a hook at the bottom that counts the usable bytes of all blocks. */
#ifndef CUBBY_DOMAIN_LIMIT_H
#define CUBBY_DOMAIN_LIMIT_H

#include <cubby/domain.h>

#pragma GCC visibility push(hidden)

/* The hook of each domain's limit. */
extern const cubby_hook_t limit_hooks[CUBBY_DOMAIN_COUNT];

#pragma GCC visibility pop

#endif
