/* SPDX-License-Identifier: MIT */
/*
 * Every system call failed in turn. One scenario asks for all that a heap can do; it is run again and again, with the
 * first call of a kind failing, then the second, and so on until there is no call left to fail; then with all calls
 * from that one on. Each time requests may fail, but only with ENOMEM and with everything else as it was.
 */
#include "support/heap.h"

enum { BLOCKS = 60, MOST_CALLS = 3000 };

typedef struct scenario {
    void *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    size_t failures;
} scenario_t;

/* A block must be whole or NULL with ENOMEM. */
static bool granted(scenario_t *scenario, const void *block)
{
    if (block != NULL) {
        return true;
    }
    assert_int_equal(errno, ENOMEM);
    scenario->failures++;
    return false;
}

/* Bytes at either end are enough to tell whether a block is whole, and keep a large one from costing its size. */
static void block_mark(char *block, size_t size, size_t seed)
{
    size_t part = size < 64 ? size : 64;
    block_fill(block, part, seed);
    block_fill(block + size - part, part, seed);
}

static void block_check(const char *block, size_t size, size_t seed)
{
    size_t part = size < 64 ? size : 64;
    assert_true(size < 128 || block_holds(block, part, seed));
    assert_true(block_holds(block + size - part, part, seed));
}

static size_t size_of(size_t i)
{
    static const size_t sizes[6] = {24, 400, 5000, 30000, 70000, 400000};
    return sizes[i % 6] + i * 8;
}

static void take(scenario_t *scenario, cubby_heap_t *from, size_t i)
{
    size_t size = size_of(i);
    errno = 0;
    char *block = i % 3 == 0   ? cubby_heap_calloc(from, 1, size)
                  : i % 7 == 0 ? cubby_heap_aligned_alloc(from, 8192, size)
                               : cubby_heap_malloc(from, size);
    scenario->blocks[i] = block;
    scenario->sizes[i] = size;
    if (granted(scenario, block)) {
        assert_true(i % 3 != 0 || (block_is_zero(block, 24) && block_is_zero(block + size - 24, 24)));
        block_mark(block, size, i);
    }
}

static void resize(scenario_t *scenario, cubby_heap_t *from, size_t i, size_t size)
{
    if (scenario->blocks[i] == NULL) {
        return;
    }
    errno = 0;
    char *block = cubby_heap_realloc(from, scenario->blocks[i], size);
    if (!granted(scenario, block)) {
        block_check(scenario->blocks[i], scenario->sizes[i], i);
        return;
    }
    size_t before = scenario->sizes[i];
    assert_true(before <= 128 || size < 64 || block_holds(block, 64, i));
    scenario->blocks[i] = block;
    scenario->sizes[i] = size;
    block_mark(block, size, i);
}

static void give(scenario_t *scenario, cubby_heap_t *to, size_t i)
{
    if (scenario->blocks[i] != NULL) {
        block_check(scenario->blocks[i], scenario->sizes[i], i);
        errno = 77;
        cubby_heap_free(to, scenario->blocks[i]);
        assert_int_equal(errno, 77);
        scenario->blocks[i] = NULL;
    }
}

/* Some of everything. Returns how many requests failed. */
static size_t scenario_run(void)
{
    scenario_t scenario = {.failures = 0};
    errno = 0;
    cubby_heap_t *other = cubby_heap_create();
    if (!granted(&scenario, other)) {
        other = heap;
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        take(&scenario, i % 2 == 0 ? heap : other, i);
    }
    for (size_t i = 0; i < BLOCKS; i += 3) {
        give(&scenario, i % 2 == 0 ? heap : other, i);
    }
    (void)cubby_heap_trim(heap);
    for (size_t i = 1; i < BLOCKS; i += 4) {
        resize(&scenario, i % 2 == 0 ? heap : other, i, size_of(i) * 2);
    }
    (void)cubby_trim();
    for (size_t i = 2; i < BLOCKS; i += 4) {
        resize(&scenario, i % 2 == 0 ? heap : other, i, size_of(i) / 3 + 1);
    }
    for (size_t i = 0; i < BLOCKS; i += 3) {
        take(&scenario, i % 2 == 0 ? heap : other, i);
    }
    assert_true(everything_is_valid());
    assert_true(heap_is_valid(other));
    fake.clock_ms += 60000;
    for (size_t i = 0; i < BLOCKS; i++) {
        if (i % 2 == 0 || other == heap || i % 5 == 0) {
            give(&scenario, i % 2 == 0 ? heap : other, i);
        }
    }
    if (other != heap) {
        cubby_heap_destroy(other);
    }
    (void)cubby_heap_trim(heap);
    return scenario.failures;
}

/* A small address space makes several regions, a bound on commits many steps. */
static void system_begin(void)
{
    fake_install();
    fake.address_limit = (size_t)32 << 20;
    fake.clock_ms = 1000;
    fake.largest[FAKE_COMMIT] = (size_t)1 << 20;
}

static void system_finish(void)
{
    cubby_heap_destroy(heap);
    assert_true(span_is_valid());
    assert_int_equal(stats_now().in_spans, 0);
    assert_int_equal(stats_now().heaps, 0);
    span_reset();
    assert_int_equal(fake_reservations(), 0);
    assert_int_equal(fake.bad_ranges, 0);
    assert_int_equal(fake.messages, 0);
    os = os_linux;
}

/* One run in which call number `number` fails, and, if `onwards`, all later ones. False when there was no such call. */
static bool run_with_failure(fake_call_t call, size_t number, bool onwards, size_t *failures)
{
    system_begin();
    fake.fail_at[call] = number;
    fake.fail_onwards = onwards;
    errno = 0;
    heap = cubby_heap_create();
    if (heap == NULL) {
        assert_int_equal(errno, ENOMEM);
        assert_true(span_is_valid());
        ++*failures;
    } else {
        *failures += scenario_run();
        assert_true(everything_is_valid());
    }
    bool happened = fake.calls[call] >= number;

    /* The system relents: everything works, as if nothing had been. */
    fake_relent();
    if (heap == NULL) {
        heap = cubby_heap_create();
        assert_non_null(heap);
    }
    assert_int_equal(scenario_run(), 0);
    assert_true(everything_is_valid());
    system_finish();
    return happened;
}

static void fail_every_call(fake_call_t call, bool onwards, size_t *runs, size_t *failures)
{
    *runs = 0;
    *failures = 0;
    for (size_t number = 1; run_with_failure(call, number, onwards, failures); number++) {
        ++*runs;
        assert_true(number < MOST_CALLS);
    }
}

static void the_scenario_succeeds_when_nothing_fails(void **state)
{
    (void)state;
    system_begin();
    heap = cubby_heap_create();
    assert_int_equal(scenario_run(), 0);
    assert_true(stats_now().regions >= 2);
    assert_true(fake.calls[FAKE_COMMIT] > 10);
    assert_true(fake.calls[FAKE_PURGE] > 2);
    system_finish();
}

static void a_refused_reservation_does_no_harm(void **state)
{
    (void)state;
    size_t runs;
    size_t failures;
    fail_every_call(FAKE_RESERVE, false, &runs, &failures);
    assert_true(runs >= 2);
    fail_every_call(FAKE_RESERVE, true, &runs, &failures);
    assert_true(failures > 0);
}

static void a_refused_commit_does_no_harm(void **state)
{
    (void)state;
    size_t runs;
    size_t failures;
    fail_every_call(FAKE_COMMIT, false, &runs, &failures);
    assert_true(runs > 10);
    fail_every_call(FAKE_COMMIT, true, &runs, &failures);
    assert_true(failures > 0);
}

static void a_refused_purge_fails_no_request(void **state)
{
    (void)state;
    size_t runs;
    size_t failures;
    fail_every_call(FAKE_PURGE, false, &runs, &failures);
    assert_true(runs > 2);
    assert_int_equal(failures, 0);
    fail_every_call(FAKE_PURGE, true, &runs, &failures);
    assert_int_equal(failures, 0);
}

static void refused_advice_fails_no_request(void **state)
{
    (void)state;
    size_t runs;
    size_t failures;
    fail_every_call(FAKE_ADVISE_HUGE, false, &runs, &failures);
    assert_int_equal(failures, 0);
    fail_every_call(FAKE_ADVISE_HUGE, true, &runs, &failures);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenario_succeeds_when_nothing_fails),
        cmocka_unit_test(a_refused_reservation_does_no_harm),
        cmocka_unit_test(a_refused_commit_does_no_harm),
        cmocka_unit_test(a_refused_purge_fails_no_request),
        cmocka_unit_test(refused_advice_fails_no_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
