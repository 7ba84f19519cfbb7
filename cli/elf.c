/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef ElfW(Ehdr) header_t;
typedef ElfW(Phdr) segment_t;
typedef ElfW(Dyn) dynamic_t;
typedef ElfW(Sym) symbol_t;

/* Real files stay far below these; a hostile one makes no more work than they allow. */
enum {
    SEGMENT_MAX = 256,
    DYNAMIC_MAX = 4096,
    CHAIN_MAX = 1 << 16, /* symbols looked at in one hash chain */
};

static const char hook_name[] = "PyMem_SetAllocator";

typedef struct image {
    int file;
    segment_t segments[SEGMENT_MAX];
    size_t segment_count;
    uint64_t strings; /* file offsets; 0 where there is none */
    uint64_t string_bytes;
    uint64_t symbols;
    uint64_t gnu_hash;
    uint64_t old_hash;
} image_t;

/* Reads exactly length bytes at an offset, or fails. */
static bool bytes_read(const image_t *image, uint64_t offset, void *buffer, size_t length)
{
    if (offset > INT64_MAX - length) {
        return false;
    }
    return pread(image->file, buffer, length, (off_t)offset) == (ssize_t)length;
}

/* The file offset of an address that a loaded segment takes from the file; 0 when there is none. */
static uint64_t address_to_offset(const image_t *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const segment_t *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            uint64_t inside = address - segment->p_vaddr;
            return segment->p_offset <= UINT64_MAX - inside ? segment->p_offset + inside : 0;
        }
    }
    return 0;
}

static const segment_t *segment_find(const image_t *image, uint32_t type)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        if (image->segments[i].p_type == type) {
            return &image->segments[i];
        }
    }
    return NULL;
}

/* True when the string table holds `text` at `place`: all of it with its zero byte, or, as a prefix, without. */
static bool string_matches(const image_t *image, uint64_t place, const char *text, bool prefix)
{
    char found[sizeof hook_name];
    size_t length = strlen(text) + !prefix;
    if (image->strings == 0 || length > sizeof found || image->string_bytes < length ||
        place > image->string_bytes - length || place > UINT64_MAX - image->strings) {
        return false;
    }
    return bytes_read(image, image->strings + place, found, length) && memcmp(found, text, length) == 0;
}

static bool symbol_is_hook(const image_t *image, uint64_t index)
{
    symbol_t symbol;
    if (!bytes_read(image, image->symbols + index * sizeof symbol, &symbol, sizeof symbol)) {
        return false;
    }
    return symbol.st_shndx != SHN_UNDEF && string_matches(image, symbol.st_name, hook_name, false);
}

/* The hash of the GNU table: 33 times what came before, plus the character. */
static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++) {
        hash = hash * 33 + (unsigned char)*name;
    }
    return hash;
}

/*
 * GNU table: four words (buckets, first hashed symbol, bloom words, shift), the bloom filter, the buckets with the
 * first symbol of each chain, then a hash for each symbol whose lowest bit ends the chain.
 */
static bool hook_in_gnu_table(const image_t *image)
{
    uint32_t head[4], symbol;
    if (!bytes_read(image, image->gnu_hash, head, sizeof head) || head[0] == 0) {
        return false;
    }
    uint32_t hash = gnu_hash(hook_name);
    uint64_t buckets = image->gnu_hash + sizeof head + (uint64_t)head[2] * sizeof(ElfW(Addr));
    uint64_t chains = buckets + (uint64_t)head[0] * sizeof symbol;
    if (!bytes_read(image, buckets + (uint64_t)(hash % head[0]) * sizeof symbol, &symbol, sizeof symbol) ||
        symbol < head[1]) {
        return false;
    }
    for (uint32_t i = 0; i < CHAIN_MAX; i++) {
        uint32_t entry;
        uint64_t place = (uint64_t)symbol - head[1] + i;
        if (!bytes_read(image, chains + place * sizeof entry, &entry, sizeof entry)) {
            return false;
        }
        if ((entry | 1) == (hash | 1) && symbol_is_hook(image, (uint64_t)symbol + i)) {
            return true;
        }
        if ((entry & 1) != 0) {
            return false;
        }
    }
    return false;
}

/* The older table begins with the number of buckets and the number of symbols; the symbols are simply all tried. */
static bool hook_in_old_table(const image_t *image)
{
    uint32_t head[2];
    if (!bytes_read(image, image->old_hash, head, sizeof head)) {
        return false;
    }
    for (uint32_t i = 0; i < head[1] && i < CHAIN_MAX; i++) {
        if (symbol_is_hook(image, i)) {
            return true;
        }
    }
    return false;
}

/* Notes where the tables are that the dynamic section names. */
static void dynamic_note(image_t *image, const dynamic_t *entry)
{
    uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_STRTAB:
        image->strings = address_to_offset(image, value);
        break;
    case DT_STRSZ:
        image->string_bytes = value;
        break;
    case DT_SYMTAB:
        image->symbols = address_to_offset(image, value);
        break;
    case DT_GNU_HASH:
        image->gnu_hash = address_to_offset(image, value);
        break;
    case DT_HASH:
        image->old_hash = address_to_offset(image, value);
        break;
    default:
        break;
    }
}

/* Reads entry number i of the dynamic section. False at its end. */
static bool dynamic_read(const image_t *image, const segment_t *segment, size_t i, dynamic_t *entry)
{
    uint64_t place = (uint64_t)i * sizeof *entry;
    if (i >= DYNAMIC_MAX || segment->p_filesz < sizeof *entry || place > segment->p_filesz - sizeof *entry ||
        place > UINT64_MAX - segment->p_offset) {
        return false;
    }
    return bytes_read(image, segment->p_offset + place, entry, sizeof *entry) && entry->d_tag != DT_NULL;
}

static void dynamic_facts(image_t *image, const segment_t *segment, elf_facts_t *facts)
{
    dynamic_t entry;
    for (size_t i = 0; dynamic_read(image, segment, i, &entry); i++) {
        dynamic_note(image, &entry);
    }
    for (size_t i = 0; dynamic_read(image, segment, i, &entry); i++) {
        if (entry.d_tag == DT_NEEDED && string_matches(image, entry.d_un.d_val, "libpython", true)) {
            facts->needs_libpython = true;
        }
    }
    if (image->symbols == 0 || image->strings == 0) {
        return;
    }
    facts->exports_hook = (image->gnu_hash != 0 && hook_in_gnu_table(image)) ||
                          (image->gnu_hash == 0 && image->old_hash != 0 && hook_in_old_table(image));
}

/* Word size, byte order and machine of this process, read from its own executable. */
static bool header_is_native(const header_t *header)
{
    header_t own;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool known = file >= 0 && pread(file, &own, sizeof own, 0) == (ssize_t)sizeof own;
    if (file >= 0) {
        close(file);
    }
    return !known || (header->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
                      header->e_ident[EI_DATA] == own.e_ident[EI_DATA] && header->e_machine == own.e_machine);
}

static bool segments_read(image_t *image, const header_t *header)
{
    if (header->e_phentsize != sizeof(segment_t) || header->e_phnum == 0 || header->e_phnum > SEGMENT_MAX) {
        return false;
    }
    image->segment_count = header->e_phnum;
    return bytes_read(image, header->e_phoff, image->segments, image->segment_count * sizeof(segment_t));
}

static void image_facts(image_t *image, elf_facts_t *facts)
{
    header_t header;
    unsigned char start[EI_NIDENT + 4]; /* up to the machine: the same in all forms of ELF */
    if (!bytes_read(image, 0, start, sizeof start) || memcmp(start, ELFMAG, SELFMAG) != 0) {
        return;
    }
    memset(&header, 0, sizeof header);
    memcpy(&header, start, sizeof start);
    facts->kind = ELF_FOREIGN;
    if (!header_is_native(&header)) {
        return;
    }
    facts->kind = ELF_DAMAGED;
    if (!bytes_read(image, 0, &header, sizeof header) || !segments_read(image, &header)) {
        return;
    }
    facts->kind = ELF_STATIC;
    if (segment_find(image, PT_INTERP) == NULL) {
        return;
    }
    facts->kind = ELF_DYNAMIC;
    const segment_t *dynamic = segment_find(image, PT_DYNAMIC);
    if (dynamic != NULL) {
        dynamic_facts(image, dynamic, facts);
    }
}

elf_facts_t elf_read(const char *path)
{
    elf_facts_t facts = {.kind = ELF_NONE};
    image_t image;
    memset(&image, 0, sizeof image);
    image.file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (image.file >= 0) {
        image_facts(&image, &facts);
        close(image.file);
    }
    return facts;
}
