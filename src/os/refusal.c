/* SPDX-License-Identifier: MIT */
#include "os/refusal.h"

#include <errno.h>

typedef struct reason {
    int error;
    const char *text;
} reason_t;

static const reason_t reasons[CUBBY_REFUSAL_COUNT] = {
    [CUBBY_REFUSAL_NONE] = {0, "nothing was refused"},
    [CUBBY_REFUSAL_ARGUMENT] = {EINVAL, "no such domain, or a function is missing: fill in the whole table"},
    [CUBBY_REFUSAL_IN_USE] = {EBUSY, "memory was given out already: make this change before the first allocation"},
    [CUBBY_REFUSAL_PRESENT] = {EBUSY, "this hook is installed there already: remove it first"},
    [CUBBY_REFUSAL_ABSENT] = {EINVAL, "this hook is not installed there: it was removed already, or never installed"},
    [CUBBY_REFUSAL_COVERED] = {EBUSY, "a table that covers it stands above it: put back what that table covers first"},
    [CUBBY_REFUSAL_CHANGED] = {EBUSY, "another table is in force by now: read it again, and cover that one"},
    [CUBBY_REFUSAL_SIZES] = {EINVAL, "the table does not tell the sizes of its blocks: limit a table of Cubby's"},
    [CUBBY_REFUSAL_MEMORY] = {ENOMEM, "the system gives no memory for the new table"},
};

/* One word, and initial-exec like all thread-local storage here, so that a library opened late still has room for it. */
static __thread cubby_refusal_t last __attribute__((tls_model("initial-exec")));

bool refuse(cubby_refusal_t refusal)
{
    last = refusal;
    errno = reasons[refusal].error;
    return false;
}

cubby_refusal_t cubby_refusal_get(void)
{
    return last;
}

const char *cubby_refusal_text(cubby_refusal_t refusal)
{
    return (unsigned)refusal < CUBBY_REFUSAL_COUNT ? reasons[refusal].text : "no such reason";
}
