/* SPDX-License-Identifier: MIT */
/* Tables that know their domain: what a runtime calls while checks are on. */
#include "check/check.h"

#include "os/lock.h"

typedef struct checked_table checked_table_t;

/* A table's ctx. */
struct checked_table {
    cubby_heap_t *front; /* NULL: any thread's */
    unsigned domain;
    const cubby_allocator_t *foreign; /* takes blocks that are not Cubby's; NULL: they are reported */
    checked_table_t *next;
};

static checked_table_t *tables; /* all that were made, under LOCK_CHECKS */

static void *table_malloc(void *ctx, size_t size)
{
    const checked_table_t *table = ctx;
    check_call_t call = {"in malloc", table->front, table->domain, CHECKS_SIZE_UNKNOWN};
    return check_alloc(&call, size, BLOCK_ALIGNMENT, false);
}

static void *table_calloc(void *ctx, size_t count, size_t size)
{
    const checked_table_t *table = ctx;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        bytes = SIZE_MAX; /* which is refused */
    }
    check_call_t call = {"in calloc", table->front, table->domain, CHECKS_SIZE_UNKNOWN};
    return check_alloc(&call, bytes, BLOCK_ALIGNMENT, true);
}

static void *table_realloc(void *ctx, void *block, size_t size)
{
    const checked_table_t *table = ctx;
    if (block == NULL) {
        return table_malloc(ctx, size);
    }
    check_call_t call = {"in realloc", table->front, table->domain, CHECKS_SIZE_UNKNOWN};
    void *moved = NULL;
    switch (check_resize(&call, block, size, &moved)) {
    case ANSWER_DONE:
        return moved;
    case ANSWER_OTHER:
        return cubby_realloc(block, size);
    default:
        break;
    }
    if (table->foreign != NULL) {
        return table->foreign->realloc(table->foreign->ctx, block, size);
    }
    check_refuse_foreign(&call, block);
    return NULL;
}

static void table_free(void *ctx, void *block)
{
    const checked_table_t *table = ctx;
    check_call_t call = {"in free", table->front, table->domain, CHECKS_SIZE_UNKNOWN};
    switch (check_free(&call, block)) {
    case ANSWER_DONE:
        return;
    case ANSWER_OTHER:
        cubby_free(block);
        return;
    default:
        break;
    }
    if (table->foreign != NULL) {
        table->foreign->free(table->foreign->ctx, block);
        return;
    }
    check_refuse_foreign(&call, block);
}

/* The same question gets the same ctx, so that asking often takes no memory. */
static checked_table_t *table_find(cubby_heap_t *front, unsigned domain, const cubby_allocator_t *foreign)
{
    checked_table_t *table = tables;
    while (table != NULL && (table->front != front || table->domain != domain || table->foreign != foreign)) {
        table = table->next;
    }
    if (table != NULL) {
        return table;
    }
    table = cubby_heap_malloc(check_memory(), sizeof *table);
    if (table != NULL) {
        *table = (checked_table_t){front, domain, foreign, tables};
        tables = table;
    }
    return table;
}

bool check_table(cubby_heap_t *heap, int domain, const cubby_allocator_t *foreign, cubby_allocator_t *table)
{
    lock_take(LOCK_CHECKS);
    checked_table_t *found = table_find(heap, (unsigned)domain, foreign);
    lock_drop(LOCK_CHECKS);
    if (found == NULL) {
        return false;
    }
    *table = (cubby_allocator_t){found, table_malloc, table_calloc, table_realloc, table_free};
    return true;
}

bool check_table_is(const cubby_allocator_t *table)
{
    return table->malloc == table_malloc;
}

void check_tables_forget(const cubby_heap_t *front)
{
    for (checked_table_t **link = &tables; *link != NULL;) {
        checked_table_t *table = *link;
        if (table->front != front) {
            link = &table->next;
            continue;
        }
        *link = table->next;
        cubby_heap_free(check_memory(), table);
    }
}

/* What the process's own tables held before. */
static cubby_allocator_t before[CUBBY_DOMAIN_COUNT];

void check_tables_begin(void)
{
    static cubby_allocator_t libc;
    libc = cubby_libc_allocator();
    tables = NULL;
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        cubby_allocator_t table;
        before[domain] = cubby_domain_get((cubby_domain_t)domain);
        if (check_table(NULL, domain, domain == CUBBY_DOMAIN_RAW ? &libc : NULL, &table)) {
            (void)cubby_domain_set((cubby_domain_t)domain, &table);
        }
    }
}

void check_tables_end(void)
{
    for (int domain = 0; domain < CUBBY_DOMAIN_COUNT; domain++) {
        (void)cubby_domain_set((cubby_domain_t)domain, &before[domain]);
    }
    tables = NULL;
}
