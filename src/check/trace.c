/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "check/trace.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

struct check_trace {
    const check_trace_t *next; /* in its bucket */
    uint64_t hash;
    uint32_t depth;
    uint32_t length;
    void *frames[]; /* [depth], then the text */
};

enum { BUCKETS = 4096 };

static struct {
    cubby_heap_t *memory;
    const check_trace_t *buckets[BUCKETS];
    unsigned depth;
    cubby_check_place_t place;
    void *place_ctx;
} traces;

/* The thread is looking where it is: what is allocated meanwhile gets no trace. */
static __thread bool looking __attribute__((tls_model("initial-exec")));

void traces_begin(cubby_heap_t *meta, unsigned depth)
{
    memset((void *)traces.buckets, 0, sizeof traces.buckets);
    traces.memory = meta;
    traces.depth = depth < TRACE_DEPTH_MOST ? depth : TRACE_DEPTH_MOST;
    traces.place = NULL;
    if (depth > 0) { /* the first call loads a library, and so allocates: not in the middle of somebody's request */
        trace_draft_t draft;
        trace_take(&draft);
    }
}

void traces_ask(cubby_check_place_t place, void *ctx)
{
    traces.place_ctx = ctx;
    traces.place = place;
}

void trace_take(trace_draft_t *draft)
{
    draft->depth = 0;
    draft->length = 0;
    if (traces.depth == 0 || looking) {
        return;
    }
    int saved = errno;
    looking = true;
    draft->depth = backtrace(draft->frames, (int)traces.depth + TRACE_OWN);
    if (traces.place != NULL) {
        draft->length = traces.place(traces.place_ctx, true, draft->text, sizeof draft->text);
    }
    looking = false;
    errno = saved;
}

static uint64_t bytes_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * 0x100000001b3U;
    }
    return hash;
}

static const char *trace_text(const check_trace_t *trace)
{
    return (const char *)(trace->frames + trace->depth);
}

static bool trace_is(const check_trace_t *trace, const trace_draft_t *draft, uint64_t hash)
{
    return trace->hash == hash && trace->depth == (uint32_t)draft->depth && trace->length == draft->length &&
           memcmp((const void *)trace->frames, (const void *)draft->frames, trace->depth * sizeof(void *)) == 0 &&
           memcmp(trace_text(trace), draft->text, draft->length) == 0;
}

const check_trace_t *trace_keep(const trace_draft_t *draft)
{
    if (draft->depth == 0 && draft->length == 0) {
        return NULL;
    }
    size_t frame_bytes = (size_t)draft->depth * sizeof(void *);
    uint64_t hash = bytes_hash(0xcbf29ce484222325U, (const void *)draft->frames, frame_bytes);
    hash = bytes_hash(hash, draft->text, draft->length);
    const check_trace_t **bucket = &traces.buckets[(hash ^ hash >> 32) % BUCKETS];
    for (const check_trace_t *trace = *bucket; trace != NULL; trace = trace->next) {
        if (trace_is(trace, draft, hash)) {
            return trace;
        }
    }
    check_trace_t *trace = cubby_heap_malloc(traces.memory, sizeof *trace + frame_bytes + draft->length);
    if (trace == NULL) {
        return NULL;
    }
    trace->next = *bucket;
    trace->hash = hash;
    trace->depth = (uint32_t)draft->depth;
    trace->length = (uint32_t)draft->length;
    memcpy((void *)trace->frames, (const void *)draft->frames, frame_bytes);
    memcpy((char *)(trace->frames + trace->depth), draft->text, draft->length);
    *bucket = trace;
    return trace;
}

/* ---- In words ---- */

/* The file that holds this code, when that is a library: the callers in it are not worth a line. */
static const void *own_library(void)
{
    Dl_info own;
    Dl_info program;
    const void *entry = dlsym(RTLD_DEFAULT, "main");
    if (dladdr((const void *)&traces, &own) == 0) {
        return NULL;
    }
    if (entry != NULL && dladdr(entry, &program) != 0 && program.dli_fbase == own.dli_fbase) {
        return NULL;
    }
    return own.dli_fbase;
}

static size_t frame_print(const void *frame, char *text, size_t size)
{
    Dl_info where;
    const char *call = (const char *)frame - 1; /* the return address may be the next function's first */
    int length;
    if (dladdr(call, &where) == 0 || where.dli_fname == NULL) {
        length = snprintf(text, size, "      %p\n", frame);
    } else {
        const char *slash = strrchr(where.dli_fname, '/');
        const char *file = slash != NULL ? slash + 1 : where.dli_fname;
        unsigned long in_file = (unsigned long)(call - (const char *)where.dli_fbase);
        if (where.dli_sname != NULL) {
            unsigned long in_function = (unsigned long)(call - (const char *)where.dli_saddr);
            length = snprintf(text, size, "      %s+%#lx (%s+%#lx)\n", where.dli_sname, in_function, file, in_file);
        } else {
            length = snprintf(text, size, "      %s+%#lx\n", file, in_file);
        }
    }
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

size_t trace_print(const check_trace_t *trace, char *text, size_t size)
{
    size_t used = 0;
    uint32_t frame = 0;
    const void *own = own_library();
    Dl_info where;
    while (own != NULL && frame < trace->depth && dladdr((const char *)trace->frames[frame] - 1, &where) != 0 &&
           where.dli_fbase == own) {
        frame++;
    }
    if (trace->length > 0 && trace->length + 8 < size) {
        used = (size_t)snprintf(text, size, "      %.*s", (int)trace->length, trace_text(trace));
    }
    for (unsigned shown = 0; frame < trace->depth && shown < traces.depth; frame++, shown++) {
        used += frame_print(trace->frames[frame], text + used, size - used);
    }
    return used;
}

size_t trace_runtime(char *text, size_t size)
{
    if (traces.place == NULL || looking) {
        return 0;
    }
    looking = true;
    size_t length = traces.place(traces.place_ctx, false, text, size);
    looking = false;
    return length;
}
