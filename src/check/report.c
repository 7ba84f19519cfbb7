/* SPDX-License-Identifier: MIT */
#include "check/report.h"

#include "os/lock.h"
#include "os/os.h"
#include "os/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *file;
    bool goes_on;
    cubby_check_report_t receiver;
    void *receiver_ctx;
} reports;

/* Said at once: who looks into the file only, days later, would take it for good news that it is not there. */
static void file_look(const char *file)
{
    int refusal = output_refusal(file);
    if (refusal != 0) {
        char text[512];
        int saved = errno;
        int length = snprintf(text, sizeof text,
                              "cubby: debug: %.200s cannot be written: %s; until it can, reports go to stderr\n", file,
                              strerror(refusal));
        os.write_error(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
        errno = saved;
    }
}

void reports_begin(const char *file, bool goes_on)
{
    reports.file = file;
    reports.goes_on = goes_on;
    reports.receiver = NULL;
    if (file != NULL) {
        file_look(file);
    }
}

void reports_hand_to(cubby_check_report_t receiver, void *ctx)
{
    reports.receiver_ctx = ctx;
    reports.receiver = receiver;
}

void report_add(report_t *report, const char *format, ...)
{
    va_list arguments;
    size_t left = sizeof report->text - report->length;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): version 14 overlooks the line above. */
    int length = vsnprintf(report->text + report->length, left, format, arguments);
    va_end(arguments);
    if (length > 0) {
        report->length += (size_t)length < left ? (size_t)length : left - 1;
    }
}

void report_add_trace(report_t *report, const char *title, const check_trace_t *trace)
{
    if (trace != NULL) {
        report_add(report, "  %s\n", title);
        report->length += trace_print(trace, report->text + report->length, sizeof report->text - report->length);
    }
}

const char *domain_name(unsigned domain)
{
    static const char *const names[DOMAIN_KINDS] = {
        [CUBBY_DOMAIN_RAW] = "raw",
        [CUBBY_DOMAIN_MEM] = "mem",
        [CUBBY_DOMAIN_OBJ] = "obj",
        [DOMAIN_NONE] = "none",
    };
    return names[domain];
}

void report_send(const report_t *report)
{
    if (reports.receiver != NULL) {
        reports.receiver(reports.receiver_ctx, report->text, report->length);
    }
    /* One at a time: the system cuts into what is longer than a page on its way into a pipe. */
    lock_take(LOCK_REPORTS);
    if (reports.file == NULL || !os.append(reports.file, report->text, report->length)) {
        os.write_error(report->text, report->length);
    }
    lock_drop(LOCK_REPORTS);
}

/* ---- One fault ---- */

static void damage_headline(report_t *report, const damage_t *damage)
{
    switch (damage->kind) {
    case DAMAGE_BEFORE:
        report_add(report, "write before the block");
        break;
    case DAMAGE_AFTER:
        report_add(report, "write after the block");
        break;
    default:
        report_add(report, "write to a freed block");
        break;
    }
}

static void fault_headline(report_t *report, const fault_t *fault)
{
    report_add(report, "cubby: debug: ");
    switch (fault->kind) {
    case FAULT_DAMAGE:
        damage_headline(report, &fault->damage);
        break;
    case FAULT_DOUBLE_FREE:
        report_add(report, "the block was freed before");
        break;
    case FAULT_FOREIGN:
        report_add(report, "the pointer is not a block of Cubby's");
        break;
    case FAULT_GONE:
        report_add(report, "no block is there: it was freed long ago, or never given out");
        break;
    case FAULT_INTERIOR:
        report_add(report, "the pointer is not the start of a block: it points %td bytes from the start of one",
                   (const char *)fault->pointer - fault->record.block);
        break;
    case FAULT_DOMAIN:
        report_add(report, "wrong domain: a block of domain %s is used as one of domain %s",
                   domain_name(fault->record.domain), domain_name(fault->domain_asked));
        break;
    case FAULT_SIZE:
        report_add(report, "wrong size: a block of %zu bytes is freed as one of %zu", fault->record.size,
                   fault->size_asked);
        break;
    case FAULT_HEAP:
        report_add(report, "wrong heap: a block of heap %p is used as one of heap %p", fault->front, fault->heap_asked);
        break;
    case FAULT_LOCK:
        report_add(report, "the lock that goes with domain %s, heap %p, is not held", domain_name(fault->domain_asked),
                   fault->heap_asked);
        break;
    default:
        report_add(report, "heap %p belongs to another thread", fault->heap_asked);
        break;
    }
    report_add(report, "\n");
}

static void report_add_block(report_t *report, const fault_t *fault)
{
    const check_record_t *record = &fault->record;
    report_add(report, "  block      %p, %zu bytes, domain %s, serial number %llu, heap %p\n",
               (const void *)record->block, record->size, domain_name(record->domain),
               (unsigned long long)record->serial, fault->front);
    report_add(report, "  allocated  by thread %u\n", record->thread);
    if (record->held) {
        report_add(report, "  freed      by thread %u\n", record->thread_freed);
    }
}

static void report_add_damage(report_t *report, const check_record_t *record, const damage_t *damage)
{
    report_add(report, "  wrong      bytes %td to %td of the block", damage->first, damage->last);
    if (damage->kind == DAMAGE_AFTER) {
        report_add(report, ", %td to %td after its end", damage->first - (ptrdiff_t)record->size,
                   damage->last - (ptrdiff_t)record->size);
    }
    report_add(report, "\n  found     ");
    for (size_t i = 0; i < damage->found_count; i++) {
        report_add(report, " %02x", damage->found[i]);
    }
    report_add(report, "%s\n  expected  ", (size_t)(damage->last - damage->first) < damage->found_count ? "" : " ...");
    report_add(report, " %02x in each byte\n", damage->expected);
}

static void fault_print(report_t *report, const fault_t *fault)
{
    fault_headline(report, fault);
    report_add(report, "  noticed    %s", fault->moment);
    if (fault->pointer != NULL) {
        report_add(report, " of %p", fault->pointer);
    }
    report_add(report, ", by thread %u\n", os.thread_id());
    if (fault->has_record) {
        report_add_block(report, fault);
    }
    if (fault->damage.kind != DAMAGE_NONE) {
        report_add_damage(report, &fault->record, &fault->damage);
    }
    if (fault->has_record) {
        report_add_trace(report, "allocated at", fault->record.allocated);
        report_add_trace(report, "freed at", fault->record.held ? fault->record.freed : NULL);
    }
    char text[4096];
    size_t length = trace_runtime(text, sizeof text);
    if (length > 0) {
        report_add(report, "  the runtime is at\n%.*s", (int)length, text);
    }
}

void faults_report(const faults_t *faults)
{
    if (faults->count == 0) {
        return;
    }
    int saved = errno;
    for (size_t i = 0; i < faults->count; i++) {
        report_t report;
        report.length = 0;
        fault_print(&report, &faults->at[i]);
        if (i + 1 == faults->count && !reports.goes_on) {
            report_add(&report, "  the program is aborted; with CUBBY_DEBUG_CONTINUE=1 it goes on\n");
        }
        report_send(&report);
    }
    if (!reports.goes_on) {
        abort();
    }
    errno = saved;
}
