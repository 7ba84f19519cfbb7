/* SPDX-License-Identifier: MIT */
/* The functions without a heap: one default heap behind a lock, so that any thread may call. */
#include "heap/malloc.h"

#include "heap/heap.h"
#include "os/os.h"
#include "os/settings.h"
#include "span/thread.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cubby_heap_t *default_heap;

/* With the lock taken: the default heap, made at first use; NULL with ENOMEM. */
static cubby_heap_t *default_lock(void)
{
    (void)pthread_mutex_lock(&lock);
    if (default_heap == NULL) {
        default_heap = cubby_heap_create();
    }
    return default_heap;
}

static void default_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

void *cubby_malloc(size_t size)
{
    cubby_heap_t *heap = default_lock();
    void *block = heap == NULL ? NULL : cubby_heap_malloc(heap, size);
    default_unlock();
    return block;
}

void *cubby_calloc(size_t count, size_t size)
{
    cubby_heap_t *heap = default_lock();
    void *block = heap == NULL ? NULL : cubby_heap_calloc(heap, count, size);
    default_unlock();
    return block;
}

void *cubby_aligned_alloc(size_t alignment, size_t size)
{
    cubby_heap_t *heap = default_lock();
    void *block = heap == NULL ? NULL : cubby_heap_aligned_alloc(heap, alignment, size);
    default_unlock();
    return block;
}

/* A block of another heap is served by that heap, whose lock the caller holds. */
static bool owned_by_other(const void *block, cubby_heap_t **owner)
{
    *owner = block == NULL ? NULL : block_heap(block);
    return *owner != NULL && *owner != __atomic_load_n(&default_heap, __ATOMIC_RELAXED);
}

/* As heap_realloc(), for a block of any heap. */
static void *any_realloc(void *block, size_t size, bool obj)
{
    cubby_heap_t *owner;
    if (owned_by_other(block, &owner)) {
        return heap_realloc(owner, block, size, obj);
    }
    cubby_heap_t *heap = default_lock();
    void *moved = heap == NULL ? NULL : heap_realloc(heap, block, size, obj);
    default_unlock();
    return moved;
}

void *cubby_realloc(void *block, size_t size)
{
    return any_realloc(block, size, false);
}

void cubby_free(void *block)
{
    cubby_heap_t *owner;
    if (owned_by_other(block, &owner)) {
        cubby_heap_free(owner, block);
        return;
    }
    if (block == NULL) {
        return;
    }
    if (owner == NULL) {
        heap_refuse("free", block, "not a block of a Cubby heap");
        return;
    }
    cubby_heap_t *heap = default_lock();
    cubby_heap_free(heap, block);
    default_unlock();
}

void cubby_free_sized(void *block, size_t size)
{
    cubby_heap_t *owner;
    if (block == NULL || owned_by_other(block, &owner) || owner == NULL) {
        cubby_free(block);
        return;
    }
    cubby_heap_t *heap = default_lock();
    cubby_heap_free_sized(heap, block, size);
    default_unlock();
}

void *malloc_obj(size_t size)
{
    cubby_heap_t *heap = default_lock();
    void *block = heap == NULL ? NULL : heap_malloc_obj(heap, size);
    default_unlock();
    return block;
}

void *calloc_obj(size_t count, size_t size)
{
    cubby_heap_t *heap = default_lock();
    void *block = heap == NULL ? NULL : heap_calloc(heap, count, size, true);
    default_unlock();
    return block;
}

void *realloc_obj(void *block, size_t size)
{
    return any_realloc(block, size, true);
}

size_t cubby_usable_size(const void *block)
{
    return block_size(block);
}

bool cubby_owns(const void *pointer)
{
    return block_heap(pointer) != NULL;
}

size_t cubby_trim(void)
{
    int saved = errno;
    (void)pthread_mutex_lock(&lock);
    if (default_heap != NULL) {
        heap_flush(default_heap);
    }
    default_unlock();
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
        .page_size = os.page_size(),
    };
}

bool cubby_setting_get(size_t index, cubby_setting_t *found)
{
    if (index >= SETTING_COUNT) {
        return false;
    }
    const setting_t *entry = &setting_table[index];
    *found = (cubby_setting_t){
        .name = entry->name,
        .unit = entry->unit,
        .help = entry->help,
        .value = setting((setting_id_t)index),
        .value_default = entry->value_default,
    };
    return true;
}

#define VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define VERSION_TEXT(a, b, c) VERSION_TEXT_(a, b, c)

const char *cubby_version(void)
{
    return VERSION_TEXT(CUBBY_VERSION_MAJOR, CUBBY_VERSION_MINOR, CUBBY_VERSION_PATCH);
}

/* ---- Fork ---- */

/* In the order in which a call takes them: default heap, heap numbers, spans. */
static void fork_prepare(void)
{
    (void)pthread_mutex_lock(&lock);
    heap_registry_lock();
    span_lock();
}

static void fork_parent(void)
{
    span_unlock();
    heap_registry_unlock();
    (void)pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    fork_parent();
    purge_thread_forget();
}

__attribute__((constructor)) static void fork_register(void)
{
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}
