/* SPDX-License-Identifier: MIT */
/* Hooks over a domain in use, and the layers they are made of. */
#include "support/test.h"

#include "support/fake_os.h"
#include "support/hook.h"

#include "domain/layer.h"

#include <errno.h>
#include <string.h>

static cubby_allocator_t table_before;

static int domain_start(void **state)
{
    (void)state;
    cubby_domain_free(CUBBY_DOMAIN_MEM, cubby_domain_malloc(CUBBY_DOMAIN_MEM, 1));
    table_before = cubby_domain_get(CUBBY_DOMAIN_MEM);
    for (int i = 0; i < HOOK_KINDS; i++) {
        hook_notes[i] = (hook_notes_t){.kind = i};
    }
    return 0;
}

static int domain_end(void **state)
{
    (void)state;
    fake_relent();
    cubby_allocator_t now = cubby_domain_get(CUBBY_DOMAIN_MEM);
    bool strays = false;
    for (int i = 0; i < HOOK_KINDS; i++) {
        strays = strays || hook_notes[i].strays > 0;
    }
    return hooks_installed(CUBBY_DOMAIN_MEM) == 0 && table_is_same(&now, &table_before) && !strays ? 0 : -1;
}

static void allocate_once(void)
{
    char *block = cubby_domain_malloc(CUBBY_DOMAIN_MEM, 10);
    memset(block, 1, 10);
    block = cubby_domain_realloc(CUBBY_DOMAIN_MEM, block, 1000);
    assert_int_equal(block[9], 1);
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
    block = cubby_domain_calloc(CUBBY_DOMAIN_MEM, 10, 10);
    assert_int_equal(block[99], 0);
    cubby_domain_free(CUBBY_DOMAIN_MEM, block);
}

static void a_hook_sees_every_request_while_it_is_there(void **state)
{
    (void)state;
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    allocate_once();
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
    allocate_once();
    static const size_t expected[4] = {1, 1, 1, 2};
    assert_memory_equal(hook_notes[0].calls, expected, sizeof expected);
}

static void hooks_are_removed_in_any_order(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int order = 0; order < 6; order++) {
        size_t calls[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[i]));
            calls[i] = hook_calls(&hook_notes[i]);
        }
        bool there[3] = {true, true, true};
        for (int step = 0; step < 3; step++) {
            assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[orders[order][step]]));
            there[orders[order][step]] = false;
            size_t before[3];
            for (int i = 0; i < 3; i++) {
                before[i] = hook_calls(&hook_notes[i]);
            }
            allocate_once();
            for (int i = 0; i < 3; i++) {
                assert_int_equal(hook_calls(&hook_notes[i]) - before[i], there[i] ? 5 : 0);
            }
        }
        assert_true(hook_calls(&hook_notes[orders[order][2]]) > calls[orders[order][2]]);
    }
}

static void the_hooks_are_listed_from_the_top_down(void **state)
{
    (void)state;
    cubby_hook_t found;
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[2]));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_true(cubby_domain_hook_get(CUBBY_DOMAIN_MEM, 0, &found));
    assert_string_equal(found.name, "hook 0");
    assert_true(cubby_domain_hook_get(CUBBY_DOMAIN_MEM, 1, &found));
    assert_string_equal(found.name, "hook 2");
    assert_false(cubby_domain_hook_get(CUBBY_DOMAIN_MEM, 2, &found));
    assert_false(cubby_domain_hook_get(CUBBY_DOMAIN_OBJ, 0, &found));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &found));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
}

/* What a call reads of a table before another thread removes hooks stays what it was. */
static void a_table_read_before_a_change_goes_on_serving(void **state)
{
    (void)state;
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[1]));
    cubby_allocator_t old = cubby_domain_get(CUBBY_DOMAIN_MEM);
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[1]));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[1]));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    old.free(old.ctx, old.malloc(old.ctx, 10));
    assert_int_equal(hook_calls(&hook_notes[0]), 2);
    assert_int_equal(hook_calls(&hook_notes[1]), 2);
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[1]));
}

static void assert_refused(bool done, cubby_refusal_t reason, int error)
{
    assert_false(done);
    assert_int_equal(cubby_refusal_get(), reason);
    assert_int_equal(errno, error);
}

static void a_hook_comes_once_and_goes_once(void **state)
{
    (void)state;
    assert_refused(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]), CUBBY_REFUSAL_ABSENT, EINVAL);
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[1]));
    assert_refused(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[0]), CUBBY_REFUSAL_PRESENT, EBUSY);
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_OBJ, &hooks[0]));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]));
    assert_refused(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[0]), CUBBY_REFUSAL_ABSENT, EINVAL);
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[1]));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_OBJ, &hooks[0]));
}

static void a_hook_with_a_hole_and_an_unknown_domain_are_refused(void **state)
{
    (void)state;
    cubby_hook_t holes[4] = {hooks[0], hooks[0], hooks[0], hooks[0]};
    holes[0].malloc = NULL;
    holes[1].calloc = NULL;
    holes[2].realloc = NULL;
    holes[3].free = NULL;
    for (int i = 0; i < 4; i++) {
        assert_refused(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &holes[i]), CUBBY_REFUSAL_ARGUMENT, EINVAL);
        assert_refused(cubby_domain_restore(CUBBY_DOMAIN_MEM, &holes[i]), CUBBY_REFUSAL_ARGUMENT, EINVAL);
    }
    cubby_domain_t unknown = (cubby_domain_t)test_size(3);
    cubby_hook_t found;
    assert_refused(cubby_domain_wrap(CUBBY_DOMAIN_MEM, NULL), CUBBY_REFUSAL_ARGUMENT, EINVAL);
    assert_refused(cubby_domain_wrap(unknown, &hooks[0]), CUBBY_REFUSAL_ARGUMENT, EINVAL);
    assert_refused(cubby_domain_restore(unknown, &hooks[0]), CUBBY_REFUSAL_ARGUMENT, EINVAL);
    assert_refused(cubby_domain_hook_get(unknown, 0, &found), CUBBY_REFUSAL_ARGUMENT, EINVAL);
}

static void a_hook_that_must_see_every_block_is_refused_once_there_are_some(void **state)
{
    (void)state;
    cubby_hook_t hook = hooks[0];
    hook.from_start = true;
    assert_refused(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hook), CUBBY_REFUSAL_IN_USE, EBUSY);
    allocate_once();
    assert_int_equal(hook_calls(&hook_notes[0]), 0);
}

static void a_hook_that_comes_and_goes_takes_memory_once(void **state)
{
    (void)state;
    size_t reserved = 0;
    for (int i = 0; i < 10000; i++) {
        assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[i % HOOK_KINDS]));
        assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[(i + 1) % HOOK_KINDS]));
        assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[i % HOOK_KINDS]));
        assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[(i + 1) % HOOK_KINDS]));
        reserved = i < HOOK_KINDS ? fake_reserved() : reserved;
    }
    assert_int_equal(fake_reserved(), reserved);
}

/* Hooks with ever new contexts, while each of the two system calls fails in turn. */
static void without_memory_for_a_layer_nothing_changes(void **state)
{
    (void)state;
    static hook_notes_t notes[1000];
    static const fake_call_t calls[2] = {FAKE_RESERVE, FAKE_COMMIT};
    for (int call = 0; call < 2; call++) {
        size_t refused = 0;
        fake_relent();
        fake.fail_all[calls[call]] = true;
        for (int i = 0; i < 500; i++) {
            cubby_hook_t hook = hooks[0];
            hook.ctx = &notes[call * 500 + i];
            if (cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hook)) {
                assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hook));
                continue;
            }
            assert_refused(false, CUBBY_REFUSAL_MEMORY, ENOMEM);
            assert_int_equal(hooks_installed(CUBBY_DOMAIN_MEM), 0);
            refused++;
        }
        assert_true(refused > 0);
        allocate_once();
    }
    fake_relent();
    assert_true(cubby_domain_wrap(CUBBY_DOMAIN_MEM, &hooks[3]));
    assert_true(cubby_domain_restore(CUBBY_DOMAIN_MEM, &hooks[3]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, domain_start, domain_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_hook_sees_every_request_while_it_is_there),
        TEST(hooks_are_removed_in_any_order),
        TEST(the_hooks_are_listed_from_the_top_down),
        TEST(a_table_read_before_a_change_goes_on_serving),
        TEST(a_hook_comes_once_and_goes_once),
        TEST(a_hook_with_a_hole_and_an_unknown_domain_are_refused),
        TEST(a_hook_that_must_see_every_block_is_refused_once_there_are_some),
        TEST(a_hook_that_comes_and_goes_takes_memory_once),
        TEST(without_memory_for_a_layer_nothing_changes),
    };
    fake_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
