/* SPDX-License-Identifier: MIT */
/*
 * Objects with a count of references, for a host to build an interpreter on: int, float, str, list and dict, and types
 * of the host's own beside them.
 *
 *     cubby_runtime_t *runtime = cubby_runtime_create(heap, NULL);
 *     cubby_object_t *list = cubby_list_object_new(runtime), *half = cubby_float_new(runtime, 0.5);
 *     if (list == NULL || half == NULL || !cubby_list_object_append(runtime, list, half)) {
 *         puts(cubby_error_get(runtime)->text);
 *     }
 *
 * Runtimes. Everything belongs to a cubby_runtime_t, which comes first in each call; many can live side by side, and
 * objects are not passed between them. A runtime and its objects follow the rule of its heap's owner (cubby.h).
 *
 * References. A function that returns an object gives its caller one reference, which is given up with
 * cubby_object_release(); "borrowed" in a function's comment says that it does not. Arguments are never used up: a list
 * or a dict takes references of its own. Objects are never NULL, unless a comment says so.
 *
 * Errors. NULL or false says that the call failed and changed nothing; cubby_error_get() says why. When memory runs out
 * that is CUBBY_ERROR_MEMORY, like any other error.
 *
 * Cycles are not found: a list that holds itself, directly or through others, is never freed before its heap is
 * destroyed. cubby_heap_destroy() frees everything at once, cycles too. Comparing, hashing and printing stop with
 * CUBBY_ERROR_DEPTH where objects are nested CUBBY_DEPTH_MOST deep. Freeing goes to any depth, without recursion and
 * without memory.
 */
#ifndef CUBBY_OBJECT_H
#define CUBBY_OBJECT_H

#include <cubby/cubby.h>
#include <cubby/freelist.h>
#include <cubby/list.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cubby_runtime cubby_runtime_t;
typedef struct cubby_type cubby_type_t;

/* What each object begins with. */
typedef struct cubby_object {
    size_t references; /* while the object waits to be freed: the next one that does */
    const cubby_type_t *type;
} cubby_object_t;

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

typedef enum cubby_error_code {
    CUBBY_ERROR_NONE,
    CUBBY_ERROR_MEMORY,   /* no memory, or a limit is reached */
    CUBBY_ERROR_TYPE,     /* an object of another type was needed; a key that cannot be hashed */
    CUBBY_ERROR_INDEX,    /* beyond a list's ends */
    CUBBY_ERROR_KEY,      /* not in the dict */
    CUBBY_ERROR_OVERFLOW, /* a result that does not fit into 64 bits */
    CUBBY_ERROR_VALUE,    /* right type, wrong value: division by zero */
    CUBBY_ERROR_DEPTH,    /* nested too deeply to compare, hash or print */
    CUBBY_ERROR_HOST,     /* for types of the host's own */
} cubby_error_code_t;

typedef struct cubby_error {
    cubby_error_code_t code;
    char text[160]; /* one sentence, for people */
} cubby_error_t;

/* The latest error; it stays until the next one, or until it is cleared. */
CUBBY_API const cubby_error_t *cubby_error_get(const cubby_runtime_t *runtime);
CUBBY_API void cubby_error_clear(cubby_runtime_t *runtime);

/* For slots and functions of the host's own. Text that does not fit is cut off. */
CUBBY_API void cubby_error_set(cubby_runtime_t *runtime, cubby_error_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Types ------------------------------------------------------------------------------------------------------ */

/* Text that grows in the runtime's heap. All zeroes is the empty text; bytes always ends with a 0 beyond size. */
typedef struct cubby_text {
    char *bytes; /* NULL when empty */
    size_t size;
    size_t capacity;
} cubby_text_t;

CUBBY_API bool cubby_text_add(cubby_runtime_t *runtime, cubby_text_t *text, const char *bytes, size_t size);
CUBBY_API void cubby_text_free(cubby_runtime_t *runtime, cubby_text_t *text);

/*
 * A type: what the functions below do with its objects. It lasts as long as they do. All slots may be NULL but for name
 * and size. A slot that fails says why with cubby_error_set(); no slot may change the dict or list that calls it.
 */
struct cubby_type {
    const char *name; /* in messages: "a list cannot be a key" */
    size_t size;      /* of one object, when all have the same; what cubby_object_new() takes */
    /*
     * Releases every object that this one holds. A type that can hold others must have it, and must not release them
     * anywhere else while it is freed: it is called with no more than one such call under way, so that structures of
     * any depth are freed in a loop.
     */
    void (*drop)(cubby_runtime_t *runtime, cubby_object_t *object);
    /* Gives back the object's memory, after drop. NULL: as cubby_object_new() took it. */
    void (*destroy)(cubby_runtime_t *runtime, cubby_object_t *object);
    /* Equal objects have equal hashes. NULL: the object cannot be a key. */
    bool (*hash)(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash);
    /* The other may have any type; of two types, one that says "equal" is enough. NULL: equal to itself alone. */
    bool (*equal)(cubby_runtime_t *runtime, const cubby_object_t *object, const cubby_object_t *other, bool *equal);
    /* Adds the object as a program would write it. NULL: "<name>". */
    bool (*repr)(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text);
    /* Bytes asked of the heap for this object, without the objects it holds. NULL: the size above. */
    size_t (*bytes)(const cubby_object_t *object);
};

extern CUBBY_API const cubby_type_t cubby_int_type;
extern CUBBY_API const cubby_type_t cubby_float_type;
extern CUBBY_API const cubby_type_t cubby_str_type;
extern CUBBY_API const cubby_type_t cubby_list_type;
extern CUBBY_API const cubby_type_t cubby_dict_type;

enum { CUBBY_DEPTH_MOST = 200 };

/* ---- Runtimes --------------------------------------------------------------------------------------------------- */

typedef struct cubby_int {
    cubby_object_t object;
    int64_t value;
} cubby_int_t;

typedef struct cubby_float {
    cubby_object_t object;
    double value;
} cubby_float_t;

/* Ints from -5 to 256 are made once for each runtime, as Python does. */
enum { CUBBY_SMALL_INT_LEAST = -5, CUBBY_SMALL_INT_MOST = 256 };
enum { CUBBY_SMALL_INT_COUNT = CUBBY_SMALL_INT_MOST - CUBBY_SMALL_INT_LEAST + 1 };

typedef struct cubby_runtime_options {
    cubby_freelist_policy_t int_policy; /* NONE, the first, needs no freelist: the heap's bin is one */
    cubby_freelist_policy_t float_policy;
    size_t int_cap; /* of BOUNDED; 0: CUBBY_FREELIST_CAP */
    size_t float_cap;
    uint64_t hash_seed; /* of strings; 0: a new one for each runtime, so that nobody can choose keys that collide */
} cubby_runtime_options_t;

/* For the inlined functions below; hosts use functions. */
struct cubby_runtime {
    cubby_heap_t *heap;
    cubby_freelist_t ints;
    cubby_freelist_t floats;
    cubby_object_t *dropped; /* objects that wait to be freed, linked through their counts */
    bool dropping;
    unsigned depth; /* of the comparison or the printing that is under way */
    uint64_t hash_key[2];
    cubby_error_t error;
    cubby_int_t small_ints[CUBBY_SMALL_INT_COUNT];
};

/* A runtime in the heap. options: NULL for all zeroes. NULL: ENOMEM, or EINVAL for no such policy. */
CUBBY_API cubby_runtime_t *cubby_runtime_create(cubby_heap_t *heap, const cubby_runtime_options_t *options);

/*
 * Gives back the runtime, its freelists and their blocks. Objects that are still held must not be used any more; those
 * that are not in a freelist's block stay in the heap. Not needed before cubby_heap_destroy(), which takes everything.
 * NULL does nothing.
 */
CUBBY_API void cubby_runtime_destroy(cubby_runtime_t *runtime);

/* Compacts the freelists of ints and floats. Returns the bytes the heap got back. */
CUBBY_API size_t cubby_runtime_compact(cubby_runtime_t *runtime);

/* ---- Any object ------------------------------------------------------------------------------------------------- */

/* Frees an object whose count is 0. Not for direct use. */
CUBBY_API void cubby_object_drop_(cubby_runtime_t *runtime, cubby_object_t *object);

/* Sets the error for errno ENOMEM. Not for direct use. */
CUBBY_API void cubby_error_memory_(cubby_runtime_t *runtime) __attribute__((cold));

/* One reference more; returns the object. */
static inline cubby_object_t *cubby_object_retain(cubby_object_t *object)
{
    object->references++;
    return object;
}

/* One reference less; the last one frees the object. */
static inline void cubby_object_release(cubby_runtime_t *runtime, cubby_object_t *object)
{
    if (--object->references == 0) {
        cubby_object_drop_(runtime, object);
    }
}

/* A new object of a host's type, type->size bytes, zeroes behind its header. NULL on failure. */
CUBBY_API cubby_object_t *cubby_object_new(cubby_runtime_t *runtime, const cubby_type_t *type);

/* Equal as in Python: 1 and 1.0 are, a NaN is not even to itself, an object of another kind is not. */
CUBBY_API bool cubby_object_equal(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right,
                                  bool *equal);
CUBBY_API bool cubby_object_hash(cubby_runtime_t *runtime, const cubby_object_t *object, uint64_t *hash);
CUBBY_API bool cubby_object_repr(cubby_runtime_t *runtime, const cubby_object_t *object, cubby_text_t *text);
CUBBY_API size_t cubby_object_bytes(const cubby_object_t *object);

static inline bool cubby_is_int(const cubby_object_t *object)
{
    return object->type == &cubby_int_type;
}

static inline bool cubby_is_float(const cubby_object_t *object)
{
    return object->type == &cubby_float_type;
}

static inline bool cubby_is_str(const cubby_object_t *object)
{
    return object->type == &cubby_str_type;
}

static inline bool cubby_is_list(const cubby_object_t *object)
{
    return object->type == &cubby_list_type;
}

static inline bool cubby_is_dict(const cubby_object_t *object)
{
    return object->type == &cubby_dict_type;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static inline cubby_object_t *cubby_int_new(cubby_runtime_t *runtime, int64_t value)
{
    uint64_t place = (uint64_t)value - (uint64_t)(int64_t)CUBBY_SMALL_INT_LEAST;
    if (place < CUBBY_SMALL_INT_COUNT) {
        return cubby_object_retain(&runtime->small_ints[place].object);
    }
    cubby_int_t *made = cubby_freelist_new(&runtime->ints, cubby_int_t);
    if (!CUBBY_LIKELY(made != NULL)) {
        cubby_error_memory_(runtime);
        return NULL;
    }
    made->object.references = 1;
    made->object.type = &cubby_int_type;
    made->value = value;
    return &made->object;
}

static inline cubby_object_t *cubby_float_new(cubby_runtime_t *runtime, double value)
{
    cubby_float_t *made = cubby_freelist_new(&runtime->floats, cubby_float_t);
    if (!CUBBY_LIKELY(made != NULL)) {
        cubby_error_memory_(runtime);
        return NULL;
    }
    made->object.references = 1;
    made->object.type = &cubby_float_type;
    made->value = value;
    return &made->object;
}

/* The value of an object that is an int; of one that is a float. */
static inline int64_t cubby_int_value(const cubby_object_t *object)
{
    return ((const cubby_int_t *)(const void *)object)->value;
}

static inline double cubby_float_value(const cubby_object_t *object)
{
    return ((const cubby_float_t *)(const void *)object)->value;
}

/*
 * Arithmetic: of two ints an int, or CUBBY_ERROR_OVERFLOW; with a float, a float; CUBBY_ERROR_TYPE for anything else.
 * Divide rounds ints down, as Python's // does; by zero it is CUBBY_ERROR_VALUE.
 */
CUBBY_API cubby_object_t *cubby_number_add(cubby_runtime_t *runtime, const cubby_object_t *left,
                                           const cubby_object_t *right);
CUBBY_API cubby_object_t *cubby_number_subtract(cubby_runtime_t *runtime, const cubby_object_t *left,
                                                const cubby_object_t *right);
CUBBY_API cubby_object_t *cubby_number_multiply(cubby_runtime_t *runtime, const cubby_object_t *left,
                                                const cubby_object_t *right);
CUBBY_API cubby_object_t *cubby_number_divide(cubby_runtime_t *runtime, const cubby_object_t *left,
                                              const cubby_object_t *right);

/* True when left < right. False with an error when one is no number; without one when it is not less, or is a NaN. */
CUBBY_API bool cubby_number_less(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right,
                                 bool *less);

/* ---- Str: bytes that do not change ------------------------------------------------------------------------------ */

typedef struct cubby_str {
    cubby_object_t object;
    uint64_t hash; /* 0: not yet computed */
    size_t size;   /* in bytes */
    char bytes[];  /* and a 0 behind them */
} cubby_str_t;

/* Copies the bytes, which may be any. */
CUBBY_API cubby_object_t *cubby_str_new(cubby_runtime_t *runtime, const char *bytes, size_t size);

/* Both one after the other. CUBBY_ERROR_TYPE unless both are strs. */
CUBBY_API cubby_object_t *cubby_str_concat(cubby_runtime_t *runtime, const cubby_object_t *left,
                                           const cubby_object_t *right);

/* Of an object that is a str. */
static inline const char *cubby_str_bytes(const cubby_object_t *object)
{
    return ((const cubby_str_t *)(const void *)object)->bytes;
}

static inline size_t cubby_str_size(const cubby_object_t *object)
{
    return ((const cubby_str_t *)(const void *)object)->size;
}

/* ---- List ------------------------------------------------------------------------------------------------------- */

typedef struct cubby_list_object {
    cubby_object_t object;
    cubby_list_t list; /* of cubby_object_t *, each with a reference of the list's own */
} cubby_list_object_t;

/*
 * The functions take an object that is a list. An index counts from 0, a negative one from the end: -1 is the last item.
 * Outside that is CUBBY_ERROR_INDEX.
 */
CUBBY_API cubby_object_t *cubby_list_object_new(cubby_runtime_t *runtime);
CUBBY_API bool cubby_list_object_append(cubby_runtime_t *runtime, cubby_object_t *list, cubby_object_t *item);

/* Appends all items of another list, or of the same. CUBBY_ERROR_TYPE unless the other is a list. */
CUBBY_API bool cubby_list_object_extend(cubby_runtime_t *runtime, cubby_object_t *list, const cubby_object_t *other);

/* Before the item at index; at the size, behind all. */
CUBBY_API bool cubby_list_object_insert(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index,
                                        cubby_object_t *item);

/* Borrowed: valid while the list holds it. */
CUBBY_API cubby_object_t *cubby_list_object_get(cubby_runtime_t *runtime, const cubby_object_t *list, int64_t index);
CUBBY_API bool cubby_list_object_set(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index,
                                     cubby_object_t *item);

/* Takes the item out and gives the list's reference to the caller. */
CUBBY_API cubby_object_t *cubby_list_object_pop(cubby_runtime_t *runtime, cubby_object_t *list, int64_t index);

CUBBY_API void cubby_list_object_clear(cubby_runtime_t *runtime, cubby_object_t *list);

/*
 * Slices: the items from index `from` on and before index `to`, as list[from:to] in Python. Negative indices count from
 * the end here, too; one outside means the end that is nearest, so INT64_MAX is behind the last item. Where `to` is not
 * behind `from` the slice is empty, and lies before the item at `from`.
 *
 * slice_get      a new list of these items
 * slice_set      puts the items of another list, or of the same, in their place; there may be more or fewer of them.
 *                CUBBY_ERROR_TYPE unless that is a list
 * slice_delete   takes them out; needs no memory, and cannot fail
 */
CUBBY_API cubby_object_t *cubby_list_object_slice_get(cubby_runtime_t *runtime, const cubby_object_t *list,
                                                      int64_t from, int64_t to);
CUBBY_API bool cubby_list_object_slice_set(cubby_runtime_t *runtime, cubby_object_t *list, int64_t from, int64_t to,
                                           const cubby_object_t *items);
CUBBY_API void cubby_list_object_slice_delete(cubby_runtime_t *runtime, cubby_object_t *list, int64_t from, int64_t to);

static inline size_t cubby_list_object_size(const cubby_object_t *list)
{
    return ((const cubby_list_object_t *)(const void *)list)->list.size;
}

/* ---- Dict: keeps the order in which keys were first set --------------------------------------------------------- */

typedef struct cubby_dict_entry {
    cubby_object_t *key; /* NULL: was removed */
    cubby_object_t *value;
    uint64_t hash;
} cubby_dict_entry_t;

/*
 *                hash of a key
 *                      |
 *   index:  | -1 | 2 | -2 | 0 | -1 | 1 | -1 | -1 |     1 byte each up to 128 places, then 2, 4, 8
 *                  \________ | _______ |
 *                           \|        \|
 *   entries:  | key, value, hash | key, value, hash | ...   in the order in which they were set
 *
 * -1 is a place never used, -2 one whose entry was removed. Two thirds of the places may be used.
 */
typedef struct cubby_dict {
    cubby_object_t object;
    cubby_dict_entry_t *entries; /* NULL when there is room for none */
    size_t end;                  /* entries used, removed ones too */
    size_t capacity;             /* entries that fit where they are */
    size_t count;                /* of keys */
    void *index;                 /* NULL when there is no place */
    size_t filled;               /* places that are not -1 */
    unsigned index_bits;         /* places: two to the power of this */
} cubby_dict_t;

/*
 * The functions take an object that is a dict. A key is an object that can be hashed: an int, a float, a str, or one of
 * a host's type with a hash; otherwise CUBBY_ERROR_TYPE. 1 and 1.0 are the same key, the first one set stays. A NaN
 * equals nothing, so it is found only through the very object that was set.
 */
CUBBY_API cubby_object_t *cubby_dict_new(cubby_runtime_t *runtime);

/* Sets the value of a key, in place of the one it had. */
CUBBY_API bool cubby_dict_set(cubby_runtime_t *runtime, cubby_object_t *dict, cubby_object_t *key,
                              cubby_object_t *value);

/* Borrowed: valid while the dict holds it. CUBBY_ERROR_KEY when it is not there. */
CUBBY_API cubby_object_t *cubby_dict_get(cubby_runtime_t *runtime, const cubby_object_t *dict,
                                         const cubby_object_t *key);

/* As get, but a key that is not there is no error: the value is NULL. */
CUBBY_API bool cubby_dict_find(cubby_runtime_t *runtime, const cubby_object_t *dict, const cubby_object_t *key,
                               cubby_object_t **value);

/* CUBBY_ERROR_KEY when it is not there. A dict that becomes empty gives its memory back. */
CUBBY_API bool cubby_dict_remove(cubby_runtime_t *runtime, cubby_object_t *dict, const cubby_object_t *key);

CUBBY_API void cubby_dict_clear(cubby_runtime_t *runtime, cubby_object_t *dict);

/*
 * The entries in order, borrowed; *position is 0 for the first. False past the last. Keys may be removed meanwhile, and
 * values set for keys that are there, but none added.
 */
CUBBY_API bool cubby_dict_next(const cubby_object_t *dict, size_t *position, cubby_object_t **key,
                               cubby_object_t **value);

static inline size_t cubby_dict_size(const cubby_object_t *dict)
{
    return ((const cubby_dict_t *)(const void *)dict)->count;
}

#ifdef __cplusplus
}
#endif
#endif
