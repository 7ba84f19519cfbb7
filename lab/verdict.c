/* SPDX-License-Identifier: MIT */
#include "lab/verdict.h"

#include <math.h>
#include <string.h>

void verdict_begin(verdict_t *verdict, long long own_kib)
{
    *verdict = (verdict_t){.behind = 0, .own_kib = own_kib};
}

void verdict_add(verdict_t *verdict, arm_id_t arm, double time, long long kib)
{
    if (isfinite(time) && 1 / time > verdict->behind) {
        verdict->behind = 1 / time;
        verdict->fastest = arm;
        verdict->known = true;
    }
    if (kib > 0 && (verdict->least_kib == 0 || kib < verdict->least_kib)) {
        verdict->least_kib = kib;
        verdict->smallest = arm;
        verdict->known = true;
    }
}

void verdict_end(verdict_t *verdict)
{
    verdict->slower = verdict->behind > VERDICT_TIED;
    verdict->larger =
        verdict->least_kib > 0 && (double)verdict->own_kib > VERDICT_SIZE_MOST * (double)verdict->least_kib;
}

bool verdict_is_behind(const verdict_t *verdict)
{
    return verdict->slower || verdict->larger;
}

void verdict_cell(table_t *table, size_t column, const verdict_t *verdict, const char *size)
{
    if (verdict_is_behind(verdict)) {
        table_cell(table, column, "%s%s%s", verdict->slower ? "time" : "",
                   verdict->slower && verdict->larger ? ", " : "", verdict->larger ? size : "");
    }
}

void verdict_print(const verdict_t *verdict, const arm_set_t *set, const char *size, FILE *stream)
{
    if (verdict->slower) {
        fprintf(stream, " %.2f times the time of %s%s", verdict->behind, set->arms[verdict->fastest].name,
                verdict->larger ? ";" : "");
    }
    if (verdict->larger) {
        fprintf(stream, " %.1f MiB %s, %s %.1f", (double)verdict->own_kib / 1024, size,
                set->arms[verdict->smallest].name, (double)verdict->least_kib / 1024);
    }
    fputc('\n', stream);
}

void verdicts_print(const verdict_t *verdicts, size_t count, const char *size, FILE *stream)
{
    size_t known = 0, behind = 0;
    for (size_t i = 0; i < count; i++) {
        known += verdicts[i].known;
        behind += verdict_is_behind(&verdicts[i]);
    }
    fprintf(
        stream,
        "\nCubby is first or tied in time (within %.0f %%), and at most %.0f %% above the lowest %s size, in %zu of "
        "%zu rows.\n",
        (VERDICT_TIED - 1) * 100, (VERDICT_SIZE_MOST - 1) * 100, size, known - behind, known);
    if (behind > 0) {
        fputs("It is behind in\n", stream);
    }
}

json_t *verdict_to_json(const verdict_t *verdict, const arm_set_t *set, const char *size)
{
    if (!verdict->known) {
        return json_null();
    }
    char key[48];
    snprintf(key, sizeof key, "smallest_other_%s_kib", size);
    return json_pack("{s:b, s:s, s:f, s:b, s:s, s:I}", "slower", verdict->slower, "fastest_other",
                     set->arms[verdict->fastest].name, "time_over_fastest_other", verdict->behind, "larger",
                     verdict->larger, "smallest_other", set->arms[verdict->smallest].name, key,
                     (json_int_t)verdict->least_kib);
}
