/*
 * ELF files: segments, sections, symbols, build id. From the file or from
 * memory; what an offset leads to is checked against the bytes that are there,
 * and counts that the file does not tell (of dynamic symbols) are derived from
 * its hash tables.
 */
#include "target/elf.h"

#include <elf.h>
#include <string.h>

#include "base/err.h"

enum {
	SYMBOL_BYTES = sizeof(Elf64_Sym),
	GNU_BUILD_ID = 3, /* NT_GNU_BUILD_ID */
};

static struct dbg_error *bad(const char *what)
{
	return dbg_err(DBG_E_FORMAT, "malformed ELF file: %s", what);
}

struct dbg_error *elf_machine(struct bytes file, uint16_t *ret)
{
	struct reader r;

	reader_init(&r, file.p, file.n);
	struct bytes ident = reader_bytes(&r, EI_NIDENT);
	if (!ident.p || memcmp(ident.p, ELFMAG, SELFMAG))
		return dbg_err(DBG_E_FORMAT, "not an ELF file");
	reader_u16(&r); // e_type
	uint16_t machine = reader_u16(&r);
	if (r.bad)
		return bad("it ends in its header");
	if (ident.p[EI_DATA] == ELFDATA2MSB)
		machine = (uint16_t)(machine << 8 | machine >> 8);
	*ret = machine;
	return NULL;
}

static struct dbg_error *parse_segments(struct elf *elf, uint64_t off, size_t n,
					size_t size)
{
	if (n > ELF_SEGMENTS_MAX || (n && size < sizeof(Elf64_Phdr)))
		return bad("its program headers");
	for (size_t i = 0; i < n; i++) {
		struct reader r;
		struct bytes b;

		b = bytes_slice(elf->file, off, size);
		if (!b.p)
			return bad("program headers are cut off");
		off += size;
		reader_init(&r, b.p, b.n);
		struct elf_segment *s = &elf->segments[elf->n_segments++];
		s->type = reader_u32(&r);
		s->flags = reader_u32(&r);
		s->offset = reader_u64(&r);
		s->addr = reader_u64(&r);
		reader_u64(&r); // p_paddr
		s->file_size = reader_u64(&r);
		s->size = reader_u64(&r);
	}
	return NULL;
}

// The bytes of the file that are mapped from @addr on.
static struct bytes at_addr(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || addr < s->addr ||
		    addr - s->addr >= s->file_size)
			continue;
		struct bytes b =
		    bytes_slice(elf->file, s->offset, s->file_size);
		return bytes_slice(b, addr - s->addr,
				   s->file_size - (addr - s->addr));
	}
	return (struct bytes){NULL, 0};
}

// Fill in what of @r is within the @n bytes of @buf, linked for @addr.
static void relocation_fill(const Elf64_Rela *r, uint64_t addr, uint64_t bias,
			    uint8_t *buf, size_t n)
{
	uint64_t value = (uint64_t)r->r_addend + bias, at = r->r_offset - addr;

	if (ELF64_R_SYM(r->r_info) || at > n || n - at < sizeof(value))
		return;
	memcpy(buf + at, &value, sizeof(value));
}

size_t elf_data_read(const struct elf *elf, uint64_t addr, uint64_t bias,
		     void *buf, size_t n)
{
	struct bytes b = at_addr(elf, addr), all = elf->relocations;
	Elf64_Rela r;

	if (n > b.n)
		n = b.n;
	if (n)
		memcpy(buf, b.p, n);
	for (; all.n >= sizeof(r); all.p += sizeof(r), all.n -= sizeof(r)) {
		memcpy(&r, all.p, sizeof(r));
		relocation_fill(&r, addr, bias, buf, n);
	}
	return n;
}

struct dynamic {
	uint64_t symtab, strtab, strsz, hash, gnu_hash;
	uint64_t rela, rela_size;
};

static void parse_dynamic(struct bytes b, struct dynamic *ret)
{
	struct reader r;

	reader_init(&r, b.p, b.n);
	while (reader_left(&r) >= sizeof(Elf64_Dyn)) {
		uint64_t tag = reader_u64(&r);
		uint64_t value = reader_u64(&r);

		switch (tag) {
		case DT_NULL:
			return;
		case DT_SYMTAB:
			ret->symtab = value;
			break;
		case DT_STRTAB:
			ret->strtab = value;
			break;
		case DT_STRSZ:
			ret->strsz = value;
			break;
		case DT_RELA:
			ret->rela = value;
			break;
		case DT_RELASZ:
			ret->rela_size = value;
			break;
		case DT_HASH:
			ret->hash = value;
			break;
		case DT_GNU_HASH:
			ret->gnu_hash = value;
			break;
		}
	}
}

static uint32_t word(struct bytes b, uint64_t off)
{
	struct bytes at = bytes_slice(b, off, 4);
	struct reader r;

	reader_init(&r, at.p, at.n);
	return reader_u32(&r);
}

// Count the symbols of DT_GNU_HASH, which tells it by its last chain only: a
// header of four words, bloom filter, buckets, chains that end in an odd hash.
static uint64_t count_gnu(struct bytes b)
{
	uint64_t n_buckets = word(b, 0), first = word(b, 4);
	uint64_t buckets = 16 + (uint64_t)word(b, 8) * 8;
	uint64_t chains = buckets + n_buckets * 4, last = 0;

	if (!bytes_slice(b, buckets, n_buckets * 4).p)
		return 0;
	for (uint64_t i = 0; i < n_buckets; i++) {
		uint32_t bucket = word(b, buckets + i * 4);

		if (bucket > last)
			last = bucket;
	}
	if (last < first)
		return first;
	for (;; last++) {
		uint64_t at = chains + (last - first) * 4;

		if (!bytes_slice(b, at, 4).p)
			return 0;
		if (word(b, at) & 1)
			return last + 1;
	}
}

static uint64_t count_symbols(const struct elf *elf, const struct dynamic *d)
{
	uint64_t n = 0;

	if (d->hash)
		n = word(at_addr(elf, d->hash), 4); // nchain
	if (!n && d->gnu_hash)
		n = count_gnu(at_addr(elf, d->gnu_hash));
	return n;
}

static void find_symbols(struct elf *elf)
{
	struct dynamic d = {0};

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_DYNAMIC)
			parse_dynamic(
			    bytes_slice(elf->file, s->offset, s->file_size),
			    &d);
	}
	uint64_t n = count_symbols(elf, &d);
	struct bytes symbols = at_addr(elf, d.symtab);
	if (n > symbols.n / SYMBOL_BYTES)
		n = symbols.n / SYMBOL_BYTES;
	elf->symbols = bytes_slice(symbols, 0, n * SYMBOL_BYTES);
	elf->strings = bytes_slice(at_addr(elf, d.strtab), 0, d.strsz);
	elf->relocations = bytes_slice(at_addr(elf, d.rela), 0, d.rela_size);
}

/* ---- Sections -------------------------------------------------------- */

struct sections {
	uint64_t off;
	size_t n, size;
	size_t names; /* index of their names' section */
};

static bool section_get(const struct elf *elf, const struct sections *all,
			size_t i, Elf64_Shdr *ret)
{
	if (i >= all->n)
		return false;
	struct bytes b =
	    bytes_slice(elf->file, all->off + i * all->size, sizeof(*ret));
	if (b.p)
		memcpy(ret, b.p, sizeof(*ret));
	return b.p;
}

static struct bytes section_bytes(const struct elf *elf, const Elf64_Shdr *s)
{
	// What was moved to another file has a size, but is not here.
	if (s->sh_type == SHT_NOBITS)
		return (struct bytes){NULL, 0};
	return bytes_slice(elf->file, s->sh_offset, s->sh_size);
}

// Take the symbols of @s and the strings that its sh_link names.
static void take_symbols(const struct elf *elf, const struct sections *all,
			 const Elf64_Shdr *s, struct bytes *ret_symbols,
			 struct bytes *ret_strings)
{
	Elf64_Shdr str;

	if (!section_get(elf, all, s->sh_link, &str))
		return;
	*ret_symbols = section_bytes(elf, s);
	ret_symbols->n -= ret_symbols->n % SYMBOL_BYTES;
	*ret_strings = section_bytes(elf, &str);
}

// Take .gnu_debuglink: a file name, terminated and padded to four, and its
// checksum.
static void take_debug_link(struct elf *elf, struct bytes b)
{
	const uint8_t *end = b.n ? memchr(b.p, '\0', b.n) : NULL;

	if (!end || end == b.p)
		return;
	size_t at = ((size_t)(end - b.p) + 4) & ~(size_t)3;
	if (!bytes_slice(b, at, 4).p)
		return;
	elf->debug_link = (const char *)b.p;
	elf->debug_crc = word(b, at);
}

static bool section_is(const struct elf *elf, const struct sections *all,
		       const Elf64_Shdr *s, const char *name)
{
	Elf64_Shdr names;

	if (!section_get(elf, all, all->names, &names))
		return false;
	struct bytes b = section_bytes(elf, &names);
	b = bytes_slice(b, s->sh_name, strlen(name) + 1);
	return b.p && !memcmp(b.p, name, b.n);
}

static void find_sections(struct elf *elf, const struct sections *all)
{
	Elf64_Shdr s;

	if (all->size < sizeof(s))
		return;
	for (size_t i = 0; i < all->n; i++) {
		if (!section_get(elf, all, i, &s))
			return;
		if (s.sh_type == SHT_DYNSYM && !elf->symbols.n)
			take_symbols(elf, all, &s, &elf->symbols,
				     &elf->strings);
		else if (s.sh_type == SHT_SYMTAB)
			take_symbols(elf, all, &s, &elf->all_symbols,
				     &elf->all_strings);
		else if (s.sh_type == SHT_PROGBITS &&
			 section_is(elf, all, &s, ".gnu_debuglink"))
			take_debug_link(elf, section_bytes(elf, &s));
		else if (s.sh_type == SHT_PROGBITS &&
			 section_is(elf, all, &s, ".rodata"))
			elf->constants = section_bytes(elf, &s);
	}
}

struct dbg_error *elf_parse(struct bytes file, struct elf *ret)
{
	struct dbg_error *err;
	struct reader r;

	memset(ret, 0, sizeof(*ret));
	ret->file = file;
	err = elf_machine(file, &ret->machine);
	if (err)
		return err;
	if (file.p[EI_CLASS] != ELFCLASS64 || file.p[EI_DATA] != ELFDATA2LSB)
		return dbg_err(DBG_E_FORMAT, "not a 64-bit ELF file");
	reader_init(&r, file.p, file.n);
	reader_skip(&r, EI_NIDENT);
	ret->type = reader_u16(&r);
	reader_skip(&r, 2 + 4); // e_machine, e_version
	ret->entry = reader_u64(&r);
	uint64_t ph_off = reader_u64(&r), sh_off = reader_u64(&r);
	reader_skip(&r, 4 + 2); // e_flags, e_ehsize
	uint16_t ph_size = reader_u16(&r), ph_n = reader_u16(&r);
	uint16_t sh_size = reader_u16(&r), sh_n = reader_u16(&r);
	uint16_t sh_names = reader_u16(&r);
	if (r.bad)
		return bad("it ends in its header");
	err = parse_segments(ret, ph_off, ph_n, ph_size);
	if (err)
		return err;
	find_symbols(ret);
	const struct sections all = {sh_off, sh_n, sh_size, sh_names};
	if (sh_off)
		find_sections(ret, &all);
	return NULL;
}

struct table {
	struct bytes symbols, strings;
};

// Get the defined function or object at index @i.
static bool symbol_get(const struct table *t, size_t i, Elf64_Sym *ret_raw,
		       struct elf_symbol *ret)
{
	memcpy(ret_raw, t->symbols.p + i * SYMBOL_BYTES, SYMBOL_BYTES);
	unsigned int type = ELF64_ST_TYPE(ret_raw->st_info);
	if (ret_raw->st_shndx == SHN_UNDEF ||
	    (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE))
		return false;
	if (ret_raw->st_name >= t->strings.n)
		return false;
	const char *name = (const char *)t->strings.p + ret_raw->st_name;
	if (!memchr(name, '\0', t->strings.n - ret_raw->st_name))
		return false;
	ret->name = name;
	ret->addr = ret_raw->st_value;
	ret->size = ret_raw->st_size;
	return true;
}

bool elf_symbol_find(const struct elf *elf, const char *name,
		     struct elf_symbol *ret)
{
	const struct table t = {elf->symbols, elf->strings};
	struct elf_symbol found;
	Elf64_Sym raw;

	for (size_t i = 0; i < t.symbols.n / SYMBOL_BYTES; i++) {
		if (!symbol_get(&t, i, &raw, &found) ||
		    strcmp(found.name, name))
			continue;
		*ret = found;
		return true;
	}
	return false;
}

void elf_each_function(const struct elf *elf, elf_symbol_fn *fn, void *arg)
{
	const struct table tables[] = {
	    {elf->symbols, elf->strings},
	    {elf->all_symbols, elf->all_strings},
	};
	struct elf_symbol symbol;
	Elf64_Sym raw;

	for (size_t k = 0; k < sizeof(tables) / sizeof(*tables); k++) {
		const struct table *t = &tables[k];
		size_t n = t->symbols.n / SYMBOL_BYTES;
		for (size_t i = 0; i < n; i++)
			if (symbol_get(t, i, &raw, &symbol) &&
			    ELF64_ST_TYPE(raw.st_info) == STT_FUNC)
				fn(arg, &symbol);
	}
}

uint64_t elf_base(const struct elf *elf)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_LOAD)
			return s->addr - s->offset;
	}
	return 0;
}

bool elf_text(const struct elf *elf, uint64_t *ret_start, uint64_t *ret_end)
{
	bool found = false;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];
		bool entry = elf->entry - s->addr < s->size;

		if (s->type != PT_LOAD || !(s->flags & PF_X) ||
		    (found && !entry))
			continue;
		*ret_start = s->addr;
		*ret_end = s->addr + s->size;
		found = true;
	}
	return found;
}

static struct bytes note_build_id(struct bytes notes)
{
	struct reader r;

	reader_init(&r, notes.p, notes.n);
	while (reader_left(&r)) {
		uint32_t name_n = reader_u32(&r), desc_n = reader_u32(&r);
		uint32_t type = reader_u32(&r);
		struct bytes name = reader_bytes(&r, name_n);

		reader_skip(&r, -name_n & 3);
		struct bytes desc = reader_bytes(&r, desc_n);
		if (r.bad)
			break;
		if (type == GNU_BUILD_ID && name.n == 4 &&
		    !memcmp(name.p, "GNU", 4))
			return desc;
		if (reader_left(&r))
			reader_skip(&r, -desc_n & 3);
	}
	return (struct bytes){NULL, 0};
}

struct bytes elf_build_id(const struct elf *elf)
{
	struct bytes id = {NULL, 0};

	for (size_t i = 0; i < elf->n_segments && !id.p; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_NOTE)
			id = note_build_id(
			    bytes_slice(elf->file, s->offset, s->file_size));
	}
	return id;
}
