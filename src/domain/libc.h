/* SPDX-License-Identifier: MIT */
/* The C library's malloc and family, held to the common rules: what cubby_libc_allocator() puts into a table. */
#ifndef CUBBY_DOMAIN_LIBC_H
#define CUBBY_DOMAIN_LIBC_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

void *libc_malloc(void *ctx, size_t size);
void *libc_calloc(void *ctx, size_t count, size_t size);
void *libc_realloc(void *ctx, void *block, size_t size);
void libc_free(void *ctx, void *block);

#pragma GCC visibility pop

#endif
