/* SPDX-License-Identifier: MIT */
#include "lab/interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t signal_seen;
static sigset_t mask_before;

static void signal_note(int number)
{
    signal_seen = number;
}

void interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t watched;
    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaddset(&watched, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &watched, &mask_before);
    struct sigaction action = {.sa_handler = signal_note};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

const sigset_t *interrupt_mask(void)
{
    return &mask_before;
}

int interrupt_signal(void)
{
    return signal_seen;
}
