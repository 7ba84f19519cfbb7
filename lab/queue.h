/* SPDX-License-Identifier: MIT */
/* Many processes of which some run at a time: as many as there are slots, and as fit into the memory. */
#ifndef CUBBY_LAB_QUEUE_H
#define CUBBY_LAB_QUEUE_H

#include "lab/child.h"

enum { QUEUE_SLOT_MAX = 16 };

typedef struct queue {
    size_t jobs;        /* numbered from 0 and started in this order */
    size_t slots;       /* at least 1; more than QUEUE_SLOT_MAX are not used */
    long long room_kib; /* what those under way may need together; a job that needs more runs alone */
    void *context;
    long long (*need_kib)(void *context, size_t job);
    bool (*start)(void *context, size_t job, child_t *child); /* false: the job is skipped */
    void (*finish)(void *context, size_t job, const child_t *child);
} queue_t;

/* Runs all jobs. False when interrupted, or with ENOMEM in errno when there is no memory to run any. */
bool queue_run(const queue_t *queue);

#endif
