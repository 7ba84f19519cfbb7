/* SPDX-License-Identifier: MIT */
/*
 * An interpreter of a small stack language, to show how one is built on <cubby/object.h>; README.md is its manual.
 *
 *     stack [--stats] [--check] [--small] [FILE]
 */
#include <cubby/limit.h>
#include <cubby/object.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MOST = 100, ARGUMENTS_MOST = 3, SMALL_BYTES = 16 << 20, SMALL_STEPS = 100000 };

typedef struct stack {
    cubby_heap_t *heap; /* all that the interpreter ever takes, and destroyed with all of it */
    cubby_runtime_t *runtime;
    cubby_list_t values;   /* the stack: a plain list, which holds a reference to each value */
    cubby_object_t *names; /* a dict: what :name has stored */
    cubby_text_t source;
    size_t at;         /* where the next word is looked for */
    size_t word_at;    /* where the latest one began, for messages */
    size_t steps_left; /* words that may still be executed */
    unsigned nesting;  /* of blocks being executed */
} stack_t;

/* A type of the interpreter's own beside those of the library: code in round brackets. */
typedef struct block {
    cubby_object_t object;
    size_t start; /* in the source, behind the bracket */
} block_t;

static const cubby_type_t block_type = {.name = "block", .size = sizeof(block_t)};

typedef struct word {
    const char *start;
    size_t length;
} word_t;

static bool run_until(stack_t *stack, char closing);

static bool fail(stack_t *stack, const char *text)
{
    cubby_error_set(stack->runtime, CUBBY_ERROR_HOST, "%s", text);
    return false;
}

static bool expect(stack_t *stack, const cubby_object_t *object, const cubby_type_t *type)
{
    if (object->type != type) {
        cubby_error_set(stack->runtime, CUBBY_ERROR_TYPE, "this needs a %s, not a %s", type->name, object->type->name);
    }
    return object->type == type;
}

/* Takes the reference. NULL is a failure whose reason the runtime has, so results are pushed as they come. */
static bool push(stack_t *stack, cubby_object_t *value)
{
    if (value != NULL && !cubby_list_append(stack->heap, &stack->values, value)) {
        cubby_object_release(stack->runtime, value);
        return fail(stack, "no memory for the stack");
    }
    return value != NULL;
}

/* Gives the stack's reference to the caller. NULL: it is empty. */
static cubby_object_t *pop(stack_t *stack)
{
    cubby_object_t *value = cubby_list_pop(stack->heap, &stack->values);
    if (value == NULL) {
        (void)fail(stack, "this needs more values than the stack holds");
    }
    return value;
}

/* ---- Words ---- */

static cubby_object_t *word_less(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right)
{
    bool less;
    return cubby_number_less(runtime, left, right, &less) ? cubby_int_new(runtime, less) : NULL;
}

static bool word_print(stack_t *stack, cubby_object_t **a)
{
    cubby_text_t text = {0};
    bool shown = cubby_object_repr(stack->runtime, a[0], &text);
    if (shown) {
        (void)puts(text.bytes);
    }
    cubby_text_free(stack->runtime, &text);
    return shown;
}

static bool word_list(stack_t *stack, cubby_object_t **a)
{
    (void)a;
    return push(stack, cubby_list_object_new(stack->runtime));
}

static bool word_dict(stack_t *stack, cubby_object_t **a)
{
    (void)a;
    return push(stack, cubby_dict_new(stack->runtime));
}

static bool word_append(stack_t *stack, cubby_object_t **a)
{
    return expect(stack, a[0], &cubby_list_type) && cubby_list_object_append(stack->runtime, a[0], a[1]);
}

static bool word_get(stack_t *stack, cubby_object_t **a)
{
    cubby_object_t *found = NULL; /* borrowed */
    if (cubby_is_dict(a[0])) {
        found = cubby_dict_get(stack->runtime, a[0], a[1]);
    } else if (expect(stack, a[0], &cubby_list_type) && expect(stack, a[1], &cubby_int_type)) {
        found = cubby_list_object_get(stack->runtime, a[0], cubby_int_value(a[1]));
    }
    return found != NULL && push(stack, cubby_object_retain(found));
}

static bool word_put(stack_t *stack, cubby_object_t **a)
{
    return expect(stack, a[0], &cubby_dict_type) && cubby_dict_set(stack->runtime, a[0], a[1], a[2]);
}

/* Executes a block, and goes on behind the word that asked for it. */
static bool call(stack_t *stack, cubby_object_t *block)
{
    size_t behind = stack->at;
    if (!expect(stack, block, &block_type)) {
        return false;
    }
    stack->at = ((block_t *)(void *)block)->start;
    bool done = run_until(stack, ')');
    stack->at = behind;
    return done;
}

/* The first block leaves on the stack whether the second is executed once more. */
static bool word_while(stack_t *stack, cubby_object_t **a)
{
    for (bool more = true; more;) {
        cubby_object_t *condition = call(stack, a[0]) ? pop(stack) : NULL;
        if (condition == NULL) {
            return false;
        }
        more = !cubby_is_int(condition) || cubby_int_value(condition) != 0;
        cubby_object_release(stack->runtime, condition);
        if (more && !call(stack, a[1])) {
            return false;
        }
    }
    return true;
}

/* Either makes one value of two, or is given its arguments and pushes what it likes. */
static const struct {
    const char *name;
    size_t takes;
    cubby_object_t *(*operation)(cubby_runtime_t *runtime, const cubby_object_t *left, const cubby_object_t *right);
    bool (*action)(stack_t *stack, cubby_object_t **arguments);
} words[] = {
    {"+", 2, cubby_number_add, NULL},
    {"-", 2, cubby_number_subtract, NULL},
    {"*", 2, cubby_number_multiply, NULL},
    {"/", 2, cubby_number_divide, NULL},
    {"<", 2, word_less, NULL},
    {"print", 1, NULL, word_print},
    {"while", 2, NULL, word_while},
    {"get", 2, NULL, word_get},
    {"list", 0, NULL, word_list},
    {"append", 2, NULL, word_append},
    {"dict", 0, NULL, word_dict},
    {"put", 3, NULL, word_put},
};

static bool execute_word(stack_t *stack, word_t word)
{
    size_t found = 0;
    while (strlen(words[found].name) != word.length || memcmp(words[found].name, word.start, word.length) != 0) {
        if (++found == sizeof words / sizeof *words) {
            return fail(stack, "there is no such word");
        }
    }
    cubby_object_t *a[ARGUMENTS_MOST] = {NULL};
    size_t takes = words[found].takes;
    if (stack->values.size < takes) {
        return fail(stack, "this needs more values than the stack holds");
    }
    for (size_t i = takes; i-- > 0;) {
        a[i] = pop(stack);
    }
    bool done = words[found].action != NULL ? words[found].action(stack, a)
                                            : push(stack, words[found].operation(stack->runtime, a[0], a[1]));
    for (size_t i = 0; i < takes; i++) {
        cubby_object_release(stack->runtime, a[i]);
    }
    return done;
}

static bool is_bracket(char c)
{
    return c == '(' || c == ')';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The next word: a bracket, a string with its quotes, or what stands between spaces. Of no length at the end. */
static word_t word_next(stack_t *stack)
{
    const char *source = stack->source.bytes;
    size_t at = stack->at, size = stack->source.size;
    for (bool comment = false; at < size && (comment || source[at] == '#' || is_space(source[at])); at++) {
        comment = (comment || source[at] == '#') && source[at] != '\n';
    }
    size_t start = stack->word_at = at;
    if (at < size && source[at] == '"') {
        const char *end = memchr(source + at + 1, '"', size - at - 1);
        at = end == NULL ? size : (size_t)(end - source) + 1;
    } else {
        bool alone = at < size && is_bracket(source[at]);
        for (at += alone; !alone && at < size && !is_space(source[at]) && !is_bracket(source[at]); at++) {
        }
    }
    stack->at = at;
    return (word_t){source + start, at - start};
}

static bool push_number(stack_t *stack, word_t word)
{
    char text[64] = "", *end;
    memcpy(text, word.start, word.length < sizeof text ? word.length : 0);
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*end == '\0' && end != text && errno == 0) {
        return push(stack, cubby_int_new(stack->runtime, integer));
    }
    double value = strtod(text, &end);
    return *end == '\0' && end != text && errno == 0 ? push(stack, cubby_float_new(stack->runtime, value))
                                                     : fail(stack, "this is no number, or none that is possible here");
}

/* The block from here to its bracket, which is found by counting. */
static bool push_block(stack_t *stack)
{
    size_t opened = stack->word_at, start = stack->at;
    for (size_t depth = 1; depth > 0;) {
        word_t word = word_next(stack);
        if (word.length == 0) {
            stack->word_at = opened;
            return fail(stack, "this bracket is not closed");
        }
        depth = depth + (word.start[0] == '(') - (word.start[0] == ')');
    }
    cubby_object_t *block = cubby_object_new(stack->runtime, &block_type);
    if (block != NULL) {
        ((block_t *)(void *)block)->start = start;
    }
    return push(stack, block);
}

static bool execute_name(stack_t *stack, word_t word)
{
    cubby_object_t *name = cubby_str_new(stack->runtime, word.start + 1, word.length - 1), *value;
    bool stores = word.start[0] == ':', done = false;
    if (name == NULL) {
        return false;
    }
    if (stores && (value = pop(stack)) != NULL) {
        done = cubby_dict_set(stack->runtime, stack->names, name, value);
        cubby_object_release(stack->runtime, value);
    } else if (!stores && (value = cubby_dict_get(stack->runtime, stack->names, name)) != NULL) {
        done = push(stack, cubby_object_retain(value));
    }
    cubby_object_release(stack->runtime, name);
    return done;
}

static bool execute(stack_t *stack, word_t word)
{
    char first = word.start[0];
    if (stack->steps_left == 0) {
        return fail(stack, "the program takes more steps than it may");
    }
    stack->steps_left--;
    bool minus = first == '-' && word.length > 1;
    if (isdigit((unsigned char)word.start[minus])) {
        return push_number(stack, word);
    }
    switch (first) {
    case '"':
        return word.length > 1 && word.start[word.length - 1] == '"'
                   ? push(stack, cubby_str_new(stack->runtime, word.start + 1, word.length - 2))
                   : fail(stack, "this string does not end");
    case ':':
    case '$':
        return execute_name(stack, word);
    case '(':
        return push_block(stack);
    case ')':
        return fail(stack, "this bracket closes nothing");
    default:
        return execute_word(stack, word);
    }
}

/* Executes words up to a closing bracket, or with 0 up to the end. */
static bool run_until(stack_t *stack, char closing)
{
    size_t opened = stack->word_at;
    bool done = stack->nesting++ < NESTING_MOST || fail(stack, "brackets are nested too deeply");
    while (done) {
        word_t word = word_next(stack);
        if (word.length == 0 && closing != '\0') {
            stack->word_at = opened;
            done = fail(stack, "this bracket is not closed");
        } else if (word.length == 0 || word.start[0] == closing) {
            break;
        } else {
            done = execute(stack, word);
        }
    }
    stack->nesting--;
    return done;
}

/* Takes an interpreter and the program into the heap. */
static bool stack_begin(stack_t *stack, FILE *file)
{
    char buffer[4096];
    stack->runtime = cubby_runtime_create(stack->heap, NULL);
    stack->names = stack->runtime == NULL ? NULL : cubby_dict_new(stack->runtime);
    bool done = stack->names != NULL && cubby_text_add(stack->runtime, &stack->source, "", 0);
    for (size_t size; done && (size = fread(buffer, 1, sizeof buffer, file)) > 0;) {
        done = cubby_text_add(stack->runtime, &stack->source, buffer, size);
    }
    return done && ferror(file) == 0;
}

static void complain(const stack_t *stack, const char *name)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < stack->word_at; i++) {
        column = stack->source.bytes[i] == '\n' ? 1 : column + 1;
        line += stack->source.bytes[i] == '\n';
    }
    (void)fprintf(stderr, "%s:%zu:%zu: %s\n", name, line, column, cubby_error_get(stack->runtime)->text);
}

int main(int argc, char **argv)
{
    static const char *const flags[] = {"--stats", "--check", "--small"};
    bool given[3] = {false};
    const char *name = "/dev/stdin";
    for (int i = 1, flag; i < argc; i++) {
        for (flag = 0; flag < 3 && strcmp(argv[i], flags[flag]) != 0; flag++) {
        }
        if (flag < 3) {
            given[flag] = true;
        } else if (argv[i][0] == '-') {
            (void)fputs("usage: stack [--stats] [--check] [--small] [FILE]\n", stderr);
            return 2;
        } else {
            name = argv[i];
        }
    }
    bool stats = given[0], check = given[1], small = given[2];
    stack_t stack = {.heap = cubby_heap_create(), .steps_left = small ? SMALL_STEPS : SIZE_MAX};
    FILE *file = fopen(name, "re");
    if (file == NULL || stack.heap == NULL || !stack_begin(&stack, file)) {
        perror(name);
        return 2;
    }
    cubby_heap_limit_set(stack.heap, small ? SMALL_BYTES : SIZE_MAX);
    bool done = run_until(&stack, '\0');
    if (!done) {
        complain(&stack, name);
    }
    if (stats) {
        cubby_heap_stats_t held;
        cubby_heap_stats_get(stack.heap, &held);
        (void)fprintf(stderr, "%zu values on the stack, %zu names, %zu blocks in pools of %zu bytes\n",
                      stack.values.size, cubby_dict_size(stack.names), held.blocks_used, held.pool_bytes);
    }
    if (check && !cubby_heap_check(stack.heap)) {
        (void)fputs("stack: the heap is damaged\n", stderr);
        done = false;
    }
    cubby_heap_destroy(stack.heap); /* the values, the names, cycles, the program: everything */
    (void)fclose(file);
    return done ? 0 : 1;
}
