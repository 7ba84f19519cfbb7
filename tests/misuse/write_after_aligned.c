/* SPDX-License-Identifier: MIT */
/* A byte is written after the end of a block that is aligned to a page. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_aligned_alloc(4096, size);
    hidden(block)[size] = 'A';
    cubby_free(block);
    return 0;
}
