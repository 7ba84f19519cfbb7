/* SPDX-License-Identifier: MIT */
#include "heap/pressure.h"

#include "heap/limit.h"
#include "heap/shared.h"
#include "os/lock.h"
#include "span/limit.h"

#include <errno.h>

/* Under LOCK_HOST. */
static cubby_pressure_function_t host_function;
static void *host_ctx;

/* This thread is in the host's function. */
static __thread bool asking __attribute__((tls_model("initial-exec")));

void cubby_pressure_set(cubby_pressure_function_t function, void *ctx)
{
    lock_take(LOCK_HOST);
    host_function = function;
    host_ctx = ctx;
    lock_drop(LOCK_HOST);
}

bool pressure_ask(const cubby_pressure_t *pressure)
{
    if (asking) {
        return false;
    }
    lock_take(LOCK_HOST);
    cubby_pressure_function_t function = host_function;
    void *ctx = host_ctx;
    lock_drop(LOCK_HOST);
    if (function == NULL) {
        return false;
    }
    int saved = errno;
    asking = true;
    bool again = function(ctx, pressure);
    asking = false;
    errno = saved;
    return again;
}

/* Whether it is the heap's own limit that so many pages would pass. */
static bool heap_is_full(cubby_heap_t *heap, size_t pages)
{
    if (heap == NULL) {
        return false;
    }
    front_lock(heap);
    bool full = !heap_has_room(heap->inner != NULL ? heap->inner : heap, pages);
    front_unlock(heap);
    return full;
}

bool heap_pressure(cubby_heap_t *heap, size_t pages)
{
    if (heap != NULL && heap->front != NULL) {
        return false;
    }
    cubby_pressure_t pressure = {CUBBY_PRESSURE_SYSTEM, pages << PAGE_SHIFT, NULL, -1};
    if (heap_is_full(heap, pages)) {
        pressure.cause = CUBBY_PRESSURE_HEAP;
        pressure.heap = heap;
    } else if (!span_limit_allows(pages)) {
        pressure.cause = CUBBY_PRESSURE_LIMIT;
    }
    return pressure_ask(&pressure);
}
