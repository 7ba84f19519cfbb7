/* SPDX-License-Identifier: MIT */
#include "lab/page/markup.h"

void markup_text(FILE *page, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", page);
            break;
        case '<':
            fputs("&lt;", page);
            break;
        case '>':
            fputs("&gt;", page);
            break;
        case '"':
            fputs("&quot;", page);
            break;
        case '\'':
            fputs("&#39;", page);
            break;
        default:
            fputc(*text, page);
            break;
        }
    }
}

void markup_element(FILE *page, const char *name, const char *text)
{
    fprintf(page, "<%s>", name);
    markup_text(page, text);
    fprintf(page, "</%s>\n", name);
}
