/* SPDX-License-Identifier: MIT */
#include "check/hold.h"

#include "check/guard.h"

static struct {
    check_record_t *oldest;
    check_record_t *latest;
    size_t bytes;
    size_t count;
    size_t most; /* bytes */
} hold;

void hold_begin(size_t bytes)
{
    hold.oldest = NULL;
    hold.latest = NULL;
    hold.bytes = 0;
    hold.count = 0;
    hold.most = bytes;
}

/* The block goes back to its heap; a damaged one is reported as of now. */
static void block_leave(check_record_t *record, bool was_filled, faults_t *faults)
{
    if (was_filled) {
        fault_look(faults, record, "when it left the queue of freed blocks");
    }
    cubby_heap_t *inner = record->heap->inner;
    void *block = record->inner;
    record_remove(record);
    cubby_heap_free(inner, block);
}

static void hold_pop(faults_t *faults)
{
    check_record_t *record = hold.oldest;
    hold.oldest = record->next_held;
    if (hold.oldest == NULL) {
        hold.latest = NULL;
    }
    hold.bytes -= record->size;
    hold.count--;
    block_leave(record, true, faults);
}

void hold_add(check_record_t *record, faults_t *faults)
{
    record->held = true;
    if (record->size > hold.most) {
        block_leave(record, false, faults);
        return;
    }
    guard_fill(record, PATTERN_FREED);
    record->next_held = NULL;
    if (hold.latest != NULL) {
        hold.latest->next_held = record;
    } else {
        hold.oldest = record;
    }
    hold.latest = record;
    hold.bytes += record->size;
    hold.count++;
    while ((hold.bytes > hold.most || hold.count > HOLD_MOST) && !faults_are_full(faults)) {
        hold_pop(faults);
    }
}

void hold_flush(const check_heap_t *heap, faults_t *faults)
{
    check_record_t **link = &hold.oldest;
    check_record_t *before = NULL;
    while (*link != NULL && !faults_are_full(faults)) {
        check_record_t *record = *link;
        if (heap != NULL && record->heap != heap) {
            before = record;
            link = &record->next_held;
            continue;
        }
        *link = record->next_held;
        if (hold.latest == record) {
            hold.latest = before;
        }
        hold.bytes -= record->size;
        hold.count--;
        block_leave(record, true, faults);
    }
}
