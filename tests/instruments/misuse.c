/* SPDX-License-Identifier: MIT */
/*
 * One misuse, of a block of one size: misuse NAME SIZE. Each is a function of its own, whose name the tool's report must
 * show, and would end well if no tool watched.
 */
#include <cubby/cubby.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MISUSE static __attribute__((noinline))

typedef struct boxed {
    size_t references;
    void *type;
    double value;
} boxed_t;

/* Hides from the compiler where a pointer came from. */
static void *launder(void *pointer)
{
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

static volatile char sink;

static char *block_of(size_t size)
{
    char *block = launder(cubby_malloc(size));
    if (block == NULL) {
        exit(3);
    }
    memset(block, 1, size);
    return block;
}

static void *free_it(void *block)
{
    cubby_free(block);
    return NULL;
}

MISUSE void read_after_free(size_t size)
{
    char *block = block_of(size);
    char *same = launder(block);
    cubby_free(block);
    sink = same[size / 2];
}

MISUSE void write_after_free(size_t size)
{
    char *block = block_of(size);
    char *same = launder(block);
    cubby_free(block);
    same[size - 1] = 2;
}

MISUSE void read_after_free_by_another_thread(size_t size)
{
    char *block = block_of(size);
    char *same = launder(block);
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_it, block) != 0) {
        exit(3);
    }
    (void)pthread_join(thread, NULL);
    sink = same[0];
}

MISUSE void read_after_trim(size_t size)
{
    char *block = block_of(size);
    char *same = launder(block);
    cubby_free(block);
    (void)cubby_trim();
    sink = same[0];
}

MISUSE void read_after_move(size_t size)
{
    char *block = block_of(size);
    char *same = launder(block);
    (void)launder(block_of(size)); /* it cannot grow in place */
    char *moved = launder(cubby_realloc(block, 3 * size + 100));
    sink = moved == same ? 1 : 0;
    sink = same[0];
}

MISUSE void read_after_heap(size_t size)
{
    cubby_heap_t *heap = cubby_heap_create();
    char *block = launder(cubby_heap_malloc(heap, size));
    memset(block, 1, size);
    cubby_heap_destroy(heap);
    sink = block[0];
}

MISUSE void read_after_delete(size_t size)
{
    (void)size;
    cubby_heap_t *heap = cubby_heap_create();
    boxed_t *boxed = cubby_new(heap, boxed_t);
    boxed->references = 1;
    boxed_t *same = launder(boxed);
    cubby_delete(heap, boxed);
    sink = (char)same->references;
}

MISUSE void write_past_end(size_t size)
{
    char *block = block_of(size);
    block[size] = 2;
}

MISUSE void read_past_end_of_calloc(size_t size)
{
    char *block = launder(cubby_calloc(1, size));
    sink = block[size];
}

MISUSE void read_past_end_of_aligned(size_t size)
{
    char *block = launder(cubby_aligned_alloc(64, size));
    sink = block[size];
}

MISUSE void write_past_end_of_typed(size_t size)
{
    (void)size;
    cubby_heap_t *heap = cubby_heap_create();
    boxed_t *boxed = launder(cubby_new(heap, boxed_t));
    *(size_t *)launder(boxed + 1) = 1;
}

/* Both sizes are served by the block as it is. */
MISUSE void write_past_end_after_shrinking(size_t size)
{
    char *block = launder(cubby_realloc(block_of(size), size - 1));
    block[size - 1] = 2;
}

MISUSE void read_of_memory_never_given(size_t size)
{
    char *block = block_of(size);
    char *behind = launder(block + 2 * cubby_usable_size(block));
    sink = *behind;
}

MISUSE void free_twice(size_t size)
{
    (void)launder(block_of(size));
    char *block = block_of(size);
    char *same = launder(block);
    cubby_free(block);
    cubby_free(same);
}

/* Valgrind's alone: AddressSanitizer knows nothing of what was written, and cannot tell who leaks. */
MISUSE void branch_on_unwritten(size_t size)
{
    char *block = launder(cubby_malloc(size));
    if (block[size / 2] == 1) {
        sink = 1;
    }
}

MISUSE void branch_on_unwritten_after_growing(size_t size)
{
    char *block = launder(cubby_realloc(block_of(size), 3 * size));
    if (block[2 * size] == 1) {
        sink = 1;
    }
}

MISUSE void leak(size_t size)
{
    char *block = block_of(size);
    block[0] = 2;
    for (int i = 0; i < 10; i++) { /* nothing remembers the first */
        cubby_free(block_of(size));
    }
}

static const struct {
    const char *name;
    void (*body)(size_t size);
} misuses[] = {
#define MISUSE_NAMED(name)                                                                                             \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
    MISUSE_NAMED(read_after_free),
    MISUSE_NAMED(write_after_free),
    MISUSE_NAMED(read_after_free_by_another_thread),
    MISUSE_NAMED(read_after_trim),
    MISUSE_NAMED(read_after_move),
    MISUSE_NAMED(read_after_heap),
    MISUSE_NAMED(read_after_delete),
    MISUSE_NAMED(write_past_end),
    MISUSE_NAMED(read_past_end_of_calloc),
    MISUSE_NAMED(read_past_end_of_aligned),
    MISUSE_NAMED(write_past_end_of_typed),
    MISUSE_NAMED(write_past_end_after_shrinking),
    MISUSE_NAMED(read_of_memory_never_given),
    MISUSE_NAMED(free_twice),
    MISUSE_NAMED(branch_on_unwritten),
    MISUSE_NAMED(branch_on_unwritten_after_growing),
    MISUSE_NAMED(leak),
};

int main(int argc, char **argv)
{
    size_t size = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses && size > 0; i++) {
        if (strcmp(misuses[i].name, argv[1]) == 0) {
            misuses[i].body(size);
            return 0;
        }
    }
    (void)fprintf(stderr, "usage: misuse NAME SIZE\n");
    return 2;
}
