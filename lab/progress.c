/* SPDX-License-Identifier: MIT */
#include "lab/progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(progress_t *progress, double expected)
{
    progress->shown = isatty(STDERR_FILENO) == 1;
    progress->expected = expected;
    progress->done = 0;
    clock_gettime(CLOCK_MONOTONIC, &progress->started);
}

double progress_seconds(const progress_t *progress)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - progress->started.tv_sec) + (double)(now.tv_nsec - progress->started.tv_nsec) / 1e9;
}

void progress_announce(double expected, char *text, size_t size)
{
    if (expected < 180) {
        snprintf(text, size, "about %.0f seconds", expected);
    } else {
        snprintf(text, size, "about %.0f minutes", expected / 60);
    }
}

/* What is left is scaled by how fast the steps behind us really were. */
static double seconds_left(const progress_t *progress)
{
    double left = progress->expected - progress->done;
    if (progress->done <= 0) {
        return left;
    }
    return left * progress_seconds(progress) / progress->done;
}

void progress_show(const progress_t *progress, const char *doing)
{
    enum { WIDTH = 30 };
    static const char full[WIDTH + 1] = "##############################";
    static const char empty[WIDTH + 1] = "..............................";
    if (!progress->shown) {
        return;
    }
    double share = progress->expected > 0 ? progress->done / progress->expected : 1;
    int filled = share >= 1 ? WIDTH : (int)(share * WIDTH);
    int left = (int)(seconds_left(progress) + 0.5);
    fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%  %d:%02d left  %s", filled, full, WIDTH - filled, empty,
            (share > 1 ? 1 : share) * 100, left / 60, left % 60, doing);
    fflush(stderr);
}

void progress_advance(progress_t *progress, double expected)
{
    progress->done += expected;
}

void progress_clear(const progress_t *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
