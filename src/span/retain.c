/* SPDX-License-Identifier: MIT */
#include "span/retain.h"

#include "os/guard.h"
#include "os/settings.h"

#include <string.h>

/*
 * Eight parts: memory leaves at most an eighth of the window late. The part that is under way comes on top, so that the
 * maxima always reach back a whole window.
 */
enum { WINDOW_PARTS = 8, PEAKS = WINDOW_PARTS + 1 };

/*
 * Slack: pages that may be retained beyond the rule, so that a heap at its peak does not purge and fault at every
 * span: 2 MiB and a 64th of what is in use, 5 MB on a heap of 200 MB. 2 MiB is a huge page: what its last one holds
 * beyond a span counts as retained. But no more than the use has swung within the window: a heap at rest, which takes
 * and gives no spans, needs no slack, and its last free pages leave too.
 */
static const size_t SLACK_PAGES = ((size_t)2 << 20) >> PAGE_SHIFT;
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
    size_t dips[PEAKS];  /* and the least */
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
    guard(*(span->older != NULL ? &span->older->newer : &state.lists[span->list].oldest) == span &&
              *(span->newer != NULL ? &span->newer->older : &state.lists[span->list].newest) == span,
          span, "the list of free spans does not lead to this one");
    *(span->older != NULL ? &span->older->newer : &state.lists[span->list].oldest) = span->newer;
    *(span->newer != NULL ? &span->newer->older : &state.lists[span->list].newest) = span->older;
    span->retained = false;
    state.pages -= span->dirty;
}

void retain_note_used(size_t pages)
{
    size_t *peak = &state.peaks[state.part % PEAKS];
    size_t *dip = &state.dips[state.part % PEAKS];
    state.used = pages;
    *peak = pages > *peak ? pages : *peak;
    *dip = pages < *dip ? pages : *dip;
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
            state.dips[state.part % PEAKS] = state.used;
        }
        return;
    }
    for (int i = 0; i < PEAKS; i++) {
        state.peaks[i] = state.used;
        state.dips[i] = state.used;
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

static size_t retain_slack(size_t peak)
{
    size_t least = state.used;
    for (int i = 0; i < PEAKS; i++) {
        least = state.dips[i] < least ? state.dips[i] : least;
    }
    size_t swing = peak - least;
    size_t slack = SLACK_PAGES + state.used / SLACK_SHARE;
    return swing < slack ? swing : slack;
}

/* Pages retained beyond what is missing to the peak, when these are more than the slack and `tolerance`; else 0. */
static size_t excess_over(size_t peak, size_t tolerance)
{
    size_t missing = peak - state.used;
    size_t most = setting(SETTING_RETAIN_MOST) >> PAGE_SHIFT;
    size_t allowed = missing < most ? missing : most;
    return state.pages > allowed + retain_slack(peak) + tolerance ? state.pages - allowed : 0;
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
