/* SPDX-License-Identifier: MIT */
/* What the files of the span layer share beside the regions. It belongs to the holder of the span lock. */
#ifndef CUBBY_SPAN_COUNTS_H
#define CUBBY_SPAN_COUNTS_H

#include <stddef.h>

typedef struct span_counts {
    size_t pages_used;
    size_t pages_dirty;  /* of free spans */
    size_t bytes_purged; /* since start */
    size_t purges;       /* calls that purge, since start */
} span_counts_t;

extern span_counts_t span_counts;

#endif
