/* SPDX-License-Identifier: MIT */
/* Text on its way into HTML: nothing that a file says can become markup. */
#ifndef CUBBY_LAB_PAGE_MARKUP_H
#define CUBBY_LAB_PAGE_MARKUP_H

#include <stdio.h>

/* Writes text with the five characters that HTML takes for its own escaped; good in attributes too. */
void markup_text(FILE *page, const char *text);

/* An element with text in it: <name>text</name>. name is ours. */
void markup_element(FILE *page, const char *name, const char *text);

#endif
