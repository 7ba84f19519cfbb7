/* SPDX-License-Identifier: MIT */
#include "heap/remote.h"

#include "heap/checks.h"
#include "heap/link.h"

/* Before each access to what threads share: tests/heap/schedule_test.c changes threads there. */
#ifdef REMOTE_STEP
void REMOTE_STEP(void);
#else
#define REMOTE_STEP() ((void)0)
#endif

void remote_push(cubby_heap_t *owner, void *first, void *last)
{
    REMOTE_STEP();
    void *head = __atomic_load_n(&owner->remote, __ATOMIC_RELAXED);
    do {
        link_change(owner, last, head);
        REMOTE_STEP();
    } while (!__atomic_compare_exchange_n(&owner->remote, &head, first, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static size_t parcels; /* of all threads */

static void outbox_send(cubby_heap_t *own, heap_outbox_t *outbox)
{
    own->parcels++;
    remote_push(outbox->owner, outbox->first, outbox->last);
    outbox->first = NULL;
}

void remote_give(cubby_heap_t *own, cubby_heap_t *owner, void *first, void *last)
{
    heap_outbox_t *outbox = &own->outboxes[heap_number(owner) % OUTBOX_COUNT];
    if (outbox->first != NULL && outbox->owner != owner) {
        outbox_send(own, outbox);
    }
    if (outbox->first == NULL) {
        outbox->owner = owner;
        outbox->last = last;
    }
    link_change(own, last, outbox->first);
    outbox->first = first;
}

void remote_send(cubby_heap_t *own)
{
    for (size_t i = 0; i < OUTBOX_COUNT; i++) {
        if (own->outboxes[i].first != NULL) {
            outbox_send(own, &own->outboxes[i]);
        }
    }
    (void)__atomic_fetch_add(&parcels, own->parcels, __ATOMIC_RELAXED);
    own->parcels = 0;
}

size_t remote_parcels(void)
{
    return __atomic_load_n(&parcels, __ATOMIC_RELAXED);
}

void *remote_exchange(cubby_heap_t *heap)
{
    REMOTE_STEP();
    return __atomic_exchange_n(&heap->remote, NULL, __ATOMIC_ACQUIRE);
}

/* Large blocks, and blocks beyond the first region. */
static void remote_take_rest(cubby_heap_t *heap, void *block)
{
    uint32_t size_class = span_tag(block) ^ heap->tag;
    if (size_class < CUBBY_CLASS_COUNT) {
        cubby_bin_give_(heap, block, size_class);
        return;
    }
    heap_large_free(heap, span_find(block));
}

void remote_take(cubby_heap_t *heap)
{
    void *block = remote_exchange(heap);
    heap->hands_round = true;
    while (block != NULL) {
        void *next = link_take(heap, block);
        uint32_t size_class = heap_class_of(heap, block);
        if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
            cubby_bin_give_(heap, block, size_class);
        } else {
            remote_take_rest(heap, block);
        }
        block = next;
    }
}
