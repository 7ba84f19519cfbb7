/* SPDX-License-Identifier: MIT */
/* The arms of the experiment: which allocator a child gets, said through its environment alone. */
#ifndef CUBBY_LAB_ARM_H
#define CUBBY_LAB_ARM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum arm_id {
    ARM_STOCK,     /* the interpreter as it is; the baseline of every pair */
    ARM_LIST_LIBC, /* 2016's baseline: the mem domain, and with it list buffers, on libc malloc */
    ARM_LIBC,
    ARM_CUBBY,
    ARM_MIMALLOC,
    ARM_JEMALLOC,
    ARM_TCMALLOC,
    ARM_COUNT
} arm_id_t;

enum { ARM_FILLS = 3 };

typedef struct arm {
    const char *name;
    const char *meaning;      /* for people */
    const char *variables[3]; /* "NAME=value", NULL after the last */
    const char *library;      /* file name of a peer, or NULL */
    bool adapted;             /* preloads Cubby's adapter */
    bool peer;                /* another allocator for all: what Cubby is to be faster than */
    bool selected;
    bool present;                /* what it preloads was found */
    bool dropped;                /* it failed during the experiment */
    char reason[256];            /* why it is not present or was dropped */
    char preload[PATH_MAX + 16]; /* "LD_PRELOAD=path", or empty */
    char fill[ARM_FILLS][64];    /* variables that mean nothing, "NAME=text"; the last used one is followed by "" */
} arm_t;

/* Everything a child's environment holds. */
typedef struct arm_environment {
    char hash_seed[40];
    const char *entries[16];
} arm_environment_t;

typedef struct arm_set {
    arm_t arms[ARM_COUNT];
    char path[8192]; /* "PATH=..." */
    char home[PATH_MAX + 16];
} arm_set_t;

/*
 * All arms, selected, with what they preload looked up. adapter is the path of Cubby's adapter, or NULL with the
 * reason why there is none.
 */
void arm_set_fill(arm_set_t *set, const char *adapter, const char *adapter_reason);

/* The arms of a program that is no Python: Cubby, which is linked to it, libc, and the peers. */
void arm_set_fill_native(arm_set_t *set);

/*
 * Of the arms that are selected, keeps those of a comma-separated list, and base. False, with the first wrong name, when
 * one is not among them.
 */
bool arm_set_select(arm_set_t *set, const char *list, arm_id_t base, char *wrong, size_t size);

/* Notes that an arm failed. False when that is known already. */
bool arm_drop(arm_t *arm, const char *reason);

/* True when the arm takes part: selected, present and not dropped. */
bool arm_is_in(const arm_t *arm);

/*
 * Makes the environments of all arms equal in number and length of their entries, for where the stack begins depends on
 * these, and with it the speed of some programs. An arm that preloads nothing preloads null_object, which does nothing;
 * shorter paths are stretched by slashes. False when null_object is NULL or a path is too long: nothing changes then.
 */
bool arm_set_even(arm_set_t *set, const char *null_object);

/*
 * The environment of one child. PATH and HOME are the caller's, the rest is fixed, so that nothing in the caller's
 * environment changes a result. Both children of a pair get the same hash_seed. The strings belong to set.
 */
void arm_environment_fill(const arm_set_t *set, const arm_t *arm, uint32_t hash_seed, arm_environment_t *environment);

/* Finds a shared library by file name in the system's library folders. */
bool library_find(const char *name, char *path, size_t size);

#endif
