/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include "heap/borrow.h"
#include "heap/check.h"
#include "heap/checks.h"
#include "heap/pool.h"
#include "heap/pressure.h"
#include "heap/remote.h"
#include "heap/shared.h"
#include "heap/stats.h"
#include "heap/thread.h"
#include "os/guard.h"
#include "os/lock.h"
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

static size_t bytes_copied;
static uint32_t forks; /* that made this process what it is */

/* The highest number is the plain heap's. */
enum { NUMBER_PLAIN = HEAP_MAX - 1 };
cubby_heap_t heap_plain = {.tag = (uint32_t)NUMBER_PLAIN << TAG_CLASS_BITS, .kind = HEAP_PLAIN};

/* The lowest free number, 0 when all are taken. */
static uint32_t number_take(void)
{
    uint32_t number = 0;
    lock_take(LOCK_HEAP_NUMBERS);
    numbers_taken[0] |= 1;
    numbers_taken[NUMBER_PLAIN / 64] |= (uint64_t)1 << NUMBER_PLAIN % 64;
    for (size_t word = 0; word < HEAP_MAX / 64 && number == 0; word++) {
        if (numbers_taken[word] != UINT64_MAX) {
            unsigned bit = (unsigned)__builtin_ctzll(~numbers_taken[word]);
            numbers_taken[word] |= (uint64_t)1 << bit;
            number = (uint32_t)(word * 64 + bit);
            heaps_alive++;
        }
    }
    lock_drop(LOCK_HEAP_NUMBERS);
    return number;
}

static void number_drop(uint32_t number)
{
    lock_take(LOCK_HEAP_NUMBERS);
    numbers_taken[number / 64] &= ~((uint64_t)1 << number % 64);
    heaps_alive--;
    lock_drop(LOCK_HEAP_NUMBERS);
}

static void heap_init_classes(cubby_heap_t *heap)
{
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        size_t size = class_size(size_class);
        heap_class_t *class = &heap->classes[size_class];
        class->pages = (uint32_t)class_pool_pages(size);
        class->capacity = (uint32_t)(((size_t) class->pages << PAGE_SHIFT) / size);
        class->room = bin_room_first(heap, size);
        heap->bins[size_class].room = class->room;
        heap->bins[size_class].size = (uint32_t)size;
#ifdef CUBBY_GUARD
        heap->inverses[size_class] = UINT64_MAX / size + 1;
#endif
    }
}

cubby_heap_t *heap_create(heap_kind_t kind)
{
    uint32_t number = number_take();
    if (number == 0) {
        return NULL;
    }
    span_t *home = span_alloc(HEAP_HOME_PAGES, PAGE_BYTES);
    if (home == NULL) {
        number_drop(number);
        return NULL;
    }
    span_zero(home, 0, span_bytes(home));
    cubby_heap_t *heap = (cubby_heap_t *)(void *)span_start(home);
    heap->tag = number << TAG_CLASS_BITS | (kind == HEAP_THREAD ? TAG_BORROWABLE : 0);
    heap->kind = (uint8_t)kind;
    heap->home = home;
    heap->thread = (uintptr_t)pthread_self();
    heap->forks_seen = forks;
#ifdef CUBBY_GUARD
    heap->key = guard_key();
#endif
    heap->borrow_most = BORROW_BYTES_LEAST;
    heap->limit_pages = SIZE_MAX;
    heap_init_classes(heap);
    stats_report_at_exit();
    return heap;
}

cubby_heap_t *cubby_heap_create(void)
{
    return cubby_heap_create_for(CUBBY_OWNER_LOCK);
}

static cubby_heap_t *heap_create_for(cubby_owner_t owner)
{
    if (heap_checks != NULL) {
        return heap_checks->create(owner);
    }
    switch (owner) {
    case CUBBY_OWNER_THREAD:
        return heap_create(HEAP_OWNED);
    case CUBBY_OWNER_ANY:
        return shared_heap_create();
    default:
        return heap_create(HEAP_LOCK);
    }
}

cubby_heap_t *cubby_heap_create_for(cubby_owner_t owner)
{
    if ((unsigned)owner > CUBBY_OWNER_ANY) {
        errno = EINVAL;
        return NULL;
    }
    cubby_heap_t *heap = heap_create_for(owner);
    if (heap == NULL && heap_pressure(NULL, HEAP_HOME_PAGES)) {
        heap = heap_create_for(owner);
    }
    if (heap == NULL) {
        errno = ENOMEM;
    }
    return heap;
}

/* Frees every span of a list; block_bytes 0: large blocks, else pools of such blocks. */
static void spans_free(span_t *span, size_t block_bytes)
{
    while (span != NULL) {
        span_t *next = span->next;
        blocks_forget(span_start(span), span_bytes(span), block_bytes == 0 ? span_bytes(span) : block_bytes);
        span_tag_all(span, 0);
        span_free(span, block_bytes == 0 || span->reused ? span_bytes(span) : span->carved * block_bytes);
        span = next;
    }
}

void cubby_heap_destroy(cubby_heap_t *heap)
{
    if (heap == NULL) {
        return;
    }
    int saved = errno;
    HEAP_VISIT_LAST(heap);
    if (heap->kind == HEAP_CHECKED) {
        heap_checks->destroy(heap);
    }
    if (heap->kind == HEAP_SHARED || heap->kind == HEAP_CHECKED) {
        cubby_heap_destroy(heap->inner);
    }
    heap_flush(heap); /* pools learn what of them was never carved */
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        for (int shelf = 0; shelf <= SHELF_FULL; shelf++) {
            spans_free(heap->classes[size_class].shelf[shelf], heap->bins[size_class].size);
        }
    }
    spans_free(heap->large, 0);
#ifdef CUBBY_GUARD
    heap->key = 0; /* others will have this memory */
#endif
    uint32_t number = heap_number(heap);
    span_t *home = heap->home;
    span_free(home, span_bytes(home));
    number_drop(number);
    errno = saved;
}

static uint32_t flushes_asked;

void heap_ask_flush(void)
{
    (void)__atomic_fetch_add(&flushes_asked, 1, __ATOMIC_RELAXED);
}

void heap_note_fork(void)
{
    forks++;
}

/* A child that has made an eighth more pools than it was born with goes its own way. */
enum { FORK_SHARE = 8 };

/*
 * Whether the bins are to be handed back now. Not in a child process that still lives on its parent's pools: that
 * writes to free blocks all over them, and each page written is one that parent and child no longer share.
 */
static bool flush_is_due(cubby_heap_t *heap)
{
    if (heap->forks_seen != forks) {
        heap->forks_seen = forks;
        heap->fork_pages = heap->pool_pages;
    }
    if (heap->fork_pages != 0 && heap->pool_pages <= heap->fork_pages + heap->fork_pages / FORK_SHARE) {
        return false;
    }
    heap->fork_pages = 0;
    return true;
}

/* What is done from time to time so that memory comes home. */
static void heap_tidy(cubby_heap_t *heap)
{
    (void)remote_collect(heap);
    if (flush_is_due(heap)) {
        heap_flush(heap);
    }
    if (heap->kind == HEAP_THREAD) {
        borrow_send(heap);
        thread_heaps_tidy();
    }
}

void heap_tick(cubby_heap_t *heap, uint32_t weight)
{
    heap->events += weight;
    if (CUBBY_LIKELY(heap->events < EVENTS_PER_TICK)) {
        return;
    }
    heap->events = 0;
    uint64_t now = os.clock_ms();
    uint32_t asked = __atomic_load_n(&flushes_asked, __ATOMIC_RELAXED);
    if (now >= heap->flush_at || heap->flush_asked != asked) {
        heap->flush_at = now + FLUSH_MS;
        heap->flush_asked = asked;
        heap_tidy(heap);
    }
    span_tick(now);
    purge_thread_start();
}

size_t cubby_heap_trim(cubby_heap_t *heap)
{
    int saved = errno;
    HEAP_VISIT(heap);
    if (heap->kind == HEAP_CHECKED) {
        heap_checks->flush(heap);
    } else if (heap->kind == HEAP_SHARED) {
        shared_heap_flush(heap);
    } else {
        remote_collect(heap);
        heap_flush(heap);
    }
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
    return offset % size == 0 && offset / size < __atomic_load_n(&span->carved, __ATOMIC_RELAXED) ? span : NULL;
}

cubby_heap_t *block_owner(const void *block)
{
    const span_t *span = block_span(block);
    return span == NULL ? NULL : span->heap;
}

/* The same, but that a block behind a checked heap is no block. */
static span_t *block_span_unchecked(const void *block)
{
    span_t *span = block_span(block);
    return span != NULL && heap_is_behind_checks(span->heap) ? NULL : span;
}

cubby_heap_t *block_heap(const void *block)
{
    if (heap_checks != NULL) {
        cubby_heap_t *front = heap_checks->heap_of(block);
        if (front != NULL) {
            return front;
        }
    }
    const span_t *span = block_span_unchecked(block);
    return span == NULL ? NULL : span->heap;
}

size_t block_size(const void *block)
{
    if (heap_checks != NULL) {
        size_t size = heap_checks->size_of(block);
        if (size != CHECKS_SIZE_UNKNOWN) {
            return size;
        }
    }
    const span_t *span = block_span_unchecked(block);
    if (span == NULL) {
        return 0;
    }
    return span->size_class == CLASS_LARGE ? span_bytes(span) : class_size(span->size_class);
}

bool block_is_unchecked(const void *block)
{
    return block_span_unchecked(block) != NULL;
}

size_t heap_count(void)
{
    lock_take(LOCK_HEAP_NUMBERS);
    size_t count = heaps_alive;
    lock_drop(LOCK_HEAP_NUMBERS);
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
