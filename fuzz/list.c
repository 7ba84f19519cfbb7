/* SPDX-License-Identifier: MIT */
/* List operations: seven bytes a step, which is the step and three numbers of two bytes. */
#include "support/list_model.h"

#include "target.h"

enum { STEP_BYTES = 7 };

static size_t number_read(const uint8_t *data)
{
    return (size_t)data[0] | (size_t)data[1] << 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    list_model_t model;
    cubby_heap_t *heap = cubby_heap_create();
    if (heap == NULL) {
        fputs("fuzz-list: no memory to begin with\n", stderr);
        abort();
    }
    list_model_begin(&model, heap);
    for (const uint8_t *step = data; size >= STEP_BYTES; step += STEP_BYTES, size -= STEP_BYTES) {
        list_model_step(&model, (model_step_t)(step[0] % MODEL_STEP_COUNT), number_read(step + 1),
                        number_read(step + 3), number_read(step + 5));
    }
    list_model_end(&model);
    cubby_heap_destroy(heap);
    return 0;
}
