/* SPDX-License-Identifier: MIT */
/*
 * What cubby_thread_allocator() puts into a table, and the process's own tables hold from the start. ctx is the table
 * that takes blocks which are not Cubby's, or NULL.
 */
#ifndef CUBBY_DOMAIN_TABLE_H
#define CUBBY_DOMAIN_TABLE_H

#include <cubby/domain.h>

#pragma GCC visibility push(hidden)

void *thread_mem_malloc(void *ctx, size_t size);
void *thread_mem_calloc(void *ctx, size_t count, size_t size);
void *thread_mem_realloc(void *ctx, void *block, size_t size);
void *thread_obj_malloc(void *ctx, size_t size);
void *thread_obj_calloc(void *ctx, size_t count, size_t size);
void *thread_obj_realloc(void *ctx, void *block, size_t size);
void thread_free(void *ctx, void *block);

/* True for tables that serve from a heap, a thread's heaps or libc, whose blocks' sizes can be asked for. */
bool table_has_sizes(const cubby_allocator_t *table);

#pragma GCC visibility pop

#endif
