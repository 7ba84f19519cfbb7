/* SPDX-License-Identifier: MIT */
/* A block of one heap is freed through another. */
#include "misuse.h"

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create();
    cubby_heap_t *other = cubby_heap_create();
    char *block = cubby_heap_malloc(heap, size);
    cubby_heap_free(other, block);
    cubby_heap_destroy(heap);
    cubby_heap_destroy(other);
    return 0;
}
