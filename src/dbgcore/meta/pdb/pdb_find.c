/*
 * Finds the PDB of an assembly. Candidates are tried in order; the first with
 * the right id wins. If none fits, the first that exists explains why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/pdb/pdb_priv.h"
#include "meta/pe.h"

enum {
	MAX_FILE = 256 * 1024 * 1024,
	MAX_EMBEDDED = 64 * 1024 * 1024,
	MAX_ALL_EMBEDDED = 512 * 1024 * 1024,
};

struct finder {
	const struct pdb_request *req;
	struct arena *arena;
	struct pdb *pdb;
	enum dbg_symbols state; /* of the first misfit, or NONE */
	const char *note;
	struct str tried;
	const char *paths[64]; /* tried already */
	size_t n_paths;
};

static void misfit(struct finder *f, enum dbg_symbols state, const char *note)
{
	if (f->state != DBG_SYMBOLS_NONE)
		return;
	f->state = state;
	f->note = note;
}

static void broken(struct finder *f, const char *path, struct dbg_error *err)
{
	misfit(f, DBG_SYMBOLS_BROKEN,
	       arena_printf(f->arena, "'%s' cannot be read: %s", path,
			    err->message));
	dbg_error_destroy(err);
}

static bool is_windows(struct bytes b)
{
	static const char magic[] = "Microsoft C/C++ ";

	return b.n >= sizeof(magic) - 1 &&
	       !memcmp(b.p, magic, sizeof(magic) - 1);
}

// A portable id is GUID and stamp; of a Windows PDB's id, which a converted
// one keeps, only the GUID can be compared.
static bool id_fits(const struct pe_debug *debug, const struct pdb *pdb)
{
	size_t n = debug->portable ? 20 : 16;

	return !memcmp(pdb->md.pdb.p, debug->pdb_id, n);
}

bool pdb_take(const struct pe *pe, uint8_t *bytes, size_t n, struct pdb **ret)
{
	struct pdb *pdb;
	struct dbg_error *err = pdb_parse((struct bytes){bytes, n}, &pdb);

	if (err) {
		dbg_error_destroy(err);
		free(bytes);
		return false;
	}
	pdb->inflated = bytes;
	if (id_fits(&pe->debug, pdb)) {
		*ret = pdb;
		return true;
	}
	pdb_destroy(pdb);
	return false;
}

// Takes over @file.
static void try_bytes(struct finder *f, const char *path, struct file *file)
{
	struct dbg_error *err;
	struct pdb *pdb;

	if (is_windows(file->bytes)) {
		misfit(f, DBG_SYMBOLS_WINDOWS,
		       arena_printf(f->arena,
				    "'%s' is a Windows PDB: build with "
				    "DebugType portable or embedded",
				    path));
		file_unload(file);
		return;
	}
	err = pdb_parse(file->bytes, &pdb);
	if (err) {
		broken(f, path, err);
		file_unload(file);
		return;
	}
	pdb->file = *file;
	if (id_fits(&f->req->pe->debug, pdb)) {
		f->pdb = pdb;
		f->note = path;
		return;
	}
	misfit(f, DBG_SYMBOLS_MISMATCH,
	       arena_printf(f->arena, "'%s' belongs to another build", path));
	pdb_destroy(pdb);
}

static bool tried(struct finder *f, const char *path)
{
	for (size_t i = 0; i < f->n_paths; i++)
		if (!strcmp(f->paths[i], path))
			return true;
	if (f->n_paths == sizeof(f->paths) / sizeof(f->paths[0]))
		return true;
	f->paths[f->n_paths++] = path;
	return false;
}

// @path is in the arena.
static void try_path(struct finder *f, const char *path)
{
	struct dbg_error *err;
	struct file file;

	if (f->pdb || tried(f, path))
		return;
	str_addf(&f->tried, "%s'%s'", f->tried.len ? ", " : "", path);
	if (!file_exists(path))
		return;
	err = file_load(path, MAX_FILE, &file);
	if (err)
		broken(f, path, err);
	else
		try_bytes(f, path, &file);
}

// "MPDB", size, raw deflate. @others: what was inflated before.
static struct dbg_error *unpack(struct bytes embedded, uint64_t others,
				struct pdb **ret)
{
	struct dbg_error *err;
	struct reader r;

	reader_init(&r, embedded.p, embedded.n);
	uint32_t magic = reader_u32(&r);
	uint32_t size = reader_u32(&r);
	struct bytes packed = reader_bytes(&r, reader_left(&r));
	if (r.bad || magic != 0x4244504d)
		return dbg_err(DBG_E_FORMAT, "unknown format");
	if (size > MAX_EMBEDDED || !pdb_size_plausible(packed, size))
		return dbg_err(DBG_E_FORMAT, "implausible size %u", size);
	if (size + others > MAX_ALL_EMBEDDED)
		return dbg_err(DBG_E_FORMAT,
			       "embedded PDBs take more than %d MB: see 'set "
			       "symbol-modules'",
			       MAX_ALL_EMBEDDED >> 20);
	_cleanup_free_ uint8_t *bytes = xmalloc(size);
	if (!pdb_inflate(packed, bytes, size))
		return dbg_err(DBG_E_FORMAT, "broken compressed data");
	err = pdb_parse((struct bytes){bytes, size}, ret);
	if (err)
		return err;
	(*ret)->inflated = bytes;
	(*ret)->n_inflated = size;
	bytes = NULL;
	return NULL;
}

static void try_embedded(struct finder *f)
{
	const struct pe_debug *debug = &f->req->pe->debug;
	const char *path = f->req->dll_path ? f->req->dll_path : "memory";
	struct dbg_error *err;

	if (!debug->embedded.p)
		return;
	err = unpack(debug->embedded, f->req->inflated, &f->pdb);
	if (err) {
		broken(f, arena_printf(f->arena, "embedded in %s", path), err);
		return;
	}
	// Without a CodeView entry there is no id that it could miss.
	if (!debug->pdb_path || id_fits(debug, f->pdb)) {
		f->note = arena_printf(f->arena, "embedded in %s", path);
		return;
	}
	misfit(f, DBG_SYMBOLS_MISMATCH,
	       "the embedded PDB belongs to another build");
	pdb_destroy(f->pdb);
	f->pdb = NULL;
}

static void try_beside(struct finder *f, const char *pdb_name)
{
	const char *dll = f->req->dll_path;

	if (!dll)
		return;
	const char *base = str_basename(dll);
	const char *dot = strrchr(base, '.');
	int stem = (int)(dot ? dot - dll : (ptrdiff_t)strlen(dll));
	int dir = (int)(base - dll);
	const char *root = f->req->root ? f->req->root : "";
	try_path(f, arena_printf(f->arena, "%s%.*s.pdb", root, stem, dll));
	if (*pdb_name)
		try_path(f, arena_printf(f->arena, "%s%.*s%s", root, dir, dll,
					 pdb_name));
}

static void try_all(struct finder *f)
{
	const struct pdb_request *req = f->req;
	const char *path = req->pe->debug.pdb_path;

	try_embedded(f);
	if (!path)
		return;
	const char *name = str_basename(path);
	try_beside(f, name);
	// A path of another system, or a bare name, names no file here.
	if (path[0] == '/')
		try_path(f, arena_printf(f->arena, "%s%s",
					 req->root ? req->root : "", path));
	for (size_t i = 0; i < req->n_search && *name; i++)
		try_path(f,
			 arena_printf(f->arena, "%s/%s", req->search[i], name));
}

void pdb_find(const struct pdb_request *req, struct arena *arena,
	      struct pdb **ret, enum dbg_symbols *ret_state,
	      const char **ret_note)
{
	struct finder f = {
	    .req = req, .arena = arena, .state = DBG_SYMBOLS_NONE};

	try_all(&f);
	*ret = f.pdb;
	*ret_state = f.pdb ? DBG_SYMBOLS_LOADED : f.state;
	if (f.note)
		*ret_note = f.note;
	else if (f.tried.len)
		*ret_note = arena_printf(arena, "no PDB: looked for %s",
					 str_get(&f.tried));
	else
		*ret_note = "built without a PDB";
	str_deinit(&f.tried);
}
