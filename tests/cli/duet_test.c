/* SPDX-License-Identifier: MIT */
/* Pairs of processes: each gets both cores, with all that it has started. */
#define _GNU_SOURCE
#include "lab/duet.h"

#include "lab/interrupt.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char program[4096];

/* Looks until it has been on two cores, or for ten seconds. */
static int cores_count(void)
{
    time_t end = time(NULL) + 10;
    int first = sched_getcpu(), other = first;
    while (other == first && time(NULL) < end) {
        other = sched_getcpu();
    }
    return other == first ? 1 : 2;
}

/* What a started program does: it and a process of its own look at where they run, and where they may. */
static int cores_report(void)
{
    cpu_set_t cores;
    int status = 0;
    sched_getaffinity(0, sizeof cores, &cores);
    int allowed = CPU_COUNT(&cores);
    pid_t grandchild = fork();
    if (grandchild == 0) {
        _exit(cores_count());
    }
    int own = cores_count();
    waitpid(grandchild, &status, 0);
    printf("%d %d %d\n", allowed, own, WEXITSTATUS(status));
    return 0;
}

static void pair_run(const machine_t *machine, child_t children[2])
{
    const char *arguments[] = {program, "report", NULL}, *environment[] = {NULL};
    int errors[2];
    duet_cores_t cores = duet_cores(machine, false);
    child_spec_t specs[2] = {
        {.arguments = arguments, .environment = environment, .core = cores.base, .timeout = 60},
        {.arguments = arguments, .environment = environment, .core = cores.arm, .timeout = 60},
    };
    assert_true(duet_run(specs, cores.together, children, errors));
    assert_true(errors[0] == 0 && errors[1] == 0);
}

static void both_processes_and_what_they_start_get_both_cores_one_at_a_time(void **state)
{
    (void)state;
    machine_t *machine = calloc(1, sizeof *machine);
    child_t *children = calloc(2, sizeof *children);
    assert_true(machine != NULL && children != NULL);
    machine_read(machine);
    bool two = machine->cores_allowed > 1;
    if (two) {
        pair_run(machine, children);
        for (size_t i = 0; i < 2; i++) {
            assert_string_equal(children[i].output.text, "1 2 2\n");
        }
    }
    free(children);
    free(machine);
    if (!two) {
        skip();
    }
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "report") == 0) {
        return cores_report();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_processes_and_what_they_start_get_both_cores_one_at_a_time),
    };
    interrupt_watch();
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
