/* SPDX-License-Identifier: MIT */
#include "lab/page/page.h"

#include "lab/comparison.h"
#include "lab/page/bars.h"
#include "lab/page/markup.h"
#include "lab/page/memory.h"
#include "lab/page/notes.h"
#include "lab/page/resident.h"
#include "lab/page/spread.h"
#include "lab/page/tables.h"

#include <stdlib.h>
#include <string.h>

/* Colours have a contrast of at least 4.5 to what is behind them where they are text, and 3 where they are shapes. */
static const char style[] =
    ":root{color-scheme:light dark;--text:#1b1b1b;--back:#fff;--soft:#595959;--line:#d8d8d8;--faster:#1f6fb2;"
    "--slower:#b3471d;--panel:#f4f4f2;--arm1:#8a6a00;--arm2:#1b7f4b;--arm4:#7b3fa0;--arm6:#c2185b}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#eaeaea;--back:#161616;--soft:#b0b0b0;--line:#3c3c3c;"
    "--faster:#6cb0ea;--slower:#f0905f;--panel:#222;--arm1:#d9bd4a;--arm2:#5fc98f;--arm4:#c79bee;--arm6:#f77fb0}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--back);color:var(--text);"
    "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem}h2{font-size:1.3rem;border-top:2px solid var(--line);padding-top:1rem}h3{font-size:1.1rem}\n"
    "svg{display:block;width:100%;max-width:32rem;height:auto;margin:.5rem 0}\n"
    "svg text{font-size:12px;fill:var(--text);paint-order:stroke;stroke:var(--back);stroke-width:3px}\n"
    "svg .figure{text-anchor:end;font-variant-numeric:tabular-nums}\n"
    "svg .mark{text-anchor:middle;font-size:11px;fill:var(--soft)}\n"
    ".grid{stroke:var(--line)}.zero{stroke:var(--soft);stroke-width:1.5}\n"
    ".faster{fill:var(--faster)}.slower{fill:var(--slower)}\n"
    "svg .side{text-anchor:end;font-size:11px;fill:var(--soft)}\n"
    ".line{fill:none;stroke-width:1.7;stroke-linejoin:round}\n"
    ".arm0{stroke:var(--soft)}.arm1{stroke:var(--arm1);stroke-dasharray:9 2}.arm2{stroke:var(--arm2);"
    "stroke-dasharray:5 3}.arm3{stroke:var(--faster);stroke-width:2.5}.arm4{stroke:var(--arm4);"
    "stroke-dasharray:9 3 2 3}.arm5{stroke:var(--slower);stroke-dasharray:2 2}.arm6{stroke:var(--arm6);"
    "stroke-dasharray:6 2 2 2 2 2}\n"
    ".peak{fill:none;stroke:var(--soft)}.settled{fill:var(--faster)}\n"
    ".whisker{stroke:var(--text);stroke-width:1.5;fill:none}.dot{fill:var(--faster);fill-opacity:.75}\n"
    ".wide{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding:.3rem 0}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;"
    "vertical-align:top}\n"
    "th[scope=row],th:first-child,.words{text-align:left}.words{white-space:normal}\n"
    "pre{background:var(--panel);padding:.6rem;overflow-x:auto;white-space:pre-wrap}\n"
    "summary{cursor:pointer;padding:.3rem 0}\n";

static void head_print(FILE *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Cubby: measured results</title>\n<style>\n",
          page);
    fputs(style, page);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>Cubby: measured results</h1>\n", page);
}

static int bar_compare(const void *left, const void *right)
{
    double a = ((const bar_t *)left)->change.estimate.value, b = ((const bar_t *)right)->change.estimate.value;
    return (a < b) - (a > b);
}

static void arm_print(const recorded_t *recorded, const json_t *arm, FILE *page)
{
    char title[512];
    size_t count = 0;
    comparison_view_t view = comparison_view("stock", recorded_text(arm, "name"));
    bar_t *bars = calloc(json_array_size(recorded->rows), sizeof *bars);
    for (size_t i = 0; bars != NULL && i < json_array_size(recorded->rows); i++) {
        bars[count].row = json_array_get(recorded->rows, i);
        count += recorded_compare(bars[count].row, view.base, view.arm, &bars[count].change);
    }
    if (count > 0) {
        bool itself = strcmp(view.base, view.arm) == 0;
        qsort(bars, count, sizeof *bars, bar_compare);
        snprintf(title, sizeof title, "%s over %s", view.arm, itself ? "itself: noise alone" : view.base);
        markup_element(page, "h3", title);
        markup_element(page, "p", recorded_text(arm, "meaning"));
        snprintf(title, sizeof title, "%s over %s: %%D of each benchmark, with its 95 %% interval", view.arm,
                 view.base);
        bars_print(bars, count, title, page);
        tables_print_bars(bars, count, page);
    }
    free(bars);
}

static void spreads_print(const recorded_t *recorded, FILE *page)
{
    fputs("<h3>Each benchmark</h3>\n<p>A dot for each pair, in percent: how much longer stock took than the arm "
          "beside it. The line is the median. "
          "Below it the peak of each arm as an outline, filled up to what was left when the program had settled, and "
          "the resident size over the whole run as a line, where that was measured. A run begins with the start of the "
          "program; everything has been dropped two seconds before its end. Its seconds are no measure of speed: "
          "several such runs may share the machine.</p>\n",
          page);
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        const json_t *row = json_array_get(recorded->rows, i);
        fputs("<details", page);
        fputs(i == 0 ? " open><summary>" : "><summary>", page);
        markup_text(page, recorded_text(row, "name"));
        fputs("</summary>\n", page);
        spread_print(row, json_object_get(recorded->root, "arms"), page);
        memory_print(row, json_object_get(recorded->root, "arms"), page);
        resident_print(row, json_object_get(recorded->root, "arms"), page);
        tables_print_resident(row, json_object_get(recorded->root, "arms"), page);
        tables_print_figures(row, page);
        fputs("</details>\n", page);
    }
}

static void file_print(const recorded_t *recorded, FILE *page)
{
    const json_t *arms = json_object_get(recorded->root, "arms");
    const char *name = strrchr(recorded->path, '/');
    fputs("<section>\n<h2>", page);
    markup_text(page, recorded->suite);
    fputs(", ", page);
    markup_text(page, name != NULL ? name + 1 : recorded->path);
    fputs("</h2>\n<p>Measured ", page);
    markup_text(page, recorded_text(recorded->root, "date"));
    fputs(" with Cubby ", page);
    markup_text(page, recorded_text(recorded->root, "cubby"));
    fputs(".</p>\n", page);
    notes_print_warnings(recorded, page);
    tables_print_object(json_object_get(recorded->root, "noise_floor"), "Stock beside itself: the noise floor", page);
    for (size_t i = 0; i < json_array_size(arms); i++) {
        arm_print(recorded, json_array_get(arms, i), page);
    }
    fputs("<h3>Memory and counters</h3>\n", page);
    tables_print_counters(recorded, page);
    spreads_print(recorded, page);
    fputs("<h3>The machine</h3>\n", page);
    tables_print_object(json_object_get(recorded->root, "machine"), "What of the machine can move a result", page);
    tables_print_object(json_object_get(recorded->root, "environment"), "The environment", page);
    notes_print_commands(recorded, page);
    fputs("</section>\n", page);
}

void page_print(const recorded_t *files, size_t count, FILE *page)
{
    head_print(page);
    for (size_t i = 0; i < count; i++) {
        file_print(&files[i], page);
    }
    fputs("</main>\n</body>\n</html>\n", page);
}
