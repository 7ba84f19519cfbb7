/* SPDX-License-Identifier: MIT */
#include "span/retain.h"

#include "os/settings.h"

#include <string.h>

/*
 * Eight parts: memory leaves at most an eighth of the window late. The part that is under way comes on top, so that the
 * maxima always reach back a whole window.
 */
enum { WINDOW_PARTS = 8, PEAKS = WINDOW_PARTS + 1 };

/*
 * Slack: pages that may be retained beyond the rule, so that a heap at its peak does not purge and fault at every
 * span: 1 MiB and a 64th of what is in use. On a heap of 200 MB that is 4 MB, 2 %.
 */
static const size_t SLACK_PAGES = ((size_t)1 << 20) >> PAGE_SHIFT;
enum { SLACK_SHARE = 64 };

/*
 * What is expensive to do without goes only when the rule is broken by an eighth of the peak: pieces that a loop leaves
 * between its spans stay, pieces that are most of what is left of a heap go.
 */
enum { DEEP_SHARE = 8 };

static struct {
    struct {
        span_t *oldest;
        span_t *newest;
    } lists[RETAIN_LISTS];
    size_t pages;        /* dirty, of all on the lists */
    size_t used;         /* pages in use now */
    size_t peaks[PEAKS]; /* the most in use in each part, by its number modulo PEAKS */
    uint64_t part;       /* number of the current part since the clock's zero */
} state;

void retain_add_before(span_t *span, retain_list_t list, span_t *newer)
{
    span_t *older = newer != NULL ? newer->older : state.lists[list].newest;
    span->older = older;
    span->newer = newer;
    *(older != NULL ? &older->newer : &state.lists[list].oldest) = span;
    *(newer != NULL ? &newer->older : &state.lists[list].newest) = span;
    span->retained = true;
    span->list = (uint8_t)list;
    state.pages += span->dirty;
}

void retain_add(span_t *span, retain_list_t list)
{
    retain_add_before(span, list, NULL);
}

void retain_add_oldest(span_t *span, retain_list_t list)
{
    retain_add_before(span, list, state.lists[list].oldest);
}

void retain_remove(span_t *span)
{
    if (!span->retained) {
        return;
    }
    *(span->older != NULL ? &span->older->newer : &state.lists[span->list].oldest) = span->newer;
    *(span->newer != NULL ? &span->newer->older : &state.lists[span->list].newest) = span->older;
    span->retained = false;
    state.pages -= span->dirty;
}

void retain_note_used(size_t pages)
{
    size_t *peak = &state.peaks[state.part % PEAKS];
    state.used = pages;
    if (pages > *peak) {
        *peak = pages;
    }
}

/* Milliseconds of a part of the window, at least one. */
static uint64_t part_length(void)
{
    uint64_t length = setting(SETTING_RETAIN_MS) / WINDOW_PARTS;
    return length != 0 ? length : 1;
}

uint64_t retain_next(uint64_t now_ms)
{
    return (now_ms / part_length() + 1) * part_length();
}

void retain_advance(uint64_t now_ms)
{
    uint64_t part = now_ms / part_length();
    if (part < state.part + PEAKS) {
        while (state.part < part) {
            state.part++;
            state.peaks[state.part % PEAKS] = state.used;
        }
        return;
    }
    for (int i = 0; i < PEAKS; i++) {
        state.peaks[i] = state.used;
    }
    state.part = part;
}

static size_t retain_peak(void)
{
    size_t peak = 0;
    for (int i = 0; i < PEAKS; i++) {
        peak = state.peaks[i] > peak ? state.peaks[i] : peak;
    }
    return peak;
}

/* Pages retained beyond the dip, when they are so by more than the slack and `tolerance`; else 0. */
static size_t excess_over(size_t peak, size_t tolerance)
{
    size_t dip = peak - state.used;
    size_t most = setting(SETTING_RETAIN_MOST) >> PAGE_SHIFT;
    size_t allowed = dip < most ? dip : most;
    size_t slack = SLACK_PAGES + state.used / SLACK_SHARE + tolerance;
    return state.pages > allowed + slack ? state.pages - allowed : 0;
}

size_t retain_excess(void)
{
    return excess_over(retain_peak(), 0);
}

size_t retain_excess_deep(void)
{
    size_t peak = retain_peak();
    return excess_over(peak, peak / DEEP_SHARE);
}

span_t *retain_oldest(retain_list_t list)
{
    return state.lists[list].oldest;
}

size_t retain_pages(void)
{
    return state.pages;
}

void retain_reset(void)
{
    memset(&state, 0, sizeof state);
}
