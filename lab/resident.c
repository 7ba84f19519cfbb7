/* SPDX-License-Identifier: MIT */
#include "lab/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long long larger_of(long long left, long long right)
{
    return left > right ? left : right;
}

void resident_begin(resident_t *resident)
{
    *resident = (resident_t){.step = RESIDENT_STEP_SECONDS};
}

/* Two points become one. The larger stays, so that no peak is lost. */
static void points_halve(resident_t *resident)
{
    size_t half = (resident->count + 1) / 2;
    for (size_t i = 0; i < half; i++) {
        size_t second = 2 * i + 1 < resident->count ? 2 * i + 1 : 2 * i;
        resident->kib[i] = larger_of(resident->kib[2 * i], resident->kib[second]);
    }
    resident->count = half;
    resident->step *= 2;
}

void resident_note(resident_t *resident, double seconds, long long kib)
{
    while (seconds >= resident->step * RESIDENT_POINT_MAX) {
        points_halve(resident);
    }
    size_t point = (size_t)(seconds / resident->step);
    if (point >= RESIDENT_POINT_MAX) { /* the quotient was rounded up */
        point = RESIDENT_POINT_MAX - 1;
    }
    if (point < resident->count) {
        resident->kib[point] = larger_of(resident->kib[point], kib);
        return;
    }
    long long before = resident->count > 0 ? resident->kib[resident->count - 1] : kib;
    while (resident->count < point) {
        resident->kib[resident->count++] = before;
    }
    resident->kib[resident->count++] = kib;
}

void resident_look(resident_t *resident, pid_t pid, double seconds)
{
    char path[64], line[128];
    if (seconds < RESIDENT_STEP_SECONDS) { /* it may still be a copy of this process */
        return;
    }
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    const char *space =
        fgets(line, sizeof line, file) != NULL ? strchr(line, ' ') : NULL; /* the size of all comes first */
    fclose(file);
    long long pages = space != NULL ? strtoll(space, NULL, 10) : 0;
    if (pages > 0) {
        resident_note(resident, seconds, pages * (sysconf(_SC_PAGESIZE) / 1024));
    }
}

json_t *resident_to_json(const resident_t *resident)
{
    json_t *points = json_array();
    for (size_t i = 0; i < resident->count; i++) {
        json_array_append_new(points, json_integer((json_int_t)resident->kib[i]));
    }
    return json_pack("{s:I, s:o}", "step_ms", (json_int_t)(resident->step * 1000 + 0.5), "kib", points);
}
