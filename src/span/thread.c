/* SPDX-License-Identifier: MIT */
#include "span/thread.h"

#include "os/os.h"
#include "os/settings.h"
#include "span/span.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* A tick's worth of stack with room to spare; the smallest that every system grants. */
enum { STACK_BYTES = 128 * 1024 };

static bool running;

/* Often enough that memory leaves within a quarter of the window after it is due. */
static void *purge_thread(void *unused)
{
    uint64_t interval_ms = setting(SETTING_RETAIN_MS) / 4 + 1;
    struct timespec interval = {(time_t)(interval_ms / 1000), (long)(interval_ms % 1000) * 1000000};
    (void)unused;
    for (;;) {
        (void)nanosleep(&interval, NULL);
        span_tick(os.clock_ms());
    }
    return NULL;
}

/* The host's signals are for the host's threads. */
static bool thread_create(void)
{
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool created = pthread_create(&thread, &attributes, purge_thread, NULL) == 0;
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

void purge_thread_start(void)
{
    if (setting(SETTING_PURGE_THREAD) == 0 || __atomic_exchange_n(&running, true, __ATOMIC_ACQ_REL)) {
        return;
    }
    if (!thread_create()) {
        __atomic_store_n(&running, false, __ATOMIC_RELEASE);
    }
}

void purge_thread_forget(void)
{
    __atomic_store_n(&running, false, __ATOMIC_RELEASE);
}
