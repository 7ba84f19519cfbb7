/* SPDX-License-Identifier: MIT */
/* A byte is written after the end of an object of cubby_new(). */
#include "misuse.h"

typedef struct block {
    char bytes[48];
} block_t;

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create();
    block_t *block = cubby_new(heap, block_t);
    hidden((char *)block)[sizeof *block + size % 8] = 'A';
    cubby_delete(heap, block);
    cubby_heap_destroy(heap);
    return 0;
}
