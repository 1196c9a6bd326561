/*
 * Updates of a module (hot reload). An input is parts, each behind its size of
 * four bytes: the metadata of a module, its PDB, and for each update a metadata
 * delta, its IL and its PDB. What is applied is asked all questions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/md_update.h"
#include "meta/pdb.h"
#include "meta/pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	MAX_ROWS = 16,
	MAX_UPDATES = 4,
};

static struct bytes part(struct reader *r)
{
	return reader_bytes(r, reader_u32(r));
}

static size_t ask_members(const struct md *md, uint32_t rid)
{
	static void (*const ranges[MD_N_LISTS])(const struct md *, uint32_t,
						uint32_t *, uint32_t *) = {
	    md_type_methods, md_type_fields, md_method_params,
	    md_type_properties, NULL};
	size_t sum = md_method_type(md, rid) + md_field_type(md, rid);

	for (unsigned int i = 0; i < MD_N_LISTS; i++) {
		uint32_t first = 0, end = 0;

		if (ranges[i])
			ranges[i](md, rid, &first, &end);
		for (uint32_t k = first; k < end && k < first + MAX_ROWS; k++)
			sum += md_member(md, (enum md_list)i, k);
	}
	return sum + strlen(md_namespace(md, rid));
}

static size_t ask_rows(const struct md *md, const struct md_updates *u,
		       struct arena *arena)
{
	struct il_body body;
	size_t sum = 0;
	uint32_t n;

	for (unsigned int table = 0; table < MD_N_TABLES; table++)
		for (uint32_t rid = 1;
		     rid <= MAX_ROWS && rid <= md_rows(md, table); rid++)
			for (unsigned int col = 0; col < 10; col++) {
				uint32_t v = md_col(md, table, rid, col);

				sum += strlen(md_string(md, v)) +
				       md_blob(md, v).n +
				       md_user_string(md, v).n;
				sum += md_find(md, table, col, v, &n);
			}
	for (uint32_t rid = 1; rid <= MAX_ROWS; rid++) {
		uint32_t rva = md_col(md, MD_METHODDEF, rid, 0);

		sum += ask_members(md, rid);
		if (rva & MD_UPDATED_IL)
			dbg_error_destroy(
			    il_body_parse(md_updates_il(u, rva), arena, &body));
	}
	return sum;
}

static size_t ask_pdb(struct pdb *pdb, uint32_t version, struct arena *arena)
{
	size_t sum = 0, n;
	const char *algorithm, **names;

	for (uint32_t rid = 1; rid <= MAX_ROWS; rid++) {
		const struct pdb_method method = {rid, version};
		struct seq_point *points;
		struct il_range *ranges;
		struct pdb_await *awaits;
		struct pdb_local *locals;

		dbg_error_destroy(
		    pdb_sequence_points(pdb, method, arena, &points, &n));
		dbg_error_destroy(
		    pdb_locals(pdb, method, UINT32_MAX, arena, &locals, &n));
		pdb_hoisted_scopes(pdb, method, arena, &ranges, &n);
		pdb_awaits(pdb, method, arena, &awaits, &n);
		sum += pdb_kickoff_of(pdb, rid) + pdb_move_next_of(pdb, rid);
		sum += strlen(pdb_document_path(pdb, rid));
		sum += pdb_document_hash(pdb, rid, &algorithm).n;
		sum += pdb_document_source(pdb, rid, arena).n;
		pdb_tuple_names(pdb, MD_TOKEN(MD_LOCALVARIABLE, rid), arena,
				&names, &n);
	}
	return sum + pdb_methods_around(pdb, 1, 10, &n);
}

static void update_all(struct md *md, struct pdb *pdb, struct reader *r)
{
	struct md_updates *u = md_updates_create(md);
	struct arena *arena = arena_create();
	struct md parsed;
	size_t sum = 0;

	for (uint32_t i = 1; i <= MAX_UPDATES && reader_left(r); i++) {
		struct bytes delta = part(r), il = part(r), symbols = part(r);

		if (!dbg_err_drop(md_parse(delta, &parsed)) &&
		    !dbg_err_drop(md_updates_apply(u, &parsed, il, md)))
			sum += ask_rows(md, u, arena);
		if (!pdb)
			continue;
		pdb_update(pdb, symbols);
		sum += ask_pdb(pdb, i, arena) + ask_pdb(pdb, PDB_NEWEST, arena);
	}
	if (sum == SIZE_MAX)
		abort();
	arena_destroy(arena);
	md_updates_destroy(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r;
	struct md md;
	struct pdb *pdb = NULL;

	reader_init(&r, data, size);
	struct bytes metadata = part(&r), symbols = part(&r);
	if (dbg_err_drop(md_parse(metadata, &md)))
		return 0;
	dbg_error_destroy(pdb_parse(symbols, &pdb));
	update_all(&md, pdb, &r);
	pdb_destroy(pdb);
	return 0;
}
