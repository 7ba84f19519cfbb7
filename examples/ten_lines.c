/* SPDX-License-Identifier: MIT */
/* The README's example, as it stands there. It is a test as well: its checks say what the comments promise. */
#include <cubby/cubby.h>

typedef struct boxed {
    size_t references;
    void *type;
    double value;
} boxed_t;

int main(void)
{
    cubby_heap_t *heap = cubby_heap_create();     /* memory of one owner */
    boxed_t *boxed = cubby_new(heap, boxed_t);    /* its size class is known when this is compiled: 24 bytes, not 32 */
    char *text = cubby_heap_malloc(heap, 100000); /* any size will do */
    text = cubby_heap_realloc(heap, text, 200000);
    bool well = boxed != NULL && text != NULL && cubby_usable_size(boxed) == sizeof(boxed_t);
    cubby_delete(heap, boxed); /* the next boxed_t is this one again */
    cubby_heap_destroy(heap);  /* and with the heap goes all that is still in it */
    return well ? 0 : 1;
}
