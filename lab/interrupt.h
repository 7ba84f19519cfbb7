/* SPDX-License-Identifier: MIT */
/* An experiment that is asked to end, ends in order: children first. */
#ifndef CUBBY_LAB_INTERRUPT_H
#define CUBBY_LAB_INTERRUPT_H

#include <signal.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP are only delivered inside ppoll() calls that pass interrupt_mask(), where
 * they are noted. There is no moment at which one can be missed.
 */
void interrupt_watch(void);

/* The signal mask from before interrupt_watch(): for ppoll(), and for children to take back before they exec. */
const sigset_t *interrupt_mask(void);

/* The signal that came, or 0. */
int interrupt_signal(void);

#endif
