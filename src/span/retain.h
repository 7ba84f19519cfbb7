/* SPDX-License-Identifier: MIT */
/*
 * Retention: which free pages are kept for the next request, and which go back to the system. Callers hold the span
 * lock.
 *
 * The rule. At any time
 *
 *     pages in use + pages retained  <=  the most that was in use during the last window + slack
 *
 * and once that breaks, what is retained is brought down to the rule without the slack.
 *
 * What a program let go of within the window it may well want again, so it finds it in place: a loop that builds and
 * drops a table faults its pages in once. What it has not wanted for a whole window goes back. And when new pages are
 * touched although free ones are there, because no hole was large enough, the free ones are given back for them: a heap
 * is never larger than what its user had in use, but for the slack.
 *
 * The window is kept as maxima of WINDOW_PARTS parts, so memory leaves between one window and one window and a part
 * after it was last wanted (the model is tcmalloc's HugeCache, whose limit is the largest dip seen in a recent window;
 * here the dip is measured against the peak itself, so there is no limit to learn).
 *
 * Nothing is purged by the call that frees. Purging is done by calls that allocate, and by span_tick(); always with the
 * lock released, the pages being claimed, as if in use, in between.
 */
#ifndef CUBBY_SPAN_RETAIN_H
#define CUBBY_SPAN_RETAIN_H

#include "span/span.h"

/*
 * Free spans with dirty pages stand on two lists, each by the time they were freed. PRIME: those of which one
 * purge gives much back and costs little later: with a whole huge page, or, where there are none, 64 dirty pages. REST:
 * the others.
 */
typedef enum retain_list { RETAIN_PRIME, RETAIN_REST, RETAIN_LISTS } retain_list_t;

/* A free span with dirty pages has come to be: the latest to have been freed; or the first to be purged. */
void retain_add(span_t *span, retain_list_t list);
void retain_add_oldest(span_t *span, retain_list_t list);

/* The same for a piece of a span that stood on `list` right before `newer`, NULL for last. */
void retain_add_before(span_t *span, retain_list_t list, span_t *newer);

/* A free span is one no longer, or its pages change. Nothing for a span that is on no list. */
void retain_remove(span_t *span);

/* So many pages are in use now. */
void retain_note_used(size_t pages);

/* Time has come to `now_ms`. */
void retain_advance(uint64_t now_ms);

/* When the window next moves on, in the clock's milliseconds. */
uint64_t retain_next(uint64_t now_ms);

/* Pages that should be purged now, 0 while the rule holds. */
size_t retain_excess(void);

/* The same when they are so many that RETAIN_REST, and parts of huge pages, should be purged as well; else 0. */
size_t retain_excess_deep(void);

/* The span of the list that was freed longest ago, NULL when there is none. */
span_t *retain_oldest(retain_list_t list);

/* Dirty pages of all spans on the lists. */
size_t retain_pages(void);

/* Forgets everything. */
void retain_reset(void);

#endif
