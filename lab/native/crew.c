/* SPDX-License-Identifier: MIT */
#include "crew.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

crew_t crew = {.main.number = THREADS_MOST};

/* Other threads may be at work: nothing of theirs is waited for. */
_Noreturn void give_up(const char *what)
{
    fprintf(stderr, "cubby-threads: %s\n", what);
    fflush(stderr);
    _exit(1);
}

void *memory_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        give_up("the system gave no memory for the tables");
    }
    return memory;
}

void worker_begin(worker_t *own, uint32_t number, long share)
{
    own->number = number;
    own->random = (uint64_t)number << 32;
    own->share = share;
    own->left_behind = 0;
}

void thread_create(worker_t *own, void *(*work)(void *own))
{
    if (pthread_create(&own->id, NULL, work, own) != 0) {
        give_up("the system starts no more threads: ask for fewer with --threads, or raise `ulimit -u`");
    }
}

void thread_join(const worker_t *own)
{
    (void)pthread_join(own->id, NULL);
}

/* The share of one of `sharers` threads. */
static long share_of(long number, long sharers)
{
    return crew.operations / sharers + (number < crew.operations % sharers);
}

void threads_run(long first, void *(*work)(void *own), size_t slots)
{
    for (long i = first; i < crew.threads; i++) {
        worker_begin(&crew.workers[i], (uint32_t)i, share_of(i - first, crew.threads - first));
        crew.workers[i].table = slots == 0 ? NULL : memory_map(slots * sizeof(held_t));
        thread_create(&crew.workers[i], work);
    }
    for (long i = first; i < crew.threads; i++) {
        thread_join(&crew.workers[i]);
    }
}

void balance_check(void)
{
    long taken = crew.main.taken, freed = crew.main.freed;
    for (size_t i = 0; i < WORKERS_MOST; i++) {
        taken += crew.workers[i].taken;
        freed += crew.workers[i].freed;
    }
    if (taken != freed || taken < crew.operations) {
        give_up("the row did not free all that it allocated, or did not do all operations");
    }
}
