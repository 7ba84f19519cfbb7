/* SPDX-License-Identifier: MIT */
/*
 * A long random run of every list operation beside a plain array, part of it without memory.
 *
 *   CUBBY_TEST_STEPS   how many steps
 *   CUBBY_TEST_SEED    repeats a run
 */
#include "support/list_model.h"

#include "support/heap.h"

enum { STEPS = TEST_SANITIZED ? 400000 : 4000000, STEPS_TO_CHECK = 10000, STEPS_TO_TURN = 300 };

/* Single items most of the time: what lists are made of. */
static model_step_t step_draw(test_random_t *random, bool growing)
{
    size_t draw = random_below(random, 128);
    if (draw < 90) {
        static const model_step_t up[4] = {MODEL_APPEND, MODEL_APPEND, MODEL_INSERT, MODEL_POP};
        static const model_step_t down[4] = {MODEL_POP, MODEL_POP, MODEL_REMOVE, MODEL_APPEND};
        return growing ? up[draw % 4] : down[draw % 4];
    }
    if (draw < 120) {
        static const model_step_t whole[6] = {MODEL_EXTEND,     MODEL_REPLACE, MODEL_REPLACE_OWN,
                                              MODEL_EXTEND_OWN, MODEL_SHRINK,  MODEL_OVERFLOW};
        return whole[draw % 6];
    }
    static const model_step_t rare[8] = {MODEL_RESIZE, MODEL_STARVE, MODEL_STARVE,     MODEL_RESERVE,
                                         MODEL_CLEAR,  MODEL_RESIZE, MODEL_EXTEND_OWN, MODEL_STARVE};
    return rare[draw % 8];
}

static void a_list_holds_what_an_array_holds_through_a_long_random_run(void **state)
{
    (void)state;
    test_random_t random = test_random("object/list_model");
    size_t steps = (size_t)test_number("CUBBY_TEST_STEPS", STEPS);
    list_model_t model;
    size_t longest = 0;
    bool growing = true;
    list_model_begin(&model, heap);
    for (size_t i = 0; i < steps; i++) {
        growing = i % STEPS_TO_TURN == 0 ? random_below(&random, 2) == 0 : growing;
        model_step_t step = step_draw(&random, growing);
        size_t a = random_below(&random, SIZE_MAX), b = random_below(&random, SIZE_MAX);
        list_model_step(&model, step, a, b, random_below(&random, SIZE_MAX));
        longest = model.size > longest ? model.size : longest;
        if (i % STEPS_TO_CHECK == 0) {
            assert_true(everything_is_valid());
        }
    }
    printf("# the longest list had %zu items; %zu steps had no memory\n", longest, model.refused);
    assert_true(steps < STEPS || (longest > 5000 && model.refused > 100));
    list_model_end(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(a_list_holds_what_an_array_holds_through_a_long_random_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
