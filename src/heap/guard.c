/* SPDX-License-Identifier: MIT */
/* The ends of the inlined paths of the guarded library. */
#include "os/guard.h"

#ifdef CUBBY_GUARD

#include <cubby/cubby.h>

void cubby_guarded_free_twice_(const void *block)
{
    guard_stop(block, "this block is freed, but it is free already");
}

void cubby_guarded_link_broken_(const void *block)
{
    guard_stop(block, "this freed block was written to");
}

#endif
