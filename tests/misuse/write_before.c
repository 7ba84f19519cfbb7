/* SPDX-License-Identifier: MIT */
/* A byte is written before the start of a block. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    hidden(block)[-1] = 'A';
    cubby_free(block);
    return 0;
}
