/* SPDX-License-Identifier: MIT */
/* The environments of the arms. */
#include "lab/arm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct size_of_environment {
    size_t entries;
    size_t bytes;
} size_of_environment_t;

static size_of_environment_t environment_size(const arm_set_t *set, const arm_t *arm)
{
    arm_environment_t environment;
    size_of_environment_t size = {0};
    arm_environment_fill(set, arm, 1, &environment);
    for (size_t i = 0; environment.entries[i] != NULL; i++) {
        size.entries++;
        size.bytes += strlen(environment.entries[i]) + 1;
    }
    return size;
}

static const char *entry_find(const arm_environment_t *environment, const char *start)
{
    for (size_t i = 0; environment->entries[i] != NULL; i++) {
        if (strncmp(environment->entries[i], start, strlen(start)) == 0) {
            return environment->entries[i];
        }
    }
    return NULL;
}

static void evened_environments_are_of_one_size_whichever_path_is_longest(void **state)
{
    (void)state;
    static arm_set_t set;
    const char *const adapters[] = {"/a.so", "/somewhere/with/a/path/that/is/longer/than/all/the/others/a.so"};
    for (size_t i = 0; i < 2; i++) {
        arm_set_fill(&set, adapters[i], "");
        assert_true(environment_size(&set, &set.arms[ARM_STOCK]).bytes !=
                    environment_size(&set, &set.arms[ARM_CUBBY]).bytes);
        assert_true(arm_set_even(&set, "/some/folder/null.so"));
        size_of_environment_t stock = environment_size(&set, &set.arms[ARM_STOCK]);
        for (size_t arm = 0; arm < ARM_COUNT; arm++) {
            size_of_environment_t size = environment_size(&set, &set.arms[arm]);
            assert_int_equal(size.entries, stock.entries);
            assert_int_equal(size.bytes, stock.bytes);
        }
    }
}

static void evened_arms_keep_what_they_are_for(void **state)
{
    (void)state;
    static arm_set_t set;
    arm_environment_t environment;
    arm_set_fill(&set, "/folder/adapter.so", "");
    assert_true(arm_set_even(&set, "/null.so"));
    arm_environment_fill(&set, &set.arms[ARM_STOCK], 1, &environment);
    assert_null(entry_find(&environment, "CUBBY_"));
    assert_null(entry_find(&environment, "PYTHONMALLOC="));
    assert_non_null(strstr(entry_find(&environment, "LD_PRELOAD=/"), "/null.so"));
    arm_environment_fill(&set, &set.arms[ARM_CUBBY], 1, &environment);
    assert_string_equal(entry_find(&environment, "CUBBY_MEM="), "CUBBY_MEM=cubby");
    assert_non_null(strstr(entry_find(&environment, "LD_PRELOAD=/"), "/folder/adapter.so"));
    arm_environment_fill(&set, &set.arms[ARM_LIBC], 1, &environment);
    assert_string_equal(entry_find(&environment, "PYTHONMALLOC="), "PYTHONMALLOC=malloc");
}

static void without_an_object_that_does_nothing_the_arms_stay_as_they_are(void **state)
{
    (void)state;
    static arm_set_t set, before;
    arm_set_fill(&set, "/folder/adapter.so", "");
    memcpy(&before, &set, sizeof set);
    assert_false(arm_set_even(&set, NULL));
    assert_memory_equal(&before, &set, sizeof set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evened_environments_are_of_one_size_whichever_path_is_longest),
        cmocka_unit_test(evened_arms_keep_what_they_are_for),
        cmocka_unit_test(without_an_object_that_does_nothing_the_arms_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
