/* SPDX-License-Identifier: MIT */
/*
 * Cubby: memory for language runtimes.
 *
 *     #include <cubby/cubby.h>                 cc prog.c $(pkg-config --cflags --libs cubby)
 *
 * Three ways in, from the plainest to the fastest:
 *
 *   cubby_malloc() and family     a malloc for any thread.
 *   cubby_heap_t                  memory of one owner: allocate, free, and destroy with everything in it.
 *   cubby_new(heap, type)         the size class is a constant; two or three instructions per branch.
 *
 * Common rules
 *   Sizes are in bytes. A request for zero bytes gives a unique block that can be freed.
 *   Blocks are aligned to 16 bytes; blocks from cubby_new() to the type's own alignment, at least 8.
 *   Failure (overflow, an absurd size, a limit is reached, the system refuses) is NULL with errno ENOMEM, and nothing has
 *   changed. limit.h sets limits, and lets a host give memory back before it comes to that.
 *   Freeing NULL does nothing. Freeing keeps errno.
 *   A pointer that no Cubby heap gave out is refused with one message on stderr; nothing is read through it.
 *   Passing a block twice to a free function, or a pointer into its middle, is not detected here; the guarded library
 *   (below) stops the program.
 *
 * Thread rules
 *   Functions without a heap argument may be called by any thread at any time. Each thread has a heap of its own behind
 *   them; a block may be freed by any thread, and goes back to the heap it came from.
 *   A heap object says who may call the functions that name it: see cubby_owner_t. Different heaps may be used at once.
 */
#ifndef CUBBY_CUBBY_H
#define CUBBY_CUBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUBBY_VERSION_MAJOR 0
#define CUBBY_VERSION_MINOR 1
#define CUBBY_VERSION_PATCH 0

/* What the functions below promise to the compiler as well. */
#if defined(__GNUC__)
#define CUBBY_API __attribute__((visibility("default")))
#define CUBBY_MALLOC_LIKE __attribute__((malloc, warn_unused_result))
#define CUBBY_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define CUBBY_API
#define CUBBY_MALLOC_LIKE
#define CUBBY_LIKELY(x) (x)
#endif

/*
 * ---- Under tools that watch memory ----
 *
 * Compiled with AddressSanitizer, the library and the program that uses it, blocks are known to it: a use after a free
 * or a second one, beyond the size asked for, or of memory that was never given out is reported. A library that was
 * built for Valgrind tells memcheck the same; programs for it are compiled with -DCUBBY_VALGRIND, as pkg-config says,
 * and are not linked to another.
 */
#if defined(__SANITIZE_ADDRESS__)
#define CUBBY_ADDRESS_SANITIZER_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUBBY_ADDRESS_SANITIZER_ 1
#endif
#endif
#if defined(CUBBY_ADDRESS_SANITIZER_) || defined(CUBBY_VALGRIND)
#define CUBBY_WATCHED_ 1
#endif

/* "major.minor.patch" of the library that is linked, for comparison with the macros above. */
CUBBY_API const char *cubby_version(void);

/* ---- A malloc for any thread ---------------------------------------------------------------------------------- */

CUBBY_API CUBBY_MALLOC_LIKE void *cubby_malloc(size_t size);

/* count * size zeroed bytes; a product that overflows is ENOMEM. */
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_calloc(size_t count, size_t size);

/*
 * Resizes a block and keeps its content up to the smaller size. NULL allocates; size zero shrinks to a zero-byte block
 * and does not free. On failure the old block is intact. A block from a heap object stays in that heap, and its owner
 * calls.
 */
CUBBY_API void *cubby_realloc(void *block, size_t size) __attribute__((warn_unused_result));

/* Frees any block; one from a heap object goes back to that heap, under the rule of its owner. */
CUBBY_API void cubby_free(void *block);

/*
 * Frees any block, from any thread, whatever the rule of its heap's owner: the owner takes it in when it next runs out
 * of blocks. For places that cannot keep the rule, such as a C library's free() that is handed a runtime's block.
 */
CUBBY_API void cubby_free_later(void *block);

/* As cubby_free(), for a caller that knows the size it last asked for; debug checks compare it. */
CUBBY_API void cubby_free_sized(void *block, size_t size);

/* alignment: a power of two, otherwise NULL with EINVAL. size need not be a multiple of it. Freed with cubby_free(). */
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_aligned_alloc(size_t alignment, size_t size);

/*
 * The bytes that may be used at block: at least what was asked for. 0 for NULL. A tool that watches memory allows all of
 * them from then on.
 */
CUBBY_API size_t cubby_usable_size(const void *block);

/* True when pointer is the address of a block that a Cubby heap gave out, freed or not. Any pointer may be asked for. */
CUBBY_API bool cubby_owns(const void *pointer);

/* Gives every page that holds no block back to the system, now. Returns the bytes given back. */
CUBBY_API size_t cubby_trim(void);

/*
 * Gives the reserved addresses that hold nothing back to the system. For a process that is about to limit its own
 * address space (RLIMIT_AS), of which the reservation would count as used: under a limit, Cubby reserves what it needs
 * in small pieces, and gives empty ones back.
 */
CUBBY_API void cubby_addresses_release(void);

/* ---- Heaps ---------------------------------------------------------------------------------------------------- */

typedef struct cubby_heap cubby_heap_t;

/* Who may use a heap. A library built with assertions stops a program that breaks the rule, where it can see that. */
typedef enum cubby_owner {
    /*
     * Whoever holds one particular lock, a runtime's interpreter lock, say: all calls that name the heap, and the plain
     * functions for blocks of it, are made while the lock is held. The fastest kind.
     */
    CUBBY_OWNER_LOCK,
    /*
     * The thread that created it. Other threads give blocks back with cubby_free(), without a lock; the owner takes them
     * in when a bin runs empty. The heap is destroyed by its thread when no other thread is freeing blocks of it.
     */
    CUBBY_OWNER_THREAD,
    /* Any thread: calls take a lock inside. Not for cubby_new() and cubby_delete() from several threads at once. */
    CUBBY_OWNER_ANY,
} cubby_owner_t;

/* A new, empty heap for CUBBY_OWNER_LOCK, or for another owner; NULL with ENOMEM, or EINVAL for no such owner. */
CUBBY_API cubby_heap_t *cubby_heap_create(void);
CUBBY_API cubby_heap_t *cubby_heap_create_for(cubby_owner_t owner);

/* Ends the heap and frees every block in it at once, in time proportional to its pools. NULL does nothing. */
CUBBY_API void cubby_heap_destroy(cubby_heap_t *heap);

CUBBY_API CUBBY_MALLOC_LIKE void *cubby_heap_malloc(cubby_heap_t *heap, size_t size);
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_heap_calloc(cubby_heap_t *heap, size_t count, size_t size);
CUBBY_API void *cubby_heap_realloc(cubby_heap_t *heap, void *block, size_t size) __attribute__((warn_unused_result));
CUBBY_API void cubby_heap_free(cubby_heap_t *heap, void *block);
CUBBY_API void cubby_heap_free_sized(cubby_heap_t *heap, void *block, size_t size);
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_heap_aligned_alloc(cubby_heap_t *heap, size_t alignment, size_t size);

/* Hands the heap's cached blocks and empty pools down, then does as cubby_trim(). Returns the bytes given back. */
CUBBY_API size_t cubby_heap_trim(cubby_heap_t *heap);

/* ---- What is held ---------------------------------------------------------------------------------------------- */

/* One moment's figures for the whole process, in bytes unless named otherwise. */
typedef struct cubby_stats {
    size_t reserved;     /* address space set aside */
    size_t committed;    /* of it, usable without asking the system again */
    size_t in_spans;     /* held by pools and large blocks */
    size_t retained;     /* free, but its pages are kept for the next request */
    size_t metadata;     /* usable for Cubby's own tables; what is touched of it is far less */
    size_t regions;      /* reserved address ranges, count */
    size_t heaps;        /* heaps alive, count */
    size_t bytes_copied; /* by realloc of large blocks, since start */
    size_t bytes_purged; /* given back to the system, since start */
    size_t purges;       /* calls that gave them back, since start */
    size_t huge_advised; /* of what is committed, where huge pages were asked for */
    size_t lock_takes;   /* locks taken inside Cubby, since start */
    size_t lock_waits;   /* how many of them were held by another thread */
    size_t parcels;      /* of blocks sent to another thread's heap, since start, as far as threads have told */
    size_t page_size;    /* the system's */
} cubby_stats_t;

CUBBY_API void cubby_stats_get(cubby_stats_t *stats);

/* The figures one by one, for programs that print them; false past the last. */
typedef struct cubby_stat {
    const char *name; /* of the member of cubby_stats_t */
    const char *help; /* one line */
    bool is_bytes;    /* otherwise a count */
    size_t value;
} cubby_stat_t;

CUBBY_API bool cubby_stat_get(const cubby_stats_t *stats, size_t index, cubby_stat_t *stat);

/*
 * Writes the report that CUBBY_STATS asks for, once in a process that has a heap; exit() does so by itself. For who is
 * about to end the process with _exit(), which runs no handlers. Does nothing when no report is asked for.
 */
CUBBY_API void cubby_stats_report(void);

/*
 * What one heap holds for one size class, and for all. Blocks in bins and blocks never carved are free. A block that
 * another thread has freed counts as used until the owner takes it in. heap: NULL for the calling thread's own, behind
 * cubby_malloc(); otherwise the caller is who may use the heap. The classes come in ascending block size; false past
 * the last.
 */
typedef struct cubby_class_stats {
    size_t block_size;  /* of one, in bytes */
    size_t pools;       /* count */
    size_t pool_size;   /* of one, in bytes; the first ones of a thread's heap may be smaller */
    size_t blocks_used; /* count */
    size_t blocks_free; /* count */
    size_t bytes_lost;  /* at the ends of its pools, where no block fits */
} cubby_class_stats_t;

typedef struct cubby_heap_stats {
    size_t pools;        /* count */
    size_t pool_bytes;   /* in them: used, free and lost */
    size_t blocks_used;  /* in pools, count */
    size_t bytes_used;   /* in such blocks */
    size_t bytes_free;   /* in free blocks of pools */
    size_t bytes_lost;   /* at the ends of pools */
    size_t large_blocks; /* count; 0 for a thread's heap, for its large blocks belong to no thread */
    size_t large_bytes;
} cubby_heap_stats_t;

CUBBY_API bool cubby_class_stats_get(cubby_heap_t *heap, size_t index, cubby_class_stats_t *stats);
CUBBY_API void cubby_heap_stats_get(cubby_heap_t *heap, cubby_heap_stats_t *stats);

/*
 * Walks the structures of the heap, as above, and of the pages under all heaps. False: something is damaged, by a write
 * outside a block or a block freed twice, say.
 */
CUBBY_API bool cubby_heap_check(cubby_heap_t *heap);

/* ---- Settings --------------------------------------------------------------------------------------------------- */

/*
 * Each is read from the environment before main. A wrong value, or a name that is almost a setting's, ends the process
 * with status 2 and a message that says what is right, in a program linked to the library as in one that preloads it.
 */
typedef enum cubby_setting_kind {
    CUBBY_SETTING_NUMBER, /* value, from 0 to most; bytes may be given with a suffix k, m or g */
    CUBBY_SETTING_SWITCH, /* value, 0 or 1 */
    CUBBY_SETTING_CHOICE, /* text, one of choices; value is its index there */
    CUBBY_SETTING_FILE,   /* text, a file name or empty */
    CUBBY_SETTING_REPORT, /* text, a file name, "-" for stderr, or empty for none; given as 0, 1, - or a file */
} cubby_setting_kind_t;

typedef struct cubby_setting {
    const char *name;   /* of the environment variable */
    const char *option; /* of `cubby run` that sets it, without dashes; NULL when there is none */
    cubby_setting_kind_t kind;
    const char *unit;           /* "ms", "bytes" or "count" of a number; of other kinds, what may be given, in words */
    const char *const *choices; /* NULL-ended; NULL unless this is a choice */
    const char *help;           /* one line */
    const char *reason;         /* why the default is what it is */
    uint64_t value;
    uint64_t value_default;
    uint64_t most;
    const char *text; /* NULL for numbers and switches */
    const char *text_default;
} cubby_setting_t;

/* The settings in the order in which they are documented; false past the last. */
CUBBY_API bool cubby_setting_get(size_t index, cubby_setting_t *setting);

/* The setting of that environment name; false when there is none. */
CUBBY_API bool cubby_setting_find(const char *name, cubby_setting_t *setting);

/*
 * True when the setting of that name takes the text. Otherwise `expected`, of `size` bytes, gets what it takes, in
 * words; an empty text when there is no such setting.
 */
CUBBY_API bool cubby_setting_check(const char *name, const char *text, char *expected, size_t size);

/* ---- Typed allocation ------------------------------------------------------------------------------------------ */

/*
 * cubby_new(heap, type)         uninitialised memory for one `type`, or NULL with ENOMEM
 * cubby_delete(heap, pointer)   gives it back; `pointer` has the very type it was made with, and is not NULL
 *
 * The block takes the type's size rounded up to 8 bytes (up to 128; 16 beyond), when the type is content with
 * 8-byte alignment: a boxed double with a reference count and a type pointer takes 24 bytes, not 32.
 */
#define cubby_new(heap, type) ((type *)cubby_heap_take_((heap), sizeof(type), CUBBY_ALIGNOF_(type)))
#define cubby_delete(heap, pointer)                                                                                    \
    cubby_heap_give_((heap), (pointer), sizeof(*(pointer)), CUBBY_ALIGNOF_(__typeof__(*(pointer))))

#ifdef __cplusplus
#define CUBBY_ALIGNOF_(type) alignof(type)
#else
#define CUBBY_ALIGNOF_(type) _Alignof(type)
#endif

/*
 * Size classes as the compiler sees them; src/heap/classes.h derives them.
 *   0        zero-byte requests
 *   1..32    16, 32, ... 512 bytes
 *   33..40   8, 24, ... 120 bytes, 8-byte aligned, for callers whose type allows it
 *   41..88   576 to 32,768 bytes, eight to a doubling
 */
enum {
    CUBBY_CLASS_COUNT = 89,
    CUBBY_SMALL_MAX = 512, /* largest size whose class is (size + 15) / 16 */
    CUBBY_ODD_MAX = 128,   /* 8-byte steps end here */
    CUBBY_CLASS_ODD = 33,  /* class of 8-byte blocks; 24 is the next, and so on */
#ifdef CUBBY_GUARD
    CUBBY_ODD_LEAST_ = 2, /* in 8 bytes; a link and its twin take two of them */
#else
    CUBBY_ODD_LEAST_ = 1,
#endif
};

/*
 * A bin: a heap's place for one size class, and all that a fast allocation or free of that class reads and writes.
 * The bins are the first thing in a heap.
 */
typedef struct cubby_bin {
    void *free;      /* freed blocks, the latest first, linked through their first word */
    char *fresh;     /* next block that was never used, in the pool being carved */
    char *fresh_end; /* end of the last whole block of that pool */
    int32_t room;    /* frees that go on `free` before the heap looks at how long that has become */
    uint32_t size;   /* of one block */
} cubby_bin_t;

/*
 * ---- The guarded library ----
 *
 * A program compiled and linked with `pkg-config --cflags --libs cubby-guard` (CUBBY_GUARD is defined) is stopped, with
 * one line on stderr, when
 *   a block is freed that is free already;
 *   a freed block was written to, where its link to the next one is kept;
 *   a block is freed through a pointer into its middle, as far as its pool sees it;
 *   Cubby's own tables contradict each other.
 * Each link has a twin beside it, exclusive-or a key that differs in each process: whoever changes one must know the
 * other. A request of 8 bytes takes 16. Everything else is as without; programs cannot be mixed with the plain library.
 */
#ifdef CUBBY_VALGRIND
#define cubby_bin_refill_ cubby_watched_bin_refill_
#define cubby_bin_overflow_ cubby_watched_bin_overflow_
#define cubby_typed_take_ cubby_watched_typed_take_
#define cubby_typed_give_ cubby_watched_typed_give_
#elif defined(CUBBY_GUARD)
#define cubby_bin_refill_ cubby_guarded_bin_refill_
#define cubby_bin_overflow_ cubby_guarded_bin_overflow_
#define cubby_typed_take_ cubby_guarded_typed_take_
#define cubby_typed_give_ cubby_guarded_typed_give_
#endif

#ifdef CUBBY_GUARD
/* What the fast paths see of a heap. */
typedef struct cubby_heap_front {
    cubby_bin_t bins[CUBBY_CLASS_COUNT];
    uintptr_t key;
} cubby_heap_front_t;

/* Stop the program: a free block is freed once more; a freed block was written to. Not for direct use. */
CUBBY_API void cubby_guarded_free_twice_(const void *block) __attribute__((noreturn, cold));
CUBBY_API void cubby_guarded_link_broken_(const void *block) __attribute__((noreturn, cold));
#endif

/* The ways out of the inlined paths below. Not for direct use. */
CUBBY_API void *cubby_bin_refill_(cubby_heap_t *heap, unsigned size_class);
CUBBY_API void cubby_bin_overflow_(cubby_heap_t *heap, void *block, unsigned size_class);

/* What cubby_new() and cubby_delete() are under tools that watch memory. Not for direct use. */
CUBBY_API CUBBY_MALLOC_LIKE void *cubby_typed_take_(cubby_heap_t *heap, size_t size, size_t alignment);
CUBBY_API void cubby_typed_give_(cubby_heap_t *heap, void *block, size_t size, size_t alignment);

/*
 * Links lie in freed blocks, which tools are told nobody may touch. So the functions that look at links are not checked,
 * and not inlined in others that are. Only the library's own code calls them then.
 */
#ifdef CUBBY_WATCHED_
#define CUBBY_LINK_ static __attribute__((noinline, unused, no_sanitize_address))
#else
#define CUBBY_LINK_ static inline
#endif
#ifdef CUBBY_VALGRIND
void cubby_look_begin_(void);
void cubby_look_end_(void);
#else
static inline void cubby_look_begin_(void)
{
}
static inline void cubby_look_end_(void)
{
}
#endif

/* Bytes to class; a constant when size and alignment are. Call only with size <= CUBBY_SMALL_MAX, alignment <= 16. */
static inline unsigned cubby_class_(size_t size, size_t alignment)
{
    size_t eights = (size + 7) / 8;
    if (alignment <= 8 && size <= CUBBY_ODD_MAX && eights % 2 == 1 && eights >= CUBBY_ODD_LEAST_) {
        return (unsigned)(CUBBY_CLASS_ODD + eights / 2);
    }
    return (unsigned)((size + 15) / 16);
}

/* The block behind a freed one, which is about to be handed out. */
CUBBY_LINK_ void *cubby_link_take_(const cubby_heap_t *heap, void *block)
{
    cubby_look_begin_();
#ifdef CUBBY_GUARD
    uintptr_t *words = (uintptr_t *)block;
    void *next = (void *)words[0];
    if (!CUBBY_LIKELY((words[1] ^ ((const cubby_heap_front_t *)(const void *)heap)->key) == words[0])) {
        cubby_guarded_link_broken_(block);
    }
    words[1] = 0;
#else
    (void)heap;
    void *next = *(void **)block;
#endif
    cubby_look_end_();
    return next;
}

/* A block that was never freed is handed out: what lies in it, whatever its memory was before, is no link with a twin. */
CUBBY_LINK_ void *cubby_link_clear_(void *block)
{
#ifdef CUBBY_GUARD
    cubby_look_begin_();
    ((uintptr_t *)block)[0] = 0;
    ((uintptr_t *)block)[1] = 0;
    cubby_look_end_();
#endif
    return block;
}

#ifdef CUBBY_GUARD
/*
 * Keeps the compiler from storing two words as one of 16 bytes. The next allocation reads the link alone, and waits: from
 * a store of its own size a load is served at once, from a part of a larger one only after some ten cycles, in the chain
 * from block to block.
 */
static inline void cubby_store_apart_(uintptr_t *word)
{
#if defined(__GNUC__)
    __asm__("" : "+m"(*word));
#else
    (void)word;
#endif
}
#endif

/* Puts a freed block before another one. */
CUBBY_LINK_ void cubby_link_give_(const cubby_heap_t *heap, void *block, void *next)
{
    cubby_look_begin_();
#ifdef CUBBY_GUARD
    uintptr_t key = ((const cubby_heap_front_t *)(const void *)heap)->key;
    uintptr_t *words = (uintptr_t *)block;
    if (!CUBBY_LIKELY((words[0] ^ words[1]) != key)) {
        cubby_guarded_free_twice_(block);
    }
    words[0] = (uintptr_t)next;
    cubby_store_apart_(words);
    words[1] = (uintptr_t)next ^ key;
#else
    (void)heap;
    *(void **)block = next;
#endif
    cubby_look_end_();
}

/* Two loads, one after the other: the block, and its successor for the next call. */
static inline void *cubby_bin_take_(cubby_heap_t *heap, unsigned size_class)
{
    cubby_bin_t *bin = (cubby_bin_t *)(void *)heap + size_class;
    void *block = bin->free;
    if (CUBBY_LIKELY(block != NULL)) {
        bin->free = cubby_link_take_(heap, block);
        return block;
    }
    block = bin->fresh;
    if (CUBBY_LIKELY(block != bin->fresh_end)) {
        bin->fresh += bin->size;
        return cubby_link_clear_(block);
    }
    return cubby_bin_refill_(heap, size_class);
}

/* Counting down and testing is one instruction, so the room is signed. Whoever answers an overflow sets it anew. */
static inline void cubby_bin_give_(cubby_heap_t *heap, void *block, unsigned size_class)
{
    cubby_bin_t *bin = (cubby_bin_t *)(void *)heap + size_class;
    if (CUBBY_LIKELY(--bin->room >= 0)) {
        cubby_link_give_(heap, block, bin->free);
        bin->free = block;
        return;
    }
    cubby_bin_overflow_(heap, block, size_class);
}

static inline void *cubby_heap_take_(cubby_heap_t *heap, size_t size, size_t alignment)
{
#ifdef CUBBY_WATCHED_
    return cubby_typed_take_(heap, size, alignment);
#else
    if (size <= CUBBY_SMALL_MAX && alignment <= 16) {
        return cubby_bin_take_(heap, cubby_class_(size, alignment));
    }
    return cubby_heap_aligned_alloc(heap, alignment, size);
#endif
}

static inline void cubby_heap_give_(cubby_heap_t *heap, void *block, size_t size, size_t alignment)
{
#ifdef CUBBY_WATCHED_
    cubby_typed_give_(heap, block, size, alignment);
#else
    if (size <= CUBBY_SMALL_MAX && alignment <= 16) {
        cubby_bin_give_(heap, block, cubby_class_(size, alignment));
        return;
    }
    cubby_heap_free(heap, block);
#endif
}

#ifdef __cplusplus
}
#endif
#endif
