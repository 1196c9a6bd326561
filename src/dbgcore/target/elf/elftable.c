/*
 * Tables of names and functions in an ELF file, as its relocations fill them:
 * a runtime without symbols names by them what its libraries call.
 */
#include "target/elf.h"

#include <elf.h>
#include <string.h>

// The bytes of @s between its relocations and its unwind information, where
// linkers put constants: the rest is most of it.
static struct bytes constants(const struct elf *elf,
			      const struct elf_segment *s, size_t *ret_start)
{
	struct bytes b = bytes_slice(elf->file, s->offset, s->file_size);
	const struct bytes *rela = &elf->relocations;

	*ret_start = 0;
	if (rela->n && b.n && rela->p >= b.p && rela->p < b.p + b.n)
		*ret_start = (size_t)(rela->p - b.p) + rela->n;
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *u = &elf->segments[i];

		if (u->type == PT_GNU_EH_FRAME && u->offset >= s->offset &&
		    u->offset - s->offset < b.n)
			b.n = u->offset - s->offset;
	}
	return b;
}

// The linked address of the string @name, in a segment that is not written.
static uint64_t string_find(const struct elf *elf, const char *name)
{
	size_t n = strlen(name) + 1, at;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || s->flags & (PF_W | PF_X))
			continue;
		struct bytes b = constants(elf, s, &at);
		while (b.n > at) {
			const uint8_t *p = memmem(b.p + at, b.n - at, name, n);

			if (!p)
				break;
			at = (size_t)(p - b.p);
			if (!at || !b.p[at - 1])
				return s->addr + at;
			at++;
		}
	}
	return 0;
}

// Which relocation puts @addr somewhere (@place 0), or what into @place?
static bool relocation_find(const struct elf *elf, uint64_t place,
			    uint64_t addr, Elf64_Rela *ret)
{
	const struct bytes *all = &elf->relocations;

	for (size_t at = 0; all->n - at >= sizeof(*ret); at += sizeof(*ret)) {
		memcpy(ret, all->p + at, sizeof(*ret));
		if (ELF64_R_SYM(ret->r_info))
			continue;
		if (place ? ret->r_offset == place
			  : (uint64_t)ret->r_addend == addr)
			return true;
	}
	return false;
}

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

uint64_t elf_table_find(const struct elf *elf, const char *name)
{
	uint64_t string = string_find(elf, name);
	Elf64_Rela r;

	if (!string || !relocation_find(elf, 0, string, &r))
		return 0;

	uint64_t place = r.r_offset;

	// before or behind the name; on the other side something else may be
	if (relocation_find(elf, place + sizeof(uint64_t), 0, &r) &&
	    is_code(elf, (uint64_t)r.r_addend))
		return (uint64_t)r.r_addend;
	if (relocation_find(elf, place - sizeof(uint64_t), 0, &r) &&
	    is_code(elf, (uint64_t)r.r_addend))
		return (uint64_t)r.r_addend;
	return 0;
}
