/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include "heap/malloc.h"
#include "heap/pool.h"
#include "os/os.h"
#include "span/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/*
 * Heap numbers, one bit each; 0 is never given out, so that no heap's tag is 0. The bound is the price of a static
 * table of 8 KiB, of which a process with few heaps touches one page.
 */
enum { HEAP_MAX = 65536 };
static uint64_t numbers_taken[HEAP_MAX / 64];
static size_t heaps_alive;
static pthread_mutex_t numbers_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t bytes_copied;

void heap_registry_lock(void)
{
    (void)pthread_mutex_lock(&numbers_lock);
}

void heap_registry_unlock(void)
{
    (void)pthread_mutex_unlock(&numbers_lock);
}

/* The lowest free number, 0 when all are taken. */
static uint32_t number_take(void)
{
    uint32_t number = 0;
    heap_registry_lock();
    numbers_taken[0] |= 1;
    for (size_t word = 0; word < HEAP_MAX / 64 && number == 0; word++) {
        if (numbers_taken[word] != UINT64_MAX) {
            unsigned bit = (unsigned)__builtin_ctzll(~numbers_taken[word]);
            numbers_taken[word] |= (uint64_t)1 << bit;
            number = (uint32_t)(word * 64 + bit);
            heaps_alive++;
        }
    }
    heap_registry_unlock();
    return number;
}

static void number_drop(uint32_t number)
{
    heap_registry_lock();
    numbers_taken[number / 64] &= ~((uint64_t)1 << number % 64);
    heaps_alive--;
    heap_registry_unlock();
}

static void heap_init_classes(cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        heap_class_t *class = &heap->classes[size_class];
        size_t room = BIN_BYTES / size;
        room = room < BIN_ROOM_LEAST ? BIN_ROOM_LEAST : room;
        room = room > BIN_ROOM_MOST ? BIN_ROOM_MOST : room;
        class->pages = (uint32_t)class_pool_pages(size);
        class->capacity = (uint32_t)(((size_t) class->pages << PAGE_SHIFT) / size);
        class->room = (int32_t)room;
        heap->bins[size_class].room = (int32_t)room;
        heap->bins[size_class].size = (uint32_t)size;
    }
}

cubby_heap_t *cubby_heap_create(void)
{
    uint32_t number = number_take();
    if (number == 0) {
        errno = ENOMEM;
        return NULL;
    }
    span_t *home = span_alloc((sizeof(cubby_heap_t) + PAGE_BYTES - 1) >> PAGE_SHIFT, PAGE_BYTES);
    if (home == NULL) {
        number_drop(number);
        errno = ENOMEM;
        return NULL;
    }
    span_zero(home, 0, span_bytes(home));
    cubby_heap_t *heap = (cubby_heap_t *)(void *)span_start(home);
    heap->tag = number << TAG_CLASS_BITS;
    heap->home = home;
    heap_init_classes(heap);
    return heap;
}

/* Frees every span of a list; block_bytes 0: large blocks, else pools of such blocks. */
static void spans_free(span_t *span, size_t block_bytes)
{
    while (span != NULL) {
        span_t *next = span->next;
        span_tag_all(span, 0);
        span_free(span, block_bytes == 0 ? span_bytes(span) : span->carved * block_bytes);
        span = next;
    }
}

void cubby_heap_destroy(cubby_heap_t *heap)
{
    if (heap == NULL) {
        return;
    }
    int saved = errno;
    heap_flush(heap); /* pools learn what of them was never carved */
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        for (int shelf = 0; shelf <= SHELF_FULL; shelf++) {
            spans_free(heap->classes[size_class].shelf[shelf], heap->bins[size_class].size);
        }
    }
    spans_free(heap->large, 0);
    uint32_t number = heap->tag >> TAG_CLASS_BITS;
    span_t *home = heap->home;
    span_free(home, span_bytes(home));
    number_drop(number);
    errno = saved;
}

void heap_tick(cubby_heap_t *heap, uint32_t weight)
{
    heap->events += weight;
    if (CUBBY_LIKELY(heap->events < EVENTS_PER_TICK)) {
        return;
    }
    heap->events = 0;
    uint64_t now = os.clock_ms();
    if (now >= heap->flush_at) {
        heap_flush(heap);
        heap->flush_at = now + FLUSH_MS;
    }
    span_tick(now);
    purge_thread_start();
}

size_t cubby_heap_trim(cubby_heap_t *heap)
{
    int saved = errno;
    heap_flush(heap);
    size_t bytes = span_trim();
    errno = saved;
    return bytes;
}

/* ---- Facts about any pointer ---- */

/* The span whose block starts exactly there, or NULL. */
static span_t *block_span(const void *block)
{
    uint32_t tag = span_tag(block);
    if (tag == 0) {
        return NULL;
    }
    span_t *span = span_find(block);
    size_t offset = (size_t)((const char *)block - span_start(span));
    if ((tag & UINT8_MAX) == CLASS_LARGE) {
        return offset == 0 ? span : NULL;
    }
    size_t size = class_size(span->size_class);
    return offset % size == 0 && offset / size < span->carved ? span : NULL;
}

cubby_heap_t *block_heap(const void *block)
{
    const span_t *span = block_span(block);
    return span == NULL ? NULL : span->heap;
}

size_t block_size(const void *block)
{
    const span_t *span = block_span(block);
    if (span == NULL) {
        return 0;
    }
    return span->size_class == CLASS_LARGE ? span_bytes(span) : class_size(span->size_class);
}

size_t heap_count(void)
{
    heap_registry_lock();
    size_t count = heaps_alive;
    heap_registry_unlock();
    return count;
}

void heap_copied_add(size_t bytes)
{
    (void)__atomic_fetch_add(&bytes_copied, bytes, __ATOMIC_RELAXED);
}

size_t heap_copied(void)
{
    return __atomic_load_n(&bytes_copied, __ATOMIC_RELAXED);
}

void heap_refuse(const char *function, const void *pointer, const char *why)
{
    int saved = errno;
    char text[160];
    int length = snprintf(text, sizeof text, "cubby: %s(%p): %s; the call is ignored\n", function, pointer, why);
    os.write_error(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    errno = saved;
}
