/* SPDX-License-Identifier: MIT */
#include "heap/borrow.h"

#include "heap/remote.h"

/* Blocks of several heaps: each goes its own way. */
static void mixed_send(cubby_heap_t *heap, const heap_borrowed_t *borrowed)
{
    void *block = borrowed->first;
    while (block != NULL) {
        void *next = link_next(heap, block);
        remote_give(heap, span_find(block)->heap, block, block);
        block = next;
    }
}

void borrow_send(cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        heap_borrowed_t *borrowed = &heap->borrowed[size_class];
        if (borrowed->first == NULL) {
            continue;
        }
        if (borrowed->owner == OWNER_MIXED) {
            mixed_send(heap, borrowed);
        } else {
            cubby_heap_t *owner = span_find(borrowed->first)->heap;
            remote_give(heap, owner, borrowed->first, borrowed->last);
        }
        borrowed->first = NULL;
        borrowed->bytes = 0;
    }
    heap->borrowed_bytes = 0;
    remote_send(heap);
}

void borrow_overflow(cubby_heap_t *heap)
{
    borrow_send(heap);
    if (!heap->borrow_used) {
        heap->borrow_most = BORROW_BYTES_LEAST;
    } else if (heap->borrow_most < BORROW_BYTES_MOST) {
        heap->borrow_most *= 2;
    }
    heap->borrow_used = false;
    heap_tick(heap, EVENT_PARCEL);
}
