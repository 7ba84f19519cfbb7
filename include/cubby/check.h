/* SPDX-License-Identifier: MIT */
/*
 * Debug checks: misuse of memory is found and reported. They are chosen when the program starts, cost nothing when they
 * are off, and need no other program: CUBBY_DEBUG=1 in the environment turns them on in any program that uses Cubby,
 * and a program may do so itself with cubby_check_start().
 *
 * Found: a write before or after a block; a write to a freed block; a block freed twice; a free or realloc of a pointer
 * that is no block, or points into one, or is a block of another domain or heap; a sized free with another size; a call
 * without the owner's lock, or by another thread than the owner; and, when asked for, leaks.
 *
 * Each is one text, on stderr or at the end of a file. Then the program is aborted; or, when it is to go on, the bad
 * call is ignored. While checks are on, cubby_usable_size() is the size that was asked for, new memory is filled with
 * 0xCD, freed memory with 0xDD, and what lies around a block with 0xFD: the bytes that CPython's own checks use.
 */
#ifndef CUBBY_CHECK_H
#define CUBBY_CHECK_H

#include <cubby/domain.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cubby_check_options {
    size_t hold_bytes;    /* freed blocks are held back until they are so many bytes; late writes to them are seen */
    unsigned stack_depth; /* callers to note at each allocation and free, at most 32; 0: none */
    bool leaks;           /* report blocks that are alive when their heap is destroyed, and at exit */
    bool goes_on;         /* after a report the program goes on, and the bad call is ignored */
    const char *file;     /* reports are added to its end; NULL: stderr */
} cubby_check_options_t;

/* What the environment says: CUBBY_DEBUG_HOLD, _STACKS, _LEAKS, _CONTINUE, _FILE. */
CUBBY_API cubby_check_options_t cubby_check_options(void);

/*
 * Turns the checks on for all heaps and tables made from now on, and for cubby_malloc() and family. To be called before
 * there is a second thread. NULL: the environment's options. False when they are on already (EALREADY) or there is no
 * memory (ENOMEM). `file` must live as long as the program.
 */
CUBBY_API bool cubby_check_start(const cubby_check_options_t *options);

CUBBY_API bool cubby_check_is_on(void);

/*
 * Looks at every block that is alive or held back, now, and reports the damaged ones that were not reported before.
 * Returns how many are damaged. Any thread.
 */
CUBBY_API size_t cubby_check_all(void);

/* Reports the blocks that are alive, of one heap or, for NULL, of all. Returns how many there are. */
CUBBY_API size_t cubby_check_leaks(cubby_heap_t *heap);

/*
 * "Is the lock held?", asked at every call for that domain or heap from now on; it must not allocate. The first call
 * that is made without it is reported. NULL: no longer asked. Does nothing while checks are off.
 */
typedef bool (*cubby_check_held_t)(void *ctx);
CUBBY_API void cubby_check_domain_lock(cubby_domain_t domain, cubby_check_held_t is_held, void *ctx);
CUBBY_API void cubby_check_heap_lock(cubby_heap_t *heap, cubby_check_held_t is_held, void *ctx);

/* Is given each report before it is written. NULL: nobody. */
typedef void (*cubby_check_report_t)(void *ctx, const char *text, size_t length);
CUBBY_API void cubby_check_on_report(cubby_check_report_t report, void *ctx);

/*
 * Where a runtime's own program is: writes text of at most `size` bytes, lines that end in a newline, and returns its
 * length, or 0. Asked at each report, and, with `brief` set, for one line at each allocation and free while stack_depth
 * is not 0. No lock of Cubby's is held; it must not allocate. NULL: nobody is asked.
 */
typedef size_t (*cubby_check_place_t)(void *ctx, bool brief, char *text, size_t size);
CUBBY_API void cubby_check_on_place(cubby_check_place_t place, void *ctx);

#ifdef __cplusplus
}
#endif
#endif
