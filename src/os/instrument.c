/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/instrument.h"

#ifdef CUBBY_WATCHED_

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * What is hidden of a range, from its start. AddressSanitizer notes an eighth of that in memory of its own, which for
 * huge blocks would be more than the machine has.
 */
enum { HIDE_BYTES_MOST = 64 << 20 };

static size_t bytes_hidden(size_t bytes)
{
    return bytes < HIDE_BYTES_MOST ? bytes : HIDE_BYTES_MOST;
}

/* ---- AddressSanitizer ---- */

#ifdef CUBBY_ADDRESS_SANITIZER_

/* From so many bytes on, its notes are given back to the system rather than overwritten: they then read as zero, shown. */
enum { SHOW_BYTES_LARGE = 4 << 20 };

static void asan_show(const void *start, size_t bytes)
{
    if (bytes < SHOW_BYTES_LARGE) {
        __asan_unpoison_memory_region(start, bytes);
        return;
    }
    size_t scale;
    size_t offset;
    __asan_get_shadow_mapping(&scale, &offset);
    /* Addresses whose notes are whole pages. */
    uintptr_t unit = (uintptr_t)sysconf(_SC_PAGESIZE) << scale;
    uintptr_t from = ((uintptr_t)start + unit - 1) & ~(unit - 1);
    uintptr_t to = ((uintptr_t)start + bytes) & ~(unit - 1);
    int saved = errno;
    if (madvise((void *)((from >> scale) + offset), (to - from) >> scale, MADV_DONTNEED) != 0) {
        __asan_unpoison_memory_region((const void *)from, to - from);
    }
    errno = saved;
    __asan_unpoison_memory_region(start, from - (uintptr_t)start);
    __asan_unpoison_memory_region((const void *)to, (uintptr_t)start + bytes - to);
}

static void asan_hide(const void *start, size_t bytes)
{
    __asan_poison_memory_region(start, bytes_hidden(bytes));
}

/*
 * It is not told of allocations, and so does not see for itself that a block is freed twice; but the first byte of a
 * block in use is shown, and to read it is checked. The guarded library has a message of its own.
 */
static void asan_touch(const void *block)
{
#ifdef CUBBY_GUARD
    (void)block;
#else
    (void)*(const volatile char *)block;
#endif
}

#else

static void asan_show(const void *start, size_t bytes)
{
    (void)start, (void)bytes;
}

static void asan_hide(const void *start, size_t bytes)
{
    (void)start, (void)bytes;
}

static void asan_touch(const void *block)
{
    (void)block;
}

#endif

/* ---- Valgrind ---- */

#ifdef CUBBY_VALGRIND

void cubby_look_begin_(void)
{
    VALGRIND_DISABLE_ERROR_REPORTING;
}

void cubby_look_end_(void)
{
    VALGRIND_ENABLE_ERROR_REPORTING;
}

#else

#define VALGRIND_MAKE_MEM_NOACCESS(start, bytes) ((void)(start), (void)(bytes))
#define VALGRIND_MAKE_MEM_DEFINED(start, bytes) ((void)(start), (void)(bytes))
#define VALGRIND_MAKE_MEM_UNDEFINED(start, bytes) ((void)(start), (void)(bytes))
#define VALGRIND_MALLOCLIKE_BLOCK(start, bytes, around, zeroed) ((void)(start), (void)(bytes), (void)(zeroed))
#define VALGRIND_RESIZEINPLACE_BLOCK(start, old, new, around) ((void)(start), (void)(old), (void)(new))
#define VALGRIND_FREELIKE_BLOCK(start, around) ((void)(start))

#endif

/* ---- Both: a library may be built for both ---- */

void memory_hide(const void *start, size_t bytes)
{
    asan_hide(start, bytes);
    (void)VALGRIND_MAKE_MEM_NOACCESS(start, bytes_hidden(bytes));
}

void memory_show(const void *start, size_t bytes)
{
    asan_show(start, bytes);
    (void)VALGRIND_MAKE_MEM_DEFINED(start, bytes);
}

/* Valgrind sees for itself what is unmapped; and a whole region is more than it could be told of in reasonable time. */
void memory_forget(const void *start, size_t bytes)
{
    asan_show(start, bytes);
}

static size_t bytes_shown(size_t size)
{
    return size == 0 ? 1 : size;
}

void *block_taken(void *block, size_t size, block_content_t content)
{
    if (block != NULL) {
        asan_show(block, bytes_shown(size));
        VALGRIND_MALLOCLIKE_BLOCK(block, bytes_shown(size), 0, content == CONTENT_ZERO);
    }
    return block;
}

void block_given(const void *block, size_t bytes)
{
    asan_touch(block);
    VALGRIND_FREELIKE_BLOCK(block, 0);
    memory_hide(block, bytes);
}

size_t block_held(const void *block, size_t bytes)
{
#ifdef CUBBY_ADDRESS_SANITIZER_
    return __asan_address_is_poisoned(block) ? 0 : bytes; /* it needs no more */
#else
    cubby_look_begin_();
    uintptr_t hidden = VALGRIND_CHECK_MEM_IS_ADDRESSABLE(block, bytes);
    cubby_look_end_();
    return hidden == 0 ? bytes : hidden - (uintptr_t)block;
#endif
}

void block_open(const void *block, size_t held, size_t bytes)
{
    asan_show(block, bytes);
    (void)VALGRIND_MAKE_MEM_UNDEFINED((const char *)block + held, bytes - held);
}

/* Without a complaint where the program has hidden parts of its block from the tool. */
void block_resized(const void *block, size_t held, size_t bytes, size_t size)
{
    size = bytes_shown(size);
    asan_show(block, size);
    asan_hide((const char *)block + size, bytes - size);
    (void)VALGRIND_MAKE_MEM_NOACCESS((const char *)block + held, bytes - held);
    cubby_look_begin_();
    VALGRIND_RESIZEINPLACE_BLOCK(block, held, size, 0);
    cubby_look_end_();
}

/* Without a complaint about those that are free. */
void blocks_forget(const void *start, size_t bytes, size_t size)
{
    cubby_look_begin_();
    for (const char *block = start; bytes >= size; block += size, bytes -= size) {
        VALGRIND_FREELIKE_BLOCK(block, 0);
    }
    cubby_look_end_();
}

#endif
