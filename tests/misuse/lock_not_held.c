/* SPDX-License-Identifier: MIT */
/* A domain is used without the lock that goes with it. */
#include "misuse.h"

static bool never_held(void *ctx)
{
    (void)ctx;
    return false;
}

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_check_domain_lock(CUBBY_DOMAIN_OBJ, never_held, NULL);
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_OBJ, size);
    cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    return 0;
}
