/* SPDX-License-Identifier: MIT */
#include "lab/queue.h"

#include <errno.h>
#include <stdlib.h>

/* Which job each slot runs. */
typedef struct slots {
    size_t count;
    size_t next; /* job to be started next */
    size_t running;
    long long used_kib;
    size_t job[QUEUE_SLOT_MAX];
    child_t children[QUEUE_SLOT_MAX];
} slots_t;

/* Index of a slot in which nothing runs. There is one. */
static size_t slot_free(const slots_t *slots)
{
    size_t slot = 0;
    while (slots->children[slot].pid != 0) {
        slot++;
    }
    return slot;
}

/* Starts jobs while there are slots and room. */
static void slots_feed(const queue_t *queue, slots_t *slots)
{
    while (slots->running < slots->count && slots->next < queue->jobs) {
        size_t job = slots->next;
        long long need = queue->need_kib(queue->context, job);
        if (slots->running > 0 && slots->used_kib + need > queue->room_kib) {
            return;
        }
        slots->next++;
        size_t slot = slot_free(slots);
        if (queue->start(queue->context, job, &slots->children[slot])) {
            slots->job[slot] = job;
            slots->used_kib += need;
            slots->running++;
        }
    }
}

bool queue_run(const queue_t *queue)
{
    slots_t *slots = calloc(1, sizeof *slots);
    if (slots == NULL) {
        errno = ENOMEM;
        return false;
    }
    slots->count = queue->slots < QUEUE_SLOT_MAX ? queue->slots : QUEUE_SLOT_MAX;
    bool finished = true;
    for (;;) {
        slots_feed(queue, slots);
        if (slots->running == 0) {
            break;
        }
        int ended = children_wait(slots->children, slots->count);
        if (ended == CHILD_INTERRUPTED) {
            finished = false;
            break;
        }
        size_t job = slots->job[ended];
        slots->running--;
        slots->used_kib -= queue->need_kib(queue->context, job);
        queue->finish(queue->context, job, &slots->children[ended]);
    }
    free(slots);
    return finished;
}
