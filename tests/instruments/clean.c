/* SPDX-License-Identifier: MIT */
/*
 * What a program may do, at random, through every way in: no tool may have anything to report, and what is written stays
 * written. clean STEPS.
 */
#include <cubby/cubby.h>
#include <cubby/domain.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 300, OWNERS = 5 };

typedef struct boxed {
    size_t words[3];
} boxed_t;

typedef struct block {
    unsigned char *start; /* NULL: none */
    size_t size;
    unsigned char seed;
    int owner;
} block_t;

enum { OWNER_PLAIN, OWNER_HEAP, OWNER_ANY, OWNER_MEM, OWNER_OBJ };

static block_t blocks[BLOCKS];
static cubby_heap_t *heaps[2];
static uint64_t random_state = 88172645463325252ULL;

static size_t random_below(size_t end)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state >> 11) % end;
}

static void stop(const char *why)
{
    (void)fprintf(stderr, "clean: %s\n", why);
    exit(1);
}

static void fill(block_t *block)
{
    block->seed = (unsigned char)random_below(255);
    for (size_t i = 0; i < block->size; i++) {
        block->start[i] = (unsigned char)(block->seed + i);
    }
}

static void verify(const block_t *block, const unsigned char *start, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (start[i] != (unsigned char)(block->seed + i)) {
            stop("a block does not hold what was written");
        }
    }
}

/* Small sizes mostly; a few span many pages. */
static size_t random_size(void)
{
    size_t kind = random_below(20);
    return kind == 0 ? random_below(400000) : kind < 4 ? random_below(40000) : random_below(600);
}

static cubby_domain_t domain_of(int owner)
{
    return owner == OWNER_MEM ? CUBBY_DOMAIN_MEM : CUBBY_DOMAIN_OBJ;
}

static void *take(int owner, size_t size)
{
    switch (owner) {
    case OWNER_PLAIN:
        return cubby_malloc(size);
    case OWNER_HEAP:
    case OWNER_ANY:
        return cubby_heap_malloc(heaps[owner - OWNER_HEAP], size);
    default:
        return cubby_domain_malloc(domain_of(owner), size);
    }
}

static void *take_zeroed(int owner, size_t size)
{
    switch (owner) {
    case OWNER_PLAIN:
        return cubby_calloc(1, size);
    case OWNER_HEAP:
    case OWNER_ANY:
        return cubby_heap_calloc(heaps[owner - OWNER_HEAP], 1, size);
    default:
        return cubby_domain_calloc(domain_of(owner), 1, size);
    }
}

static void *resize(int owner, void *start, size_t size)
{
    switch (owner) {
    case OWNER_PLAIN:
        return cubby_realloc(start, size);
    case OWNER_HEAP:
    case OWNER_ANY:
        return cubby_heap_realloc(heaps[owner - OWNER_HEAP], start, size);
    default:
        return cubby_domain_realloc(domain_of(owner), start, size);
    }
}

static void give(int owner, void *start)
{
    switch (owner) {
    case OWNER_PLAIN:
        cubby_free(start);
        return;
    case OWNER_HEAP:
    case OWNER_ANY:
        cubby_heap_free(heaps[owner - OWNER_HEAP], start);
        return;
    default:
        cubby_domain_free(domain_of(owner), start);
    }
}

static void block_make(block_t *block)
{
    block->owner = (int)random_below(OWNERS);
    block->size = random_size();
    size_t how = random_below(4);
    if (how == 0) {
        block->start = take_zeroed(block->owner, block->size);
        for (size_t i = 0; block->start != NULL && i < block->size; i++) {
            if (block->start[i] != 0) {
                stop("a block is not zero");
            }
        }
    } else if (how == 1) {
        block->owner = OWNER_PLAIN;
        block->start = cubby_aligned_alloc((size_t)1 << random_below(14), block->size);
    } else {
        block->start = take(block->owner, block->size);
    }
    if (block->start == NULL) {
        stop("no memory");
    }
    if (random_below(8) == 0) { /* all that the block has */
        block->size = cubby_usable_size(block->start);
    }
    fill(block);
}

static void *free_elsewhere(void *start)
{
    cubby_free(start);
    return NULL;
}

static void block_end(block_t *block)
{
    verify(block, block->start, block->size);
    pthread_t thread;
    if (block->owner == OWNER_PLAIN && random_below(50) == 0 &&
        pthread_create(&thread, NULL, free_elsewhere, block->start) == 0) {
        (void)pthread_join(thread, NULL);
    } else if (block->owner == OWNER_HEAP && random_below(10) == 0) {
        cubby_free_later(block->start);
    } else {
        give(block->owner, block->start);
    }
    block->start = NULL;
}

static void block_resize(block_t *block)
{
    size_t size = random_below(2) == 0 ? random_size() : block->size + random_below(40);
    unsigned char *moved = resize(block->owner, block->start, size);
    if (moved == NULL) {
        stop("no memory");
    }
    verify(block, moved, size < block->size ? size : block->size);
    block->start = moved;
    block->size = size;
    fill(block);
}

static void typed(void)
{
    boxed_t *boxed = cubby_new(heaps[random_below(2)], boxed_t);
    if (boxed == NULL) {
        stop("no memory");
    }
    memset(boxed, 1, sizeof *boxed);
    cubby_free(boxed);
    boxed = cubby_new(heaps[0], boxed_t);
    memset(boxed, 1, sizeof *boxed);
    cubby_delete(heaps[0], boxed);
}

int main(int argc, char **argv)
{
    size_t steps = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    heaps[0] = cubby_heap_create();
    heaps[1] = cubby_heap_create_for(CUBBY_OWNER_ANY);
    if (heaps[0] == NULL || heaps[1] == NULL || steps == 0) {
        stop("usage: clean STEPS");
    }
    for (size_t step = 1; step <= steps; step++) {
        block_t *block = &blocks[random_below(BLOCKS)];
        if (block->start == NULL) {
            block_make(block);
        } else if (random_below(3) == 0) {
            block_resize(block);
        } else {
            block_end(block);
        }
        typed();
        if (step % 500 == 0) {
            (void)cubby_trim();
        }
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].start != NULL && blocks[i].owner != OWNER_HEAP) { /* those go with their heap */
            block_end(&blocks[i]);
        }
    }
    cubby_heap_destroy(heaps[0]);
    cubby_heap_destroy(heaps[1]);
    puts("clean");
    return 0;
}
