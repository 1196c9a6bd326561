/*
 * ELF64 files, little endian, as bytes: segments, symbols, build id, the name
 * of the file that debug information was moved to.
 * Every offset and count comes from the file and is checked against it.
 */
#ifndef TARGET_ELF_H
#define TARGET_ELF_H

#include "base/reader.h"
#include "dbg.h"
#include "target/target.h"

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, addr, file_size, size;
};

enum {
	ELF_SEGMENTS_MAX = 64,
};

struct elf {
	struct bytes file;
	uint16_t machine;
	uint16_t type;
	uint64_t entry;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	size_t n_segments;
	struct bytes symbols;     /* .dynsym, whole entries */
	struct bytes strings;     /* .dynstr */
	struct bytes relocations; /* whole entries of RELA */
	struct bytes all_symbols; /* .symtab, n 0: stripped */
	struct bytes all_strings;
	struct bytes constants; /* .rodata */
	const char *debug_link; /* file name in .gnu_debuglink, NULL: none */
	uint32_t debug_crc;     /* of that file */
};

struct elf_symbol {
	const char *name; /* in the file, terminated */
	uint64_t addr;    /* before relocation of the image */
	uint64_t size;
};

/* Parse @file, which must live as long as @ret; nothing is allocated. */
DBG_MUST struct dbg_error *elf_parse(struct bytes file, struct elf *ret);
/* The machine (e_machine) of the ELF file that begins with @file. */
DBG_MUST struct dbg_error *elf_machine(struct bytes file, uint16_t *ret);
/* A defined function or object of that name. */
bool elf_symbol_find(const struct elf *elf, const char *name,
		     struct elf_symbol *ret);
typedef void elf_symbol_fn(void *arg, const struct elf_symbol *symbol);
/* Call @fn for each defined function, by .symtab and .dynsym. */
void elf_each_function(const struct elf *elf, elf_symbol_fn *fn, void *arg);

/*
 * A name in the file's constants and the function that a table pairs it with:
 * their addresses are next to each other.
 */
struct elf_named {
	uint64_t name; /* offset in the file */
	uint64_t code; /* before relocation of the image */
};

/* All entries of such a table. */
struct elf_table {
	struct elf_named *v;
	size_t n;
};

/*
 * Find the tables of names and functions of @elf, in data that only relocations
 * fill: a function is behind its name, or before it where there is none behind.
 * Linkers sort their relocations next to each other. Free it with
 * elf_table_deinit.
 */
void elf_table_read(const struct elf *elf, struct elf_table *ret);
void elf_table_deinit(struct elf_table *table);
/*
 * The addresses of the functions called @name, and 0 for the rest. A function
 * that is beside another name as well is left out: the linker has folded two of
 * the same code.
 */
void elf_table_find(const struct elf *elf, const struct elf_table *table,
		    const char *name, uint64_t ret[TARGET_OVERLOADS]);
/*
 * Read up to @n bytes of data linked for @addr, with relocations that name no
 * symbol applied, as if the image were loaded @bias from where it is linked.
 * Returns how many the file has.
 */
size_t elf_data_read(const struct elf *elf, uint64_t addr, uint64_t bias,
		     void *buf, size_t n);
/* Address that the file's first byte is linked for. */
uint64_t elf_base(const struct elf *elf);
/*
 * Get the executable segment; if there are several, the one with the entry
 * point.
 */
bool elf_text(const struct elf *elf, uint64_t *ret_start, uint64_t *ret_end);
/* NT_GNU_BUILD_ID; {NULL, 0}: none */
struct bytes elf_build_id(const struct elf *elf);

#endif
