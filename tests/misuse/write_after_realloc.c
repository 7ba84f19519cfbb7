/* SPDX-License-Identifier: MIT */
/* A byte is written where a block ended before it shrank. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_realloc(cubby_malloc(size + 8), size);
    hidden(block)[size] = 'A';
    cubby_free(block);
    return 0;
}
