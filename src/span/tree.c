/* SPDX-License-Identifier: MIT */
#include "span/tree.h"

static bool span_before(const span_t *a, const span_t *b)
{
    if (a->pages != b->pages) {
        return a->pages < b->pages;
    }
    return a->region != b->region ? a->region < b->region : a->first < b->first;
}

/* Xorshift (Marsaglia 2003): never 0 once the seed is not. */
static uint32_t priority_next(span_tree_t *tree)
{
    uint32_t x = tree->seed != 0 ? tree->seed : 2463534242U;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    tree->seed = x;
    return x;
}

/* The link that holds `span`, or where it would stand below nodes of higher or equal priority. */
static span_t **link_find(span_tree_t *tree, const span_t *span)
{
    span_t **link = &tree->root;
    while (*link != NULL && *link != span && (*link)->priority >= span->priority) {
        link = span_before(span, *link) ? &(*link)->left : &(*link)->right;
    }
    return link;
}

void span_tree_insert(span_tree_t *tree, span_t *span)
{
    span->priority = priority_next(tree);
    span_t **link = link_find(tree, span);
    span_t *below = *link;
    *link = span;

    /* Split what stood there into what comes before the new node and what comes after it. */
    span_t **before = &span->left;
    span_t **after = &span->right;
    while (below != NULL) {
        if (span_before(below, span)) {
            *before = below;
            before = &below->right;
            below = below->right;
        } else {
            *after = below;
            after = &below->left;
            below = below->left;
        }
    }
    *before = NULL;
    *after = NULL;
}

void span_tree_remove(span_tree_t *tree, span_t *span)
{
    span_t **link = link_find(tree, span);
    span_t *before = span->left;
    span_t *after = span->right;
    while (before != NULL && after != NULL) {
        if (before->priority >= after->priority) {
            *link = before;
            link = &before->right;
            before = before->right;
        } else {
            *link = after;
            link = &after->left;
            after = after->left;
        }
    }
    *link = before != NULL ? before : after;
}

span_t *span_tree_best_fit(const span_tree_t *tree, size_t pages)
{
    span_t *best = NULL;
    for (span_t *node = tree->root; node != NULL;) {
        if (node->pages >= pages) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return best;
}
