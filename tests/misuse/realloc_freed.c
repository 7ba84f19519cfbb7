/* SPDX-License-Identifier: MIT */
/* A block is resized after it was freed. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    char *again = hidden(block);
    cubby_free(block);
    again = cubby_realloc(again, size * 2);
    cubby_free(again);
    return 0;
}
