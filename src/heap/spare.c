/* SPDX-License-Identifier: MIT */
#include "heap/spare.h"

/*
 * Together no more than a quarter of what the heap's pools have, so that a small heap stays small; but always some, for
 * a thread that uses large blocks only.
 */
enum { SPARE_SHARE = 4, SPARE_PAGES_LEAST = 32, SPARE_PAGES_MOST = 256, ROUGH_SHARE = 8 };

static size_t pages_most(const cubby_heap_t *heap)
{
    size_t pages = heap->pool_pages / SPARE_SHARE;
    pages = pages < SPARE_PAGES_LEAST ? SPARE_PAGES_LEAST : pages;
    return pages > SPARE_PAGES_MOST ? SPARE_PAGES_MOST : pages;
}

/* Empties a slot. */
static void slot_free(cubby_heap_t *heap, heap_spare_t *spare)
{
    if (spare->pages == 0) {
        return;
    }
    heap->spare_pages -= spare->pages;
    spare->pages = 0;
    span_free(spare->span, spare->dirty_bytes);
}

span_t *spare_take(cubby_heap_t *heap, size_t pages, bool roughly)
{
    size_t most = roughly ? pages + pages / ROUGH_SHARE : pages;
    for (size_t i = 0; i < SPARE_COUNT; i++) {
        heap_spare_t *spare = &heap->spares[i];
        if (spare->pages >= pages && spare->pages <= most) {
            heap->spare_pages -= spare->pages;
            spare->pages = 0;
            spare->span->reused = true;
            return spare->span;
        }
    }
    return NULL;
}

void spare_give(cubby_heap_t *heap, span_t *span, size_t dirty_bytes)
{
    if (span->reused) {
        dirty_bytes = span_bytes(span);
    }
    if (heap->kind != HEAP_THREAD || span->pages > SPARE_PAGES || span->region != 0) {
        span_free(span, dirty_bytes);
        return;
    }
    do {
        heap->spare_next = (heap->spare_next + 1) % SPARE_COUNT;
        slot_free(heap, &heap->spares[heap->spare_next]);
    } while (heap->spare_pages + span->pages > pages_most(heap));
    heap->spares[heap->spare_next] =
        (heap_spare_t){.span = span, .pages = span->pages, .dirty_bytes = (uint32_t)dirty_bytes};
    heap->spare_pages += span->pages;
}

void spare_send(cubby_heap_t *heap)
{
    for (size_t i = 0; i < SPARE_COUNT; i++) {
        slot_free(heap, &heap->spares[i]);
    }
}
