/* SPDX-License-Identifier: MIT */
#include <cubby/freelist.h>

#include <errno.h>

/*
 * A block of 2.5 had 1,000 bytes, so that with libc's own words it stayed below 1 KiB. With 16 bytes in front it still
 * holds 41 objects of 24 bytes.
 */
enum { BLOCK_BYTES = 1000, BLOCK_OBJECTS_LEAST = 4 };

typedef struct block {
    _Alignas(16) struct block *next;
    _Alignas(16) char objects[];
} block_t;

static size_t block_objects(const cubby_freelist_t *list)
{
    size_t count = (BLOCK_BYTES - sizeof(block_t)) / list->size;
    return count > BLOCK_OBJECTS_LEAST ? count : BLOCK_OBJECTS_LEAST;
}

static size_t block_bytes(const cubby_freelist_t *list)
{
    size_t bytes = sizeof(block_t) + block_objects(list) * list->size;
    return bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
}

static void *block_object(const cubby_freelist_t *list, block_t *block, size_t index)
{
    return block->objects + index * list->size;
}

static bool object_is_free(const void *object)
{
    return *(void *const *)object == NULL;
}

static void object_link(cubby_freelist_t *list, void *object)
{
    void **words = object;
    words[0] = NULL;
    words[1] = list->free;
    list->free = object;
}

static bool object_construct(cubby_freelist_t *list, void *object)
{
    return list->state.construct == NULL || list->state.construct(list->state.ctx, object);
}

static void object_destruct(cubby_freelist_t *list, void *object)
{
    if (list->state.destruct != NULL) {
        list->state.destruct(list->state.ctx, object);
    }
}

static void *object_create(cubby_freelist_t *list)
{
    void *object = cubby_heap_take_(list->heap, list->size, list->alignment);
    if (object != NULL && !object_construct(list, object)) {
        cubby_heap_give_(list->heap, object, list->size, list->alignment);
        errno = ENOMEM;
        return NULL;
    }
    return object;
}

static void object_destroy(cubby_freelist_t *list, void *object)
{
    object_destruct(list, object);
    cubby_heap_give_(list->heap, object, list->size, list->alignment);
}

static void block_free(cubby_freelist_t *list, block_t *block)
{
    for (size_t i = 0; i < block_objects(list); i++) {
        if (object_is_free(block_object(list, block, i))) {
            object_destruct(list, block_object(list, block, i));
        }
    }
    cubby_heap_free_sized(list->heap, block, block_bytes(list));
    list->block_count--;
}

/* A new block, its objects constructed and free but not in the list. NULL: no memory. */
static block_t *block_create(cubby_freelist_t *list)
{
    block_t *block = cubby_heap_malloc(list->heap, block_bytes(list));
    size_t count = block_objects(list);
    for (size_t i = 0; block != NULL && i < count; i++) {
        void **object = block_object(list, block, i);
        object[0] = NULL;
        if (!object_construct(list, object)) {
            while (i-- > 0) {
                object_destruct(list, block_object(list, block, i));
            }
            cubby_heap_free_sized(list->heap, block, block_bytes(list));
            errno = ENOMEM;
            return NULL;
        }
    }
    return block;
}

/* The highest address comes first, as it did in 2.5. */
static void *block_refill(cubby_freelist_t *list)
{
    block_t *block = block_create(list);
    if (block == NULL) {
        return NULL;
    }
    size_t last = block_objects(list) - 1;
    for (size_t i = 0; i < last; i++) {
        object_link(list, block_object(list, block, i));
    }
    list->given += last;
    block->next = list->blocks;
    list->blocks = block;
    list->block_count++;
    return block_object(list, block, last);
}

void *cubby_freelist_refill_(cubby_freelist_t *list)
{
    void *object = list->policy == CUBBY_FREELIST_BLOCKS ? block_refill(list) : object_create(list);
    list->misses += object != NULL;
    return object;
}

void cubby_freelist_overflow_(cubby_freelist_t *list, void *object)
{
    list->overflows++;
    object_destroy(list, object);
}

bool cubby_freelist_begin(cubby_freelist_t *list, cubby_heap_t *heap, size_t size, size_t alignment,
                          cubby_freelist_policy_t policy, size_t cap, const cubby_freelist_state_t *state)
{
    size_t words = (size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    bool aligned = alignment != 0 && alignment <= 16 && (alignment & (alignment - 1)) == 0;
    bool known = policy == CUBBY_FREELIST_NONE || policy == CUBBY_FREELIST_BOUNDED || policy == CUBBY_FREELIST_BLOCKS;
    if (!known || !aligned || size == 0 || size > SIZE_MAX / 16 || size % alignment != 0 ||
        (policy != CUBBY_FREELIST_NONE && size < 2 * sizeof(void *))) {
        errno = EINVAL;
        return false;
    }
    *list = (cubby_freelist_t){.heap = heap, .policy = policy, .size = words, .alignment = alignment};
    list->direct = policy == CUBBY_FREELIST_NONE && state == NULL;
    if (policy == CUBBY_FREELIST_BOUNDED) {
        list->cap = cap != 0 ? cap : (size_t)CUBBY_FREELIST_CAP;
    } else if (policy == CUBBY_FREELIST_BLOCKS) {
        list->cap = SIZE_MAX;
    }
    if (state != NULL) {
        list->state = *state;
    }
    return true;
}

static size_t objects_compact(cubby_freelist_t *list)
{
    size_t count = 0;
    while (list->free != NULL) {
        void **object = list->free;
        list->free = object[1];
        object_destroy(list, object);
        count++;
    }
    list->given = list->taken;
    return count * list->size;
}

static bool block_is_unused(const cubby_freelist_t *list, block_t *block)
{
    for (size_t i = 0; i < block_objects(list); i++) {
        if (!object_is_free(block_object(list, block, i))) {
            return false;
        }
    }
    return true;
}

/* Puts the free objects of a block that stays into the list. */
static void block_link(cubby_freelist_t *list, block_t *block)
{
    for (size_t i = 0; i < block_objects(list); i++) {
        void *object = block_object(list, block, i);
        if (object_is_free(object)) {
            object_link(list, object);
            list->given++;
        }
    }
}

/* The list is made anew from the blocks that stay, so no object has to be found in it. */
static size_t blocks_compact(cubby_freelist_t *list)
{
    size_t before = list->block_count;
    block_t *block = list->blocks;
    list->blocks = NULL;
    list->free = NULL;
    list->given = list->taken;
    while (block != NULL) {
        block_t *next = block->next;
        if (block_is_unused(list, block)) {
            block_free(list, block);
        } else {
            block_link(list, block);
            block->next = list->blocks;
            list->blocks = block;
        }
        block = next;
    }
    return (before - list->block_count) * block_bytes(list);
}

size_t cubby_freelist_compact(cubby_freelist_t *list)
{
    return list->policy == CUBBY_FREELIST_BLOCKS ? blocks_compact(list) : objects_compact(list);
}

void cubby_freelist_end(cubby_freelist_t *list)
{
    (void)cubby_freelist_compact(list);
    while (list->blocks != NULL) {
        block_t *block = list->blocks;
        list->blocks = block->next;
        block_free(list, block);
    }
    list->free = NULL;
    list->given = list->taken;
}

void cubby_freelist_stats_get(const cubby_freelist_t *list, cubby_freelist_stats_t *stats)
{
    size_t cached = list->given - list->taken;
    bool blocks = list->policy == CUBBY_FREELIST_BLOCKS;
    *stats = (cubby_freelist_stats_t){
        .hits = list->taken,
        .misses = list->misses,
        .overflows = list->overflows,
        .cached = cached,
        .blocks = list->block_count,
        .bytes_held = blocks ? list->block_count * block_bytes(list) : cached * list->size,
    };
}
