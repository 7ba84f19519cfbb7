/* SPDX-License-Identifier: MIT */
#include "os/guard.h"

#ifdef CUBBY_GUARD

#include "os/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* The kernel gives each process sixteen random bytes: no call can fail. */
uintptr_t guard_key(void)
{
    uintptr_t key = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random != NULL) {
        memcpy(&key, random, sizeof key);
    }
    return key != 0 ? key : (uintptr_t)&os | 1;
}

_Noreturn void guard_stop(const void *place, const char *what)
{
    char text[160];
    int length = snprintf(text, sizeof text, "cubby: guard: %p: %s; the program is stopped\n", place, what);
    os.write_error(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    abort();
}

#endif
