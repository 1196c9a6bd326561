/* An ELF file of anybody's making, and a maps file for good measure. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "target/elf.h"
#include "target/proc.h"
#include "target/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct elf *elf)
{
	struct elf_symbol symbol;
	struct symtab all = {0};
	struct elf_table table;
	uint64_t start, end, found[TARGET_OVERLOADS];

	symtab_add(&all, elf);
	const struct elf_symbol *at = symtab_at(&all, elf->entry);
	if (at && (at->addr > elf->entry || !*at->name))
		elf_symbol_find(elf, at->name, &symbol);
	symtab_deinit(&all);
	if (elf->debug_link && !strlen(elf->debug_link))
		abort();
	elf_symbol_find(elf, "main", &symbol);
	elf_table_read(elf, &table);
	elf_table_find(elf, &table, "main", found);
	elf_table_deinit(&table);
	elf_text(elf, &start, &end);
	struct bytes id = elf_build_id(elf);
	if (id.n &&
	    (id.p < elf->file.p || id.p + id.n > elf->file.p + elf->file.n))
		abort();
}

static void read_maps(const uint8_t *data, size_t size)
{
	struct proc_maps maps;

	proc_maps_parse(xstrndup((const char *)data, size), &maps);
	for (size_t i = 0; i < maps.n; i++)
		if (maps.v[i].end <= maps.v[i].start)
			abort();
	proc_maps_find(&maps, size);
	proc_maps_deinit(&maps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf elf;
	struct dbg_error *err = elf_parse((struct bytes){data, size}, &elf);

	if (!err)
		look_up(&elf);
	dbg_error_destroy(err);
	if (size)
		read_maps(data, size);
	return 0;
}
