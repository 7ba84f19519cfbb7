/* SPDX-License-Identifier: MIT */
/* Lists whose items are numbers, so that it is seen where each of them has gone. */
#ifndef CUBBY_TESTS_SUPPORT_LIST_H
#define CUBBY_TESTS_SUPPORT_LIST_H

#include <cubby/list.h>

#include "support/heap.h"

/* Item number `i` of a test: any pointer will do. */
static inline void *item(size_t i)
{
    return (void *)(uintptr_t)(i * 8 + 8);
}

static inline cubby_list_t list_of(size_t size)
{
    cubby_list_t list = CUBBY_LIST_EMPTY;
    for (size_t i = 0; i < size; i++) {
        assert_true(cubby_list_append(heap, &list, item(i)));
    }
    return list;
}

static inline void assert_buffer(const cubby_list_t *list)
{
    assert_true(list->size <= list->capacity);
    assert_int_equal(list->items == NULL, list->capacity == 0);
    assert_int_equal(list->capacity, cubby_usable_size(list->items) / sizeof(void *));
}

/* The list holds the items `first`, `first` + 1 ... from index `from` to `end`. */
static inline void assert_counts(const cubby_list_t *list, size_t from, size_t end, size_t first)
{
    for (size_t i = from; i < end; i++) {
        assert_ptr_equal(list->items[i], item(first + i - from));
    }
}

#endif
