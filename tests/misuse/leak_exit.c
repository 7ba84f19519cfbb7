/* SPDX-License-Identifier: MIT */
/* A block is never freed. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    hidden(block)[0] = 'A';
    return 0;
}
