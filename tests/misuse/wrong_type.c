/* SPDX-License-Identifier: MIT */
/* An object of cubby_new() is deleted as one of another type. */
#include "misuse.h"

typedef struct block {
    char bytes[48];
} block_t;

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create();
    block_t *block = cubby_new(heap, block_t);
    cubby_delete(heap, (char(*)[200])(void *)hidden((char *)block));
    cubby_heap_destroy(heap);
    (void)size;
    return 0;
}
