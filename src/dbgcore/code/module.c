/*
 * A module: where its bytes come from, and facts about it that are read once.
 * The file is used only if its MVID equals the one in the target's memory, so
 * that a rebuilt dll never explains the old program. If the file is gone or
 * differs, the image (or the metadata alone) is copied from memory.
 */
#include "code/module.h"
#include "code/code_priv.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/r2r.h"
#include "target/hostfile.h"
#include "target/target.h"

/* ---- Where symbols are looked for ---------------------------------------- */

/*
 * The settings `debug-file-directory` and `symbol-modules`, which selects
 * modules by patterns.
 */

void symbol_rules_deinit(struct symbol_rules *r)
{
	free(r->dirs);
	free(r->modules);
	*r = (struct symbol_rules){0};
}

static bool matches(const char *pattern, size_t n, const char *module)
{
	_cleanup_free_ char *one = xstrndup(pattern, n);

	return fnmatch(one, module, FNM_CASEFOLD) == 0;
}

// Is @module one of the patterns in @list?
static bool is_named(const char *list, const char *module)
{
	while (*list) {
		list += strspn(list, ", ");
		size_t n = strcspn(list, ",");
		size_t end = n;
		while (end && list[end - 1] == ' ')
			end--;
		if (end && matches(list, end, module))
			return true;
		list += n;
	}
	return false;
}

/*
 * What the setting @r->modules says about the module with the file name
 * @module. It is a list of patterns with commas between (`*`, `?`; ignoring
 * case): modules that match are looked for. With "!" in front, all but these;
 * with "+" in front, the others beside their files only.
 */
static enum symbol_look symbol_rules_look(const struct symbol_rules *r,
					  const char *module)
{
	const char *list = r && r->modules ? r->modules : "";

	list += strspn(list, " ");
	if (!*list)
		return SYMBOL_LOOK_ALL;
	if (*list == '!')
		return is_named(list + 1, module) ? SYMBOL_LOOK_NONE
						  : SYMBOL_LOOK_ALL;
	bool others = *list == '+';
	if (is_named(list + others, module))
		return SYMBOL_LOOK_ALL;
	return others ? SYMBOL_LOOK_BESIDE : SYMBOL_LOOK_NONE;
}

/* ---- A module ------------------------------------------------------------ */

enum {
	MAX_COPY = 256 << 20,
	HEADER_SIZE = 4096,
	SECTIONS_MAX = 96, // the format allows no more
	// DebuggableAttribute.DebuggingModes.DisableOptimizations
	MODE_NO_OPTIMIZATION = 0x100,
	AHEAD_BYTES = 16, // of code that are compared
	TINY_HEADER = 1,  // of an IL body, II.25.4.2 and 3
	FAT_HEADER = 12,
};

// Is the metadata in @md, found in the file at @file_md, what the target has
// at @dm's address? The MVID lies at the same offset in both.
static bool is_same(struct code *c, const struct dac_module *dm,
		    const struct md *md, struct bytes file_md)
{
	struct dbg_error *err;
	const uint8_t *mvid = md_mvid(md);
	uint8_t seen[16];

	if (dm->lacks)
		return false;
	if (!dm->md_addr || !c->target)
		return true;
	if (!mvid)
		return false;
	uint64_t off = (uint64_t)(mvid - file_md.p);
	err = target_read(c->target, dm->md_addr + off, seen, sizeof(seen));
	if (dbg_err_drop(err))
		return false;
	return !memcmp(seen, mvid, sizeof(seen));
}

struct loading {
	struct code *c;
	struct module *mod;
	const struct dac_module *dm;
};

// Take the module's facts from @file, if it is what the program loaded.
static struct dbg_error *check_file(void *arg, const char *place,
				    const struct file *file)
{
	const struct loading *l = arg;
	const char *path = str_ends(place, l->dm->path) ? l->dm->path : place;
	struct dbg_error *err;
	struct pe pe;
	struct md md;

	err = pe_parse(file->bytes, false, &pe);
	if (!err)
		err = md_parse(pe.metadata, &md);
	if (err)
		return dbg_err_prefix(err, "'%s'", path);
	if (!is_same(l->c, l->dm, &md, pe.metadata))
		return dbg_err(DBG_E_SYMBOLS,
			       "'%s' was replaced after the program loaded it",
			       path);
	l->mod->m.pe = pe;
	l->mod->m.md = md;
	return NULL;
}

static struct dbg_error *load_file(struct code *c, struct module *mod,
				   const struct dac_module *dm)
{
	struct loading l = {c, mod, dm};
	const struct hostfile_id id = {.check = check_file, .arg = &l};

	return hostfile_open(c->target, dm->path, &id, &mod->file, &mod->place);
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

// A section of a PE image in memory: where it begins from the base, how much
// of it the file has, how far it reaches.
struct section {
	uint64_t at, stored, n;
};

// Read the section headers of an image, as loaded or as in the file; returns
// how many, 0: these are no headers.
static size_t read_sections(const uint8_t *p, size_t n, bool mapped,
			    struct section ret[SECTIONS_MAX])
{
	struct reader r;

	reader_init(&r, p, n);
	reader_skip(&r, 0x3c);
	uint32_t pe = reader_u32(&r);
	reader_init(&r, p, n);
	reader_skip(&r, pe);
	if (reader_u32(&r) != 0x4550)
		return 0;
	reader_u16(&r);
	uint16_t sections = reader_u16(&r);
	reader_skip(&r, 12);
	uint16_t optional = reader_u16(&r);
	reader_skip(&r, 2 + (size_t)optional);
	for (size_t i = 0; i < sections && i < SECTIONS_MAX; i++) {
		reader_skip(&r, 8);
		uint64_t virtual_size = reader_u32(&r);
		uint64_t rva = reader_u32(&r);
		uint64_t raw_size = reader_u32(&r);
		uint64_t raw = reader_u32(&r);
		reader_skip(&r, 16);
		ret[i] = (struct section){mapped ? rva : raw, raw_size,
					  mapped ? virtual_size : raw_size};
		if (ret[i].stored > ret[i].n)
			ret[i].stored = ret[i].n;
	}
	return r.bad || sections > SECTIONS_MAX ? 0 : sections;
}

// Copy the image by its sections. Memory between them, and behind the part of a
// section that the file has, may be missing.
static uint8_t *copy_sections(struct target *t, uint64_t base, bool mapped,
			      uint64_t *ret_size)
{
	uint8_t header[HEADER_SIZE];
	struct section list[SECTIONS_MAX];
	size_t got = target_read_some(t, base, header, sizeof(header));
	size_t n = read_sections(header, got, mapped, list);
	uint64_t size = got;

	for (size_t i = 0; i < n; i++)
		size = max_u64(size, list[i].at + list[i].n);
	if (!n || size > MAX_COPY)
		return NULL;
	uint8_t *copy = xcalloc(1, size);
	memcpy(copy, header, got);
	for (size_t i = 0; i < n; i++)
		if (target_read_some(t, base + list[i].at, copy + list[i].at,
				     list[i].n) < list[i].stored) {
			free(copy);
			return NULL;
		}
	*ret_size = size;
	return copy;
}

// Copy the image at @dm's base and parse it in one layout; it is the right
// one if the metadata is found where the runtime has it.
static bool copy_image(struct code *c, struct module *mod,
		       const struct dac_module *dm, bool mapped)
{
	struct dbg_error *err;
	struct pe pe;
	struct md md;
	uint64_t size;
	_cleanup_free_ uint8_t *copy =
	    copy_sections(c->target, dm->base, mapped, &size);

	if (!copy)
		return false;
	err = pe_parse((struct bytes){copy, size}, mapped, &pe);
	if (!err && dm->base + (uint64_t)(pe.metadata.p - copy) != dm->md_addr)
		return false;
	if (!err)
		err = md_parse(pe.metadata, &md);
	if (dbg_err_drop(err))
		return false;
	mod->m.pe = pe;
	mod->m.md = md;
	mod->copy = copy;
	copy = NULL;
	return true;
}

static struct dbg_error *load_memory(struct code *c, struct module *mod,
				     const struct dac_module *dm)
{
	struct dbg_error *err;
	struct md md;

	if (dm->dynamic)
		return dbg_err(DBG_E_SYMBOLS,
			       "made by Reflection.Emit: there is no image "
			       "and there are no symbols");
	if (!c->target || !dm->md_addr)
		return dbg_err(DBG_E_SYMBOLS, "no metadata in memory");
	if (dm->base &&
	    (copy_image(c, mod, dm, true) || copy_image(c, mod, dm, false)))
		return NULL;
	if (dm->md_size > MAX_COPY)
		return dbg_err(DBG_E_FORMAT,
			       "metadata of %" PRIu64 " bytes is too large",
			       dm->md_size);
	_cleanup_free_ uint8_t *copy = xmalloc(dm->md_size);
	err = target_read(c->target, dm->md_addr, copy, dm->md_size);
	if (!err)
		err = md_parse((struct bytes){copy, dm->md_size}, &md);
	if (err)
		return err;
	mod->m.md = md;
	mod->copy = copy;
	copy = NULL;
	return NULL;
}

// II.23.3: DebuggableAttribute(bool tracking, bool noOptimization) or
// (DebuggingModes).
static bool is_optimized(const struct md *md)
{
	struct bytes blob;
	struct reader r;

	if (!md_has_attribute(md, MD_TOKEN(MD_ASSEMBLY, 1),
			      "System.Diagnostics.DebuggableAttribute", &blob))
		return true;
	reader_init(&r, blob.p, blob.n);
	if (reader_u16(&r) != 1)
		return true;
	if (blob.n >= 8)
		return !(reader_u32(&r) & MODE_NO_OPTIMIZATION);
	reader_u8(&r);
	return !reader_u8(&r);
}

// Is it a module of the framework, by its name?
static bool is_framework(const struct code_module *m)
{
	static const char *const names[] = {"System.", "Microsoft.",
					    "mscorlib.", "netstandard.",
					    "WindowsBase."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_starts(m->name, names[i]))
			return m->optimized;
	return false;
}

// The path where the module's file would be; NULL: none.
static const char *place_of(const struct code *c, const struct module *mod)
{
	const char *slash = c->bundle ? strrchr(c->bundle, '/') : NULL;

	if (mod->m.path || !slash)
		return mod->m.path;
	return arena_printf(mod->arena, "%.*s/%s", (int)(slash - c->bundle),
			    c->bundle, mod->m.name);
}

bool module_take_symbols(struct code *c, struct module *mod)
{
	struct dbg_error *err;
	uint64_t addr;
	uint32_t size;

	if (!c->dac || !c->target || !mod->m.pe.file.n ||
	    symbol_rules_look(c->symbols, mod->m.name) == SYMBOL_LOOK_NONE ||
	    !dac_module_symbols(c->dac, mod->m.addr, &addr, &size))
		return false;
	uint8_t *bytes = xmalloc(size);
	err = target_read(c->target, addr, bytes, size);
	if (err) {
		dbg_error_destroy(err);
		free(bytes);
		return false;
	}
	if (!pdb_take(&mod->m.pe, bytes, size, &mod->m.pdb))
		return false;
	map_clear(&mod->traits);
	mod->m.symbols = DBG_SYMBOLS_LOADED;
	mod->m.symbols_note =
	    arena_strdup(mod->arena, "in memory, given with the assembly");
	return true;
}

static const char *const *symbol_dirs(const struct code *c, struct arena *arena,
				      size_t *ret_n)
{
	const char *dirs =
	    c->symbols && c->symbols->dirs ? c->symbols->dirs : "";

	dirs = arena_printf(arena, "%s:%s", dirs, hostfile_dirs(c->target));
	return str_split(dirs, ':', arena, ret_n);
}

// Total size of the embedded PDBs of all modules.
static uint64_t all_inflated(const struct code *c)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < c->n_modules; i++)
		if (c->modules[i]->pdb)
			ret += pdb_inflated(c->modules[i]->pdb);
	return ret;
}

// @why: what was wrong with the module's file, or NULL.
static void find_symbols(struct code *c, struct module *mod, const char *why)
{
	const char *text = "loaded from memory, without debug directory";
	enum symbol_look look = symbol_rules_look(c->symbols, mod->m.name);
	_cleanup_free_ char *root = hostfile_path(c->target, "");
	struct pdb_request req = {
	    .pe = &mod->m.pe,
	    .dll_path = place_of(c, mod),
	    .root = root,
	};

	// one that was found elsewhere has its PDB beside it there
	if (mod->place && (!str_starts(mod->place, root) ||
			   strcmp(mod->place + strlen(root), mod->m.path))) {
		req.dll_path = mod->place;
		req.root = "";
	}

	if (look == SYMBOL_LOOK_NONE) {
		mod->m.symbols_note =
		    arena_strdup(mod->arena, "not looked for: see 'show "
					     "symbol-modules'");
		return;
	}
	if (look == SYMBOL_LOOK_ALL)
		req.search = symbol_dirs(c, mod->arena, &req.n_search);
	if (!mod->m.path && module_take_symbols(c, mod))
		return;
	if (mod->m.pe.debug.embedded.p)
		req.inflated = all_inflated(c);
	if (mod->m.pe.file.n)
		pdb_find(&req, mod->arena, &mod->m.pdb, &mod->m.symbols, &text);
	if (why && mod->m.symbols != DBG_SYMBOLS_LOADED)
		text = why;
	else if (!req.dll_path && mod->m.symbols == DBG_SYMBOLS_NONE)
		text = "loaded from memory, without a PDB: one given to "
		       "Assembly.Load, or embedded in the assembly, would be "
		       "found";
	if (text)
		mod->m.symbols_note = arena_strdup(mod->arena, text);
}

// Has the module a file of its own? One loaded from bytes has its metadata's
// name as path.
static bool has_file(const struct dac_module *dm)
{
	return dm->path[0] == '/' && !dm->dynamic;
}

static struct dbg_error *load_image(struct module *mod, struct bytes image)
{
	struct dbg_error *err = pe_parse(image, false, &mod->m.pe);

	mod->copy = (uint8_t *)(uintptr_t)image.p;
	if (!err)
		err = md_parse(mod->m.pe.metadata, &mod->m.md);
	if (err)
		memset(&mod->m.pe, 0, sizeof(mod->m.pe));
	return err;
}

static void load(struct code *c, struct module *mod,
		 const struct dac_module *dm, struct bytes image)
{
	struct dbg_error *err = NULL;
	struct dbg_error *why = NULL;

	if (image.p)
		err = load_image(mod, image);
	else if (has_file(dm))
		why = load_file(c, mod, dm);
	if (!image.p && (why || !mod->m.pe.file.n))
		err = load_memory(c, mod, dm);
	mod->m.optimized = true;
	if (!err) {
		mod->m.optimized = is_optimized(&mod->m.md);
		find_symbols(c, mod, why ? why->message : NULL);
	} else {
		const char *text = why ? why->message : err->message;
		mod->m.symbols_note = arena_strdup(mod->arena, text);
	}
	dbg_error_destroy(why);
	dbg_error_destroy(err);
}

// The module's version id as text: a GUID, whose first three fields are
// little-endian numbers.
static const char *mvid_of(const struct code_module *m, struct arena *arena)
{
	const uint8_t *b = md_mvid(&m->md);

	if (!b)
		return NULL;
	return arena_printf(arena,
			    "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
			    "%02x%02x%02x%02x%02x%02x",
			    b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6],
			    b[8], b[9], b[10], b[11], b[12], b[13], b[14],
			    b[15]);
}

struct module *module_create(struct code *c, const struct dac_module *dm,
			     struct bytes image)
{
	struct module *mod = xcalloc(1, sizeof(*mod));

	mod->arena = arena_create();
	mod->m.addr = dm->addr;
	mod->m.base = dm->base;
	mod->m.dynamic = dm->dynamic;
	if (has_file(dm))
		mod->m.path = arena_strdup(mod->arena, dm->path);
	mod->m.name = arena_strdup(
	    mod->arena, dm->path[0] ? str_basename(dm->path) : dm->name);
	load(c, mod, dm, image);
	mod->m.mvid = mvid_of(&mod->m, mod->arena);
	mod->m.framework = is_framework(&mod->m);
	if (dm->editable)
		texts_keep(c, mod);
	mod->m.n_missed = dm->n_updates;
	if (dm->n_updates)
		mod->m.unknown_update = arena_printf(
		    mod->arena, "%u update%s came before dndbg saw it",
		    dm->n_updates, dm->n_updates == 1 ? "" : "s");
	return mod;
}

void module_destroy(struct module *mod)
{
	pdb_destroy(mod->m.pdb);
	file_unload(&mod->file);
	free(mod->place);
	free(mod->copy);
	updates_destroy(mod->updates);
	texts_destroy(mod->texts);
	map_deinit(&mod->points);
	map_deinit(&mod->traits);
	arena_destroy(mod->points_arena);
	arena_destroy(mod->arena);
	free(mod);
}

const struct module_points *module_points(struct module *mod, uint32_t token)
{
	return module_points_of(mod, token,
				code_method_version(&mod->m, token));
}

const struct module_points *module_points_of(struct module *mod, uint32_t token,
					     uint32_t version)
{
	static const struct module_points none;
	struct dbg_error *err;
	uint32_t rid = MD_TOKEN_RID(token);

	if (!mod->m.pdb || MD_TOKEN_TABLE(token) != MD_METHODDEF)
		return &none;
	uint64_t key = (uint64_t)version << 32 | rid;
	struct module_points *p = map_find(&mod->points, key);
	if (p)
		return p;
	if (!mod->points_arena)
		mod->points_arena = arena_create();
	p = arena_alloc(mod->points_arena, sizeof(*p));
	err = pdb_sequence_points(mod->m.pdb, (struct pdb_method){rid, version},
				  mod->points_arena, &p->points, &p->n);
	if (err) {
		dbg_error_destroy(err);
		*p = none;
	}
	map_put(&mod->points, key, p);
	return p;
}

/* Make room for @n documents: an update may add some. */
static void paths_grow(struct module *mod, uint32_t n)
{
	if (n <= mod->n_paths)
		return;
	const char **paths = arena_calloc(mod->arena, n, sizeof(*paths));
	if (mod->n_paths)
		memcpy(paths, mod->paths, mod->n_paths * sizeof(*paths));
	mod->paths = paths;
	mod->n_paths = n;
}

const char *module_document(struct code *c, struct module *mod, uint32_t rid)
{
	uint32_t n = mod->m.pdb ? pdb_n_documents(mod->m.pdb) : 0;
	unsigned int age = source_age(c);

	if (!rid || rid > n)
		return "";
	paths_grow(mod, n);
	if (mod->path_age != age)
		memset(mod->paths, 0, n * sizeof(*mod->paths));
	mod->path_age = age;
	if (!mod->paths[rid - 1]) {
		const char *path = pdb_document_path(mod->m.pdb, rid);
		if (c->rules)
			path = source_rules_apply(c->rules, path, mod->arena);
		// what is found makes a new rule, by which paths grow old
		path = source_seek(c, mod, rid, path);
		mod->paths[rid - 1] = path;
	}
	return mod->paths[rid - 1];
}

static void body_parse(const struct code_module *m, uint32_t token,
		       uint32_t version, struct arena *arena,
		       struct il_body *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (MD_TOKEN_TABLE(token) != MD_METHODDEF)
		return;
	struct bytes il = code_method_il(m, token, version);
	if (il.p && dbg_err_drop(il_body_parse(il, arena, ret)))
		memset(ret, 0, sizeof(*ret));
}

void module_body(const struct code_module *m, uint32_t token,
		 struct arena *arena, struct il_body *ret)
{
	body_parse(m, token, code_method_version(m, token), arena, ret);
}

void module_body_at(const struct code_pos *pos, struct arena *arena,
		    struct il_body *ret)
{
	body_parse(pos->module, pos->token, pos->version, arena, ret);
}

bool code_is_generic(const struct code_module *m, uint32_t token)
{
	uint32_t rid = MD_TOKEN_RID(token);
	uint32_t type = md_method_type(&m->md, rid);
	uint32_t n;

	return md_find(&m->md, MD_GENERICPARAM, 2, rid << 1 | 1, &n) ||
	       md_find(&m->md, MD_GENERICPARAM, 2, type << 1, &n);
}

// Does the image lie in memory as in its file?
static bool is_flat(const struct code *c, const struct code_module *m)
{
	static const char root[4] = "BSJB"; // of metadata, II.24.2.1
	char found[sizeof(root)];

	if (!m->pe.n_sections || !m->pe.metadata.p)
		return false;
	uint64_t at = m->base + (uint64_t)(m->pe.metadata.p - m->pe.file.p);
	return target_read_some(c->target, at, found, sizeof(found)) ==
		   sizeof(found) &&
	       !memcmp(found, root, sizeof(root));
}

uint64_t code_il_addr(const struct code *c, const struct code_module *m,
		      uint32_t token)
{
	// II.22.26: column 0 is the RVA
	uint32_t rva = md_col(&m->md, MD_METHODDEF, MD_TOKEN_RID(token), 0);
	uint64_t at = m->base + rva;
	uint8_t header;

	if (!rva || rva & MD_UPDATED_IL || !m->base)
		return 0;
	if (is_flat(c, m)) {
		struct bytes body = pe_at_rva(&m->pe, rva);

		if (!body.p)
			return 0;
		at = m->base + (uint64_t)(body.p - m->pe.file.p);
	}
	if (target_read_some(c->target, at, &header, 1) != 1)
		return 0;
	return at + ((header & 3) == 2 ? TINY_HEADER : FAT_HEADER);
}

uint64_t code_precompiled_addr(const struct code *c,
			       const struct code_module *m, uint32_t token)
{
	uint8_t code[AHEAD_BYTES];
	uint32_t rva = m->base && m->pe.n_sections
			   ? r2r_entry(&m->pe, MD_TOKEN_RID(token))
			   : 0;
	struct bytes file =
	    bytes_slice(pe_at_rva(&m->pe, rva), 0, sizeof(code));

	// An image that was not laid out as loaded is used for its IL alone.
	if (!rva || !file.p ||
	    target_read_some(c->target, m->base + rva, code, sizeof(code)) !=
		sizeof(code) ||
	    memcmp(code, file.p, sizeof(code)))
		return 0;
	return m->base + rva;
}

/* ---- Modules that are not loaded ----------------------------------------- */

/*
 * Modules that the program has not loaded, for expressions that name more than
 * the program has used so far: metadata and IL are read from the files beside
 * the core library, or beside a module that refers to them.
 */

enum {
	UNLOADED_MAX = 256,
	MISSING_MAX = 1024,
	ASSEMBLYREF_NAME = 6, /* II.22.5 */
};

/* The file that @path is in the directory of @beside. */
static bool is_beside(const char *path, const char *beside)
{
	const char *a = strrchr(path, '/'), *b = strrchr(beside, '/');

	return a && b && a - path == b - beside &&
	       !memcmp(path, beside, (size_t)(a - path));
}

static struct module *open_file(struct code *c, const char *path,
				const char *name)
{
	const struct dac_module dm = {
	    .addr = DAC_UNLOADED_MODULES + c->n_unloaded,
	    .path = path,
	    .name = name,
	};

	return module_create(c, &dm, (struct bytes){NULL, 0});
}

/* Remember that @path was looked for in vain, in place of the oldest if full.
 */
static void miss(struct code *c, const char *path)
{
	size_t i = c->n_missed++ % MISSING_MAX;

	if (c->n_missed <= MISSING_MAX)
		mem_grow(&c->missing, &c->cap_missing, i, sizeof(*c->missing));
	else
		free(c->missing[i]);
	c->missing[i] = xstrdup(path);
}

static bool is_missing(const struct code *c, const char *path)
{
	for (size_t i = 0; i < c->n_missed && i < MISSING_MAX; i++)
		if (!strcmp(c->missing[i], path))
			return true;
	return false;
}

static struct code_module *find_beside(struct code *c, const struct module *by,
				       const char *name)
{
	const char *slash = by->m.path ? strrchr(by->m.path, '/') : NULL;

	if (!by->place || !slash || strchr(name, '/'))
		return NULL;
	for (size_t i = 0; i < c->n_unloaded; i++)
		if (code_module_has_name(&c->unloaded[i]->m, name))
			return &c->unloaded[i]->m;
	_cleanup_free_ char *path = xasprintf(
	    "%.*s/%s.dll", (int)(slash - by->m.path), by->m.path, name);
	if (c->n_unloaded == UNLOADED_MAX || is_missing(c, path))
		return NULL;
	struct module *mod = open_file(c, path, name);
	// The file of another installation is none of this framework.
	if (!md_rows(&mod->m.md, MD_TYPEDEF) ||
	    (mod->place && !is_beside(mod->place, by->place))) {
		module_destroy(mod);
		miss(c, path);
		return NULL;
	}
	mem_grow(&c->unloaded, &c->cap_unloaded, c->n_unloaded,
		 sizeof(*c->unloaded));
	c->unloaded[c->n_unloaded++] = mod;
	return &mod->m;
}

struct code_module *
code_module_unloaded(struct code *c, struct code_module *from, const char *name)
{
	struct code_module *core =
	    code_module_named(c, "System.Private.CoreLib");
	struct code_module *m =
	    core ? find_beside(c, module_of(core), name) : NULL;

	return m || !from ? m : find_beside(c, module_of(from), name);
}

static void each_named(struct code *c, const char *name, code_module_fn *fn,
		       void *arg)
{
	struct code_module *m = code_module_named(c, name)
				    ? NULL
				    : code_module_unloaded(c, NULL, name);

	if (m)
		fn(arg, m);
}

void code_each_unloaded(struct code *c, const struct code_module *m,
			code_module_fn *fn, void *arg)
{
	uint32_t n = m ? md_rows(&m->md, MD_ASSEMBLYREF) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		each_named(c,
			   md_col_string(&m->md, MD_ASSEMBLYREF, rid,
					 ASSEMBLYREF_NAME),
			   fn, arg);
	each_named(c, "System.Linq", fn, arg);
}

uint32_t code_modules_age(const struct code *c)
{
	return c->age;
}

void unloaded_deinit(struct code *c)
{
	for (size_t i = 0; i < c->n_unloaded; i++)
		module_destroy(c->unloaded[i]);
	free(c->unloaded);
	for (size_t i = 0; i < c->n_missed && i < MISSING_MAX; i++)
		free(c->missing[i]);
	free(c->missing);
}

void unloaded_loaded(struct code *c, const struct code_module *m)
{
	for (size_t i = 0; i < c->n_unloaded; i++)
		c->age += code_module_has_name(m, c->unloaded[i]->m.name);
}
