/* SPDX-License-Identifier: MIT */
/* A heap is destroyed with a block in it. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create();
    char *block = cubby_heap_malloc(heap, size);
    hidden(block)[0] = 'A';
    cubby_heap_destroy(heap);
    return 0;
}
