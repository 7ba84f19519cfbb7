/* SPDX-License-Identifier: MIT */
/* Turning the checks on and off, and what the heap layer calls while they are on. */
#include "check/check.h"

#include "check/fault.h"
#include "check/hold.h"
#include "check/leak.h"
#include "check/owner.h"
#include "check/report.h"
#include "heap/thread.h"
#include "os/lock.h"
#include "os/os.h"
#include "os/settings.h"

#include <errno.h>
#include <pthread.h>

static cubby_heap_t *memory;
static check_heap_t plain; /* what stands behind cubby_malloc() */
static cubby_check_options_t options;

cubby_heap_t *check_plain(void)
{
    return &heap_plain;
}

cubby_heap_t *check_memory(void)
{
    return memory;
}

/* ---- Heaps ---- */

static void heap_join(check_heap_t *heap, cubby_heap_t *front, cubby_heap_t *inner, cubby_owner_t owner)
{
    *heap = (check_heap_t){.front = front, .inner = inner, .kind = owner, .thread = (uintptr_t)pthread_self()};
    front->inner = inner;
    front->checks = heap;
    inner->front = front;
}

static cubby_heap_t *checked_create(cubby_owner_t owner)
{
    lock_take(LOCK_CHECKS);
    check_heap_t *heap = cubby_heap_malloc(memory, sizeof *heap);
    lock_drop(LOCK_CHECKS);
    cubby_heap_t *front = heap_create(HEAP_CHECKED);
    cubby_heap_t *inner = heap_create(HEAP_LOCK);
    if (heap == NULL || front == NULL || inner == NULL) {
        if (front != NULL) {
            front->kind = HEAP_LOCK; /* there is nothing checked about it yet */
        }
        cubby_heap_destroy(front);
        cubby_heap_destroy(inner);
        lock_take(LOCK_CHECKS);
        cubby_heap_free(memory, heap);
        lock_drop(LOCK_CHECKS);
        return NULL;
    }
    for (unsigned size_class = 0; size_class < CUBBY_CLASS_COUNT; size_class++) {
        front->bins[size_class].room = 0; /* so that cubby_delete() ends in a slow path, too */
    }
    heap_join(heap, front, inner, owner);
    return front;
}

static void checked_flush(cubby_heap_t *front)
{
    cubby_heap_t *inner = front != NULL ? front->inner : plain.inner;
    bool more = true;
    while (more) {
        faults_t faults = {.count = 0};
        lock_take(LOCK_CHECKS);
        hold_flush(front != NULL ? front->checks : NULL, &faults);
        more = faults_are_full(&faults);
        heap_flush(inner);
        lock_drop(LOCK_CHECKS);
        faults_report(&faults);
    }
}

/* Looks at every block of the heap and forgets it. */
static void checked_destroy(cubby_heap_t *front)
{
    check_heap_t *heap = front->checks;
    if (options.leaks) {
        (void)leaks_report(heap, "when their heap was destroyed");
    }
    checked_flush(front);
    bool more = true;
    while (more) {
        faults_t faults = {.count = 0};
        lock_take(LOCK_CHECKS);
        while (heap->first != NULL && !faults_are_full(&faults)) {
            (void)fault_look(&faults, heap->first, "when its heap was destroyed");
            record_remove(heap->first);
        }
        more = heap->first != NULL;
        lock_drop(LOCK_CHECKS);
        faults_report(&faults);
    }
    lock_take(LOCK_CHECKS);
    check_tables_forget(front);
    cubby_heap_free(memory, heap);
    lock_drop(LOCK_CHECKS);
}

/* ---- Calls that name no domain ---- */

static void *plain_alloc(cubby_heap_t *front, size_t size, size_t alignment)
{
    check_call_t call = {"in malloc", front, DOMAIN_NONE, CHECKS_SIZE_UNKNOWN};
    return check_alloc(&call, size, alignment, false);
}

static void *plain_alloc_zeroed(cubby_heap_t *front, size_t size)
{
    check_call_t call = {"in calloc", front, DOMAIN_NONE, CHECKS_SIZE_UNKNOWN};
    return check_alloc(&call, size, BLOCK_ALIGNMENT, true);
}

static bool plain_release(cubby_heap_t *front, void *block, size_t size)
{
    check_call_t call = {"in free", front, DOMAIN_NONE, size};
    check_answer_t answer = check_free(&call, block);
    if (answer == ANSWER_FOREIGN) {
        check_refuse_foreign(&call, block);
    }
    return answer != ANSWER_OTHER;
}

static bool plain_resize(cubby_heap_t *front, void *block, size_t size, void **moved)
{
    check_call_t call = {"in realloc", front, DOMAIN_NONE, CHECKS_SIZE_UNKNOWN};
    check_answer_t answer = check_resize(&call, block, size, moved);
    if (answer == ANSWER_FOREIGN) {
        check_refuse_foreign(&call, block);
    }
    return answer != ANSWER_OTHER;
}

/* cubby_new() asked for all of its class's bytes. */
static void plain_release_typed(cubby_heap_t *front, void *block, unsigned size_class)
{
    (void)plain_release(front, block, class_size(size_class));
}

/* A copy of the record of a block, all zero for any other pointer. */
static check_record_t record_copy(const void *block)
{
    check_record_t copy = {.block = NULL};
    if (span_holds(block)) {
        lock_take(LOCK_CHECKS);
        const check_record_t *record = record_find(block);
        if (record != NULL) {
            copy = *record;
        }
        lock_drop(LOCK_CHECKS);
    }
    return copy;
}

static cubby_heap_t *block_front(const void *block)
{
    check_record_t record = record_copy(block);
    return record.block == NULL ? NULL : record.heap->front;
}

static size_t block_bytes(const void *block)
{
    check_record_t record = record_copy(block);
    return record.block == NULL ? CHECKS_SIZE_UNKNOWN : record.size;
}

static const heap_checks_t checks = {
    .create = checked_create,
    .destroy = checked_destroy,
    .alloc = plain_alloc,
    .alloc_zeroed = plain_alloc_zeroed,
    .release = plain_release,
    .resize = plain_resize,
    .release_typed = plain_release_typed,
    .heap_of = block_front,
    .size_of = block_bytes,
    .flush = checked_flush,
    .table = check_table,
    .is_table = check_table_is,
};

/* ---- On and off ---- */

cubby_check_options_t cubby_check_options(void)
{
    return (cubby_check_options_t){
        .hold_bytes = (size_t)setting(SETTING_DEBUG_HOLD),
        .stack_depth = (unsigned)setting(SETTING_DEBUG_STACKS),
        .leaks = setting(SETTING_DEBUG_LEAKS) != 0,
        .goes_on = setting(SETTING_DEBUG_CONTINUE) != 0,
        .file = setting_text(SETTING_DEBUG_FILE)[0] != '\0' ? setting_text(SETTING_DEBUG_FILE) : NULL,
    };
}

bool cubby_check_is_on(void)
{
    return heap_checks != NULL;
}

/* Puts the checks before cubby_malloc(). The thread's own heap, if it has one by now, goes with the thread. */
static void plain_begin(cubby_heap_t *inner)
{
    heap_join(&plain, &heap_plain, inner, CUBBY_OWNER_ANY);
    heap_plain.kind = HEAP_CHECKED;
    heap_checks = &checks;
    thread_heap = &heap_plain;
}

bool cubby_check_start(const cubby_check_options_t *asked)
{
    if (heap_checks != NULL) {
        errno = EALREADY;
        return false;
    }
    options = asked != NULL ? *asked : cubby_check_options();
    memory = heap_create(HEAP_LOCK);
    cubby_heap_t *inner = heap_create(HEAP_LOCK);
    if (memory == NULL || inner == NULL || !records_begin(memory)) {
        cubby_heap_destroy(memory);
        cubby_heap_destroy(inner);
        memory = NULL;
        errno = ENOMEM;
        return false;
    }
    reports_begin(options.file, options.goes_on);
    owners_begin();
    hold_begin(options.hold_bytes);
    plain_begin(inner);
    traces_begin(memory, options.stack_depth);
    check_tables_begin();
    return true;
}

void check_begin(void)
{
    if (setting(SETTING_DEBUG) == 0 || cubby_check_start(NULL)) {
        return;
    }
    static const char text[] = "cubby: CUBBY_DEBUG: there is no memory for the checks; the program runs without\n";
    os.write_error(text, sizeof text - 1);
}

void check_end(void)
{
    checked_flush(NULL);
    check_tables_end();
    heap_checks = NULL;
    records_end();
    heap_plain.kind = HEAP_PLAIN;
    heap_plain.inner = NULL;
    cubby_heap_destroy(plain.inner);
    cubby_heap_destroy(memory);
    memory = NULL;
}

/* ---- When asked, and at the end ---- */

size_t cubby_check_all(void)
{
    return heap_checks == NULL ? 0 : blocks_look("by cubby_check_all()");
}

size_t cubby_check_leaks(cubby_heap_t *heap)
{
    if (heap_checks == NULL || (heap != NULL && heap->kind != HEAP_CHECKED)) {
        return 0;
    }
    return leaks_report(heap == NULL ? NULL : heap->checks, "by cubby_check_leaks()");
}

void cubby_check_on_report(cubby_check_report_t report, void *ctx)
{
    reports_hand_to(report, ctx);
}

void cubby_check_on_place(cubby_check_place_t place, void *ctx)
{
    traces_ask(place, ctx);
}

__attribute__((destructor(102))) static void checks_at_exit(void)
{
    if (heap_checks == NULL) {
        return;
    }
    (void)blocks_look("at exit");
    if (options.leaks) {
        (void)leaks_report(NULL, "at exit");
    }
}
