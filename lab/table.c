/* SPDX-License-Identifier: MIT */
#include "lab/table.h"

#include <stdarg.h>
#include <string.h>

void table_begin(table_t *table, size_t columns, const char *const *headings)
{
    memset(table, 0, sizeof *table);
    table->columns = columns;
    table_row(table, headings[0]);
    for (size_t column = 1; column < columns; column++) {
        table_cell(table, column, "%s", headings[column]);
    }
}

void table_row(table_t *table, const char *name)
{
    if (table->rows < TABLE_ROW_MAX) {
        table->rows++;
    }
    table_cell(table, 0, "%s", name);
}

void table_cell(table_t *table, size_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): version 14 overlooks the line above. */
    vsnprintf(table->cells[table->rows - 1][column], TABLE_CELL_MAX, format, arguments);
    va_end(arguments);
}

void table_remark(table_t *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): version 14 overlooks the line above. */
    vsnprintf(table->remarks[table->rows - 1], sizeof table->remarks[0], format, arguments);
    va_end(arguments);
}

static size_t column_width(const table_t *table, size_t column)
{
    size_t widest = 0;
    for (size_t row = 0; row < table->rows; row++) {
        size_t width = strlen(table->cells[row][column]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

void table_print(const table_t *table, FILE *stream)
{
    size_t widths[TABLE_COLUMN_MAX] = {0};
    for (size_t column = 0; column < table->columns; column++) {
        widths[column] = column_width(table, column);
    }
    for (size_t row = 0; row < table->rows; row++) {
        fprintf(stream, "  %-*s", (int)widths[0], table->cells[row][0]);
        if (table->remarks[row][0] != '\0') {
            fprintf(stream, "  %s\n", table->remarks[row]);
            continue;
        }
        for (size_t column = 1; column < table->columns; column++) {
            fprintf(stream, "  %*s", (int)widths[column], table->cells[row][column]);
        }
        fputc('\n', stream);
    }
}

void number_group(long long number, char *text, size_t size)
{
    char digits[24], grouped[32];
    int length = snprintf(digits, sizeof digits, "%lld", number < 0 ? -number : number);
    size_t used = 0;
    if (number < 0) {
        grouped[used++] = '-';
    }
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            grouped[used++] = ',';
        }
        grouped[used++] = digits[i];
    }
    grouped[used] = '\0';
    snprintf(text, size, "%s", grouped);
}
