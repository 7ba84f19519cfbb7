/* SPDX-License-Identifier: MIT */
#include "check/owner.h"

#include <pthread.h>
#include <string.h>

static check_owner_t domain_owners[CUBBY_DOMAIN_COUNT];

/* The thread is asking: what the answer allocates is not asked about. */
static __thread bool asking __attribute__((tls_model("initial-exec")));

void owners_begin(void)
{
    memset(domain_owners, 0, sizeof domain_owners);
}

static void owner_ask(check_owner_t *owner, const check_call_t *call, const cubby_heap_t *front, faults_t *faults)
{
    if (owner->is_held == NULL || asking) {
        return;
    }
    asking = true;
    bool held = owner->is_held(owner->ctx);
    asking = false;
    if (held || __atomic_exchange_n(&owner->reported, true, __ATOMIC_RELAXED)) {
        return;
    }
    fault_t *fault = fault_add(faults, FAULT_LOCK, call->moment, NULL, NULL);
    fault->domain_asked = call->domain;
    fault->heap_asked = front;
}

void owner_check(const check_call_t *call, cubby_heap_t *front, faults_t *faults)
{
    if (call->domain < CUBBY_DOMAIN_COUNT) {
        owner_ask(&domain_owners[call->domain], call, front, faults);
    }
    if (front == NULL) {
        return;
    }
    check_heap_t *heap = front->checks;
    owner_ask(&heap->owner, call, front, faults);
    if (heap->kind == CUBBY_OWNER_THREAD && heap->thread != (uintptr_t)pthread_self() &&
        !__atomic_exchange_n(&heap->reported, true, __ATOMIC_RELAXED)) {
        fault_add(faults, FAULT_THREAD, call->moment, NULL, NULL)->heap_asked = front;
    }
}

static void owner_set(check_owner_t *owner, cubby_check_held_t is_held, void *ctx)
{
    owner->is_held = NULL;
    owner->ctx = ctx;
    owner->reported = false;
    owner->is_held = is_held;
}

void cubby_check_domain_lock(cubby_domain_t domain, cubby_check_held_t is_held, void *ctx)
{
    if ((unsigned)domain < CUBBY_DOMAIN_COUNT) {
        owner_set(&domain_owners[domain], is_held, ctx);
    }
}

void cubby_check_heap_lock(cubby_heap_t *heap, cubby_check_held_t is_held, void *ctx)
{
    if (heap != NULL && heap->kind == HEAP_CHECKED) {
        owner_set(&heap->checks->owner, is_held, ctx);
    }
}
