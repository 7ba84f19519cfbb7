/* SPDX-License-Identifier: MIT */
/*
 * A runtime with a quota: its heap may hold 8 MiB, and what it caches is dropped when a request would need more. It is
 * a test as well: it exits with 0 when all requests were served.
 */
#include <cubby/limit.h>

#include <stdio.h>

enum { CACHE_SLOTS = 64, CACHE_BYTES = 200000, REQUESTS = 1000 };

typedef struct runtime {
    cubby_heap_t *heap;
    void *cache[CACHE_SLOTS];
    size_t collections;
} runtime_t;

/* Called in the middle of a request that found no room: frees the cache, and has the request tried again. */
static bool collect(void *ctx, const cubby_pressure_t *pressure)
{
    runtime_t *runtime = ctx;
    if (pressure->heap != runtime->heap) {
        return false;
    }
    runtime->collections++;
    for (size_t i = 0; i < CACHE_SLOTS; i++) {
        cubby_heap_free(runtime->heap, runtime->cache[i]);
        runtime->cache[i] = NULL;
    }
    return true;
}

int main(void)
{
    runtime_t runtime = {.heap = cubby_heap_create()};
    if (runtime.heap == NULL) {
        perror("no heap");
        return 1;
    }
    cubby_heap_limit_set(runtime.heap, (size_t)8 << 20);
    cubby_pressure_set(collect, &runtime);
    for (size_t i = 0; i < REQUESTS; i++) {
        void *result = cubby_heap_malloc(runtime.heap, CACHE_BYTES);
        if (result == NULL) {
            perror("request");
            return 1;
        }
        cubby_heap_free(runtime.heap, runtime.cache[i % CACHE_SLOTS]);
        runtime.cache[i % CACHE_SLOTS] = result;
    }
    cubby_limit_t limit = cubby_heap_limit_get(runtime.heap);
    printf("%d requests, %zu collections, %zu of %zu bytes in use\n", REQUESTS, runtime.collections, limit.used,
           limit.bytes);
    cubby_pressure_set(NULL, NULL);
    cubby_heap_destroy(runtime.heap);
    return runtime.collections > 0 ? 0 : 1;
}
