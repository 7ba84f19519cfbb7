/* SPDX-License-Identifier: MIT */
#include "heap/stats.h"

#include "heap/borrow.h"
#include "heap/check.h"
#include "heap/heap.h"
#include "heap/link.h"
#include "heap/remote.h"
#include "heap/shared.h"
#include "heap/thread.h"
#include "os/output.h"
#include "os/settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The figures of the process, by name ---- */

typedef struct stat_row {
    const char *name;
    const char *help;
    size_t offset;
    bool is_bytes;
} stat_row_t;

#define BYTES(member, help)                                                                                            \
    {                                                                                                                  \
#member, help, offsetof(cubby_stats_t, member), true                                                           \
    }
#define COUNT(member, help)                                                                                            \
    {                                                                                                                  \
#member, help, offsetof(cubby_stats_t, member), false                                                          \
    }

static const stat_row_t stat_rows[] = {
    BYTES(reserved, "address space set aside"),
    BYTES(committed, "of it, usable without asking the system again"),
    BYTES(in_spans, "held by pools and large blocks"),
    BYTES(retained, "free, kept for the next request"),
    BYTES(metadata, "usable for Cubby's own tables"),
    COUNT(regions, "reserved address ranges"),
    COUNT(heaps, "heaps alive"),
    BYTES(bytes_copied, "by realloc of large blocks, since start"),
    BYTES(bytes_purged, "given back to the system, since start"),
    COUNT(purges, "calls that gave them back"),
    BYTES(huge_advised, "committed, where huge pages were asked for"),
    COUNT(lock_takes, "locks taken inside Cubby, since start"),
    COUNT(lock_waits, "of them, held by another thread"),
    COUNT(parcels, "of blocks sent to other threads' heaps, since start"),
    BYTES(page_size, "the system's"),
};

enum { STAT_COUNT = sizeof stat_rows / sizeof *stat_rows };
static_assert(STAT_COUNT * sizeof(size_t) == sizeof(cubby_stats_t), "each member of cubby_stats_t has its row above");

bool cubby_stat_get(const cubby_stats_t *stats, size_t index, cubby_stat_t *stat)
{
    if (index >= STAT_COUNT) {
        return false;
    }
    const stat_row_t *row = &stat_rows[index];
    *stat = (cubby_stat_t){.name = row->name, .help = row->help, .is_bytes = row->is_bytes};
    memcpy(&stat->value, (const char *)stats + row->offset, sizeof stat->value);
    return true;
}

/* ---- Heaps ---- */

/*
 * The heap's own blocks on a bin's list, of which there are at most `most`; a thread's heap may have borrowed others. A
 * list that was damaged may run in a circle.
 */
static size_t bin_length(const cubby_heap_t *heap, unsigned size_class, size_t most)
{
    size_t length = 0;
    size_t steps = most + BORROW_BYTES_MOST / heap->bins[size_class].size;
    const void *block = heap->bins[size_class].free;
    for (; block != NULL && length < most && steps > 0; block = link_look(block), steps--) {
        length += span_find(block)->heap == heap;
    }
    return length;
}

static void class_count(const cubby_heap_t *heap, unsigned size_class, cubby_class_stats_t *stats)
{
    const heap_class_t *class = &heap->classes[size_class];
    const cubby_bin_t *bin = &heap->bins[size_class];
    size_t out = 0; /* of the pools: in use or in the bin */
    for (unsigned shelf = 0; shelf <= SHELF_FULL; shelf++) {
        for (const span_t *pool = class->shelf[shelf]; pool != NULL; pool = pool->next) {
            stats->pools++;
            stats->blocks_free += pool->free_count;
            out += pool->capacity - pool->free_count;
            stats->bytes_lost += span_bytes(pool) - pool->capacity * class_size(size_class);
        }
    }
    stats->block_size = class_size(size_class);
    stats->pool_size = class_pool_pages(stats->block_size) << PAGE_SHIFT;
    size_t fresh = (size_t)(bin->fresh_end - bin->fresh) / stats->block_size;
    size_t held = fresh + bin_length(heap, size_class, out - fresh);
    stats->blocks_free += held;
    stats->blocks_used = out - held;
}

/* The heap that owns the pools. NULL: a thread that has none yet. */
static cubby_heap_t *heap_enter(cubby_heap_t *heap)
{
    heap = heap != NULL ? heap : thread_heap;
    if (heap->inner != NULL) {
        front_lock(heap);
        return heap->inner;
    }
    if (heap->kind == HEAP_PLAIN) {
        return NULL;
    }
    (void)remote_collect(heap);
    return heap;
}

static void heap_leave(const cubby_heap_t *owner)
{
    if (owner != NULL && owner->front != NULL) {
        front_unlock(owner->front);
    }
}

/*
 * Classes in the order of their block size: class 0, for requests of nothing, is one of 16 bytes, and every second step
 * of 8 bytes has its class further up.
 */
static unsigned class_in_order(size_t index)
{
    enum { ODD_COUNT = CLASS_MEDIUM - CUBBY_CLASS_ODD };
    if (index == 0) {
        return CUBBY_CLASS_ODD;
    }
    if (index <= 2) {
        return (unsigned)index - 1;
    }
    if (index < 2 * ODD_COUNT + 1) {
        return (unsigned)(index % 2 == 1 ? CUBBY_CLASS_ODD + index / 2 : index / 2);
    }
    return (unsigned)(index < CLASS_MEDIUM ? index - ODD_COUNT : index);
}

bool cubby_class_stats_get(cubby_heap_t *heap, size_t index, cubby_class_stats_t *stats)
{
    if (index >= CUBBY_CLASS_COUNT) {
        return false;
    }
    HEAP_VISIT(heap);
    unsigned size_class = class_in_order(index);
    *stats = (cubby_class_stats_t){.block_size = class_size(size_class),
                                   .pool_size = class_pool_pages(class_size(size_class)) << PAGE_SHIFT};
    const cubby_heap_t *owner = heap_enter(heap);
    if (owner != NULL) {
        class_count(owner, size_class, stats);
    }
    heap_leave(owner);
    return true;
}

void cubby_heap_stats_get(cubby_heap_t *heap, cubby_heap_stats_t *stats)
{
    HEAP_VISIT(heap);
    *stats = (cubby_heap_stats_t){0};
    const cubby_heap_t *owner = heap_enter(heap);
    for (unsigned size_class = 0; owner != NULL && size_class < CUBBY_CLASS_COUNT; size_class++) {
        cubby_class_stats_t class = {0};
        class_count(owner, size_class, &class);
        stats->pools += class.pools;
        stats->blocks_used += class.blocks_used;
        stats->bytes_used += class.blocks_used * class.block_size;
        stats->bytes_free += class.blocks_free * class.block_size;
        stats->bytes_lost += class.bytes_lost;
    }
    stats->pool_bytes = stats->bytes_used + stats->bytes_free + stats->bytes_lost;
    for (const span_t *span = owner != NULL ? owner->large : NULL; span != NULL; span = span->next) {
        stats->large_blocks++;
        stats->large_bytes += span_bytes(span);
    }
    heap_leave(owner);
}

bool cubby_heap_check(cubby_heap_t *heap)
{
    HEAP_VISIT(heap);
    const cubby_heap_t *owner = heap_enter(heap);
    bool valid = owner == NULL || heap_is_valid(owner);
    heap_leave(owner);
    return span_is_valid() && valid;
}

/* ---- The report at exit ---- */

size_t stats_print(char *text, size_t size)
{
    cubby_stats_t stats;
    cubby_stat_t stat;
    char process[128];
    cubby_stats_get(&stats);
    (void)output_process_name(process, sizeof process);
    size_t length = (size_t)snprintf(text, size, "cubby: what %s held at its exit\n", process);
    for (size_t i = 0; length < size && cubby_stat_get(&stats, i, &stat); i++) {
        length += (size_t)snprintf(text + length, size - length, "  %-12s %20zu %-5s  %s\n", stat.name, stat.value,
                                   stat.is_bytes ? "bytes" : "", stat.help);
    }
    return length < size ? length : size - 1;
}

/* The process that is to report; 0: none, or it has. What vfork made is another, and borrows this one's memory. */
static pid_t reporter;

static void reporter_note(void)
{
    reporter = getpid();
}

void cubby_stats_report(void)
{
    char text[4096];
    if (reporter != 0 && reporter == getpid()) {
        reporter = 0;
        (void)output_append(setting_text(SETTING_STATS), text, stats_print(text, sizeof text));
    }
}

void stats_report_at_exit(void)
{
    static bool seen_to;
    if (!__atomic_exchange_n(&seen_to, true, __ATOMIC_RELAXED) && *setting_text(SETTING_STATS) != '\0') {
        reporter_note();
        (void)pthread_atfork(NULL, NULL, reporter_note);
        (void)atexit(cubby_stats_report);
    }
}
