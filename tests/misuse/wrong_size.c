/* SPDX-License-Identifier: MIT */
/* A block is freed with another size than it was asked for. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    cubby_free_sized(block, size - 1);
    return 0;
}
