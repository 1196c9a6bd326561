/*
 * Functions of native code by address: the symbols of an ELF file, and those
 * of the file that its debug information was moved to, sorted once.
 */
#ifndef TARGET_SYMTAB_H
#define TARGET_SYMTAB_H

#include "target/elf.h"

struct symtab {
	struct elf_symbol *v; /* names are in the files */
	size_t n, cap;
};

/* Take in the functions of @elf, which must outlive @s; then sort. */
void symtab_add(struct symtab *s, const struct elf *elf);
void symtab_deinit(struct symtab *s);
/*
 * Find the function that contains @addr (as linked); NULL: none. Of several
 * names the one with the fewest leading underscores.
 */
const struct elf_symbol *symtab_at(const struct symtab *s, uint64_t addr);

#endif
