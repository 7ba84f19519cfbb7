/* SPDX-License-Identifier: MIT */
/* The size of a process over time: few points, none of its peaks lost, and of the process itself. */
#include "lab/resident.h"

#include "lab/child.h"
#include "lab/interrupt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { BLOCK_MIB = 64 };

static char program[4096];

static void pause_of(long milliseconds)
{
    struct timespec pause = {.tv_nsec = milliseconds * 1000000};
    nanosleep(&pause, NULL);
}

/* What a started program does: it is large for a while, and then small. A malloc under test might keep the block. */
static int block_hold(void)
{
    size_t bytes = (size_t)BLOCK_MIB << 20;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile char *block = pages;
    if (pages == MAP_FAILED) {
        return 1;
    }
    for (size_t byte = 0; byte < bytes; byte += 1024) {
        block[byte] = 1;
    }
    pause_of(300);
    munmap(pages, bytes);
    pause_of(300);
    return 0;
}

static void a_point_is_the_largest_size_of_its_step_and_steps_without_one_repeat(void **state)
{
    (void)state;
    resident_t resident;
    resident_begin(&resident);
    resident_note(&resident, 0.021, 100); /* the two steps before are not known */
    resident_note(&resident, 0.025, 300);
    resident_note(&resident, 0.029, 200);
    resident_note(&resident, 0.055, 50);
    static const long long expected[] = {100, 100, 300, 300, 300, 50};
    assert_int_equal(resident.count, 6);
    assert_memory_equal(resident.kib, expected, sizeof expected);
}

static void points_stay_few_however_long_a_run_is_and_keep_its_peak_and_its_end(void **state)
{
    (void)state;
    static const double lengths[] = {0.5, 0.995, 1.005, 3, 60, 4000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        resident_t resident;
        long long largest = 0;
        resident_begin(&resident);
        double peak = lengths[i] / 3;
        for (long step = 0; step < lround(lengths[i] / 0.01); step++) {
            double seconds = 0.005 + 0.01 * (double)step;
            resident_note(&resident, seconds, fabs(seconds - peak) <= 0.005 ? 9000 : 1000 + (long long)seconds);
        }
        for (size_t point = 0; point < resident.count; point++) {
            largest = resident.kib[point] > largest ? resident.kib[point] : largest;
        }
        assert_true(resident.count <= RESIDENT_POINT_MAX && resident.count >= RESIDENT_POINT_MAX / 2);
        assert_int_equal(largest, 9000);
        assert_true(fabs((double)resident.kib[resident.count - 1] - 1000 - lengths[i]) <= 2);
        assert_true(fabs((double)resident.count * resident.step - lengths[i]) <= resident.step);
    }
}

static void the_json_names_the_step_in_milliseconds_and_the_points(void **state)
{
    (void)state;
    resident_t resident;
    resident_begin(&resident);
    resident_note(&resident, 0.005, 7);
    resident_note(&resident, 1.995, 9);
    resident.count = 1;
    json_t *object = resident_to_json(&resident);
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, "{\"kib\":[7],\"step_ms\":20}");
    free(text);
    json_decref(object);
}

static void a_process_is_seen_to_grow_and_to_shrink_again(void **state)
{
    (void)state;
    const char *arguments[] = {program, "hold", NULL}, *environment[] = {NULL};
    resident_t resident = {.count = 0}; /* the child's start begins it */
    child_t *child = calloc(1, sizeof *child);
    child_spec_t spec = {.arguments = arguments,
                         .environment = environment,
                         .core = CHILD_ANY_CORE,
                         .timeout = 60,
                         .resident = &resident};
    assert_non_null(child);
    assert_true(child_start(child, &spec));
    assert_int_equal(children_wait(child, 1), 0);
    long long largest = 0, block = (long long)BLOCK_MIB << 10;
    for (size_t point = 0; point < resident.count; point++) {
        largest = resident.kib[point] > largest ? resident.kib[point] : largest;
    }
    assert_true(resident.count > 0 && largest >= block);
    assert_true(resident.kib[resident.count - 1] <= largest - block / 2 && resident.kib[resident.count - 1] > 0);
    free(child);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "hold") == 0) {
        return block_hold();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_the_largest_size_of_its_step_and_steps_without_one_repeat),
        cmocka_unit_test(points_stay_few_however_long_a_run_is_and_keep_its_peak_and_its_end),
        cmocka_unit_test(the_json_names_the_step_in_milliseconds_and_the_points),
        cmocka_unit_test(a_process_is_seen_to_grow_and_to_shrink_again),
    };
    interrupt_watch();
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
