/* SPDX-License-Identifier: MIT */
/* A block of a heap is freed with another size than it was asked for. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create();
    char *block = cubby_heap_malloc(heap, size);
    cubby_heap_free_sized(heap, block, size + 1);
    cubby_heap_destroy(heap);
    return 0;
}
