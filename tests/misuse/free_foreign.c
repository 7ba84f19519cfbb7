/* SPDX-License-Identifier: MIT */
/* A block of the C library is freed by Cubby. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = malloc(size);
    cubby_free(hidden(block));
    free(block);
    return 0;
}
