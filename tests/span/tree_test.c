/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "span/tree.h"

#include <string.h>

enum { NODES = 400 };

static span_t nodes[NODES];
static bool inside[NODES];

static int compare(const span_t *a, const span_t *b)
{
    if (a->pages != b->pages) {
        return a->pages < b->pages ? -1 : 1;
    }
    if (a->region != b->region) {
        return a->region < b->region ? -1 : 1;
    }
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The answer of the plainest reference: looks at every node there is. */
static span_t *slow_best_fit(size_t pages)
{
    span_t *best = NULL;
    for (size_t i = 0; i < NODES; i++) {
        if (inside[i] && nodes[i].pages >= pages && (best == NULL || compare(&nodes[i], best) < 0)) {
            best = &nodes[i];
        }
    }
    return best;
}

static size_t walk_in_order(const span_t *node, const span_t **previous)
{
    if (node == NULL) {
        return 0;
    }
    size_t count = walk_in_order(node->left, previous);
    assert_true(*previous == NULL || compare(*previous, node) < 0);
    assert_true(node->left == NULL || node->left->priority <= node->priority);
    assert_true(node->right == NULL || node->right->priority <= node->priority);
    *previous = node;
    return count + 1 + walk_in_order(node->right, previous);
}

static size_t depth(const span_t *node)
{
    if (node == NULL) {
        return 0;
    }
    size_t left = depth(node->left);
    size_t right = depth(node->right);
    return 1 + (left > right ? left : right);
}

/* Small sizes in three regions, so that equal sizes and equal page numbers are common. */
static void nodes_make(test_random_t *random)
{
    memset(inside, 0, sizeof inside);
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = (span_t){.pages = 1 + (uint32_t)random_below(random, 40), .region = i % 3, .first = i / 3};
    }
}

static void an_empty_tree_fits_nothing(void **state)
{
    (void)state;
    span_tree_t tree = {0};
    assert_null(span_tree_best_fit(&tree, 0));
    assert_null(span_tree_best_fit(&tree, 1));
}

static void best_fit_and_order_agree_with_a_plain_list_whatever_goes_in_and_out(void **state)
{
    (void)state;
    test_random_t random = test_random("tree");
    span_tree_t tree = {0};
    nodes_make(&random);
    size_t count = 0;
    for (int step = 0; step < 60000; step++) {
        size_t i = random_below(&random, NODES);
        if (inside[i]) {
            span_tree_remove(&tree, &nodes[i]);
            count--;
        } else {
            span_tree_insert(&tree, &nodes[i]);
            count++;
        }
        inside[i] = !inside[i];
        size_t pages = random_below(&random, 45);
        assert_ptr_equal(span_tree_best_fit(&tree, pages), slow_best_fit(pages));
        if (step % 50 == 0) {
            const span_t *previous = NULL;
            assert_int_equal(walk_in_order(tree.root, &previous), count);
        }
    }
}

static void of_equal_sizes_the_lowest_addressed_is_taken(void **state)
{
    (void)state;
    span_tree_t tree = {0};
    span_t late = {.pages = 8, .region = 1, .first = 0};
    span_t high = {.pages = 8, .region = 0, .first = 90};
    span_t low = {.pages = 8, .region = 0, .first = 10};
    span_tree_insert(&tree, &late);
    span_tree_insert(&tree, &high);
    span_tree_insert(&tree, &low);
    assert_ptr_equal(span_tree_best_fit(&tree, 5), &low);
    span_tree_remove(&tree, &low);
    assert_ptr_equal(span_tree_best_fit(&tree, 5), &high);
    span_tree_remove(&tree, &high);
    assert_ptr_equal(span_tree_best_fit(&tree, 5), &late);
    span_tree_remove(&tree, &late);
    assert_null(tree.root);
}

static void nodes_of_equal_priority_are_found_again(void **state)
{
    (void)state;
    test_random_t random = test_random("tree, equal priorities");
    nodes_make(&random);
    span_tree_t tree = {0};
    for (size_t i = 0; i < NODES; i++) {
        tree.seed = 1 + i % 2; /* all priorities are one of two */
        span_tree_insert(&tree, &nodes[i]);
        inside[i] = true;
    }
    for (size_t i = 0; i < NODES; i++) {
        size_t pages = 1 + i % 41;
        assert_ptr_equal(span_tree_best_fit(&tree, pages), slow_best_fit(pages));
        span_tree_remove(&tree, &nodes[i]);
        inside[i] = false;
        const span_t *previous = NULL;
        assert_int_equal(walk_in_order(tree.root, &previous), NODES - i - 1);
    }
}

/* In order, a plain search tree would be a list of 400; the expected depth of a treap of 400 is about 20. */
static void spans_freed_in_order_do_not_make_the_tree_deep(void **state)
{
    (void)state;
    span_tree_t tree = {0};
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = (span_t){.pages = i + 1, .first = i};
        span_tree_insert(&tree, &nodes[i]);
    }
    assert_true(depth(tree.root) < 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_tree_fits_nothing),
        cmocka_unit_test(best_fit_and_order_agree_with_a_plain_list_whatever_goes_in_and_out),
        cmocka_unit_test(of_equal_sizes_the_lowest_addressed_is_taken),
        cmocka_unit_test(nodes_of_equal_priority_are_found_again),
        cmocka_unit_test(spans_freed_in_order_do_not_make_the_tree_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
