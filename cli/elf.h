/* SPDX-License-Identifier: MIT */
/*
 * Looks into an executable, as far as preloading goes. The file may be anything: every offset and length in it is
 * checked, every loop is bounded, and all is read with pread(), so that a file that shrinks meanwhile does no harm.
 */
#ifndef CUBBY_CLI_ELF_H
#define CUBBY_CLI_ELF_H

#include <stdbool.h>

typedef enum elf_kind {
    ELF_NONE,    /* not ELF, or not readable */
    ELF_DAMAGED, /* starts like ELF, but what it says of itself cannot be true */
    ELF_FOREIGN, /* of another word size, byte order or machine than this process */
    ELF_STATIC,  /* no program interpreter: ld.so never runs */
    ELF_DYNAMIC,
} elf_kind_t;

typedef struct elf_facts {
    elf_kind_t kind;
    bool exports_hook;    /* defines PyMem_SetAllocator for others */
    bool needs_libpython; /* names a libpython among the libraries it needs */
} elf_facts_t;

elf_facts_t elf_read(const char *path);

#endif
