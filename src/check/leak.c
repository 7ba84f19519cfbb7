/* SPDX-License-Identifier: MIT */
#include "check/leak.h"

#include "check/report.h"
#include "os/lock.h"

/* Places that are shown: those with the most bytes. Without traces every block is a place of its own. */
enum { PLACES_SHOWN = 8 };

typedef struct leak_place {
    const check_trace_t *trace;
    size_t bytes;
    size_t count;
    check_record_t example; /* the oldest block of the place */
} leak_place_t;

typedef struct leak_list {
    const check_heap_t *heap;
    size_t bytes;
    size_t count;
    size_t places;
    leak_place_t at[PLACES_SHOWN];
    check_record_t oldest;
} leak_list_t;

static bool is_leak(const leak_list_t *list, const check_record_t *record)
{
    return !record->held && (list->heap == NULL || record->heap == list->heap);
}

typedef struct place_sum {
    const leak_list_t *list;
    leak_place_t place;
} place_sum_t;

static bool place_add(check_record_t *record, void *ctx)
{
    place_sum_t *sum = ctx;
    if (is_leak(sum->list, record) && record->allocated == sum->place.trace) {
        sum->place.bytes += record->size;
        sum->place.count++;
        if (record->serial < sum->place.example.serial) {
            sum->place.example = *record;
        }
    }
    return false;
}

/* Puts a place among those shown, when it is one of the largest. */
static void place_insert(leak_list_t *list, const leak_place_t *place)
{
    size_t at = list->places;
    if (at == PLACES_SHOWN) {
        at--;
        if (list->at[at].bytes >= place->bytes) {
            return;
        }
    } else {
        list->places++;
    }
    while (at > 0 && list->at[at - 1].bytes < place->bytes) {
        list->at[at] = list->at[at - 1];
        at--;
    }
    list->at[at] = *place;
}

static bool place_is_known(const leak_list_t *list, const check_trace_t *trace)
{
    for (size_t i = 0; i < list->places; i++) {
        if (list->at[i].trace == trace) {
            return true;
        }
    }
    return false;
}

/* Adds a block, with all others of its place. */
static bool leak_add(check_record_t *record, void *ctx)
{
    leak_list_t *list = ctx;
    if (!is_leak(list, record)) {
        return false;
    }
    if (list->count == 0 || record->serial < list->oldest.serial) {
        list->oldest = *record;
    }
    list->count++;
    list->bytes += record->size;
    leak_place_t place = {record->allocated, record->size, 1, *record};
    if (place.trace == NULL) {
        place_insert(list, &place);
    } else if (!place_is_known(list, place.trace)) {
        place_sum_t sum = {list, {place.trace, 0, 0, *record}};
        (void)record_search(place_add, &sum);
        place_insert(list, &sum.place);
    }
    return false;
}

static void block_print(report_t *report, const char *what, const check_record_t *record)
{
    report_add(report, "  %s %p, %zu bytes, domain %s, serial number %llu, by thread %u\n", what,
               (const void *)record->block, record->size, domain_name(record->domain),
               (unsigned long long)record->serial, record->thread);
}

size_t leaks_report(const check_heap_t *heap, const char *moment)
{
    leak_list_t list = {.heap = heap};
    lock_take(LOCK_CHECKS);
    (void)record_search(leak_add, &list);
    lock_drop(LOCK_CHECKS);
    if (list.count == 0) {
        return 0;
    }
    report_t report;
    report.length = 0;
    report_add(&report, "cubby: debug: %zu block%s of %zu bytes in all not freed\n  noticed    %s\n", list.count,
               list.count == 1 ? "" : "s", list.bytes, moment);
    block_print(&report, "oldest    ", &list.oldest);
    for (size_t i = 0; i < list.places; i++) {
        const leak_place_t *place = &list.at[i];
        if (place->trace == NULL) {
            block_print(&report, "large     ", &place->example);
            continue;
        }
        report_add(&report, "  %zu bytes in %zu block%s\n", place->bytes, place->count, place->count == 1 ? "" : "s");
        report_add_trace(&report, "allocated at", place->trace);
    }
    report_send(&report);
    return list.count;
}
