/* SPDX-License-Identifier: MIT */
/* What heaps hold, class by class (cubby.h says how it is counted), and the report at exit that CUBBY_STATS asks for. */
#ifndef CUBBY_HEAP_STATS_H
#define CUBBY_HEAP_STATS_H

#include <cubby/cubby.h>

#pragma GCC visibility push(hidden)

/* Once there is a heap: sees to the report of this process and of the children it forks, if one is asked for. */
void stats_report_at_exit(void);

/* The report: a heading with the process, and a line for each figure. Returns its length, less than size. */
size_t stats_print(char *text, size_t size);

#pragma GCC visibility pop

#endif
