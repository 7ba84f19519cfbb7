/* SPDX-License-Identifier: MIT */
#include "lab/page/notes.h"

#include "lab/page/markup.h"

#include <math.h>
#include <string.h>

/* Beyond this, what stock beside itself shows is worth a word. */
#define NOISE_PERCENT 1.0

static void strings_print(const json_t *list, FILE *page)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text != NULL) {
            markup_element(page, "li", text);
        }
    }
}

static void arm_notes(const recorded_t *recorded, FILE *page)
{
    const json_t *arms = json_object_get(recorded->root, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const json_t *arm = json_array_get(arms, i);
        if (strcmp(recorded_text(arm, "state"), "measured") != 0 && recorded_text(arm, "reason")[0] != '\0') {
            fputs("<li>", page);
            markup_text(page, recorded_text(arm, "name"));
            fputs(" is not here: ", page);
            markup_text(page, recorded_text(arm, "reason"));
            fputs("</li>\n", page);
        }
    }
}

static void exclusions_note(const json_t *row, FILE *page)
{
    const json_t *pairs = json_object_get(row, "pairs");
    size_t excluded = 0;
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        excluded += !recorded_pair_counts(json_array_get(pairs, i));
    }
    if (excluded > 0) {
        fputs("<li>", page);
        markup_text(page, recorded_text(row, "name"));
        fprintf(page, ": %zu of %zu pairs do not count</li>\n", excluded, json_array_size(pairs));
    }
}

static void noise_note(const json_t *row, FILE *page)
{
    recorded_change_t change;
    if (!recorded_compare(row, "stock", "stock", &change)) {
        return;
    }
    double percent = (change.estimate.value - 1) * 100;
    if (fabs(percent) > NOISE_PERCENT) {
        fputs("<li>", page);
        markup_text(page, recorded_text(row, "name"));
        fprintf(page, ": stock beside itself differs by %+.2f %%; smaller differences than that say nothing</li>\n",
                percent);
    }
}

/* The rules that were fixed beforehand, and what each took. */
static void rules_note(const json_t *rules, FILE *page)
{
    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i);
        fputs("<li>Rule of exclusion, ", page);
        markup_text(page, recorded_text(rule, "reason"));
        fputs(": ", page);
        markup_text(page, recorded_text(rule, "meaning"));
        fprintf(page, " (%.0f pairs)</li>\n", recorded_number(rule, "pairs"));
    }
}

static void row_notes(const json_t *row, FILE *page)
{
    const char *arm;
    json_t *reason;
    if (recorded_text(row, "note")[0] != '\0') {
        fputs("<li>", page);
        markup_text(page, recorded_text(row, "name"));
        fputs(": ", page);
        markup_text(page, recorded_text(row, "note"));
        fputs("</li>\n", page);
    }
    json_object_foreach(json_object_get(row, "left_out"), arm, reason)
    {
        fputs("<li>", page);
        markup_text(page, recorded_text(row, "name"));
        fputs(": left out on ", page);
        markup_text(page, arm);
        fputs(": ", page);
        markup_text(page, json_is_string(reason) ? json_string_value(reason) : "");
        fputs("</li>\n", page);
    }
    exclusions_note(row, page);
    noise_note(row, page);
}

void notes_print_warnings(const recorded_t *recorded, FILE *page)
{
    const json_t *root = recorded->root, *machine = json_object_get(root, "machine");
    fputs("<h3>Before you believe it</h3>\n<ul>\n<li>%D is how many percent more processor time the second takes than "
          "the first; above zero, the first is faster.</li>\n",
          page);
    if (json_is_true(json_object_get(root, "quick"))) {
        fputs("<li>This is the quick form: small pieces, few pairs. It shows the direction, not the figure.</li>\n",
              page);
    }
    if (json_is_true(json_object_get(root, "budget_spent"))) {
        fputs("<li>The budget of time was spent before all passes were done.</li>\n", page);
    }
    if (json_array_size(json_object_get(machine, "cores_allowed")) == 1) {
        fputs("<li>Only one core could be used: pairs ran one after the other, and ratios are rougher.</li>\n", page);
    }
    strings_print(json_object_get(root, "warnings"), page);
    strings_print(json_object_get(machine, "warnings"), page);
    strings_print(json_object_get(json_object_get(root, "environment"), "warnings"), page);
    rules_note(json_object_get(root, "exclusions"), page);
    arm_notes(recorded, page);
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        row_notes(json_array_get(recorded->rows, i), page);
    }
    fputs("</ul>\n", page);
}

/* A word as a shell wants it: between apostrophes when it has anything but plain characters. */
static void word_print(const char *word, FILE *page)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        markup_text(page, word);
        return;
    }
    markup_text(page, "'");
    for (; *word != '\0'; word++) {
        char one[] = {*word, '\0'};
        markup_text(page, *word == '\'' ? "'\\''" : one);
    }
    markup_text(page, "'");
}

/* The first word is the name of the command itself, of two words. */
static void bench_print(const recorded_t *recorded, FILE *page)
{
    const json_t *command = json_object_get(recorded->root, "command");
    bool seeded = false;
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        word = word != NULL ? word : "";
        if (i == 0) {
            markup_text(page, word);
        } else {
            fputc(' ', page);
            word_print(word, page);
        }
        seeded = seeded || strncmp(word, "--seed=", strlen("--seed=")) == 0;
    }
    if (!seeded && json_is_integer(json_object_get(recorded->root, "seed"))) {
        fprintf(page, " --seed=%.0f", recorded_number(recorded->root, "seed"));
    }
    fputc('\n', page);
}

void notes_print_commands(const recorded_t *recorded, FILE *page)
{
    bool quick = json_is_true(json_object_get(recorded->root, "quick"));
    const json_t *arms = json_object_get(recorded->root, "arms");
    fputs("<h3>To do it again</h3>\n<p>All of it, with the same order and the same hash seeds:</p>\n<pre>", page);
    bench_print(recorded, page);
    fputs("</pre>\n<p>What an arm sets:</p>\n<pre>", page);
    for (size_t i = 0; i < json_array_size(arms); i++) {
        const json_t *arm = json_array_get(arms, i), *environment = json_object_get(arm, "environment");
        markup_text(page, recorded_text(arm, "name"));
        fputs(json_array_size(environment) > 0 ? ":" : ": nothing", page);
        for (size_t j = 0; j < json_array_size(environment); j++) {
            const char *variable = json_string_value(json_array_get(environment, j));
            fputc(' ', page);
            word_print(variable != NULL ? variable : "", page);
        }
        fputc('\n', page);
    }
    fputs("</pre>\n<p>One run of each row, with an arm's variables in front:</p>\n<pre>", page);
    for (size_t i = 0; i < json_array_size(recorded->rows); i++) {
        const json_t *row = json_array_get(recorded->rows, i);
        const char *program = recorded_text(row, "program");
        word_print(recorded_text(recorded->root, "python"), page);
        fputs(program[0] != '\0' ? " lab/gupb/programs/" : " lab/seeds/", page);
        if (program[0] != '\0') {
            word_print(program, page);
            fputc(' ', page);
            word_print(recorded_text(row, "name"), page);
            fprintf(page, " --loops=%.0f%s\n", recorded_loops(row), quick ? " --quick" : "");
        } else {
            word_print(recorded_text(row, "name"), page);
            fprintf(page, ".py --rounds=%.0f\n", recorded_loops(row));
        }
    }
    fputs("</pre>\n", page);
}
