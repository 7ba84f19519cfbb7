/* SPDX-License-Identifier: MIT */
/*
 * The purge thread, for hosts that fall completely idle: it ticks while nobody allocates. Off unless
 * CUBBY_PURGE_THREAD is 1; then it starts with the first tick, and again in a child process with the child's first.
 */
#ifndef CUBBY_SPAN_THREAD_H
#define CUBBY_SPAN_THREAD_H

/* Starts the thread when the setting asks for it and it does not run yet. The span lock is not held. */
void purge_thread_start(void);

/* In a child process after fork: the thread is the parent's. */
void purge_thread_forget(void);

#endif
