/* SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "check/trace.h"

static const char *place_text;
static size_t places_asked;

static size_t place_tell(void *ctx, bool brief, char *text, size_t size)
{
    (void)ctx;
    places_asked++;
    char *block = cubby_malloc(10); /* a host that allocates after all is not asked again for that */
    cubby_free(block);
    int length = snprintf(text, size, brief ? "%s\n" : "    all of %s\n", place_text);
    return (size_t)length < size ? (size_t)length : 0;
}

static int traces_start(void **state)
{
    (void)state;
    places_asked = 0;
    return checks_start((cubby_check_options_t){.hold_bytes = 65536, .stack_depth = 5}) ? 0 : -1;
}

__attribute__((noinline)) static char *one_way(void)
{
    return cubby_malloc(10);
}

__attribute__((noinline)) static char *another_way(void)
{
    char *block = cubby_malloc(10);
    *hidden(block) = 1; /* so that this is another function */
    return block;
}

static void the_same_way_is_kept_once(void **state)
{
    (void)state;
    const check_trace_t *kept[3];
    for (int i = 0; i < 3; i++) {
        char *block = i < 2 ? one_way() : another_way();
        kept[i] = record_find(block)->allocated;
        cubby_free(block);
    }
    assert_non_null(kept[0]);
    assert_ptr_equal(kept[0], kept[1]);
    assert_ptr_not_equal(kept[0], kept[2]);
}

static void a_report_shows_where_a_block_was_allocated_and_freed(void **state)
{
    (void)state;
    char *block = one_way();
    char *again = hidden(block);
    cubby_free(block);
    cubby_free(again);
    const char *allocated = strstr(reported.text, "  allocated at\n");
    assert_non_null(allocated);
    assert_non_null(strstr(allocated, "check-trace_test+0x"));
    assert_non_null(strstr(allocated, "  freed at\n"));
    assert_true(was_reported("the block was freed before", ""));
}

static void the_host_says_where_it_is(void **state)
{
    (void)state;
    place_text = "file.x:7";
    cubby_check_on_place(place_tell, NULL);
    char *block = cubby_malloc(10);
    assert_int_equal(places_asked, 1);
    place_text = "file.x:8";
    hidden(block)[10] = 'A';
    cubby_free(block);
    assert_non_null(strstr(reported.text, "  the runtime is at\n    all of file.x:8\n"));
    assert_true(was_reported("write after the block", "  allocated at\n      file.x:7\n"));
    cubby_check_on_place(NULL, NULL);
    places_asked = 0;
    cubby_free(cubby_malloc(10));
    assert_int_equal(places_asked, 0);
}

static void without_a_depth_nobody_is_asked_until_there_is_a_report(void **state)
{
    (void)state;
    place_text = "file.x:9";
    places_asked = 0;
    cubby_check_on_place(place_tell, NULL);
    char *block = cubby_malloc(10);
    assert_null(record_find(block)->allocated);
    hidden(block)[10] = 'A';
    assert_int_equal(places_asked, 0);
    cubby_free(block);
    assert_int_equal(places_asked, 1);
    assert_true(was_reported("write after the block", "all of file.x:9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_way_is_kept_once, traces_start, check_end_plain),
        cmocka_unit_test_setup_teardown(a_report_shows_where_a_block_was_allocated_and_freed, traces_start,
                                        check_end_plain),
        cmocka_unit_test_setup_teardown(the_host_says_where_it_is, traces_start, check_end_plain),
        CHECK_TEST(without_a_depth_nobody_is_asked_until_there_is_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
