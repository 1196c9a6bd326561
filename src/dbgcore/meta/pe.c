/*
 * PE files (ECMA-335 II.25), as in the file or as mapped: headers, sections,
 * the two directories that matter (CLI and debug), and the bodies of methods
 * with their exception clauses. Every offset is checked against the bytes that
 * are there.
 */
#include "meta/pe.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	SECTION_SIZE = 40,
	DIR_DEBUG = 6,
	DIR_CLI = 14,
	DEBUG_ENTRY_SIZE = 28,
	DEBUG_CODEVIEW = 2,
	DEBUG_EMBEDDED = 17,
	DEBUG_CHECKSUM = 19,
	MAX_DEBUG_ENTRIES = 64,
	MAX_SECTIONS = 96, /* the Windows loader's limit */
};

struct dir {
	uint32_t rva, size;
};

struct section {
	uint32_t virtual_size, rva, raw_size, raw_offset;
};

static struct section section_at(const struct pe *pe, uint32_t i)
{
	struct reader r;
	struct section s;

	reader_init(&r, pe->sections.p + i * SECTION_SIZE, SECTION_SIZE);
	reader_skip(&r, 8);
	s.virtual_size = reader_u32(&r);
	s.rva = reader_u32(&r);
	s.raw_size = reader_u32(&r);
	s.raw_offset = reader_u32(&r);
	return s;
}

// The bytes of a section that are there: as in the file, or as loaded, where it
// continues behind the raw bytes with zeros.
static struct bytes section_bytes(const struct pe *pe, const struct section *s)
{
	uint64_t start = pe->mapped ? s->rva : s->raw_offset;
	uint64_t size = s->raw_size;

	if (pe->mapped && s->virtual_size > size)
		size = s->virtual_size;
	if (start > pe->file.n)
		return (struct bytes){NULL, 0};
	if (size > pe->file.n - start)
		size = pe->file.n - start;
	return bytes_slice(pe->file, start, size);
}

struct bytes pe_at_rva(const struct pe *pe, uint32_t rva)
{
	for (uint32_t i = 0; i < pe->n_sections; i++) {
		struct section s = section_at(pe, i);

		if (rva < s.rva)
			continue;
		struct bytes b = section_bytes(pe, &s);
		uint32_t off = rva - s.rva;
		if (off < b.n)
			return bytes_slice(b, off, b.n - off);
	}
	return (struct bytes){NULL, 0};
}

static struct bytes dir_bytes(const struct pe *pe, struct dir dir)
{
	return bytes_slice(pe_at_rva(pe, dir.rva), 0, dir.size);
}

static struct dbg_error *malformed(const char *what)
{
	return dbg_err(DBG_E_FORMAT, "%s", what);
}

// The optional header: sizes and the two data directories that matter.
static struct dbg_error *read_optional(struct bytes opt, struct pe *pe,
				       struct dir *ret_debug,
				       struct dir *ret_cli)
{
	struct reader r;

	reader_init(&r, opt.p, opt.n);
	uint16_t magic = reader_u16(&r);
	if (magic != 0x10b && magic != 0x20b)
		return malformed("not a PE32 or PE32+ image");
	reader_skip(&r, 54);
	pe->image_size = reader_u32(&r);
	reader_skip(&r, magic == 0x10b ? 32 : 48);
	uint32_t n_dirs = reader_u32(&r);
	if (r.bad)
		return malformed("truncated PE header");
	for (uint32_t i = 0; i < n_dirs && i <= DIR_CLI; i++) {
		struct dir dir;

		dir.rva = reader_u32(&r);
		dir.size = reader_u32(&r);
		if (r.bad)
			break;
		if (i == DIR_DEBUG)
			*ret_debug = dir;
		else if (i == DIR_CLI)
			*ret_cli = dir;
	}
	return NULL;
}

static struct dbg_error *read_headers(struct pe *pe, struct dir *ret_debug,
				      struct dir *ret_cli)
{
	struct reader r;
	struct dbg_error *err;

	reader_init(&r, pe->file.p, pe->file.n);
	if (reader_u16(&r) != 0x5a4d)
		return malformed("not a PE file");
	reader_skip(&r, 0x3a);
	uint32_t start = reader_u32(&r);
	reader_init(&r, pe->file.p, pe->file.n);
	reader_skip(&r, start);
	if (reader_u32(&r) != 0x4550)
		return malformed("not a PE file");
	pe->machine = reader_u16(&r);
	pe->n_sections = reader_u16(&r);
	pe->timestamp = reader_u32(&r);
	reader_skip(&r, 8);
	uint16_t opt_size = reader_u16(&r);
	reader_skip(&r, 2);
	struct bytes opt = reader_bytes(&r, opt_size);
	if (pe->n_sections > MAX_SECTIONS)
		return malformed("too many sections in PE file");
	pe->sections = reader_bytes(&r, pe->n_sections * SECTION_SIZE);
	if (r.bad)
		return malformed("truncated PE header");
	err = read_optional(opt, pe, ret_debug, ret_cli);
	if (err)
		return err;
	return NULL;
}

static void read_codeview(struct bytes data, uint32_t stamp, uint16_t minor,
			  struct pe_debug *debug)
{
	bool portable = minor == 0x504d;

	if (data.n < 25 || memcmp(data.p, "RSDS", 4))
		return;
	// Precompiled images may carry a second entry, of their native PDB.
	if (debug->pdb_path && debug->portable)
		return;
	const char *path = (const char *)data.p + 24;
	if (!memchr(path, 0, data.n - 24))
		return;
	debug->pdb_path = path;
	debug->portable = portable;
	memcpy(debug->pdb_id, data.p + 4, 16);
	uint32_t last = portable ? stamp : 0;
	if (!portable)
		memcpy(&last, data.p + 20, 4);
	memcpy(debug->pdb_id + 16, &last, 4);
}

static void read_debug(struct pe *pe, struct dir dir)
{
	struct bytes entries = dir_bytes(pe, dir);
	struct reader r;

	reader_init(&r, entries.p, entries.n);
	for (int i = 0; i < MAX_DEBUG_ENTRIES; i++) {
		if (reader_left(&r) < DEBUG_ENTRY_SIZE)
			break;
		reader_skip(&r, 4);
		uint32_t stamp = reader_u32(&r);
		reader_skip(&r, 2);
		uint16_t minor = reader_u16(&r);
		uint32_t type = reader_u32(&r);
		struct dir where = {.size = reader_u32(&r)};
		where.rva = reader_u32(&r);
		uint32_t offset = reader_u32(&r);
		struct bytes data =
		    pe->mapped ? dir_bytes(pe, where)
			       : bytes_slice(pe->file, offset, where.size);
		if (type == DEBUG_CODEVIEW)
			read_codeview(data, stamp, minor, &pe->debug);
		else if (type == DEBUG_EMBEDDED && data.n >= 8)
			pe->debug.embedded = data;
		else if (type == DEBUG_CHECKSUM && data.n)
			pe->debug.has_checksum = true;
	}
}

struct dbg_error *pe_parse(struct bytes bytes, bool mapped, struct pe *ret)
{
	struct dir debug = {0, 0}, cli = {0, 0}, metadata, native;
	struct dir resources;
	struct pe pe = {.file = bytes, .mapped = mapped};
	struct reader r;
	struct dbg_error *err;

	err = read_headers(&pe, &debug, &cli);
	if (err)
		return err;
	if (!cli.rva)
		return malformed("no .NET metadata in this PE file");
	// ECMA-335 II.25.3.3
	struct bytes header = pe_at_rva(&pe, cli.rva);
	reader_init(&r, header.p, header.n);
	reader_skip(&r, 8);
	metadata.rva = reader_u32(&r);
	metadata.size = reader_u32(&r);
	pe.cli_flags = reader_u32(&r);
	pe.entry_point = reader_u32(&r);
	resources.rva = reader_u32(&r);
	resources.size = reader_u32(&r);
	reader_skip(&r, 32);
	native.rva = reader_u32(&r);
	native.size = reader_u32(&r);
	if (r.bad)
		return malformed("CLI header lies outside the PE file");
	pe.metadata = dir_bytes(&pe, metadata);
	if (!pe.metadata.p)
		return malformed("metadata lies outside the PE file");
	pe.native = dir_bytes(&pe, native);
	pe.resources = dir_bytes(&pe, resources);
	read_debug(&pe, debug);
	*ret = pe;
	return NULL;
}

enum {
	SECT_EH = 0x01,
	SECT_KIND = 0x3f,
	SECT_FAT = 0x40,
	SECT_MORE = 0x80,
};

static void read_clause(struct reader *r, bool fat, struct il_clause *c)
{
	c->flags = fat ? reader_u32(r) : reader_u16(r);
	c->try_offset = fat ? reader_u32(r) : reader_u16(r);
	c->try_length = fat ? reader_u32(r) : reader_u8(r);
	c->handler_offset = fat ? reader_u32(r) : reader_u16(r);
	c->handler_length = fat ? reader_u32(r) : reader_u8(r);
	c->token_or_filter = reader_u32(r);
}

// II.25.4.5; like the runtime, take the first section with handlers.
static struct dbg_error *read_sections(struct bytes bytes, struct reader *r,
				       struct arena *arena,
				       struct il_body *body)
{
	uint8_t kind;

	do {
		reader_skip(r, -(size_t)(r->p - bytes.p) & 3);
		struct reader head = *r;
		kind = reader_u8(&head);
		bool fat = kind & SECT_FAT;
		uint32_t size = reader_u8(&head);
		size |= (uint32_t)reader_u16(&head) << 8;
		size = fat ? size : size & 0xff;
		if (head.bad || size < 4)
			break;
		struct bytes data = reader_bytes(r, size);
		if (r->bad)
			break;
		if ((kind & SECT_KIND) != SECT_EH)
			continue;
		size_t n = (size - 4) / (fat ? 24 : 12);
		body->clauses = arena_calloc(arena, n, sizeof(*body->clauses));
		body->n_clauses = n;
		reader_init(&head, data.p + 4, size - 4);
		for (size_t i = 0; i < n; i++)
			read_clause(&head, fat, &body->clauses[i]);
		return NULL;
	} while (kind & SECT_MORE);
	return malformed("broken exception table of a method body");
}

struct dbg_error *il_body_parse(struct bytes bytes, struct arena *arena,
				struct il_body *ret)
{
	struct il_body body = {.max_stack = 8};
	struct reader r;
	struct dbg_error *err;

	reader_init(&r, bytes.p, bytes.n);
	uint8_t first = reader_u8(&r);
	bool more = false;
	if ((first & 3) == 2) {
		body.code = reader_bytes(&r, first >> 2);
	} else if ((first & 3) == 3) {
		uint8_t words = reader_u8(&r) >> 4;

		body.max_stack = reader_u16(&r);
		uint32_t size = reader_u32(&r);
		body.local_sig = reader_u32(&r);
		body.init_locals = first & 0x10;
		more = first & 0x08;
		if (words < 3)
			return malformed("broken header of a method body");
		reader_skip(&r, (words - 3u) * 4);
		body.code = reader_bytes(&r, size);
	} else {
		return malformed("unknown format of a method body");
	}
	if (r.bad)
		return malformed("truncated method body");
	if (more) {
		err = read_sections(bytes, &r, arena, &body);
		if (err)
			return err;
	}
	*ret = body;
	return NULL;
}
