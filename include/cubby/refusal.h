/* SPDX-License-Identifier: MIT */
/*
 * Why a change of tables was refused. The functions of domain.h and arena.h that return false set errno, and leave the
 * reason here.
 */
#ifndef CUBBY_REFUSAL_H
#define CUBBY_REFUSAL_H

#include <cubby/cubby.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cubby_refusal {
    CUBBY_REFUSAL_NONE,     /* nothing was refused yet */
    CUBBY_REFUSAL_ARGUMENT, /* EINVAL: no such domain, or a function is missing */
    CUBBY_REFUSAL_IN_USE,   /* EBUSY: memory was given out already, which the new table would not know */
    CUBBY_REFUSAL_PRESENT,  /* EBUSY: this hook is installed there already */
    CUBBY_REFUSAL_ABSENT,   /* EINVAL: this hook is not installed there */
    CUBBY_REFUSAL_COVERED,  /* EBUSY: a table that holds on to it stands above it, and is to be removed first */
    CUBBY_REFUSAL_CHANGED,  /* EBUSY: another table is in force than the one that was to be covered */
    CUBBY_REFUSAL_SIZES,    /* EINVAL: the sizes of the table's blocks cannot be asked for, so they cannot be limited */
    CUBBY_REFUSAL_MEMORY,   /* ENOMEM: no memory for the new table */
    CUBBY_REFUSAL_COUNT,
} cubby_refusal_t;

/* The reason of the calling thread's last refusal. */
CUBBY_API cubby_refusal_t cubby_refusal_get(void);

/* A reason as a sentence that says what to do, for any value. */
CUBBY_API const char *cubby_refusal_text(cubby_refusal_t refusal);

#ifdef __cplusplus
}
#endif
#endif
