/* SPDX-License-Identifier: MIT */
/* Pages that a host gives: from a memory file, from a buffer, from the system but only so many. */
#define _GNU_SOURCE
#include "support/span.h"

#include <cubby/arena.h>

#include "span/arena.h"
#include "span/region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* ---- A memory file ---- */

typedef struct file {
    int descriptor;
    size_t end; /* of what was reserved */
    char *start;
} file_t;

enum { FILE_MOST_MIB = 256 };

static void *file_reserve(void *ctx, size_t size)
{
    file_t *file = ctx;
    if (size > FILE_MOST_MIB * MIB - file->end || ftruncate(file->descriptor, (off_t)(file->end + size)) != 0) {
        return NULL;
    }
    void *start = mmap(NULL, size, PROT_NONE, MAP_SHARED, file->descriptor, (off_t)file->end);
    if (start == MAP_FAILED) {
        return NULL;
    }
    file->start = file->end == 0 ? start : file->start;
    file->end += size;
    return start;
}

static bool file_commit(void *ctx, void *start, size_t size)
{
    (void)ctx;
    return mprotect(start, size, PROT_READ | PROT_WRITE) == 0;
}

static bool file_purge(void *ctx, void *start, size_t size)
{
    const file_t *file = ctx;
    return fallocate(file->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (char *)start - file->start,
                     (off_t)size) == 0;
}

static void file_release(void *ctx, void *start, size_t size)
{
    (void)ctx;
    (void)munmap(start, size);
}

static size_t file_bytes(const file_t *file)
{
    struct stat facts;
    assert_int_equal(fstat(file->descriptor, &facts), 0);
    return (size_t)facts.st_blocks * 512;
}

static void a_memory_file_holds_what_is_written_and_gives_back_what_is_trimmed(void **state)
{
    (void)state;
    file_t file = {.descriptor = memfd_create("cubby", MFD_CLOEXEC)};
    if (file.descriptor < 0) {
        skip(); /* this system has no memory files */
    }
    cubby_arena_t arena = {&file, file_reserve, file_commit, file_purge, file_release, 0, false};
    assert_true(cubby_arena_set(&arena));
    span_t *span = span_written((size_t)8 * PAGES_PER_MIB);
    assert_true(file_bytes(&file) >= 8 * MIB);
    size_t offset = (size_t)(span_start(span) - file.start);
    char byte = 0;
    assert_int_equal(pread(file.descriptor, &byte, 1, (off_t)offset), 1);
    assert_int_equal(byte, 1);
    span_free_written(span);
    assert_int_equal(span_trim(), 8 * MIB);
    assert_true(file_bytes(&file) < MIB);
    span = span_alloc((size_t)8 * PAGES_PER_MIB, PAGE_BYTES);
    assert_true(span_is_clean(span));
    assert_true(bytes_are_zero(span_start(span), span_bytes(span)));
    span_free(span, 0);
    assert_int_equal(fake_calls(), 0);
    span_reset();
    (void)close(file.descriptor);
}

/* ---- A buffer of a fixed size ---- */

enum { BUFFER_BYTES = 4 << 20 };
static alignas(65536) char buffer[BUFFER_BYTES];
static size_t buffer_most = BUFFER_BYTES;
static size_t buffer_taken;

static void *buffer_reserve(void *ctx, size_t size)
{
    (void)ctx;
    if (size > buffer_most - buffer_taken) {
        return NULL;
    }
    void *start = buffer + buffer_taken;
    buffer_taken += size;
    return start;
}

static bool buffer_commit(void *ctx, void *start, size_t size)
{
    (void)ctx;
    memset(start, 0, size);
    return true;
}

static void buffer_release(void *ctx, void *start, size_t size)
{
    (void)ctx;
    (void)start;
    (void)size;
}

static const cubby_arena_t buffer_arena = {
    .reserve = buffer_reserve, .commit = buffer_commit, .release = buffer_release, .size = BUFFER_BYTES};

/* Takes spans of a page until there are no more, and frees them. Returns how many there were. */
static size_t pages_in_all(void)
{
    static span_t *spans[BUFFER_BYTES / PAGE_BYTES];
    size_t count = 0;
    for (span_t *span; (span = span_alloc(1, PAGE_BYTES)) != NULL;) {
        const char *start = span_start(span);
        assert_true(start >= buffer && start < buffer + BUFFER_BYTES);
        memset(span_start(span), (int)count, PAGE_BYTES);
        spans[count++] = span;
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(span_start(spans[i])[PAGE_BYTES - 1], (char)i);
        span_free(spans[i], PAGE_BYTES);
    }
    return count;
}

static void a_buffer_serves_all_but_its_tables_again_and_again_and_nothing_else_does(void **state)
{
    (void)state;
    buffer_taken = 0;
    memset(buffer, 0x55, sizeof buffer);
    assert_true(cubby_arena_set(&buffer_arena));
    size_t pages = pages_in_all();
    assert_in_range(pages, BUFFER_BYTES / PAGE_BYTES * 96 / 100, BUFFER_BYTES / PAGE_BYTES);
    assert_int_equal(region_count(), 1);
    for (int round = 0; round < 5; round++) {
        assert_int_equal(pages_in_all(), pages);
        assert_true(span_is_valid());
    }
    assert_int_equal(fake_calls(), 0);
}

/* What was used is dirty for ever: it is kept, never taken for zero, and does not stand in the way of larger spans. */
static void an_arena_that_cannot_purge_keeps_its_pages_and_clears_them_when_asked(void **state)
{
    (void)state;
    buffer_taken = 0;
    assert_true(cubby_arena_set(&buffer_arena));
    size_t pages = pages_in_all();
    assert_int_equal(span_trim(), 0);
    time_passes((uint64_t)3 * WINDOW_MS);
    assert_int_equal(spans_stats().purged, 0);
    assert_int_equal(spans_stats().retained, pages << PAGE_SHIFT);
    span_t *span = span_alloc((size_t)2 * PAGES_PER_MIB, PAGE_BYTES);
    assert_non_null(span);
    assert_false(span_is_clean(span));
    span_zero(span, 0, span_bytes(span));
    assert_true(bytes_are_zero(span_start(span), span_bytes(span)));
    span_free(span, span_bytes(span));
    span_release_addresses();
    assert_true(span_is_valid());
}

static void a_heap_lives_in_a_small_buffer(void **state)
{
    (void)state;
    buffer_taken = 0;
    cubby_arena_t small = buffer_arena;
    small.size = 512 << 10;
    buffer_most = small.size;
    assert_true(cubby_arena_set(&small));
    cubby_heap_t *heap = cubby_heap_create();
    assert_non_null(heap);
    size_t blocks = 0;
    for (char *block; (block = cubby_heap_malloc(heap, 100)) != NULL; blocks++) {
        assert_true(block >= buffer && block < buffer + small.size);
        memset(block, 1, 100);
    }
    assert_int_equal(errno, ENOMEM);
    assert_true(blocks * 112 > small.size * 8 / 10);
    cubby_heap_destroy(heap);
    buffer_most = BUFFER_BYTES;
}

/* ---- The system's pages, counted ---- */

enum { COUNTED_CALLS = 3, RESERVATIONS = 8, MOST_PAGES = 65536 };
enum { COUNTED_RESERVE, COUNTED_COMMIT, COUNTED_PURGE };

typedef struct reservation {
    char *start;
    size_t size;
    bool committed[MOST_PAGES];
} reservation_t;

typedef struct counted {
    cubby_arena_t system;
    size_t quota; /* bytes that may be committed */
    size_t committed;
    size_t bad; /* calls that break the contract */
    size_t calls[COUNTED_CALLS];
    size_t fail_at[COUNTED_CALLS];
    bool fail_onwards;
    reservation_t reservations[RESERVATIONS];
} counted_t;

static counted_t counted;

static bool counted_fails(int call)
{
    size_t number = ++counted.calls[call];
    size_t first = counted.fail_at[call];
    errno = 99; /* a host's functions need not keep it */
    return first != 0 && (number == first || (counted.fail_onwards && number > first));
}

static void *counted_reserve(void *ctx, size_t size)
{
    (void)ctx;
    reservation_t *entry = counted.reservations;
    while (entry < counted.reservations + RESERVATIONS && entry->size != 0) {
        entry++;
    }
    if (counted_fails(COUNTED_RESERVE) || size > (size_t)MOST_PAGES * PAGE_BYTES ||
        entry == counted.reservations + RESERVATIONS) {
        return NULL;
    }
    entry->start = counted.system.reserve(counted.system.ctx, size);
    entry->size = entry->start == NULL ? 0 : size;
    return entry->start;
}

static reservation_t *counted_find(const char *start, size_t size)
{
    for (size_t i = 0; i < RESERVATIONS; i++) {
        reservation_t *entry = &counted.reservations[i];
        size_t offset = (size_t)((uintptr_t)start - (uintptr_t)entry->start);
        if (offset < entry->size && size <= entry->size - offset) {
            return entry;
        }
    }
    counted.bad++;
    return NULL;
}

static bool counted_commit(void *ctx, void *start, size_t size)
{
    (void)ctx;
    reservation_t *entry = counted_find(start, size);
    if (counted_fails(COUNTED_COMMIT) || entry == NULL || size > counted.quota - counted.committed ||
        !counted.system.commit(counted.system.ctx, start, size)) {
        return false;
    }
    counted.committed += size;
    size_t first = (size_t)((char *)start - entry->start) / PAGE_BYTES;
    for (size_t page = first; page < first + size / PAGE_BYTES; page++) {
        counted.bad += entry->committed[page];
        entry->committed[page] = true;
    }
    return true;
}

static bool counted_purge(void *ctx, void *start, size_t size)
{
    (void)ctx;
    return !counted_fails(COUNTED_PURGE) && counted_find(start, size) != NULL &&
           counted.system.purge(counted.system.ctx, start, size);
}

static void counted_release(void *ctx, void *start, size_t size)
{
    (void)ctx;
    reservation_t *entry = counted_find(start, size);
    if (entry != NULL) {
        size_t first = (size_t)((char *)start - entry->start) / PAGE_BYTES;
        for (size_t page = first; page < first + size / PAGE_BYTES; page++) {
            counted.committed -= entry->committed[page] ? PAGE_BYTES : 0;
            entry->committed[page] = false;
        }
    }
    if (entry != NULL && entry->start == start && entry->size == size) {
        entry->size = 0;
    }
    counted.system.release(counted.system.ctx, start, size);
}

static void counted_install(size_t quota)
{
    memset(&counted, 0, sizeof counted);
    counted.quota = quota;
    counted.system = cubby_arena_get();
    cubby_arena_t arena = counted.system;
    arena.ctx = &counted;
    arena.reserve = counted_reserve;
    arena.commit = counted_commit;
    arena.purge = counted_purge;
    arena.release = counted_release;
    assert_true(cubby_arena_set(&arena));
}

static void a_quota_is_used_to_the_last_page_and_never_passed(void **state)
{
    (void)state;
    static span_t *spans[4096];
    counted_install(20 * MIB);
    for (int round = 0; round < 3; round++) {
        size_t count = 0;
        while ((spans[count] = span_alloc(4, PAGE_BYTES)) != NULL) {
            memset(span_start(spans[count]), 1, span_bytes(spans[count]));
            count++;
        }
        assert_true(counted.committed <= counted.quota);
        assert_true(count * 4 * PAGE_BYTES > 19 * MIB);
        while (count > 0) {
            span_free_written(spans[--count]);
        }
        (void)span_trim();
        assert_true(span_is_valid());
    }
    assert_int_equal(counted.bad, 0);
}

/* A little of everything that takes pages, gives them back, grows and zeroes. Returns whether all of it was granted. */
static bool use_spans(void)
{
    span_t *spans[6] = {NULL};
    bool all = true;
    for (size_t i = 0; i < 6; i++) {
        spans[i] = i % 3 == 2 ? span_alloc_growing(300 * (i + 1)) : span_alloc(200 * (i + 1), PAGE_BYTES);
        all = all && spans[i] != NULL;
        if (spans[i] != NULL) {
            memset(span_start(spans[i]), 1, span_bytes(spans[i]));
            all = span_extend(spans[i], spans[i]->pages + 20000) && all;
        }
        if (i % 2 == 1 && spans[i] != NULL) {
            span_free_written(spans[i]);
            spans[i] = NULL;
        }
    }
    (void)span_trim();
    span_t *zeroed = span_alloc(500, PAGE_BYTES);
    all = all && zeroed != NULL;
    if (zeroed != NULL) {
        span_zero(zeroed, 0, span_bytes(zeroed));
        assert_true(bytes_are_zero(span_start(zeroed), span_bytes(zeroed)));
        span_free(zeroed, 0);
    }
    for (size_t i = 0; i < 6; i++) {
        if (spans[i] != NULL) {
            span_free_written(spans[i]);
        }
    }
    span_release_addresses();
    return all;
}

static void each_call_of_the_arena_may_fail_and_nothing_is_lost(void **state)
{
    (void)state;
    for (int call = 0; call < COUNTED_CALLS; call++) {
        for (int onwards = 0; onwards < 2; onwards++) {
            size_t failed = 0;
            for (size_t number = 1;; number++) {
                counted_install(SIZE_MAX);
                counted.fail_at[call] = number;
                counted.fail_onwards = onwards == 1;
                errno = 5;
                (void)use_spans();
                assert_int_equal(errno, 5);
                assert_true(span_is_valid());
                assert_int_equal(spans_stats().used, 0);
                bool reached = counted.calls[call] >= number;
                counted.fail_at[call] = 0;
                span_t *span = span_alloc(10, PAGE_BYTES);
                assert_non_null(span);
                span_free(span, 0);
                assert_int_equal(counted.bad, 0);
                span_reset();
                assert_int_equal(counted.committed, 0);
                assert_int_equal(fake_reservations(), 0);
                if (!reached) {
                    break;
                }
                failed++;
            }
            assert_true(failed > 0);
        }
    }
}

/* ---- Choosing ---- */

static void an_arena_is_read_set_and_set_again_until_pages_were_taken(void **state)
{
    (void)state;
    cubby_arena_t start = cubby_arena_get();
    counted_install(SIZE_MAX);
    cubby_arena_t mine = cubby_arena_get();
    assert_ptr_equal(mine.ctx, &counted);
    assert_true(cubby_arena_set(&start));
    counted_install(SIZE_MAX);
    span_t *span = span_alloc(1, PAGE_BYTES);
    errno = 0;
    assert_false(cubby_arena_set(&start));
    assert_int_equal(errno, EBUSY);
    assert_int_equal(cubby_refusal_get(), CUBBY_REFUSAL_IN_USE);
    assert_ptr_equal(cubby_arena_get().ctx, &counted);
    span_free(span, 0);
    assert_false(cubby_arena_set(&start));
}

static void an_arena_with_a_hole_is_refused(void **state)
{
    (void)state;
    cubby_arena_t holes[3] = {cubby_arena_get(), cubby_arena_get(), cubby_arena_get()};
    holes[0].reserve = NULL;
    holes[1].commit = NULL;
    holes[2].release = NULL;
    for (int i = 0; i < 4; i++) {
        errno = 0;
        assert_false(cubby_arena_set(i < 3 ? &holes[i] : NULL));
        assert_int_equal(errno, EINVAL);
        assert_int_equal(cubby_refusal_get(), CUBBY_REFUSAL_ARGUMENT);
    }
}

static void *unaligned_reserve(void *ctx, size_t size)
{
    (void)ctx;
    return size < BUFFER_BYTES ? buffer + 16 : NULL;
}

static void an_arena_that_reserves_between_pages_is_not_used_and_told(void **state)
{
    (void)state;
    cubby_arena_t arena = buffer_arena;
    arena.reserve = unaligned_reserve;
    assert_true(cubby_arena_set(&arena));
    assert_null(span_alloc(1, PAGE_BYTES));
    assert_true(fake.messages > 0);
    assert_non_null(strstr(fake.text, "not a multiple of the system's page"));
}

/* The memory of another may not be advised about, nor kept for growth where it counts. */
static void a_hosts_pages_get_no_advice_unless_it_says_so(void **state)
{
    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        counted_install(SIZE_MAX);
        cubby_arena_t arena = cubby_arena_get();
        arena.huge_pages = huge == 1;
        assert_true(cubby_arena_set(&arena));
        fake_relent();
        span_free_written(span_written((size_t)40 * PAGES_PER_MIB));
        assert_int_equal(fake.calls[FAKE_ADVISE_HUGE] > 0, huge);
        assert_int_equal(fake.calls[FAKE_DENY_HUGE] > 0, huge);
        assert_true(region_is_spacious(&regions[0], 1) == false);
        span_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPAN_TEST(a_memory_file_holds_what_is_written_and_gives_back_what_is_trimmed),
        SPAN_TEST(a_buffer_serves_all_but_its_tables_again_and_again_and_nothing_else_does),
        SPAN_TEST(an_arena_that_cannot_purge_keeps_its_pages_and_clears_them_when_asked),
        SPAN_TEST(a_heap_lives_in_a_small_buffer),
        SPAN_TEST(a_quota_is_used_to_the_last_page_and_never_passed),
        SPAN_TEST(each_call_of_the_arena_may_fail_and_nothing_is_lost),
        SPAN_TEST(an_arena_is_read_set_and_set_again_until_pages_were_taken),
        SPAN_TEST(an_arena_with_a_hole_is_refused),
        SPAN_TEST(an_arena_that_reserves_between_pages_is_not_used_and_told),
        SPAN_TEST(a_hosts_pages_get_no_advice_unless_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
