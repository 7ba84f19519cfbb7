/* SPDX-License-Identifier: MIT */
/*
 * Large blocks, as a program takes them: one row of `cubby bench spans` in one process.
 *
 *   cycle     allocate, write, free                                       a loop: one block of --mib
 *   slots     20 buffers of random size, 5 to 25 MiB, one replaced        a loop: one replacement
 *   double    realloc from 1 MiB to 1 GiB, twice as large each time       a loop: the whole growth
 *   grow      realloc from 1 MiB to 1 GiB, 1 MiB more each time           a loop: the whole growth
 *   calloc    calloc of 1 GiB, touch, free                                a loop: one block
 *   nothing   starts and ends; what the start itself costs
 *
 * All memory goes through a table of four functions: libc's, which a preloaded allocator replaces, or Cubby's, which
 * are linked in. So every arm is the same program text. Nothing else in the process allocates while a row runs.
 *
 * Prints one line of JSON. A row that has used --limit seconds of processor time ends early and says how far it came;
 * a growth that was under way then is not `finished`.
 */
#include "command.h"
#include "process.h"
#include "timing.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define LARGE (1024 * MIB)

enum { SLOTS = 20, SLOT_LEAST = 5, SLOT_MOST = 25, STAMP = 0x5a };

typedef enum touch {
    TOUCH_ALL,  /* every byte is written */
    TOUCH_PAGE, /* one byte of each page: the writing does not hide the allocator */
    TOUCH_ONCE, /* one byte */
} touch_t;

static const char *const touch_names[] = {"all", "page", "once"};

/* What a row is asked to do, and how far it has come. */
typedef struct job {
    const allocator_t *on;
    touch_t touch;
    long mib;
    long loops;
    double settle; /* seconds of light work after the row */
    double limit;  /* seconds of processor time that the row may take, or 0 */
    size_t page;
    long done;     /* whole loops */
    bool finished; /* the last loop was whole */
} job_t;

static volatile sig_atomic_t limit_reached;

static void limit_note(int number)
{
    (void)number;
    limit_reached = 1;
}

/* A signal, not a clock that is looked at: the loops make no system call of their own. */
static void limit_set(double seconds)
{
    struct sigaction action = {.sa_handler = limit_note, .sa_flags = SA_RESTART};
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "cubby-spans: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *checked(void *block, const char *what)
{
    if (block == NULL) {
        give_up(what);
    }
    return block;
}

/* Writes to bytes [from, to) of a block as the row asks for. */
static void block_touch(const job_t *job, unsigned char *block, size_t from, size_t to)
{
    if (job->touch == TOUCH_ALL) {
        memset(block + from, STAMP, to - from);
    } else {
        size_t step = job->touch == TOUCH_PAGE ? job->page : to - from;
        for (size_t i = from; i < to; i += step) {
            ((volatile unsigned char *)block)[i] = STAMP;
        }
    }
    timing_use(block);
}

static void cycle_loop(job_t *job)
{
    unsigned char *block = checked(job->on->take((size_t)job->mib * MIB), "malloc");
    block_touch(job, block, 0, (size_t)job->mib * MIB);
    job->on->give(block);
}

/* The same sizes in every arm: a generator of our own, with one seed. */
static size_t random_below(size_t bound)
{
    static uint64_t state = 0x2545f4914f6cdd1d;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(((state >> 32) * (uint64_t)bound) >> 32);
}

static void *slots[SLOTS];

/* The new buffer is there before the old one goes, as in an assignment. */
static void slots_loop(job_t *job)
{
    size_t slot = random_below(SLOTS);
    size_t size = SLOT_LEAST * MIB + random_below((SLOT_MOST - SLOT_LEAST) * MIB);
    void *block = checked(job->on->take(size), "malloc");
    block_touch(job, block, 0, size);
    job->on->give(slots[slot]);
    slots[slot] = block;
}

static void slots_drop(job_t *job)
{
    for (size_t i = 0; i < SLOTS; i++) {
        job->on->give(slots[i]);
    }
}

/* Grows a block to LARGE and writes to what is new; each size is the last one times `factor`, plus `more`. */
static void growth_loop(job_t *job, size_t factor, size_t more)
{
    size_t size = MIB;
    unsigned char *block = checked(job->on->take(size), "malloc");
    block_touch(job, block, 0, size);
    while (size < LARGE && !limit_reached) {
        size_t grown = size * factor + more;
        block = checked(job->on->resize(block, grown), "realloc");
        block_touch(job, block, size, grown);
        size = grown;
    }
    for (size_t i = 0; i < size; i += MIB) {
        if (block[i] != STAMP) {
            errno = EIO;
            give_up("realloc lost what was written");
        }
    }
    job->finished = size >= LARGE;
    job->on->give(block);
}

static void double_loop(job_t *job)
{
    growth_loop(job, 2, 0);
}

static void grow_loop(job_t *job)
{
    growth_loop(job, 1, MIB);
}

static void calloc_loop(job_t *job)
{
    unsigned char *block = checked(job->on->take_zeroed(1, LARGE), "calloc");
    block_touch(job, block, 0, LARGE);
    size_t step = job->touch == TOUCH_ONCE ? LARGE : job->page;
    for (size_t i = 1; job->touch != TOUCH_ALL && i < LARGE; i += step) {
        if (block[i] != 0) {
            errno = EIO;
            give_up("calloc gave memory that is not zero");
        }
    }
    job->on->give(block);
}

typedef struct row {
    const char *name;
    void (*loop)(job_t *job);
    void (*drop)(job_t *job); /* what the loops leave, or NULL */
} row_t;

static const row_t rows[] = {
    {"cycle", cycle_loop, NULL}, {"slots", slots_loop, slots_drop}, {"double", double_loop, NULL},
    {"grow", grow_loop, NULL},   {"calloc", calloc_loop, NULL},     {"nothing", NULL, NULL},
};

/* A program that idles along: every ten milliseconds it makes and drops a few hundred small blocks. */
static void work_lightly(const job_t *job)
{
    enum { BLOCKS = 300 };
    static void *blocks[BLOCKS];
    const struct timespec pause = {.tv_nsec = 10000000};
    uint64_t end = timing_now_ns() + (uint64_t)(job->settle * 1e9);
    while (timing_now_ns() < end) {
        for (size_t i = 0; i < BLOCKS; i++) {
            blocks[i] = checked(job->on->take(16 + i % 64 * 16), "malloc");
            memset(blocks[i], STAMP, 16);
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            job->on->give(blocks[i]);
        }
        nanosleep(&pause, NULL);
    }
}

static void job_run(const row_t *row, job_t *job)
{
    process_peak_reset();
    limit_set(job->limit);
    long faults = process_minor_faults();
    uint64_t start = timing_now_ns();
    double busy = process_cpu_seconds();
    while (row->loop != NULL && job->done < job->loops && !limit_reached) {
        row->loop(job);
        job->done++;
    }
    if (row->drop != NULL) {
        row->drop(job);
    }
    busy = process_cpu_seconds() - busy;
    double elapsed = (double)(timing_now_ns() - start) / 1e9;
    faults = process_minor_faults() - faults;
    limit_set(0);
    long peak = process_status_kib("VmHWM"), dropped = process_status_kib("VmRSS"), settled = 0;
    if (job->settle > 0) {
        work_lightly(job);
        settled = process_status_kib("VmRSS");
    }
    printf("{\"row\": \"%s\", \"on\": \"%s\", \"malloc_of\": \"%s\", \"mib\": %ld, \"touch\": \"%s\", \"loops\": %ld, "
           "\"loops_done\": %ld, \"finished\": %s, \"cpu_seconds\": %.9f, \"wall_seconds\": %.9f, "
           "\"minor_faults\": %ld, \"peak_kib\": %ld, \"dropped_kib\": %ld, \"settled_kib\": %ld}\n",
           row->name, job->on->name, process_malloc_file(), job->mib, touch_names[job->touch], job->loops, job->done,
           job->finished ? "true" : "false", busy, elapsed, faults, peak, dropped, settled);
}

static bool option_take(job_t *job, const char *argument)
{
    const char *value = option_value(argument, "--on");
    if (value != NULL) {
        job->on = allocator_find(value);
        return job->on != NULL;
    }
    value = option_value(argument, "--touch");
    for (size_t i = 0; value != NULL && i < sizeof touch_names / sizeof *touch_names; i++) {
        if (strcmp(value, touch_names[i]) == 0) {
            job->touch = (touch_t)i;
            return true;
        }
    }
    if ((value = option_value(argument, "--mib")) != NULL) {
        return number_read(value, 1, 4096, &job->mib);
    }
    if ((value = option_value(argument, "--loops")) != NULL) {
        return number_read(value, 1, LONG_MAX, &job->loops);
    }
    if ((value = option_value(argument, "--settle")) != NULL) {
        job->settle = strtod(value, NULL);
        return job->settle >= 0 && job->settle < 1000;
    }
    if ((value = option_value(argument, "--limit")) != NULL) {
        job->limit = strtod(value, NULL);
        return job->limit >= 0 && job->limit < 1000;
    }
    return false;
}

int main(int argc, char **argv)
{
    job_t job = {
        .on = allocator_find("libc"), .mib = 1, .loops = 1, .finished = true, .page = (size_t)sysconf(_SC_PAGESIZE)};
    bool good = argc > 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a tracer that is killed would leave it running */
    for (int i = 2; good && i < argc; i++) {
        good = option_take(&job, argv[i]);
    }
    for (size_t i = 0; good && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(argv[1], rows[i].name) == 0) {
            job_run(&rows[i], &job);
            return 0;
        }
    }
    fputs("usage: cubby-spans cycle|slots|double|grow|calloc|nothing [--on=libc|cubby] [--touch=all|page|once]\n"
          "                   [--mib=N] [--loops=N] [--settle=SECONDS] [--limit=SECONDS]\n",
          stderr);
    return 2;
}
