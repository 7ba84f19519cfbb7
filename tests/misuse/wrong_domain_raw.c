/* SPDX-License-Identifier: MIT */
/* A block of the raw domain is freed through the mem domain. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_RAW, size);
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
    return 0;
}
