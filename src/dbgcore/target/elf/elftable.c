/*
 * Tables of names and functions in an ELF file, as its relocations fill them:
 * a runtime without symbols names by them what its libraries call.
 */
#include "target/elf.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// A relocation without symbol: where the linker puts which address.
struct placed {
	uint64_t place; // 0: it does not
	uint64_t addr;
	bool code; // the address is one of code
};

static bool is_code(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_LOAD && s->flags & PF_X && addr >= s->addr &&
		    addr - s->addr < s->size)
			return true;
	}
	return false;
}

// The file offset of a string that is linked for @addr and begins as a name
// does, in a segment that is not written; 0: there is none.
static uint64_t name_at(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || s->flags & (PF_W | PF_X) ||
		    addr <= s->addr || addr - s->addr >= s->file_size)
			continue;
		uint64_t offset = s->offset + (addr - s->addr);
		struct bytes b = bytes_slice(elf->file, offset - 1, 2);

		return b.n && !b.p[0] && (isalpha(b.p[1]) || b.p[1] == '_')
			   ? offset
			   : 0;
	}
	return 0;
}

// Decode the relocation @i; zeros behind the last one.
static struct placed placed_at(const struct elf *elf, size_t i)
{
	const struct bytes *all = &elf->relocations;
	Elf64_Rela r;

	if (i >= all->n / sizeof(r))
		return (struct placed){0};
	memcpy(&r, all->p + i * sizeof(r), sizeof(r));
	if (ELF64_R_SYM(r.r_info))
		return (struct placed){0};
	return (struct placed){r.r_offset, (uint64_t)r.r_addend,
			       is_code(elf, (uint64_t)r.r_addend)};
}

void elf_table_read(const struct elf *elf, struct elf_table *ret)
{
	size_t n = elf->relocations.n / sizeof(Elf64_Rela), cap = 0;
	uint64_t taken = 0;
	struct placed before = {0}, at = placed_at(elf, 0), behind;

	*ret = (struct elf_table){0};
	for (size_t i = 0; i < n; i++, before = at, at = behind) {
		struct elf_named named = {0};

		behind = placed_at(elf, i + 1);
		if (!at.place || at.code)
			continue;
		bool next = behind.code && behind.place - at.place == 8;
		// On the other side there may be something else, such as the
		// function of another name.
		if (next)
			named.code = behind.addr;
		else if (before.code && at.place - before.place == 8 &&
			 before.place != taken)
			named.code = before.addr;
		else
			continue;
		named.name = name_at(elf, at.addr);
		if (!named.name)
			continue;
		taken = next ? behind.place : before.place;
		mem_grow(&ret->v, &cap, ret->n, sizeof(*ret->v));
		ret->v[ret->n++] = named;
	}
}

void elf_table_deinit(struct elf_table *table)
{
	free(table->v);
	*table = (struct elf_table){0};
}

// Does another name in the table have the same code?
static bool is_folded(const struct elf_table *table, const struct elf_named *of)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->v[i].code == of->code &&
		    table->v[i].name != of->name)
			return true;
	return false;
}

void elf_table_find(const struct elf *elf, const struct elf_table *table,
		    const char *name, uint64_t ret[TARGET_OVERLOADS])
{
	size_t size = strlen(name) + 1, n = 0;

	memset(ret, 0, TARGET_OVERLOADS * sizeof(*ret));
	for (size_t i = 0; i < table->n && n < TARGET_OVERLOADS; i++) {
		const struct elf_named *named = &table->v[i];
		struct bytes b = bytes_slice(elf->file, named->name, size);

		if (b.n && !memcmp(b.p, name, size) && !is_folded(table, named))
			ret[n++] = named->code;
	}
}
