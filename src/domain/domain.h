/* SPDX-License-Identifier: MIT */
#ifndef CUBBY_DOMAIN_DOMAIN_H
#define CUBBY_DOMAIN_DOMAIN_H

#include <cubby/domain.h>

#pragma GCC visibility push(hidden)

/*
 * Puts a hook that must see every block right above the table at the bottom, below all other hooks; nothing when it is
 * there. False, with the reason, when the domain is in use, or the sizes of the table's blocks are not known.
 */
bool domain_wrap_bottom(cubby_domain_t domain, const cubby_hook_t *hook);

#pragma GCC visibility pop

#endif
