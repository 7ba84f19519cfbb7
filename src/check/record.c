/* SPDX-License-Identifier: MIT */
#include "check/record.h"

#include "check/guard.h"

#include <string.h>

/* Buckets at the start: 32 KiB. They double when there are as many records. */
enum { BUCKETS_LEAST = 4096 };

static cubby_heap_t *memory;
typedef struct bucket {
    check_record_t *first;
} bucket_t;

static bucket_t *buckets;
static size_t bucket_count; /* a power of two */
static size_t record_count;

/* Blocks are 16 bytes apart at least; the multiplication mixes the rest of the address into the upper bits. */
static size_t bucket_of(const void *block)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)block >> 4) * 0x9e3779b97f4a7c15U;
    return (size_t)(mixed >> 32) & (bucket_count - 1);
}

bool records_begin(cubby_heap_t *meta)
{
    memory = meta;
    record_count = 0;
    bucket_count = BUCKETS_LEAST;
    buckets = cubby_heap_calloc(memory, bucket_count, sizeof *buckets);
    return buckets != NULL;
}

void records_end(void)
{
    memory = NULL;
    buckets = NULL;
    bucket_count = 0;
    record_count = 0;
}

/* When there is no memory for more buckets, the chains just grow longer. */
static void buckets_double(void)
{
    bucket_t *old = buckets;
    size_t old_count = bucket_count;
    bucket_t *larger = cubby_heap_calloc(memory, old_count * 2, sizeof *larger);
    if (larger == NULL) {
        return;
    }
    buckets = larger;
    bucket_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++) {
        for (check_record_t *record = old[i].first; record != NULL;) {
            check_record_t *next = record->next_in_bucket;
            bucket_t *bucket = &buckets[bucket_of(record->block)];
            record->next_in_bucket = bucket->first;
            bucket->first = record;
            record = next;
        }
    }
    cubby_heap_free(memory, old);
}

check_record_t *record_add(check_heap_t *heap, void *block)
{
    if (record_count >= bucket_count) {
        buckets_double();
    }
    check_record_t *record = cubby_heap_calloc(memory, 1, sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    record->block = block;
    record->heap = heap;
    bucket_t *bucket = &buckets[bucket_of(block)];
    record->next_in_bucket = bucket->first;
    bucket->first = record;
    record->next = heap->first;
    if (heap->first != NULL) {
        heap->first->previous = record;
    }
    heap->first = record;
    heap->count++;
    record_count++;
    return record;
}

void record_remove(check_record_t *record)
{
    check_record_t **link = &buckets[bucket_of(record->block)].first;
    while (*link != record) {
        link = &(*link)->next_in_bucket;
    }
    *link = record->next_in_bucket;
    if (record->previous != NULL) {
        record->previous->next = record->next;
    } else {
        record->heap->first = record->next;
    }
    if (record->next != NULL) {
        record->next->previous = record->previous;
    }
    record->heap->count--;
    record_count--;
    cubby_heap_free(memory, record);
}

check_record_t *record_find(const void *block)
{
    if (bucket_count == 0) {
        return NULL;
    }
    check_record_t *record = buckets[bucket_of(block)].first;
    while (record != NULL && record->block != block) {
        record = record->next_in_bucket;
    }
    return record;
}

check_record_t *record_search(bool (*found)(check_record_t *record, void *ctx), void *ctx)
{
    for (size_t i = 0; i < bucket_count; i++) {
        for (check_record_t *record = buckets[i].first; record != NULL; record = record->next_in_bucket) {
            if (found(record, ctx)) {
                return record;
            }
        }
    }
    return NULL;
}

static bool lies_in(check_record_t *record, void *address)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)record->inner;
    return offset < (size_t)(record->block - (char *)record->inner) + record->size + GUARD_BYTES;
}

check_record_t *record_around(const void *address)
{
    return record_search(lies_in, (void *)(uintptr_t)address);
}
