/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a CPython, records the life of every list: for lab/lists/record.py.
 *
 * Each block of the mem domain, which list buffers are of, is taken 16 bytes larger and remembers in front how it was
 * asked for: the sizes, in turn. When a list is deallocated, its buffer is one of these blocks; what it remembers and
 * how many items the list has at that moment are written as one line:
 *
 *     m|c|r SIZE SIZE ... = ITEMS       sizes in items; first malloc, calloc, or realloc of nothing
 *
 * Seen is what a list asked for, not every append; and a buffer that a list gave up while it lived is not seen. The
 * layout of list objects and of types has been the same since 3.3: a list's items are its fourth word, its size the
 * third, and tp_dealloc is the seventh word of a type.
 */
#define _GNU_SOURCE
#include <cubby/domain.h>

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16, REQUESTS_MOST = 200, LIST_SIZE = 2, LIST_ITEMS = 3, TYPE_DEALLOC = 6 };

typedef struct history {
    char first; /* m, c or r */
    uint32_t count;
    uint32_t requests[]; /* bytes */
} history_t;

static cubby_allocator_t stock;
static void (*list_dealloc)(void *list);
static FILE *output;

static history_t **history_of(void *block)
{
    return (history_t **)(void *)((char *)block - HEADER);
}

/* Adds a request. A history that has become too long is cut: it says so by its length. */
static history_t *history_add(history_t *history, size_t bytes)
{
    if (history == NULL || history->count == REQUESTS_MOST) {
        return history;
    }
    history_t *longer = realloc(history, sizeof *longer + (history->count + 1) * sizeof(uint32_t));
    if (longer == NULL) {
        return history;
    }
    longer->requests[longer->count++] = (uint32_t)bytes;
    return longer;
}

static void *block_begin(char *block, char first, size_t bytes)
{
    if (block == NULL) {
        return NULL;
    }
    history_t *history = malloc(sizeof *history);
    if (history != NULL) {
        *history = (history_t){.first = first};
        history = history_add(history, bytes);
    }
    *(history_t **)(void *)block = history;
    return block + HEADER;
}

static void *record_malloc(void *ctx, size_t size)
{
    (void)ctx;
    return block_begin(stock.malloc(stock.ctx, size + HEADER), 'm', size);
}

static void *record_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return block_begin(stock.calloc(stock.ctx, 1, count * size + HEADER), 'c', count * size);
}

static void *record_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    if (block == NULL) {
        return block_begin(stock.malloc(stock.ctx, size + HEADER), 'r', size);
    }
    char *moved = stock.realloc(stock.ctx, (char *)block - HEADER, size + HEADER);
    if (moved == NULL) {
        return NULL;
    }
    history_t **history = (history_t **)(void *)moved;
    *history = history_add(*history, size);
    return moved + HEADER;
}

static void record_free(void *ctx, void *block)
{
    (void)ctx;
    if (block != NULL) {
        free(*history_of(block));
        stock.free(stock.ctx, (char *)block - HEADER);
    }
}

static void list_record(void *list)
{
    void **words = list;
    const history_t *history = words[LIST_ITEMS] == NULL ? NULL : *history_of(words[LIST_ITEMS]);
    if (history != NULL && output != NULL) {
        fputc(history->first, output);
        for (uint32_t i = 0; i < history->count; i++) {
            fprintf(output, " %zu", history->requests[i] / sizeof(void *));
        }
        fprintf(output, " = %zu\n", (size_t)words[LIST_SIZE]);
    }
    list_dealloc(list);
}

/* dlsym gives functions as data pointers; C has no conversion, so the bytes are copied. */
static void function_find(const char *name, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, sizeof address);
}

static void record_end(void)
{
    if (output != NULL) {
        fclose(output);
        output = NULL;
    }
}

/* Before main: nothing has been allocated yet. */
__attribute__((constructor)) static void record_begin(void)
{
    void (*get)(int domain, cubby_allocator_t *table);
    void (*set)(int domain, cubby_allocator_t *table);
    function_find("PyMem_GetAllocator", (void *)&get);
    function_find("PyMem_SetAllocator", (void *)&set);
    void **type = dlsym(RTLD_DEFAULT, "PyList_Type");
    const char *path = getenv("LISTS_RECORD");
    if (get == NULL || set == NULL || type == NULL || path == NULL) {
        return;
    }
    output = fopen(path, "we");
    get(CUBBY_DOMAIN_MEM, &stock);
    cubby_allocator_t table = {NULL, record_malloc, record_calloc, record_realloc, record_free};
    set(CUBBY_DOMAIN_MEM, &table);
    void (*recorder)(void *list) = list_record;
    memcpy((void *)&list_dealloc, &type[TYPE_DEALLOC], sizeof list_dealloc);
    memcpy(&type[TYPE_DEALLOC], (void *)&recorder, sizeof recorder);
    (void)atexit(record_end);
}
