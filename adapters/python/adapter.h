/* SPDX-License-Identifier: MIT */
/* What the adapter installed in this process. */
#ifndef CUBBY_PYTHON_ADAPTER_H
#define CUBBY_PYTHON_ADAPTER_H

#include <cubby/domain.h>

/* True for a domain whose blocks are Cubby's. */
bool adapter_serves(cubby_domain_t domain);

/* The heap under the interpreter's lock that serves them; NULL when heaps of threads do, or nothing is served. */
cubby_heap_t *adapter_heap(void);

#endif
