/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "os/refusal.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static void every_reason_has_a_text_of_its_own_and_an_errno(void **state)
{
    (void)state;
    for (int i = CUBBY_REFUSAL_ARGUMENT; i < CUBBY_REFUSAL_COUNT; i++) {
        errno = 0;
        assert_false(refuse((cubby_refusal_t)i));
        assert_int_equal(cubby_refusal_get(), i);
        assert_true(errno == EINVAL || errno == EBUSY || errno == ENOMEM);
        assert_true(strlen(cubby_refusal_text((cubby_refusal_t)i)) > 20);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(cubby_refusal_text((cubby_refusal_t)i), cubby_refusal_text((cubby_refusal_t)j));
        }
    }
}

static void any_number_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(cubby_refusal_text((cubby_refusal_t)test_size(CUBBY_REFUSAL_COUNT)), "no such reason");
    assert_string_equal(cubby_refusal_text((cubby_refusal_t)test_size(1000000)), "no such reason");
}

static void *reason_of_new_thread(void *reason)
{
    *(cubby_refusal_t *)reason = cubby_refusal_get();
    (void)refuse(CUBBY_REFUSAL_MEMORY);
    return NULL;
}

static void each_thread_has_its_own_reason(void **state)
{
    (void)state;
    pthread_t thread;
    cubby_refusal_t reason = CUBBY_REFUSAL_COUNT;
    (void)refuse(CUBBY_REFUSAL_ABSENT);
    assert_int_equal(pthread_create(&thread, NULL, reason_of_new_thread, &reason), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(reason, CUBBY_REFUSAL_NONE);
    assert_int_equal(cubby_refusal_get(), CUBBY_REFUSAL_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_a_text_of_its_own_and_an_errno),
        cmocka_unit_test(any_number_has_a_text),
        cmocka_unit_test(each_thread_has_its_own_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
