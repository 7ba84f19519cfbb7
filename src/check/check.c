/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include "check/fault.h"
#include "check/guard.h"
#include "check/hold.h"
#include "check/owner.h"
#include "check/report.h"
#include "heap/pressure.h"
#include "os/lock.h"
#include "os/os.h"

#include <errno.h>
#include <string.h>

static uint64_t serial; /* of the latest block */

/* ---- Allocation ---- */

/* The heap behind gives the block; NULL, and nothing changed, when there is no memory for it or its record. */
static check_record_t *block_make(check_heap_t *heap, size_t size, size_t alignment, bool zeroed)
{
    size_t before = guard_before(alignment);
    size_t bytes = before + size + GUARD_BYTES;
    void *inner;
    if (zeroed) { /* the heap behind knows what is zero already */
        inner = heap_calloc(heap->inner, 1, bytes, false);
    } else {
        inner = heap_aligned_alloc(heap->inner, alignment, bytes);
    }
    if (inner == NULL) {
        return NULL;
    }
    check_record_t *record = record_add(heap, (char *)inner + before);
    if (record == NULL) {
        cubby_heap_free(heap->inner, inner);
        return NULL;
    }
    record->inner = inner;
    record->size = size;
    record->serial = ++serial;
    record->thread = os.thread_id();
    return record;
}

/* As above; before it gives up, what is held back is given up. */
static check_record_t *block_make_hard(check_heap_t *heap, size_t size, size_t alignment, bool zeroed, faults_t *faults)
{
    check_record_t *record = block_make(heap, size, alignment, zeroed);
    if (record == NULL) {
        hold_flush(NULL, faults);
        record = block_make(heap, size, alignment, zeroed);
    }
    return record;
}

/* The largest request that guards can be put around. */
static bool is_absurd(size_t size, size_t alignment)
{
    return size > PTRDIFF_MAX - 2 * (size_t)GUARD_BYTES || alignment > PTRDIFF_MAX - 2 * (size_t)GUARD_BYTES - size;
}

/* Asks the host, without the lock, whether a request that found no memory should be tried once more. */
static bool host_gives_back(cubby_heap_t *front, size_t size, size_t alignment)
{
    return heap_pressure(front, ((guard_before(alignment) + size + GUARD_BYTES) >> PAGE_SHIFT) + 1);
}

void *check_alloc(const check_call_t *call, size_t size, size_t alignment, bool zeroed)
{
    cubby_heap_t *front = call->front != NULL ? call->front : check_plain();
    if (is_absurd(size, alignment)) {
        errno = ENOMEM;
        return NULL;
    }
    int saved = errno;
    faults_t faults = {.count = 0};
    trace_draft_t draft;
    void *block = NULL;
    int tries = 0;
    owner_check(call, front, &faults);
    trace_take(&draft);
    do {
        lock_take(LOCK_CHECKS);
        check_record_t *record = block_make_hard(front->checks, size, alignment, zeroed, &faults);
        if (record != NULL) {
            record->domain = (uint8_t)call->domain;
            record->allocated = trace_keep(&draft);
            guard_write(record);
            if (!zeroed) {
                guard_fill(record, PATTERN_NEW);
            }
            block = record->block;
        }
        lock_drop(LOCK_CHECKS);
    } while (block == NULL && tries++ == 0 && host_gives_back(front, size, alignment));
    faults_report(&faults);
    errno = block == NULL ? ENOMEM : saved;
    return block;
}

/* ---- Any pointer ---- */

/* Tells a pointer that no block starts at from one of an unchecked heap, and reports it when it is Cubby's. */
static check_answer_t pointer_explain(const check_call_t *call, const void *pointer, faults_t *faults)
{
    if (!span_holds(pointer)) {
        return ANSWER_FOREIGN;
    }
    const check_record_t *around = record_around(pointer);
    if (around != NULL) {
        fault_add(faults, FAULT_INTERIOR, call->moment, pointer, around);
        return ANSWER_DONE;
    }
    if (block_is_unchecked(pointer)) {
        return ANSWER_OTHER;
    }
    fault_add(faults, FAULT_GONE, call->moment, pointer, NULL);
    return ANSWER_DONE;
}

/* False, with a fault, when the call may not have this block. */
static bool call_fits(const check_call_t *call, const check_record_t *record, faults_t *faults)
{
    if (record->held) {
        fault_add(faults, FAULT_DOUBLE_FREE, call->moment, record->block, record);
        return false;
    }
    if (call->domain != DOMAIN_NONE && call->domain != record->domain) {
        fault_add(faults, FAULT_DOMAIN, call->moment, record->block, record)->domain_asked = call->domain;
        return false;
    }
    if (call->front != NULL && call->front != record->heap->front) {
        fault_add(faults, FAULT_HEAP, call->moment, record->block, record)->heap_asked = call->front;
        return false;
    }
    if (call->size != CHECKS_SIZE_UNKNOWN && call->size != record->size) {
        fault_add(faults, FAULT_SIZE, call->moment, record->block, record)->size_asked = call->size;
        return false;
    }
    return true;
}

void check_refuse_foreign(const check_call_t *call, const void *pointer)
{
    faults_t faults = {.count = 0};
    (void)fault_add(&faults, FAULT_FOREIGN, call->moment, pointer, NULL);
    faults_report(&faults);
    errno = EINVAL;
}

/* ---- Free and resize ---- */

static void block_free(check_record_t *record, const trace_draft_t *draft, faults_t *faults)
{
    record->freed = trace_keep(draft);
    record->thread_freed = os.thread_id();
    hold_add(record, faults);
}

check_answer_t check_free(const check_call_t *call, void *block)
{
    if (block == NULL) {
        return ANSWER_DONE;
    }
    int saved = errno;
    faults_t faults = {.count = 0};
    trace_draft_t draft;
    check_answer_t answer = ANSWER_DONE;
    owner_check(call, call->front, &faults);
    trace_take(&draft);
    lock_take(LOCK_CHECKS);
    check_record_t *record = record_find(block);
    if (record == NULL) {
        answer = pointer_explain(call, block, &faults);
    } else if (call_fits(call, record, &faults)) {
        (void)fault_look(&faults, record, call->moment);
        block_free(record, &draft, &faults);
    }
    lock_drop(LOCK_CHECKS);
    faults_report(&faults);
    errno = saved;
    return answer;
}

/* A block that shrinks stays when there is no memory to move it. */
static void block_shrink(check_record_t *record, size_t size)
{
    record->size = size;
    guard_write(record);
}

/*
 * Every block that is resized moves, so that a pointer kept to the old one is found out. It keeps heap and domain.
 * Returns the new block, NULL with the old one intact.
 */
static void *block_move(check_record_t *record, size_t size, const trace_draft_t *draft, faults_t *faults)
{
    check_record_t *moved = block_make_hard(record->heap, size, BLOCK_ALIGNMENT, false, faults);
    if (moved == NULL) {
        if (size > record->size) {
            return NULL;
        }
        block_shrink(record, size);
        return record->block;
    }
    size_t kept = record->size < size ? record->size : size;
    moved->domain = record->domain;
    moved->allocated = trace_keep(draft);
    guard_write(moved);
    memcpy(moved->block, record->block, kept);
    memset(moved->block + kept, PATTERN_NEW, size - kept);
    void *block = moved->block;
    block_free(record, draft, faults);
    return block;
}

check_answer_t check_resize(const check_call_t *call, void *block, size_t size, void **moved)
{
    *moved = NULL;
    if (is_absurd(size, BLOCK_ALIGNMENT)) {
        errno = ENOMEM;
        return ANSWER_DONE;
    }
    int error = EINVAL;
    int tries = 0;
    cubby_heap_t *front = NULL;
    int saved = errno;
    faults_t faults = {.count = 0};
    trace_draft_t draft;
    check_answer_t answer = ANSWER_DONE;
    owner_check(call, call->front, &faults);
    trace_take(&draft);
    do {
        lock_take(LOCK_CHECKS);
        check_record_t *record = record_find(block);
        front = NULL;
        if (record == NULL) {
            answer = pointer_explain(call, block, &faults);
        } else if (call_fits(call, record, &faults)) {
            (void)fault_look(&faults, record, call->moment);
            front = record->heap->front; /* the record ends with the block */
            *moved = block_move(record, size, &draft, &faults);
            error = ENOMEM;
        }
        lock_drop(LOCK_CHECKS);
    } while (*moved == NULL && front != NULL && tries++ == 0 && host_gives_back(front, size, BLOCK_ALIGNMENT));
    faults_report(&faults);
    errno = *moved == NULL && answer == ANSWER_DONE ? error : saved;
    return answer;
}

/* ---- All blocks ---- */

typedef struct search {
    faults_t *faults;
    const char *moment;
    size_t damaged;
} search_t;

/* Goes on until the faults are full. */
static bool record_is_last_straw(check_record_t *record, void *ctx)
{
    search_t *search = ctx;
    search->damaged += fault_look(search->faults, record, search->moment);
    return faults_are_full(search->faults);
}

size_t blocks_look(const char *moment)
{
    search_t search = {.moment = moment};
    bool more = true;
    while (more) { /* a block is reported once, so each round has fewer to report */
        faults_t faults = {.count = 0};
        search.faults = &faults;
        search.damaged = 0;
        lock_take(LOCK_CHECKS);
        more = record_search(record_is_last_straw, &search) != NULL;
        lock_drop(LOCK_CHECKS);
        faults_report(&faults);
    }
    return search.damaged;
}
