/* SPDX-License-Identifier: MIT */
/* Text tables: rows are collected, then printed with columns as wide as their widest cell. */
#ifndef CUBBY_LAB_TABLE_H
#define CUBBY_LAB_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMN_MAX = 10, TABLE_ROW_MAX = 72, TABLE_CELL_MAX = 64 };

typedef struct table {
    size_t columns;
    size_t rows; /* the heading is the first */
    char cells[TABLE_ROW_MAX][TABLE_COLUMN_MAX][TABLE_CELL_MAX];
    char remarks[TABLE_ROW_MAX][256]; /* printed in place of the cells after the first, when not empty */
} table_t;

/* An empty table with a heading: as many names as columns. */
void table_begin(table_t *table, size_t columns, const char *const *headings);

/* A new row whose first cell is the name; the others are empty. Rows beyond TABLE_ROW_MAX replace the last. */
void table_row(table_t *table, const char *name);

/* Fills a cell of the last row. Text is plain ASCII and is cut to fit. */
void table_cell(table_t *table, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The last row has no cells but this sentence. */
void table_remark(table_t *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first column is set flush left, the others flush right. */
void table_print(const table_t *table, FILE *stream);

/* 1234567 as "1,234,567". */
void number_group(long long number, char *text, size_t size);

#endif
