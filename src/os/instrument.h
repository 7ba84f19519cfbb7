/* SPDX-License-Identifier: MIT */
/*
 * What tools that watch a program are told of its memory: AddressSanitizer, when the library is compiled with it, and
 * Valgrind's memcheck, when the library is built for it (-Dvalgrind=enabled). Otherwise everything here is nothing.
 *
 *   span    [ hidden: free ........ ] [ shown: used ..................... ] [ hidden: what lies behind ]
 *   pool    | taken: size .. hidden | given: hidden | never carved: hidden | left over: hidden |
 *
 * A free span is hidden, a used one shown; a pool's owner hides all of it and shows each block for as long as a program
 * has it, as many bytes as were asked for. So a tool reports a use after a free, beyond the end within the size class,
 * and of what was never given out. The first word of a freed block links it to the next one: the functions that look at
 * it are not checked (CUBBY_LINK_ in cubby.h).
 *
 * A block is taken and given where its size is known: where a program's request enters, once. What passes blocks on
 * below and between heaps says nothing.
 */
#ifndef CUBBY_OS_INSTRUMENT_H
#define CUBBY_OS_INSTRUMENT_H

#include <cubby/cubby.h>

#ifdef CUBBY_ADDRESS_SANITIZER_
#include <sanitizer/asan_interface.h>
#endif
#ifdef CUBBY_VALGRIND
#include <valgrind/memcheck.h>
#endif

/* Whether the content of a block just taken counts as written. */
typedef enum block_content { CONTENT_NONE, CONTENT_ZERO } block_content_t;

#ifndef CUBBY_WATCHED_

enum { MEMORY_IS_WATCHED = 0 };

static inline void memory_hide(const void *start, size_t bytes)
{
    (void)start, (void)bytes;
}

static inline void memory_show(const void *start, size_t bytes)
{
    (void)start, (void)bytes;
}

static inline void memory_forget(const void *start, size_t bytes)
{
    (void)start, (void)bytes;
}

static inline void *block_taken(void *block, size_t size, block_content_t content)
{
    (void)size, (void)content;
    return block;
}

static inline void block_given(const void *block, size_t bytes)
{
    (void)block, (void)bytes;
}

static inline size_t block_held(const void *block, size_t bytes)
{
    (void)block;
    return bytes;
}

static inline void block_open(const void *block, size_t held, size_t bytes)
{
    (void)block, (void)held, (void)bytes;
}

static inline void block_resized(const void *block, size_t held, size_t bytes, size_t size)
{
    (void)block, (void)held, (void)bytes, (void)size;
}

static inline void blocks_forget(const void *start, size_t bytes, size_t size)
{
    (void)start, (void)bytes, (void)size;
}

#else

enum { MEMORY_IS_WATCHED = 1 };

#pragma GCC visibility push(hidden)

/* Memory that a program may not touch, from now on or no longer; what is shown counts as written. */
void memory_hide(const void *start, size_t bytes);
void memory_show(const void *start, size_t bytes);

/* Addresses go back to the system, which may give them to anybody. */
void memory_forget(const void *start, size_t bytes);

/*
 * A block of hidden memory is the program's: its first `size` bytes, and of a block of no bytes one, by which a block in
 * use can be told from a free one. Returns the block; NULL is nobody's.
 */
void *block_taken(void *block, size_t size, block_content_t content);

/* It is no longer: all its `bytes` are hidden. A block that is free already is reported. */
void block_given(const void *block, size_t bytes);

/* How many of a block's `bytes` the program may touch, as far as the tool tells: it may have hidden some itself. */
size_t block_held(const void *block, size_t bytes);

/* Before all its `bytes` are copied elsewhere, for what was asked for is not written down. */
void block_open(const void *block, size_t held, size_t bytes);

/* It stays where it is: of its `bytes` the program may touch `size`, where it could touch `held`. */
void block_resized(const void *block, size_t held, size_t bytes, size_t size);

/* All blocks of `size` between, in use or not, are the program's no longer. */
void blocks_forget(const void *start, size_t bytes, size_t size);

#pragma GCC visibility pop

#endif
#endif
