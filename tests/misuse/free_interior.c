/* SPDX-License-Identifier: MIT */
/* A pointer into a block is freed. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    cubby_free(hidden(block) + size / 2);
    return 0;
}
