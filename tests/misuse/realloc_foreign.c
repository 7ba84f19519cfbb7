/* SPDX-License-Identifier: MIT */
/* A block of the C library is resized by Cubby. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = malloc(size);
    char *moved = cubby_realloc(hidden(block), size * 2);
    cubby_free(moved);
    return 0;
}
