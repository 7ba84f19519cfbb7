/* SPDX-License-Identifier: MIT */
/*
 * Peaks and troughs. A program builds a peak of blocks of one kind of size and drops it, but for 1 block in 100, picked
 * at random; then it does light work while the window of retention passes. What is resident after each trough is
 * bounded by what is live and constants that follow from how memory is cut:
 *
 *   pages held   A large block is whole pages of its own: its size and less than a page. A block in a pool holds the
 *                pool: at worst each survivor has one to itself, and the pools they hold are at most all there were at
 *                the peak.
 *   retained     The rule of retention: what is free and resident is at most 2 MiB, a 64th of what is in use, and, of
 *                pieces that cost more than they give, an eighth; and 1 MiB for the light work under way. A huge page
 *                that is half in use is kept whole beside that: its free half at most.
 *   the rest     Tables, a hundredth of what the peak was; and what the test itself needs.
 *
 *   CUBBY_TEST_SOAK   seconds to go on for; without it a few rounds of each kind
 */
#include "support/child.h"
#include "support/heap.h"
#include "support/memory.h"

static const size_t MIB = (size_t)1 << 20;

enum { PEAK_BYTES = 100 << 20, BLOCKS_MOST = 1 << 20, SURVIVORS = 100, ROUNDS = 3 };

typedef struct mix {
    const char *name;
    size_t smallest;
    size_t largest;
} mix_t;

static const mix_t mixes[] = {
    {"small", 100, 512}, {"medium", 513, 32768}, {"large", 32769, 1000000}, {"everything", 100, 1000000}};

static uint64_t moved_clock_ms = 1000000;

static uint64_t clock_that_moves(void)
{
    return moved_clock_ms;
}

static void *blocks[BLOCKS_MOST];
static size_t block_count;
static size_t live_bytes; /* usable */
static size_t live_pools; /* bytes of pools that live blocks could hold if each had one to itself */

static void count(const void *block, bool in)
{
    size_t usable = cubby_usable_size(block);
    size_t pool = usable <= MEDIUM_MAX ? class_pool_pages(usable) << PAGE_SHIFT : 0;
    live_bytes += in ? usable : -usable;
    live_pools += in ? pool : -pool;
}

/* Sizes are spread evenly over doublings, as programs' are, not over bytes. */
static size_t size_of(const mix_t *mix, test_random_t *random)
{
    size_t low = mix->smallest;
    while (low * 2 < mix->largest && random_below(random, 2) != 0) {
        low *= 2;
    }
    size_t high = low * 2 < mix->largest ? low * 2 : mix->largest;
    return low + random_below(random, high - low + 1);
}

static bool build(cubby_heap_t *from, const mix_t *mix, test_random_t *random)
{
    for (size_t bytes = 0; bytes < PEAK_BYTES && block_count < BLOCKS_MOST;) {
        size_t size = size_of(mix, random);
        void *block = cubby_heap_malloc(from, size);
        if (block == NULL) {
            return false;
        }
        memset(block, 1, size);
        blocks[block_count++] = block;
        count(block, true);
        bytes += size;
    }
    return true;
}

/* Frees all but 1 in `survivors`; 0: all. */
static void drop(cubby_heap_t *to, size_t survivors, test_random_t *random)
{
    size_t kept = 0;
    pointers_shuffle(blocks, block_count, random);
    for (size_t i = 0; i < block_count; i++) {
        if (survivors != 0 && random_below(random, survivors) == 0) {
            blocks[kept++] = blocks[i];
            continue;
        }
        count(blocks[i], false);
        cubby_heap_free(to, blocks[i]);
    }
    block_count = kept;
}

/* Two seconds and a half of ordinary activity. */
static bool work_lightly(cubby_heap_t *on)
{
    for (int i = 0; i < 2500; i++) {
        moved_clock_ms++;
        void *large = cubby_heap_malloc(on, 60000);
        void *small = cubby_heap_malloc(on, 200);
        if (large == NULL || small == NULL) {
            return false;
        }
        cubby_heap_free(on, large);
        cubby_heap_free(on, small);
    }
    return true;
}

/* Free pages of huge pages that are half in use or more. */
static size_t spared_bytes(void)
{
    size_t pages = 0;
    for (int i = 0; i < region_count(); i++) {
        for (uint32_t chunk = regions[i].huge_from / CHUNK_PAGES; chunk < regions[i].huge_to / CHUNK_PAGES; chunk++) {
            uint16_t used = regions[i].chunk_used[chunk];
            pages += used >= CHUNK_PAGES / 2 ? CHUNK_PAGES - used : 0;
        }
    }
    return pages << PAGE_SHIFT;
}

static int round_of(cubby_heap_t *on, const mix_t *mix, size_t baseline, test_random_t *random)
{
    STEP(build(on, mix, random));
    size_t peak_held = stats_now().in_spans;
    drop(on, SURVIVORS, random);
    STEP(work_lightly(on));
    cubby_stats_t stats = stats_now();

    size_t pages_held = live_bytes + live_pools + MIB;
    pages_held = pages_held < peak_held ? pages_held : peak_held;
    STEP(stats.in_spans <= pages_held);
    size_t retained = 3 * MIB + stats.in_spans / 64 + stats.in_spans / 8 + spared_bytes();
    size_t bound = pages_held + retained + peak_held / 100 + 3 * MIB;
    size_t resident = memory_resident() - baseline;
    printf("# %-10s live %5.1f MiB, held %5.1f of %5.1f, retained %4.1f of %4.1f, resident %5.1f of %5.1f\n", mix->name,
           (double)live_bytes / (double)MIB, (double)stats.in_spans / (double)MIB, (double)pages_held / (double)MIB,
           (double)stats.retained / (double)MIB, (double)retained / (double)MIB, (double)resident / (double)MIB,
           (double)bound / (double)MIB);
    STEP(stats.retained <= retained);
    STEP(TEST_SANITIZED || resident <= bound);
    return 0;
}

static const mix_t *mix_now;

static int soak_body(void)
{
    test_random_t random = test_random("heap/soak");
    time_t seconds = (time_t)test_number("CUBBY_TEST_SOAK", 0);
    time_t end = time(NULL) + seconds / (time_t)(sizeof mixes / sizeof *mixes);
    (void)alarm((unsigned)seconds + 250);
    os.clock_ms = clock_that_moves;
    memset(blocks, 1, sizeof blocks);
    cubby_heap_t *mine = cubby_heap_create();
    size_t baseline = memory_resident();
    for (int round = 0; round < ROUNDS || time(NULL) < end; round++) {
        int line = round_of(mine, mix_now, baseline, &random);
        STEP(line == 0);
        if (round % 4 == 2) { /* survivors do not pile up */
            drop(mine, 0, &random);
        }
        STEP(heap_is_valid(mine) && span_is_valid());
    }
    drop(mine, 0, &random);
    STEP(work_lightly(mine));
    STEP(TEST_SANITIZED || memory_resident() - baseline <= 6 * MIB);
    return 0;
}

static void after_small_blocks(void **state)
{
    (void)state;
    mix_now = &mixes[0];
    assert_int_equal(in_child(soak_body), 0);
}

static void after_medium_blocks(void **state)
{
    (void)state;
    mix_now = &mixes[1];
    assert_int_equal(in_child(soak_body), 0);
}

static void after_large_blocks(void **state)
{
    (void)state;
    mix_now = &mixes[2];
    assert_int_equal(in_child(soak_body), 0);
}

static void after_blocks_of_every_size(void **state)
{
    (void)state;
    mix_now = &mixes[3];
    assert_int_equal(in_child(soak_body), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_small_blocks),
        cmocka_unit_test(after_medium_blocks),
        cmocka_unit_test(after_large_blocks),
        cmocka_unit_test(after_blocks_of_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
