/* SPDX-License-Identifier: MIT */
/* A block of the mem domain is freed through the obj domain. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, size);
    cubby_domain_free(CUBBY_DOMAIN_OBJ, block);
    return 0;
}
