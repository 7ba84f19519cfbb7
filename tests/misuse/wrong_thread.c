/* SPDX-License-Identifier: MIT */
/* A thread's heap is used by another thread. */
#include "misuse.h"

#include <pthread.h>

typedef struct request {
    cubby_heap_t *heap;
    size_t size;
} request_t;

static void *allocate(void *ctx)
{
    request_t *request = ctx;
    cubby_free(cubby_heap_malloc(request->heap, request->size));
    return NULL;
}

int main(int argc, char **argv)
{
    size_t size = size_asked(argc, argv);
    cubby_heap_t *heap = cubby_heap_create_for(CUBBY_OWNER_THREAD);
    pthread_t thread;
    request_t request = {heap, size};
    if (pthread_create(&thread, NULL, allocate, &request) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    cubby_heap_destroy(heap);
    return 0;
}
