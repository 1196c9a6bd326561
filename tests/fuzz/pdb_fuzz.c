/* Portable PDBs: every question about the first methods and documents. */
#include "base/err.h"
#include "base/mem.h"
#include "meta/pdb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	MAX_ROWS = 20
};

static void ask(struct pdb *pdb, uint32_t rid, struct arena *arena)
{
	struct seq_point *points;
	struct il_range *ranges;
	struct pdb_await *awaits;
	struct pdb_local *locals;
	const struct pdb_method method = {rid, PDB_NEWEST};
	const char **names, *algorithm;
	size_t n;

	pdb_document_path(pdb, rid);
	pdb_document_hash(pdb, rid, &algorithm);
	pdb_document_source(pdb, rid, arena);
	dbg_error_destroy(pdb_sequence_points(pdb, method, arena, &points, &n));
	dbg_error_destroy(
	    pdb_locals(pdb, method, UINT32_MAX, arena, &locals, &n));
	dbg_error_destroy(pdb_locals(pdb, method, 0, arena, &locals, &n));
	pdb_kickoff_of(pdb, rid);
	pdb_move_next_of(pdb, rid);
	pdb_hoisted_scopes(pdb, method, arena, &ranges, &n);
	pdb_awaits(pdb, method, arena, &awaits, &n);
	pdb_tuple_names(pdb, MD_TOKEN(MD_LOCALVARIABLE, rid), arena, &names,
			&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbg_error *err;
	struct pdb *pdb;
	size_t n;

	err = pdb_parse((struct bytes){data, size}, &pdb);
	if (dbg_err_drop(err))
		return 0;
	struct arena *arena = arena_create();
	for (uint32_t rid = 0; rid < MAX_ROWS; rid++) {
		ask(pdb, rid, arena);
		arena_reset(arena);
	}
	pdb_methods_around(pdb, 1, 10, &n);
	arena_destroy(arena);
	pdb_destroy(pdb);
	return 0;
}
