/* SPDX-License-Identifier: MIT */
/* The functions without a heap: each thread's own heap, and what of other heaps' blocks comes their way. */
#include "heap/malloc.h"

#include "heap/borrow.h"
#include "heap/checks.h"
#include "heap/link.h"
#include "heap/remote.h"
#include "heap/shared.h"
#include "heap/spare.h"
#include "heap/thread.h"
#include "os/lock.h"
#include "os/os.h"
#include "span/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

void *cubby_malloc(size_t size)
{
    return heap_malloc(thread_heap, size);
}

static __attribute__((noinline)) void plain_free_rest(void *block, size_t size);

/* As cubby_heap_free(), but that the heap is the thread's. */
void cubby_free(void *block)
{
    cubby_heap_t *heap = thread_heap;
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    plain_free_rest(block, CHECKS_SIZE_UNKNOWN);
}

void cubby_free_sized(void *block, size_t size)
{
    cubby_heap_t *heap = thread_heap;
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        heap_free_block(heap, block, size_class);
        return;
    }
    plain_free_rest(block, size);
}

void *cubby_calloc(size_t count, size_t size)
{
    return heap_calloc(thread_heap, count, size, false);
}

void *cubby_aligned_alloc(size_t alignment, size_t size)
{
    return heap_aligned_alloc(thread_heap, alignment, size);
}

void *cubby_realloc(void *block, size_t size)
{
    return plain_realloc(block, size, false);
}

/* ---- Blocks of other heaps ---- */

/* Tells tools of a block whose size the caller does not know. Without tools nobody asks for it. */
static inline void block_given_whole(const void *block)
{
    if (MEMORY_IS_WATCHED) {
        block_given(block, block_size(block));
    }
}

/* Sends one block home. */
static void remote_push_one(cubby_heap_t *owner, void *block)
{
    block_given_whole(block);
    link_give(owner, block, NULL);
    remote_push(owner, block, block);
}

/* Frees a pool's block of another heap. */
static void owner_free(cubby_heap_t *owner, void *block)
{
    if (owner->kind == HEAP_THREAD) {
        cubby_heap_t *own = thread_heap_acquire();
        if (own == NULL || own->kind != HEAP_THREAD) { /* no memory, or the thread is ending */
            remote_push_one(owner, block);
        } else if (own == owner) { /* beyond the first region */
            cubby_heap_free(own, block);
        } else {
            block_given_whole(block);
            borrow_free(own, block, span_tag(block));
        }
    } else if (owner->kind == HEAP_OWNED && owner->thread != (uintptr_t)pthread_self()) {
        remote_push_one(owner, block);
    } else {
        cubby_heap_free(owner->front != NULL ? owner->front : owner, block);
    }
}

/* Frees a large block, which belongs to no thread. */
static void plain_large_free(span_t *span)
{
    cubby_heap_t *heap = thread_heap;
    uint32_t weight = span->pages <= SPARE_PAGES ? EVENT_SPARE : EVENT_LARGE;
    block_given(span_start(span), span_bytes(span));
    heap_large_free(heap, span);
    if (!heap_is_front(heap)) {
        heap_tick(heap, weight);
    }
}

/*
 * Blocks of other threads' heaps come first: in programs that hand blocks round they are as frequent as own ones. The
 * tag says that the page is cut into blocks of a thread's heap.
 */
bool plain_free_slow(void *block, size_t size)
{
    uint32_t tag = span_tag_fast((uintptr_t)block);
    if (CUBBY_LIKELY((tag & TAG_BORROWABLE) != 0 && thread_heap->kind == HEAP_THREAD)) {
        block_given(block, class_size(tag & UINT8_MAX));
        borrow_free(thread_heap, block, tag);
        return true;
    }
    if (block == NULL || (heap_checks != NULL && heap_checks->release(NULL, block, size))) {
        return true;
    }
    cubby_heap_t *owner = block_heap(block);
    if (owner == NULL) {
        return false;
    }
    if (owner == &heap_plain) {
        plain_large_free(span_find(block));
        return true;
    }
    owner_free(owner, block);
    return true;
}

void cubby_free_later(void *block)
{
    if (block == NULL) {
        return;
    }
    cubby_heap_t *owner = block_heap(block);
    if (owner == NULL || owner->kind == HEAP_THREAD || owner->kind == HEAP_CHECKED || owner == &heap_plain) {
        cubby_free(block);
        return;
    }
    remote_push_one(owner, block);
}

static void plain_free_rest(void *block, size_t size)
{
    if (!plain_free_slow(block, size)) {
        heap_refuse("free", block, "not a block of a Cubby heap");
    }
}

/* Moves a pool's block of another thread's heap into the caller's. */
static void *block_move(void *block, size_t size, bool obj)
{
    size_t old_size = block_size(block);
    size_t held = block_held(block, old_size);
    if (block_may_stay(block, old_size, size, obj)) {
        block_resized(block, held, old_size, size);
        return block;
    }
    void *moved = obj ? heap_malloc_obj(thread_heap, size) : heap_malloc(thread_heap, size);
    if (moved != NULL) {
        block_open(block, held, old_size);
        memcpy(moved, block, old_size < size ? old_size : size);
        cubby_free(block);
    }
    return moved;
}

static void *plain_realloc_slow(void *block, size_t size, bool obj)
{
    if (heap_checks != NULL) {
        void *moved = NULL;
        if (heap_checks->resize(NULL, block, size, &moved)) {
            return moved;
        }
    }
    cubby_heap_t *owner = block_heap(block);
    if (owner == NULL) {
        heap_refuse("realloc", block, "not a block of a Cubby heap");
        errno = EINVAL;
        return NULL;
    }
    if (owner == &heap_plain) {
        cubby_heap_t *heap = front_thread_heap();
        if (heap == NULL) {
            errno = ENOMEM;
            return NULL;
        }
        return large_block_resize(heap, block, size, obj);
    }
    if (owner->kind == HEAP_THREAD) {
        return block_move(block, size, obj);
    }
    return heap_realloc(owner->front != NULL ? owner->front : owner, block, size, obj);
}

void *plain_realloc(void *block, size_t size, bool obj)
{
    cubby_heap_t *heap = thread_heap;
    if (block == NULL) {
        return obj ? heap_malloc_obj(heap, size) : heap_malloc(heap, size);
    }
    uint32_t size_class = heap_class_of(heap, block);
    if (CUBBY_LIKELY(size_class < CUBBY_CLASS_COUNT)) {
        return pool_block_resize(heap, block, size_class, size, obj);
    }
    return plain_realloc_slow(block, size, obj);
}

/* ---- Facts and figures ---- */

size_t cubby_usable_size(const void *block)
{
    size_t bytes = block_size(block);
    size_t held = block_held(block, bytes);
    if (held != 0) { /* the block is in use */
        block_resized(block, held, bytes, bytes);
    }
    return bytes;
}

bool cubby_owns(const void *pointer)
{
    return block_heap(pointer) != NULL;
}

size_t cubby_trim(void)
{
    int saved = errno;
    heap_ask_flush();
    if (heap_checks != NULL) {
        heap_checks->flush(NULL);
    }
    cubby_heap_t *heap = thread_heap;
    if (!heap_is_front(heap)) {
        (void)remote_collect(heap);
        heap_flush(heap);
    }
    thread_heaps_tidy();
    size_t bytes = span_trim();
    errno = saved;
    return bytes;
}

void cubby_addresses_release(void)
{
    span_release_addresses();
}

void cubby_stats_get(cubby_stats_t *stats)
{
    span_stats_t spans;
    span_stats_get(&spans);
    *stats = (cubby_stats_t){
        .reserved = spans.reserved,
        .committed = spans.committed,
        .in_spans = spans.used,
        .retained = spans.retained,
        .metadata = spans.metadata,
        .regions = spans.regions,
        .heaps = heap_count(),
        .bytes_copied = heap_copied(),
        .bytes_purged = spans.purged,
        .purges = spans.purges,
        .huge_advised = spans.huge_advised,
        .lock_takes = lock_takes(),
        .lock_waits = lock_waits(),
        .parcels = remote_parcels(),
        .page_size = os.page_size(),
    };
}

#define VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define VERSION_TEXT(a, b, c) VERSION_TEXT_(a, b, c)

const char *cubby_version(void)
{
    return VERSION_TEXT(CUBBY_VERSION_MAJOR, CUBBY_VERSION_MINOR, CUBBY_VERSION_PATCH);
}

/* ---- Fork ---- */

static void fork_prepare(void)
{
    lock_take_all();
    span_purges_wait();
}

static void fork_child(void)
{
    lock_drop_all();
    purge_thread_forget();
    heap_note_fork();
}

__attribute__((constructor)) static void fork_register(void)
{
    (void)pthread_atfork(fork_prepare, lock_drop_all, fork_child);
}
