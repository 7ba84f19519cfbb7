/* SPDX-License-Identifier: MIT */
/*
 * The threads of cubby-threads and their blocks. Both ends of a block are written with a stamp of its own, which is
 * compared when it is freed: a block that two owners were given, or that lost what was written, ends the program with
 * status 1.
 */
#ifndef CUBBY_LAB_NATIVE_CREW_H
#define CUBBY_LAB_NATIVE_CREW_H

#include "command.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    THREADS_MOST = 255, /* a stamp has eight bits for its thread */
    WORKERS_MOST = THREADS_MOST + 64,
    SLOT_BITS = 13, /* of a draw; the others make a size */
};

/* A block, and what must be found in it. */
typedef struct held {
    void *block;
    uint32_t size;
    uint32_t mark; /* eight bits for the thread that allocated it, then a number */
} held_t;

/* What one thread works with. Each has cache lines of its own, so that no time is lost here. */
typedef struct worker {
    _Alignas(128) pthread_t id;
    uint32_t number;
    uint32_t marks; /* given out */
    uint64_t random;
    long share; /* operations to do */
    long taken; /* blocks, by this worker */
    long freed;
    held_t *table; /* its slots, or what it leaves behind */
    size_t left_behind;
    held_t given; /* what the main thread allocated for it */
} worker_t;

/* What the program was asked to do. */
typedef struct crew {
    const allocator_t *on;
    long threads;
    long operations;
    worker_t main; /* for what the main thread does itself */
    worker_t workers[WORKERS_MOST];
} crew_t;

extern crew_t crew;

/* Says what is wrong and ends the program at once, from any thread. */
_Noreturn void give_up(const char *what);

/* Zeroed memory from the system, for what is not to be measured. */
void *memory_map(size_t size);

/* Makes a worker ready for its share; it keeps its table. */
void worker_begin(worker_t *own, uint32_t number, long share);

void thread_create(worker_t *own, void *(*work)(void *own));
void thread_join(const worker_t *own);

/*
 * The threads from `first` on do the work, by equal shares of the operations, each with a table of so many slots.
 * Returns when they have ended.
 */
void threads_run(long first, void *(*work)(void *own), size_t slots);

/* Gives up unless every block that was allocated has been freed, and there were at least as many as operations. */
void balance_check(void);

/* The same blocks in every arm: a generator of the worker's own (splitmix64), seeded by its number. */
static inline uint64_t random_next(worker_t *own)
{
    uint64_t mixed = own->random += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/*
 * 16 to `most` bytes, by the product of three numbers between 0 and 1: the mean is an eighth of the range, and half of
 * all are below a fourteenth. Uses the upper bits of a draw and leaves the lower SLOT_BITS.
 */
static inline size_t size_draw(uint64_t draw, size_t most)
{
    enum { PART_BITS = 17, PART = (1 << PART_BITS) - 1 };
    uint64_t product = (draw >> 47) * ((draw >> 30) & PART) * ((draw >> SLOT_BITS) & PART);
    return 16 + (size_t)((product >> (3 * PART_BITS - 32)) * (most - 16 + 1) >> 32);
}

static inline uint64_t stamp_of(const held_t *held)
{
    return (uint64_t)held->mark << 32 | held->size;
}

static inline held_t block_take(worker_t *own, size_t size)
{
    held_t held = {
        .block = crew.on->take(size), .size = (uint32_t)size, .mark = own->number << 24 | (own->marks++ & 0xffffff)};
    if (held.block == NULL) {
        give_up("no memory");
    }
    uint64_t stamp = stamp_of(&held);
    memcpy(held.block, &stamp, sizeof stamp);
    memcpy((char *)held.block + size - sizeof stamp, &stamp, sizeof stamp);
    own->taken++;
    return held;
}

static inline void block_give(worker_t *own, const held_t *held)
{
    uint64_t stamp = stamp_of(held), first, last;
    memcpy(&first, held->block, sizeof first);
    memcpy(&last, (char *)held->block + held->size - sizeof last, sizeof last);
    if (first != stamp || last != stamp) {
        give_up("a block does not hold what its owner wrote: the allocator has given it out twice, or changed it");
    }
    crew.on->give(held->block);
    own->freed++;
}

/* The new block is there before the old one goes, as in an assignment. */
static inline void slot_replace(worker_t *own, held_t *slot, size_t size)
{
    held_t held = block_take(own, size);
    if (slot->block != NULL) {
        block_give(own, slot);
    }
    *slot = held;
}

/* Frees what the slots hold; some may be empty. */
static inline void slots_clear(worker_t *own, const held_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (slots[i].block != NULL) {
            block_give(own, &slots[i]);
        }
    }
}

#endif
