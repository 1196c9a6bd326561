/* PE headers, debug entries, bodies, precompiled code, PDBs, resources. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/pdb.h"
#include "meta/pe.h"
#include "meta/r2r.h"
#include "meta/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct bytes bytes, bool mapped, struct arena *arena)
{
	struct dbg_error *err;
	enum dbg_symbols state;
	struct il_body body;
	const char *note;
	struct pdb *pdb;
	struct pe pe;
	struct md md;

	err = pe_parse(bytes, mapped, &pe);
	if (dbg_err_drop(err))
		return;
	for (uint64_t rva = 0; rva < 0x10000; rva += 0x101)
		dbg_error_destroy(
		    il_body_parse(pe_at_rva(&pe, (uint32_t)rva), arena, &body));
	for (uint32_t rid = 0; rid < 64; rid++)
		r2r_entry(&pe, rid);
	err = md_parse(pe.metadata, &md);
	if (!dbg_err_drop(err))
		resources_find(&pe, &md, "");
	// Without a path only the embedded PDB is tried.
	if (pe.debug.pdb_path && pe.debug.pdb_path[0] == '/')
		return;
	struct pdb_request req = {.pe = &pe};
	pdb_find(&req, arena, &pdb, &state, &note);
	pdb_destroy(pdb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct il_body body;

	check((struct bytes){data, size}, false, arena);
	check((struct bytes){data, size}, true, arena);
	dbg_error_destroy(
	    il_body_parse((struct bytes){data, size}, arena, &body));
	resources_string((struct bytes){data, size}, "Arg_KeyNotFoundWithKey");
	arena_destroy(arena);
	return 0;
}
