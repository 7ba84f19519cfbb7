/* SPDX-License-Identifier: MIT */
/*
 * The free spans, ordered by size, then by address: a treap (Seidel and Aragon 1996), whose shape depends on nothing
 * but the priorities, so that no order of frees makes it deep. Callers hold the span lock.
 */
#ifndef CUBBY_SPAN_TREE_H
#define CUBBY_SPAN_TREE_H

#include "span/span.h"

typedef struct span_tree {
    span_t *root;
    uint32_t seed; /* of the priorities */
} span_tree_t;

void span_tree_insert(span_tree_t *tree, span_t *span);
void span_tree_remove(span_tree_t *tree, span_t *span);

/* The smallest span of at least `pages` pages, the lowest-addressed of those; NULL when there is none. */
span_t *span_tree_best_fit(const span_tree_t *tree, size_t pages);

#endif
