/* SPDX-License-Identifier: MIT */
/* The figures of heaps agree with what was allocated, and the report at exit with the process it is about. */
#include "heap/stats.h"

#include "heap/thread.h"
#include "support/heap.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

/* The class with blocks of that size, of the one of 16 bytes both. */
static cubby_class_stats_t class_of_size(cubby_heap_t *of, size_t block_size)
{
    cubby_class_stats_t sum = {0};
    cubby_class_stats_t class;
    for (size_t i = 0; cubby_class_stats_get(of, i, &class); i++) {
        if (class.block_size == block_size) {
            sum.pools += class.pools;
            sum.pool_size = class.pool_size;
            sum.blocks_used += class.blocks_used;
            sum.blocks_free += class.blocks_free;
            sum.bytes_lost += class.bytes_lost;
        }
    }
    sum.block_size = block_size;
    return sum;
}

static cubby_heap_stats_t heap_stats(cubby_heap_t *of)
{
    cubby_heap_stats_t stats;
    cubby_heap_stats_get(of, &stats);
    return stats;
}

/* Whatever is used, every byte of every pool is in exactly one column. */
static void assert_adds_up(cubby_heap_t *of)
{
    cubby_heap_stats_t whole = heap_stats(of);
    cubby_heap_stats_t sum = {.large_blocks = whole.large_blocks, .large_bytes = whole.large_bytes};
    cubby_class_stats_t class;
    for (size_t i = 0; cubby_class_stats_get(of, i, &class); i++) {
        sum.pools += class.pools;
        sum.pool_bytes += (class.blocks_used + class.blocks_free) * class.block_size + class.bytes_lost;
        assert_true(class.pools == 0 || class.bytes_lost <= class.pools * class.pool_size);
        sum.blocks_used += class.blocks_used;
        sum.bytes_used += class.blocks_used * class.block_size;
        sum.bytes_free += class.blocks_free * class.block_size;
        sum.bytes_lost += class.bytes_lost;
    }
    assert_memory_equal(&sum, &whole, sizeof sum);
    assert_int_equal(whole.bytes_used + whole.bytes_free + whole.bytes_lost, whole.pool_bytes);
}

static void an_empty_heap_holds_nothing(void **state)
{
    (void)state;
    cubby_heap_stats_t nothing = {0};
    cubby_heap_stats_t stats = heap_stats(heap);
    assert_memory_equal(&stats, &nothing, sizeof stats);
}

static void the_classes_come_in_ascending_order_each_once(void **state)
{
    (void)state;
    size_t before = 0;
    size_t count = 0;
    cubby_class_stats_t class;
    for (; cubby_class_stats_get(heap, count, &class); count++) {
        assert_true(class.block_size > before || (class.block_size == 16 && before == 16 && count == 2));
        assert_int_equal(class.pool_size, class_pool_pages(class.block_size) << PAGE_SHIFT);
        before = class.block_size;
    }
    assert_int_equal(count, CUBBY_CLASS_COUNT);
    assert_int_equal(before, MEDIUM_MAX);
}

static void blocks_count_as_used_until_they_are_freed(void **state)
{
    (void)state;
    void *blocks[100];
    for (size_t i = 0; i < 100; i++) {
        blocks[i] = cubby_heap_malloc(heap, 500);
        cubby_class_stats_t class = class_of_size(heap, 512);
        assert_int_equal(class.blocks_used, i + 1);
        assert_int_equal(class.blocks_used + class.blocks_free, class.pools * 32);
    }
    for (size_t i = 100; i-- > 0;) {
        cubby_heap_free(heap, blocks[i]);
        assert_int_equal(class_of_size(heap, 512).blocks_used, i);
    }
    assert_adds_up(heap);
    (void)cubby_heap_trim(heap);
    assert_int_equal(class_of_size(heap, 512).pools, 0);
}

static void what_no_block_fits_in_at_the_end_of_a_pool_is_lost(void **state)
{
    (void)state;
    void *block = cubby_heap_malloc(heap, 480);
    assert_int_equal(class_of_size(heap, 480).bytes_lost, 16384 % 480);
    cubby_heap_free(heap, block);
}

static void large_blocks_are_counted_by_their_pages(void **state)
{
    (void)state;
    void *first = cubby_heap_malloc(heap, 100000);
    void *second = cubby_heap_malloc(heap, 50000);
    size_t bytes = cubby_usable_size(first) + cubby_usable_size(second);
    assert_int_equal(heap_stats(heap).large_blocks, 2);
    assert_int_equal(heap_stats(heap).large_bytes, bytes);
    cubby_heap_free(heap, first);
    cubby_heap_free(heap, second);
    assert_int_equal(heap_stats(heap).large_blocks, 0);
}

static void the_figures_agree_with_a_long_random_run(void **state)
{
    (void)state;
    enum { SLOTS = 500, STEPS = 20000 };
    static void *blocks[SLOTS];
    test_random_t random = test_random("stats");
    size_t used = 0;
    size_t bytes = 0;
    memset(blocks, 0, sizeof blocks);
    for (size_t i = 0; i < STEPS; i++) {
        void **slot = &blocks[random_below(&random, SLOTS)];
        if (*slot != NULL) {
            used--;
            bytes -= cubby_usable_size(*slot);
            cubby_heap_free(heap, *slot);
            *slot = NULL;
        } else {
            *slot = cubby_heap_malloc(heap, random_below(&random, random_below(&random, 4) == 0 ? 30000 : 600));
            used++;
            bytes += cubby_usable_size(*slot);
        }
        if (i % 500 == 0) {
            assert_int_equal(heap_stats(heap).blocks_used, used);
            assert_int_equal(heap_stats(heap).bytes_used, bytes);
            assert_adds_up(heap);
        }
    }
}

static void a_heap_for_any_thread_has_the_figures_of_what_is_behind_it(void **state)
{
    (void)state;
    cubby_heap_t *any = cubby_heap_create_for(CUBBY_OWNER_ANY);
    void *small = cubby_heap_malloc(any, 100);
    void *large = cubby_heap_malloc(any, 100000);
    assert_int_equal(class_of_size(any, 112).blocks_used, 1);
    assert_int_equal(heap_stats(any).large_blocks, 1);
    assert_true(cubby_heap_check(any));
    assert_adds_up(any);
    cubby_heap_free(any, small);
    cubby_heap_free(any, large);
    cubby_heap_destroy(any);
}

static void *free_there(void *block)
{
    cubby_free(block);
    return NULL;
}

static void a_block_freed_by_another_thread_is_taken_in_and_counts_as_free(void **state)
{
    (void)state;
    cubby_heap_t *own = cubby_heap_create_for(CUBBY_OWNER_THREAD);
    void *kept = cubby_heap_malloc(own, 100);
    void *block = cubby_heap_malloc(own, 100);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, free_there, block), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(class_of_size(own, 112).blocks_used, 1);
    cubby_heap_free(own, kept);
    cubby_heap_destroy(own);
}

static void *figures_of_a_thread(void *ok)
{
    cubby_heap_stats_t before = heap_stats(NULL);
    void *block = cubby_malloc(100);
    cubby_heap_stats_t after = heap_stats(NULL);
    *(bool *)ok = before.pools == 0 && after.pools == 1 && after.blocks_used == 1 && cubby_heap_check(NULL) &&
                  class_of_size(NULL, 112).blocks_used == 1;
    cubby_free(block);
    return NULL;
}

static void without_a_heap_the_figures_are_the_calling_threads(void **state)
{
    (void)state;
    bool ok = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, figures_of_a_thread, &ok), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(ok);
}

static void a_check_finds_what_is_damaged(void **state)
{
    (void)state;
    assert_true(cubby_heap_check(heap));
    void *block = cubby_heap_malloc(heap, 512);
    span_t *pool = span_find(block);
    pool->capacity++;
    assert_false(cubby_heap_check(heap));
    pool->capacity--;
    assert_true(cubby_heap_check(heap));
    uint32_t first = pool->first;
    pool->first = first + 1;
    assert_false(cubby_heap_check(NULL)); /* the pages, whosever heap it is */
    pool->first = first;
    assert_true(cubby_heap_check(NULL));
    cubby_heap_free(heap, block);
}

/* A block freed twice makes its list a circle. */
static TEST_UNCHECKED void a_list_that_runs_in_a_circle_is_counted_to_an_end(void **state)
{
    (void)state;
    void *blocks[4];
    for (int i = 0; i < 4; i++) {
        blocks[i] = cubby_heap_malloc(heap, 512);
    }
    cubby_heap_free(heap, blocks[0]);
    cubby_heap_free(heap, blocks[1]);
    void *next = *(void **)blocks[0];
    *(void **)blocks[0] = blocks[1];
    cubby_class_stats_t class = class_of_size(heap, 512);
    assert_int_equal(class.blocks_used + class.blocks_free, 32);
    *(void **)blocks[0] = next;
    cubby_heap_free(heap, blocks[2]);
    cubby_heap_free(heap, blocks[3]);
}

static void each_figure_of_the_process_has_its_name(void **state)
{
    (void)state;
    cubby_stats_t stats;
    cubby_stat_t stat;
    size_t count = 0;
    for (size_t i = 0; i < sizeof stats / sizeof(size_t); i++) {
        ((size_t *)(void *)&stats)[i] = 1000 + i;
    }
    for (; cubby_stat_get(&stats, count, &stat); count++) {
        assert_int_equal(stat.value, 1000 + count);
        assert_true(strlen(stat.help) > 5);
    }
    assert_int_equal(count, sizeof stats / sizeof(size_t));
    assert_true(cubby_stat_get(&stats, 0, &stat));
    assert_string_equal(stat.name, "reserved");
    assert_true(stat.is_bytes);
}

/* ---- The report at exit ---- */

/* What this program does when it is started with an argument: uses Cubby, and so does a child. */
static int reporter(const char *uses)
{
    if (strcmp(uses, "nothing") == 0) {
        return 0;
    }
    cubby_free(cubby_malloc(100));
    pid_t child = fork();
    if (child != 0) {
        (void)waitpid(child, NULL, 0);
    }
    exit(0);
}

/* Starts this program with CUBBY_STATS; returns what the file then holds, or stderr for "-". */
static const char *report_of(const char *uses, const char *setting)
{
    static char text[20000];
    char file[] = "/tmp/cubby-stats-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    pid_t child = fork();
    if (child == 0) {
        (void)setenv("CUBBY_STATS", setting == NULL ? file : setting, 1);
        if (setting != NULL) {
            (void)dup2(descriptor, STDERR_FILENO);
        }
        (void)execl("/proc/self/exe", "stats_test", uses, NULL);
        _exit(99);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
    text[length < 0 ? 0 : length] = '\0';
    (void)close(descriptor);
    (void)unlink(file);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

static void assert_two_reports(const char *text)
{
    long processes[2];
    const char *at = strstr(text, "process ");
    assert_int_equal(count_of(text, "cubby: what process "), 2);
    processes[0] = strtol(at + 8, NULL, 10);
    processes[1] = strtol(strstr(at + 1, "process ") + 8, NULL, 10);
    assert_true(processes[0] > 0 && processes[1] > 0 && processes[0] != processes[1]);
    assert_int_equal(count_of(text, "\n  reserved "), 2);
    assert_int_equal(count_of(text, "\n  page_size "), 2);
}

static void each_process_that_used_cubby_reports_at_exit(void **state)
{
    (void)state;
    assert_two_reports(report_of("cubby", NULL));
    assert_two_reports(report_of("cubby", "-"));
    assert_two_reports(report_of("cubby", "1"));
}

static void nobody_reports_who_was_not_asked_or_did_not_use_it(void **state)
{
    (void)state;
    assert_string_equal(report_of("nothing", NULL), "");
    assert_string_equal(report_of("cubby", "0"), "");
    assert_string_equal(report_of("cubby", ""), "");
}

static void a_report_that_cannot_be_written_is_said_on_stderr(void **state)
{
    (void)state;
    const char *text = report_of("cubby", "/no/such/folder/file");
    assert_non_null(strstr(text, "cubby: /no/such/folder/file: the report cannot be written: No such file"));
}

int main(int count, char **arguments)
{
    if (count > 1) {
        return reporter(arguments[1]);
    }
    const struct CMUnitTest tests[] = {
        HEAP_TEST(an_empty_heap_holds_nothing),
        HEAP_TEST(the_classes_come_in_ascending_order_each_once),
        HEAP_TEST(blocks_count_as_used_until_they_are_freed),
        HEAP_TEST(what_no_block_fits_in_at_the_end_of_a_pool_is_lost),
        HEAP_TEST(large_blocks_are_counted_by_their_pages),
        HEAP_TEST(the_figures_agree_with_a_long_random_run),
        HEAP_TEST(a_heap_for_any_thread_has_the_figures_of_what_is_behind_it),
        HEAP_TEST(a_block_freed_by_another_thread_is_taken_in_and_counts_as_free),
        HEAP_TEST(without_a_heap_the_figures_are_the_calling_threads),
        HEAP_TEST(a_check_finds_what_is_damaged),
        HEAP_TEST(a_list_that_runs_in_a_circle_is_counted_to_an_end),
        cmocka_unit_test(each_figure_of_the_process_has_its_name),
        cmocka_unit_test(each_process_that_used_cubby_reports_at_exit),
        cmocka_unit_test(nobody_reports_who_was_not_asked_or_did_not_use_it),
        cmocka_unit_test(a_report_that_cannot_be_written_is_said_on_stderr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
