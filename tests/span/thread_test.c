/* SPDX-License-Identifier: MIT */
/*
 * The purge thread, in a child process for each test: a thread that was started stays. What a test waits for it waits
 * for patiently; how long it takes is not what is tested.
 */
#include "support/child.h"

#include <cubby/cubby.h>

#include "os/settings.h"
#include "support/memory.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 32 << 20, PATIENCE_MS = 20000 };

/* Threads of the process; the number of the last one listed that is not the first in *other. */
static size_t threads_count(int *other)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        int thread = (int)strtol(entry->d_name, NULL, 10); /* 0 for the two dots */
        if (thread != 0) {
            count++;
            *other = thread != getpid() ? thread : *other;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

static size_t threads(void)
{
    int other = 0;
    return threads_count(&other);
}

/* Enough of everything for a tick or more. */
static bool work(void)
{
    for (int i = 0; i < 200; i++) {
        char *large = cubby_malloc(100000);
        char *small = cubby_malloc(100);
        if (large == NULL || small == NULL) {
            return false;
        }
        memset(large, 1, 100000);
        memset(small, 1, 100);
        cubby_free(large);
        cubby_free(small);
    }
    return true;
}

static size_t retained(void)
{
    cubby_stats_t stats;
    cubby_stats_get(&stats);
    return stats.retained;
}

/* True when the process comes down to `most` retained bytes without doing anything. */
static bool comes_down_to(size_t most)
{
    const struct timespec nap = {0, 5000000};
    for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
        if (retained() <= most) {
            return true;
        }
        (void)nanosleep(&nap, NULL);
    }
    return false;
}

static void settings_for_thread(void)
{
    setting_set(SETTING_PURGE_THREAD, 1);
    setting_set(SETTING_RETAIN_MS, 40);
}

static int idle_body(void)
{
    settings_for_thread();
    STEP(threads() == 1);
    STEP(work());
    STEP(threads() == 2);
    char *block = cubby_malloc(BLOCK_BYTES);
    STEP(block != NULL);
    memset(block, 1, BLOCK_BYTES);
    cubby_free(block);
    STEP(comes_down_to(2 << 20));
    STEP(TEST_SANITIZED || memory_resident_in(block, BLOCK_BYTES) <= 2 << 20);
    STEP(work());
    STEP(threads() == 2);
    return 0;
}

static void memory_leaves_while_the_program_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(in_child(idle_body), 0);
}

static int off_body(void)
{
    setting_set(SETTING_RETAIN_MS, 40);
    char *block = cubby_malloc(BLOCK_BYTES);
    STEP(block != NULL);
    memset(block, 1, BLOCK_BYTES);
    STEP(work());
    cubby_free(block);
    (void)usleep(300000);
    STEP(threads() == 1);
    STEP(retained() >= BLOCK_BYTES);
    STEP(work());
    STEP(threads() == 1);
    return 0;
}

static void by_default_there_is_no_thread(void **state)
{
    (void)state;
    assert_int_equal(in_child(off_body), 0);
}

/* The thread is not there in a child of the process, which starts its own when it works; the locks are free. */
static int fork_grandchild(void)
{
    STEP(threads() == 1);
    STEP(work());
    STEP(threads() == 2);
    char *block = cubby_malloc(BLOCK_BYTES);
    STEP(block != NULL);
    memset(block, 1, BLOCK_BYTES);
    cubby_free(block);
    STEP(comes_down_to(2 << 20));
    return 0;
}

static int fork_body(void)
{
    settings_for_thread();
    setting_set(SETTING_RETAIN_MS, 1);
    STEP(work());
    STEP(threads() == 2);
    /* At many moments of what the thread does. */
    for (int i = 0; i < (TEST_SANITIZED ? 10 : 40); i++) {
        char *block = cubby_malloc(1 << 20);
        STEP(block != NULL);
        memset(block, 1, 1 << 20);
        cubby_free(block);
        STEP(in_child(fork_grandchild) == 0);
    }
    return 0;
}

static void after_a_fork_the_child_allocates_and_gives_back(void **state)
{
    (void)state;
    assert_int_equal(in_child(fork_body), 0);
}

/* Signals of the process are for the threads that the program knows of. */
static int signals_body(void)
{
    settings_for_thread();
    sigset_t before;
    sigset_t after;
    (void)sigprocmask(SIG_SETMASK, NULL, &before);
    STEP(work());
    (void)sigprocmask(SIG_SETMASK, NULL, &after);
    STEP(sigismember(&after, SIGUSR1) == sigismember(&before, SIGUSR1));
    int thread = 0;
    STEP(threads_count(&thread) == 2);
    char text[64];
    char line[256];
    unsigned long long blocked = 0;
    (void)snprintf(text, sizeof text, "/proc/self/task/%d/status", thread);
    FILE *file = fopen(text, "re");
    STEP(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "SigBlk:", 7) == 0) {
            blocked = strtoull(line + 7, NULL, 16);
        }
    }
    (void)fclose(file);
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        STEP((blocked >> (signals[i] - 1) & 1) != 0);
    }
    return 0;
}

static void the_thread_takes_no_signals(void **state)
{
    (void)state;
    assert_int_equal(in_child(signals_body), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_there_is_no_thread),
        cmocka_unit_test(memory_leaves_while_the_program_does_nothing),
        cmocka_unit_test(after_a_fork_the_child_allocates_and_gives_back),
        cmocka_unit_test(the_thread_takes_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
