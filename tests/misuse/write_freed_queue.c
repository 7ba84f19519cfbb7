/* SPDX-License-Identifier: MIT */
/* A byte of a block is written after it was freed; seen when later frees push it out. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    cubby_free(block);
    hidden(block)[size - 1] = 'A';
    for (int i = 0; i < 3000; i++) {
        cubby_free(cubby_malloc(10000));
    }
    return 0;
}
