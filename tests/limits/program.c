/* SPDX-License-Identifier: MIT */
/*
 * What a C program does where memory is scarce: starts, works, is refused, goes on. `program endless` takes all that it
 * is given; `program MEGABYTES` takes so much again and again, which must not be refused. Prints "right".
 */
#include <cubby/cubby.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS_MOST = 1 << 20, THREADS = 4, ROUNDS = 3 };

/* Up to `most` bytes in blocks of a size. Returns how many; what was refused is NULL with ENOMEM. */
static size_t fill(void **blocks, size_t size, size_t most)
{
    size_t count = 0;
    while (count < BLOCKS_MOST && (count + 1) * size <= most) {
        errno = 0;
        unsigned char *block = cubby_malloc(size);
        if (block == NULL) {
            if (errno != ENOMEM) {
                (void)fprintf(stderr, "refused with errno %d\n", errno);
                exit(1);
            }
            return count;
        }
        block[0] = block[size - 1] = (unsigned char)count;
        blocks[count++] = block;
    }
    return count;
}

static void drop(void **blocks, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *block = blocks[i];
        if (block[0] != (unsigned char)i || block[size - 1] != (unsigned char)i) {
            (void)fprintf(stderr, "block %zu of %zu bytes is not what it was\n", i, size);
            exit(1);
        }
        cubby_free(blocks[i]);
    }
}

static void *work(void *most)
{
    static const size_t sizes[] = {48, 1000, 20000, 300000, 5000000};
    void **blocks = calloc(BLOCKS_MOST, sizeof *blocks);
    size_t served = 0;
    for (int round = 0; blocks != NULL && round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            size_t count = fill(blocks, sizes[i], *(size_t *)most);
            drop(blocks, sizes[i], count);
            served += count * sizes[i];
        }
    }
    free(blocks);
    return (void *)served;
}

static bool work_in_threads(size_t most)
{
    pthread_t threads[THREADS];
    int started = 0;
    size_t served = 0;
    most /= THREADS;
    while (started < THREADS && pthread_create(&threads[started], NULL, work, &most) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        void *result = NULL;
        (void)pthread_join(threads[i], &result);
        served += (size_t)result;
    }
    return started == THREADS && served > 0;
}

int main(int count, char **arguments)
{
    bool endless = count > 1 && strcmp(arguments[1], "endless") == 0;
    size_t most = endless || count < 2 ? (size_t)1 << 40 : (size_t)strtoull(arguments[1], NULL, 10) << 20;
    size_t few = (size_t)8 << 20;
    size_t served = (size_t)work(&most);
    if (served == 0 || (!endless && served < most) || !work_in_threads(endless ? few : most)) {
        (void)fprintf(stderr, "%zu bytes served\n", served);
        return 1;
    }
    pid_t child = fork();
    if (child == 0) {
        _exit(work(&few) != NULL && work_in_threads(few) ? 7 : 1);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7 ||
        work(&few) == NULL) {
        (void)fprintf(stderr, "the child ended with %d\n", status);
        return 1;
    }
    (void)puts("right");
    return 0;
}
