/* SPDX-License-Identifier: MIT */
/* A block is written through the pointer from before its realloc. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    char *stale = hidden(block);
    char *moved = cubby_realloc(block, size + 1);
    hidden(stale)[0] = 'A';
    cubby_free(moved);
    (void)cubby_trim();
    return 0;
}
