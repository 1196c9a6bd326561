/*
 * A portable PDB is metadata with tables of its own, so md.c reads it; here
 * is what the rows mean. Everything is decoded when it is asked for, but
 * document paths and the index of methods by line, which are kept.
 */
#include "meta/pdb.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/md_priv.h"
#include "meta/pdb/pdb_priv.h"

enum {
	MAX_PATH = 16384,
	MAX_SOURCE = 16 * 1024 * 1024,
};

struct dbg_error *pdb_parse(struct bytes bytes, struct pdb **ret)
{
	struct pdb *pdb = xcalloc(1, sizeof(*pdb));
	struct dbg_error *err;

	err = md_parse(bytes, &pdb->md);
	if (!err && !pdb->md.pdb.p)
		err = dbg_err(DBG_E_FORMAT, "not a portable PDB");
	if (err) {
		free(pdb);
		return err;
	}
	pdb->arena = arena_create();
	*ret = pdb;
	return NULL;
}

void pdb_destroy(struct pdb *pdb)
{
	if (!pdb)
		return;
	pdb_deltas_destroy(pdb);
	file_unload(&pdb->file);
	free(pdb->inflated);
	free(pdb->paths);
	free(pdb->index);
	arena_destroy(pdb->arena);
	free(pdb);
}

uint64_t pdb_inflated(const struct pdb *pdb)
{
	return pdb->n_inflated;
}

uint32_t pdb_n_documents(const struct pdb *pdb)
{
	return pdb->documents ? pdb->n_documents
			      : md_rows(&pdb->md, MD_DOCUMENT);
}

// Parts joined by a separator; parts are blobs of their own.
void pdb_document_name(const struct md *md, uint32_t row, struct str *out)
{
	struct bytes name = md_col_blob(md, MD_DOCUMENT, row, 0);
	struct reader r;

	reader_init(&r, name.p, name.n);
	char separator = (char)reader_u8(&r);
	for (bool first = true; reader_left(&r); first = false) {
		struct bytes part = md_blob(md, reader_cuint(&r));

		if (r.bad)
			return;
		if (out->len + part.n >= MAX_PATH) {
			str_clear(out);
			return;
		}
		if (!first && separator)
			str_addc(out, separator);
		str_addn(out, (const char *)part.p, part.n);
	}
}

const char *pdb_document_path(struct pdb *pdb, uint32_t rid)
{
	uint32_t n = pdb_n_documents(pdb), row;
	_cleanup_str_ struct str path = {NULL, 0, 0};

	if (!rid || rid > n)
		return "";
	if (!pdb->paths)
		pdb->paths = xcalloc(n, sizeof(*pdb->paths));
	if (!pdb->paths[rid - 1]) {
		const struct md *md = pdb_document_find(pdb, rid, &row);

		pdb_document_name(md, row, &path);
		pdb->paths[rid - 1] = arena_strdup(pdb->arena, str_get(&path));
	}
	return pdb->paths[rid - 1];
}

struct bytes pdb_document_hash(const struct pdb *pdb, uint32_t rid,
			       const char **ret_algorithm)
{
	static const uint8_t sha1[16] = {0xec, 0x16, 0x18, 0xff, 0x5e, 0xaa,
					 0x10, 0x4d, 0x87, 0xf7, 0x6f, 0x49,
					 0x63, 0x83, 0x34, 0x60};
	static const uint8_t sha256[16] = {0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11,
					   0x13, 0x42, 0x87, 0x8b, 0x77, 0x0e,
					   0x85, 0x97, 0xac, 0x16};
	uint32_t row;
	const struct md *md = pdb_document_find(pdb, rid, &row);
	const uint8_t *guid = md_guid(md, md_col(md, MD_DOCUMENT, row, 1));

	*ret_algorithm = NULL;
	if (guid && !memcmp(guid, sha1, 16))
		*ret_algorithm = "SHA1";
	else if (guid && !memcmp(guid, sha256, 16))
		*ret_algorithm = "SHA256";
	return md_col_blob(md, MD_DOCUMENT, row, 2);
}

bool pdb_document_is_vb(const struct pdb *pdb, uint32_t rid)
{
	static const uint8_t vb[16] = {0xb8, 0xd0, 0x12, 0x3a, 0x6c, 0xc2,
				       0xd0, 0x11, 0xb4, 0x42, 0x00, 0xa0,
				       0x24, 0x4a, 0x1d, 0xd2};
	uint32_t row;
	const struct md *md = pdb_document_find(pdb, rid, &row);
	const uint8_t *guid = md_guid(md, md_col(md, MD_DOCUMENT, row, 3));

	return guid && !memcmp(guid, vb, 16);
}

/* Value of the custom debug information @kind of @token; {NULL, 0}: none. */
static struct bytes pdb_custom(const struct md *md, uint32_t token,
			       const uint8_t kind[16])
{
	enum md_table table = MD_CUSTOMDEBUGINFORMATION;
	uint32_t parent = md_encode(MD_HAS_CUSTOM_DEBUG_INFORMATION, token);
	bool sorted = md_is_sorted(md, table, 0);
	uint32_t n;

	uint32_t rid = md_find(md, table, 0, parent, &n);
	for (; rid && rid <= md_rows(md, table); rid++) {
		if (md_col(md, table, rid, 0) != parent) {
			if (sorted)
				break;
			continue;
		}
		const uint8_t *guid = md_guid(md, md_col(md, table, rid, 1));
		if (guid && !memcmp(guid, kind, 16))
			return md_col_blob(md, table, rid, 2);
	}
	return (struct bytes){NULL, 0};
}

bool pdb_size_plausible(struct bytes packed, uint64_t size)
{
	// Deflate cannot do better than 1032 to 1.
	return size / 1032 <= packed.n;
}

bool pdb_inflate(struct bytes packed, uint8_t *out, size_t size)
{
	z_stream z = {.zalloc = NULL};

	if (packed.n > UINT32_MAX || size > UINT32_MAX)
		return false;
	if (inflateInit2(&z, -15) != Z_OK)
		return false;
	z.next_in = (Bytef *)(uintptr_t)packed.p;
	z.avail_in = (uInt)packed.n;
	z.next_out = out;
	z.avail_out = (uInt)size;
	int status = inflate(&z, Z_FINISH);
	bool whole = status == Z_STREAM_END && !z.avail_out;
	inflateEnd(&z);
	return whole;
}

static struct bytes embedded_source(const struct pdb *pdb, uint32_t rid)
{
	static const uint8_t kind[16] = {0x1b, 0x57, 0x8a, 0x0e, 0x26, 0x69,
					 0x6e, 0x46, 0xb4, 0xad, 0x8a, 0xb0,
					 0x46, 0x11, 0xf5, 0xfe};

	uint32_t row;
	const struct md *md = pdb_document_find(pdb, rid, &row);

	return pdb_custom(md, MD_TOKEN(MD_DOCUMENT, row), kind);
}

bool pdb_document_is_embedded(const struct pdb *pdb, uint32_t rid)
{
	return embedded_source(pdb, rid).p;
}

struct bytes pdb_document_source(const struct pdb *pdb, uint32_t rid,
				 struct arena *arena)
{
	struct bytes none = {NULL, 0};
	struct bytes blob = embedded_source(pdb, rid);
	struct reader r;

	reader_init(&r, blob.p, blob.n);
	uint32_t size = reader_u32(&r);
	struct bytes packed = reader_bytes(&r, reader_left(&r));
	// 0 says not packed; with the high bit set, a format of the future.
	if (r.bad || size > MAX_SOURCE || packed.n > MAX_SOURCE)
		return none;
	if (!size)
		return packed;
	if (!pdb_size_plausible(packed, size))
		return none;
	uint8_t *text = arena_alloc(arena, size);
	if (!pdb_inflate(packed, text, size))
		return none;
	return (struct bytes){text, size};
}

uint32_t pdb_kickoff_of(const struct pdb *pdb, uint32_t move_next_rid)
{
	uint32_t n, rid;

	// An update names MoveNext by its own row, the kickoff by its rid.
	for (size_t i = pdb->n_deltas; i-- > 0;) {
		const struct pdb_delta *d = pdb->deltas[i];
		uint32_t row = pdb_delta_find(d, move_next_rid);

		rid = row ? md_find(&d->md, MD_STATEMACHINEMETHOD, 0, row, &n)
			  : 0;
		if (rid)
			return md_col(&d->md, MD_STATEMACHINEMETHOD, rid, 1);
	}
	rid = md_find(&pdb->md, MD_STATEMACHINEMETHOD, 0, move_next_rid, &n);
	return md_col(&pdb->md, MD_STATEMACHINEMETHOD, rid, 1);
}

uint32_t pdb_move_next_of(const struct pdb *pdb, uint32_t kickoff_rid)
{
	uint32_t n, rid;

	for (size_t i = pdb->n_deltas; i-- > 0;) {
		const struct pdb_delta *d = pdb->deltas[i];

		rid =
		    md_find(&d->md, MD_STATEMACHINEMETHOD, 1, kickoff_rid, &n);
		if (rid)
			return pdb_delta_method(
			    d, md_col(&d->md, MD_STATEMACHINEMETHOD, rid, 0));
	}
	rid = md_find(&pdb->md, MD_STATEMACHINEMETHOD, 1, kickoff_rid, &n);
	return md_col(&pdb->md, MD_STATEMACHINEMETHOD, rid, 0);
}

static struct bytes method_custom(const struct pdb *pdb,
				  struct pdb_method method,
				  const uint8_t kind[16])
{
	uint32_t row;
	const struct md *md = pdb_method_md(pdb, method, &row);

	return md ? pdb_custom(md, MD_TOKEN(MD_METHODDEF, row), kind)
		  : (struct bytes){NULL, 0};
}

static struct bytes row_custom(const struct pdb *pdb, uint32_t token,
			       const uint8_t kind[16])
{
	uint32_t row;
	const struct md *md = pdb_row_find(pdb, token, &row);

	return pdb_custom(md, MD_TOKEN(MD_TOKEN_TABLE(token), row), kind);
}

void pdb_hoisted_scopes(const struct pdb *pdb, struct pdb_method method,
			struct arena *arena, struct il_range **ret,
			size_t *ret_n)
{
	static const uint8_t kind[16] = {0x1e, 0xa6, 0xa9, 0x6d, 0xc7, 0xf8,
					 0x74, 0x48, 0xbe, 0x62, 0x68, 0xbc,
					 0x56, 0x30, 0xdf, 0x71};
	struct bytes blob = method_custom(pdb, method, kind);
	size_t n = blob.n / 8;
	struct il_range *ranges =
	    n ? arena_calloc(arena, n, sizeof(*ranges)) : NULL;
	struct reader r;

	reader_init(&r, blob.p, blob.n);
	for (size_t i = 0; i < n; i++) {
		ranges[i].start = reader_u32(&r);
		ranges[i].length = reader_u32(&r);
	}
	*ret = ranges;
	*ret_n = n;
}

static bool read_await(struct reader *r, struct pdb_await *await)
{
	await->yield_offset = reader_u32(r);
	await->resume_offset = reader_u32(r);
	await->resume_method = reader_cuint(r);
	return !r->bad;
}

// As Roslyn writes it: the offset of the catch handler of an async void
// method + 1, then a triple for each await.
void pdb_awaits(const struct pdb *pdb, struct pdb_method method,
		struct arena *arena, struct pdb_await **ret, size_t *ret_n)
{
	static const uint8_t kind[16] = {0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9,
					 0x1a, 0x40, 0x9c, 0x2a, 0xf9, 0x4f,
					 0x17, 0x10, 0x72, 0xf8};
	struct bytes blob = method_custom(pdb, method, kind);
	struct pdb_await *awaits = NULL;
	struct reader r;
	size_t n = 0;

	reader_init(&r, blob.p, blob.n);
	reader_u32(&r);
	if (reader_left(&r))
		awaits = arena_calloc(arena, reader_left(&r) / 9 + 1,
				      sizeof(*awaits));
	while (reader_left(&r) && read_await(&r, &awaits[n]))
		n++;
	*ret = n ? awaits : NULL;
	*ret_n = n;
}

void pdb_tuple_names(const struct pdb *pdb, uint32_t token, struct arena *arena,
		     const char ***ret, size_t *ret_n)
{
	static const uint8_t kind[16] = {0x71, 0xdf, 0x9f, 0xed, 0x79, 0x88,
					 0x47, 0x47, 0x8e, 0xd3, 0xfe, 0x5e,
					 0xde, 0x3c, 0xe7, 0x10};
	struct bytes blob = row_custom(pdb, token, kind);
	const char *p = (const char *)blob.p;
	size_t left = blob.n, n = 0;

	for (size_t i = 0; i < blob.n; i++)
		n += !blob.p[i] || i + 1 == blob.n;
	const char **names = n ? arena_calloc(arena, n, sizeof(*names)) : NULL;
	for (size_t i = 0; i < n; i++) {
		size_t len = strnlen(p, left);

		names[i] = len ? arena_strndup(arena, p, len) : NULL;
		// The last one may lack its terminator.
		size_t step = len < left ? len + 1 : left;
		p += step;
		left -= step;
	}
	*ret = names;
	*ret_n = n;
}

bool pdb_is_dynamic(const struct pdb *pdb, uint32_t token)
{
	static const uint8_t kind[16] = {0xc4, 0x63, 0xc5, 0x83, 0xf3, 0xb4,
					 0xd5, 0x47, 0xb8, 0x24, 0xba, 0x54,
					 0x41, 0x47, 0x7e, 0xa8};
	struct bytes blob = row_custom(pdb, token, kind);

	return blob.n && blob.p[0] & 1;
}

enum {
	SCOPE_VARIABLES = 2,
	SCOPE_CONSTANTS = 3,
	SCOPE_START = 4,
	SCOPE_LENGTH = 5,
	MAX_LOCALS = 0x20000,
};

struct locals {
	const struct md *md;
	const struct pdb_delta *delta;
	struct arena *arena; /* NULL: only count */
	struct pdb_local *list;
	size_t n;
};

static void add_local(struct locals *l, uint32_t scope, enum md_table table,
		      uint32_t rid)
{
	size_t i = l->n++;

	if (!l->arena)
		return;
	struct pdb_local *local = &l->list[i];
	bool variable = table == MD_LOCALVARIABLE;
	local->name = md_col_string(l->md, table, rid, variable ? 2 : 0);
	local->slot = UINT32_MAX;
	if (variable) {
		local->attributes = (uint16_t)md_col(l->md, table, rid, 0);
		local->slot = md_col(l->md, table, rid, 1);
	} else {
		local->constant = md_col_blob(l->md, table, rid, 1);
	}
	local->start = md_col(l->md, MD_LOCALSCOPE, scope, SCOPE_START);
	local->length = md_col(l->md, MD_LOCALSCOPE, scope, SCOPE_LENGTH);
	local->rid = pdb_delta_row(l->delta, table, rid);
}

static void add_list(struct locals *l, uint32_t scope, unsigned int col,
		     enum md_table table)
{
	uint32_t n = md_rows(l->md, table);
	uint32_t first = md_col(l->md, MD_LOCALSCOPE, scope, col);
	uint32_t end = n + 1;

	if (scope < md_rows(l->md, MD_LOCALSCOPE))
		end = md_col(l->md, MD_LOCALSCOPE, scope + 1, col);
	if (end > n + 1)
		end = n + 1;
	// Lying lists may overlap: the sum is what must be bounded.
	for (uint32_t rid = first; rid && rid < end; rid++) {
		if (l->n > MAX_LOCALS)
			return;
		add_local(l, scope, table, rid);
	}
}

static void add_scopes(struct locals *l, uint32_t method_rid,
		       uint32_t il_offset)
{
	const struct md *md = l->md;
	uint32_t n;
	uint32_t rid = md_find(md, MD_LOCALSCOPE, 0, method_rid, &n);

	l->n = 0;
	for (; rid && rid <= md_rows(md, MD_LOCALSCOPE); rid++) {
		if (md_col(md, MD_LOCALSCOPE, rid, 0) != method_rid)
			break;
		uint32_t start = md_col(md, MD_LOCALSCOPE, rid, SCOPE_START);
		uint32_t length = md_col(md, MD_LOCALSCOPE, rid, SCOPE_LENGTH);
		if (il_offset != UINT32_MAX &&
		    (il_offset < start || il_offset - start >= length))
			continue;
		add_list(l, rid, SCOPE_VARIABLES, MD_LOCALVARIABLE);
		add_list(l, rid, SCOPE_CONSTANTS, MD_LOCALCONSTANT);
	}
}

struct dbg_error *pdb_locals(const struct pdb *pdb, struct pdb_method method,
			     uint32_t il_offset, struct arena *arena,
			     struct pdb_local **ret, size_t *ret_n)
{
	struct locals l = {.n = 0};
	uint32_t row = 0;

	l.md = pdb_method_find(pdb, method, &row, &l.delta);
	if (l.md)
		add_scopes(&l, row, il_offset);
	if (l.n > MAX_LOCALS)
		return dbg_err(DBG_E_SYMBOLS,
			       "broken PDB: too many locals in method %u",
			       method.rid);
	if (l.n) {
		l.list = arena_calloc(arena, l.n, sizeof(*l.list));
		l.arena = arena;
		add_scopes(&l, row, il_offset);
	}
	*ret = l.list;
	*ret_n = l.n;
	return NULL;
}
