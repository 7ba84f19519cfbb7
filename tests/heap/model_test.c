/* SPDX-License-Identifier: MIT */
/*
 * A long random run of every way in, against a map of what each block holds. The map is an array sorted by address, so
 * that a block which overlaps another is seen when it is given out, not when it has done its harm.
 *
 *   CUBBY_DEBUG        1: with debug checks on, which must find nothing
 *   CUBBY_TEST_STEPS   how many steps
 *   CUBBY_TEST_SEED    repeats a run
 */
#include "heap/spare.h"

#include "support/heap.h"

#include "check/check.h"

#include <cubby/domain.h>

enum {
    ENTRIES = 1600,
    STEPS = TEST_SANITIZED ? 300000 : 2000000,
    STEPS_TO_CHECK = 5000,
    STEPS_TO_TRIM = 3000,
    STEPS_TO_DESTROY = 40000,
};

/* Who gave a block out, and so who takes it back. */
typedef enum owner {
    OWNER_PLAIN,
    OWNER_HEAP, /* destroyed now and then with everything in it */
    OWNER_TYPED,
    OWNER_RAW, /* the domains' tables, of a heap whose blocks are all freed in the end */
    OWNER_MEM,
    OWNER_OBJ,
    OWNER_LIBC, /* foreign to the tables, which hand it on */
    OWNER_COUNT,
} owner_t;

typedef struct entry {
    unsigned char *block;
    size_t size;   /* asked for last */
    size_t usable; /* filled, all of it */
    uint64_t seed;
    owner_t owner;
    unsigned type;   /* OWNER_TYPED: which */
    bool size_known; /* may be freed with its size */
} entry_t;

typedef struct type_8 {
    uint64_t word[1];
} type_8_t;
typedef struct type_24 {
    uint64_t word[3];
} type_24_t;
typedef struct type_100 {
    uint32_t word[25];
} type_100_t;
typedef struct type_48 {
    _Alignas(16) uint64_t word[6];
} type_48_t;
typedef struct type_600 {
    uint64_t word[75];
} type_600_t;
enum { TYPE_COUNT = 5 };

static entry_t entries[ENTRIES]; /* sorted by address */
static size_t entry_count;
static uint64_t seed_last;
static test_random_t chance;
static cubby_heap_t *short_lived;
static cubby_allocator_t libc_table;
static cubby_allocator_t tables[CUBBY_DOMAIN_COUNT];

/* ---- Content ---- */

static void entry_fill(entry_t *entry)
{
    entry->seed = ++seed_last * 0x9E3779B97F4A7C15ULL;
    for (size_t i = 0; i < entry->usable; i += 8) {
        uint64_t word = entry->seed + i;
        memcpy(entry->block + i, &word, entry->usable - i < 8 ? entry->usable - i : 8);
    }
}

/* Whether the first `size` bytes at `block` are what the entry was filled with. */
static bool holds(const unsigned char *block, uint64_t seed, size_t size)
{
    uint64_t wrong = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, block + i, 8);
        wrong |= word ^ (seed + i);
    }
    uint64_t last = seed + i;
    return wrong == 0 && memcmp(block + i, &last, size - i) == 0;
}

/* ---- The map ---- */

/* The first entry at or above an address. */
static size_t entry_find(const unsigned char *address)
{
    size_t low = 0;
    size_t high = entry_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (entries[middle].block < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void entry_add(entry_t entry)
{
    size_t at = entry_find(entry.block);
    assert_true(at == 0 || entries[at - 1].block + entries[at - 1].usable <= entry.block);
    assert_true(at == entry_count || entry.block + entry.usable <= entries[at].block);
    memmove(&entries[at + 1], &entries[at], (entry_count - at) * sizeof entry);
    entries[at] = entry;
    entry_fill(&entries[at]);
    entry_count++;
}

static entry_t entry_take_out(size_t at)
{
    entry_t entry = entries[at];
    entry_count--;
    memmove(&entries[at], &entries[at + 1], (entry_count - at) * sizeof entry);
    return entry;
}

/* ---- Steps ---- */

static size_t size_any(void)
{
    size_t kind = random_below(&chance, 1000);
    if (kind < 700) {
        return random_below(&chance, 129);
    }
    if (kind < 930) {
        return random_below(&chance, 1100);
    }
    if (kind < 992) {
        return random_below(&chance, 33000);
    }
    return random_below(&chance, 400000);
}

/* What a block of so many bytes may take at most: the derivation of the size classes. */
static size_t usable_most(size_t size)
{
    if (size <= CUBBY_SMALL_MAX) {
        return size < 16 ? 16 : size + 15;
    }
    if (size <= MEDIUM_MAX) {
        return size + size / 8;
    }
    size_t pages = (size + PAGE_BYTES - 1) / PAGE_BYTES;
    return (pages <= SPARE_PAGES ? pages + pages / 8 : pages) * PAGE_BYTES; /* of a thread's spare spans */
}

static void *typed_new(unsigned type, size_t *size)
{
    static const size_t sizes[TYPE_COUNT] = {sizeof(type_8_t), sizeof(type_24_t), sizeof(type_100_t), sizeof(type_48_t),
                                             sizeof(type_600_t)};
    *size = sizes[type];
    switch (type) {
    case 0:
        return cubby_new(heap, type_8_t);
    case 1:
        return cubby_new(heap, type_24_t);
    case 2:
        return cubby_new(heap, type_100_t);
    case 3:
        return cubby_new(heap, type_48_t);
    default:
        return cubby_new(heap, type_600_t);
    }
}

static void typed_delete(unsigned type, void *block)
{
    switch (type) {
    case 0:
        cubby_delete(heap, (type_8_t *)block);
        break;
    case 1:
        cubby_delete(heap, (type_24_t *)block);
        break;
    case 2:
        cubby_delete(heap, (type_100_t *)block);
        break;
    case 3:
        cubby_delete(heap, (type_48_t *)block);
        break;
    default:
        cubby_delete(heap, (type_600_t *)block);
        break;
    }
}

static const cubby_allocator_t *table_of(owner_t owner)
{
    return &tables[owner == OWNER_LIBC ? random_below(&chance, CUBBY_DOMAIN_COUNT) : owner - OWNER_RAW];
}

static unsigned char *ask_plain(size_t size, int way, size_t alignment)
{
    switch (way) {
    case 0:
        return cubby_calloc(1, size);
    case 1:
        return cubby_aligned_alloc(alignment, size);
    case 2:
        return cubby_realloc(NULL, size);
    default:
        return cubby_malloc(size);
    }
}

static unsigned char *ask_heap(size_t size, int way, size_t alignment)
{
    switch (way) {
    case 0:
        return cubby_heap_calloc(short_lived, size, 1);
    case 1:
        return cubby_heap_aligned_alloc(short_lived, alignment, size);
    case 2:
        return cubby_heap_realloc(short_lived, NULL, size);
    default:
        return cubby_heap_malloc(short_lived, size);
    }
}

static unsigned char *ask_table(owner_t owner, size_t size, int way)
{
    const cubby_allocator_t *table = owner == OWNER_LIBC ? &libc_table : table_of(owner);
    switch (way) {
    case 0:
        return table->calloc(table->ctx, size, 1);
    case 2:
        return owner == OWNER_LIBC ? table->malloc(table->ctx, size) : table->realloc(table->ctx, NULL, size);
    default:
        return table->malloc(table->ctx, size);
    }
}

/* What holds of every block that has just been given out for entry->size bytes; finds entry->usable out. */
static void entry_check_new(entry_t *entry, size_t alignment)
{
    assert_non_null(entry->block);
    assert_int_equal((uintptr_t)entry->block % alignment, 0);
    if (entry->owner == OWNER_LIBC) {
        assert_false(cubby_owns(entry->block));
        entry->usable = entry->size;
        return;
    }
    assert_true(cubby_owns(entry->block));
    entry->usable = cubby_usable_size(entry->block);
    assert_true(entry->usable >= entry->size);
}

static void step_ask(void)
{
    entry_t entry = {.owner = (owner_t)random_below(&chance, OWNER_COUNT), .size = size_any()};
    int way = (int)random_below(&chance, 6);
    size_t alignment = 16;
    size_t wish = (size_t)1 << random_below(&chance, way == 1 ? 15 : 1);
    switch (entry.owner) {
    case OWNER_PLAIN:
        entry.block = ask_plain(entry.size, way, wish);
        break;
    case OWNER_HEAP:
        entry.block = ask_heap(entry.size, way, wish);
        break;
    case OWNER_TYPED:
        entry.type = (unsigned)random_below(&chance, TYPE_COUNT);
        entry.block = typed_new(entry.type, &entry.size);
        way = -1;
        alignment = 8;
        break;
    default:
        entry.block = ask_table(entry.owner, entry.size, way);
        alignment = entry.owner == OWNER_OBJ && entry.size - 17 < 8 ? 8 : 16;
        break;
    }
    entry_check_new(&entry, alignment);
    if (way == 1 && entry.owner <= OWNER_HEAP) {
        assert_int_equal((uintptr_t)entry.block % wish, 0);
    } else {
        entry.size_known = entry.owner <= OWNER_HEAP;
        assert_true(entry.usable <= usable_most(entry.size));
    }
    if (way == 0) {
        assert_true(block_is_zero(entry.block, entry.size));
    }
    entry_add(entry);
}

static void entry_free(entry_t entry)
{
    assert_true(holds(entry.block, entry.seed, entry.owner == OWNER_LIBC ? entry.size / 8 * 8 : entry.usable));
    if (entry.owner != OWNER_LIBC) {
        assert_int_equal(cubby_usable_size(entry.block), entry.usable);
    }
    bool sized = entry.size_known && random_below(&chance, 2) == 0;
    switch (entry.owner) {
    case OWNER_PLAIN:
        sized ? cubby_free_sized(entry.block, entry.size) : cubby_free(entry.block);
        break;
    case OWNER_HEAP:
        if (random_below(&chance, 8) == 0) {
            cubby_free(entry.block);
        } else if (sized) {
            cubby_heap_free_sized(short_lived, entry.block, entry.size);
        } else {
            cubby_heap_free(short_lived, entry.block);
        }
        break;
    case OWNER_TYPED:
        typed_delete(entry.type, entry.block);
        break;
    default:
        table_of(entry.owner)->free(table_of(entry.owner)->ctx, entry.block);
        break;
    }
}

static void step_free(void)
{
    entry_free(entry_take_out(random_below(&chance, entry_count)));
}

static void step_realloc(void)
{
    size_t at = random_below(&chance, entry_count);
    if (entries[at].owner == OWNER_TYPED) {
        return;
    }
    entry_t entry = entry_take_out(at);
    size_t size =
        random_below(&chance, 3) == 0 ? entry.size / 4 * 3 + random_below(&chance, entry.size / 2 + 40) : size_any();
    size_t kept = size < entry.size ? size : entry.size;
    switch (entry.owner) {
    case OWNER_PLAIN:
        entry.block = cubby_realloc(entry.block, size);
        break;
    case OWNER_HEAP:
        entry.block = random_below(&chance, 8) == 0 ? cubby_realloc(entry.block, size)
                                                    : cubby_heap_realloc(short_lived, entry.block, size);
        break;
    default:
        entry.block = table_of(entry.owner)->realloc(table_of(entry.owner)->ctx, entry.block, size);
        break;
    }
    kept = entry.owner == OWNER_LIBC ? kept / 8 * 8 : kept;
    entry.size = size;
    entry.size_known = entry.owner <= OWNER_HEAP;
    entry_check_new(&entry, entry.owner == OWNER_OBJ ? 8 : 16);
    assert_true(holds(entry.block, entry.seed, kept));
    entry_add(entry);
}

/* ---- Now and then ---- */

static void check_all(void)
{
    assert_true(everything_is_valid());
    assert_true(heap_is_valid(short_lived));
    for (size_t i = 0; i < entry_count; i++) {
        assert_true(holds(entries[i].block, entries[i].seed,
                          entries[i].owner == OWNER_LIBC ? entries[i].size / 8 * 8 : entries[i].usable));
    }
}

static void destroy_with_everything_in_it(void)
{
    for (size_t i = entry_count; i > 0; i--) {
        if (entries[i - 1].owner == OWNER_HEAP) {
            (void)entry_take_out(i - 1);
        }
    }
    cubby_heap_destroy(short_lived);
    short_lived = cubby_heap_create();
    assert_non_null(short_lived);
}

static void trim_one(void)
{
    switch (random_below(&chance, 3)) {
    case 0:
        (void)cubby_trim();
        break;
    case 1:
        (void)cubby_heap_trim(heap);
        break;
    default:
        (void)cubby_heap_trim(short_lived);
        break;
    }
}

static void run(size_t steps)
{
    size_t aim = ENTRIES / 2; /* the number of blocks swings around a mark that moves */
    for (size_t step = 1; step <= steps; step++) {
        if (step % 20000 == 0) {
            aim = random_below(&chance, ENTRIES - 100) + 50;
        }
        size_t ask = entry_count < aim ? 60 : 30;
        size_t choice = random_below(&chance, 100);
        if (entry_count == 0 || (choice < ask && entry_count < ENTRIES)) {
            step_ask();
        } else if (choice < 85) {
            step_free();
        } else {
            step_realloc();
        }
        if (step % STEPS_TO_TRIM == 0) {
            trim_one();
        }
        if (step % STEPS_TO_CHECK == 0) {
            check_all();
        }
        if (step % STEPS_TO_DESTROY == 0) {
            destroy_with_everything_in_it();
        }
    }
}

static void free_everything(void)
{
    while (entry_count > 0) {
        step_free();
    }
}

static void no_block_is_lost_overlapped_or_misplaced_in_a_long_random_run(void **state)
{
    (void)state;
    size_t steps = (size_t)test_number("CUBBY_TEST_STEPS", STEPS);
    short_lived = cubby_heap_create();
    libc_table = cubby_libc_allocator();
    for (int i = 0; i < CUBBY_DOMAIN_COUNT; i++) {
        tables[i] = cubby_heap_allocator(heap, (cubby_domain_t)i, &libc_table);
    }
    void *keeper = cubby_malloc(1);
    run(steps / 2);

    /* First life cycle: everything freed, the heaps are as if new. */
    free_everything();
    check_all();
    (void)cubby_heap_trim(short_lived);
    (void)cubby_heap_trim(heap);
    (void)cubby_trim();
    size_t home = span_bytes(heap->home);
    size_t pool_of_keeper = stats_now().in_spans - 3 * home;
    if (!cubby_check_is_on()) { /* whose own tables take memory, too */
        assert_int_equal(pool_of_keeper, (size_t)POOL_PAGES_LEAST * PAGE_BYTES);
    }

    /* Second: destroyed with everything in them. */
    run(steps / 2);
    destroy_with_everything_in_it();
    check_all();
    free_everything();
    cubby_heap_destroy(short_lived);
    (void)cubby_heap_trim(heap);
    (void)cubby_trim();
    if (!cubby_check_is_on()) {
        assert_int_equal(stats_now().in_spans, 2 * home + pool_of_keeper);
    }
    assert_int_equal(cubby_check_all(), 0);
    assert_true(everything_is_valid());
    cubby_free(keeper);
    assert_int_equal(fake.messages, 0);
}

/* The seed also settles what system it is: of what pages, and with how much address space. */
static int system_start(void **state)
{
    (void)state;
    chance = test_random("heap/model");
    bool checked = cubby_check_is_on();
    if (checked) { /* on the fake system, they start anew */
        check_end();
        span_reset();
    }
    fake_install();
    fake.page_size = (size_t)4096 << 2 * random_below(&chance, 3);
    fake.address_limit = random_below(&chance, 2) == 0 ? SIZE_MAX : (size_t)32 << 20;
    printf("# system pages of %zu bytes, address space %s\n", fake.page_size,
           fake.address_limit == SIZE_MAX ? "without limit" : "in small regions");
    if (checked) {
        check_begin();
    }
    heap = cubby_heap_create();
    return heap == NULL ? -1 : 0;
}

int main(void)
{
    /* Without the usual end of a test: the default heap stays. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_block_is_lost_overlapped_or_misplaced_in_a_long_random_run, system_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
