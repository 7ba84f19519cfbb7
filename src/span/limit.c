/* SPDX-License-Identifier: MIT */
#include "span/limit.h"

#include "span/counts.h"
#include "span/span.h"

static size_t pages_most = SIZE_MAX;

bool limit_allows(size_t pages)
{
    return span_counts.pages_used <= pages_most && pages <= pages_most - span_counts.pages_used;
}

bool span_limit_allows(size_t pages)
{
    span_lock();
    bool allowed = limit_allows(pages);
    span_unlock();
    return allowed;
}

void span_limit_set(size_t pages)
{
    span_lock();
    pages_most = pages;
    span_unlock();
}

size_t span_limit(void)
{
    span_lock();
    size_t pages = pages_most;
    span_unlock();
    return pages;
}
