/* SPDX-License-Identifier: MIT */
/* A block is freed twice, the second time after it has left the queue of freed blocks. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    char *again = hidden(block);
    cubby_free(block);
    (void)cubby_trim();
    cubby_free(again);
    return 0;
}
