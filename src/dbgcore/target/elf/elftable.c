/*
 * Tables of names and functions in an ELF file, as its relocations fill them:
 * a runtime without symbols names by them what its libraries call.
 */
#include "target/elf.h"

#include <ctype.h>
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

// The first relocation from *@at on that puts @addr somewhere (@place 0), or
// something into @place; *@at is behind it then.
static bool relocation_find(const struct elf *elf, uint64_t place,
			    uint64_t addr, size_t *at, Elf64_Rela *ret)
{
	const struct bytes *all = &elf->relocations;

	while (all->n - *at >= sizeof(*ret)) {
		memcpy(ret, all->p + *at, sizeof(*ret));
		*at += sizeof(*ret);
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

// The address of code that stands at @place, 0: none does.
static uint64_t code_at(const struct elf *elf, uint64_t place)
{
	size_t at = 0;
	Elf64_Rela r;

	return relocation_find(elf, place, 0, &at, &r) &&
		       is_code(elf, (uint64_t)r.r_addend)
		   ? (uint64_t)r.r_addend
		   : 0;
}

// Is @addr that of a string which begins as a name does, in a segment that is
// not written?
static bool is_name(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || s->flags & (PF_W | PF_X) ||
		    addr <= s->addr || addr - s->addr >= s->file_size)
			continue;
		struct bytes b =
		    bytes_slice(elf->file, s->offset + (addr - s->addr) - 1, 2);
		return b.n && !b.p[0] && (isalpha(b.p[1]) || b.p[1] == '_');
	}
	return false;
}

// Is @code, with the name @string @side bytes from it, paired with another name
// as well? The linker folds functions of the same code.
static bool is_folded(const struct elf *elf, uint64_t string, uint64_t code,
		      int64_t side)
{
	size_t at = 0;
	Elf64_Rela r, name;

	while (relocation_find(elf, 0, code, &at, &r)) {
		size_t first = 0;

		if (relocation_find(elf, r.r_offset + (uint64_t)side, 0, &first,
				    &name) &&
		    (uint64_t)name.r_addend != string &&
		    is_name(elf, (uint64_t)name.r_addend))
			return true;
	}
	return false;
}

// The function beside the name @string at @place, before or behind it: on the
// other side something else may be.
static uint64_t code_beside(const struct elf *elf, uint64_t string,
			    uint64_t place)
{
	int64_t side = sizeof(uint64_t);
	uint64_t code = code_at(elf, place + (uint64_t)side);

	if (!code) {
		side = -side;
		code = code_at(elf, place + (uint64_t)side);
	}
	return code && !is_folded(elf, string, code, -side) ? code : 0;
}

void elf_table_find(const struct elf *elf, const char *name,
		    uint64_t ret[TARGET_OVERLOADS])
{
	uint64_t string = string_find(elf, name);
	size_t at = 0, n = 0;
	Elf64_Rela r;

	memset(ret, 0, TARGET_OVERLOADS * sizeof(*ret));
	while (string && n < TARGET_OVERLOADS &&
	       relocation_find(elf, 0, string, &at, &r)) {
		ret[n] = code_beside(elf, string, r.r_offset);
		n += ret[n] != 0;
	}
}
