/* SPDX-License-Identifier: MIT */
/* A byte of a block is written after it was freed; seen when the program ends. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    cubby_free(block);
    hidden(block)[0] = 'A';
    return 0;
}
