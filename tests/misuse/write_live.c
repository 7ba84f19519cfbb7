/* SPDX-License-Identifier: MIT */
/* A byte is written after the end of a block that is never freed; seen when everything is looked at. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    char *block = cubby_malloc(size);
    hidden(block)[size] = 'A';
    (void)cubby_check_all();
    return 0;
}
