/*
 * Finds the definition that a reference means: through assembly references to
 * the modules that the program has loaded, and through their forwarders.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "types/types_priv.h"
#include "meta/csname.h"

enum {
	ASSEMBLYREF_NAME = 6,
	EXPORTED_NAME = 2,
	EXPORTED_NAMESPACE = 3,
	EXPORTED_IMPLEMENTATION = 4,
	FORWARDS_MAX = 16,
	VISIBILITY = 7,          /* of TypeAttributes, II.23.1.15 */
	NESTED = 2,              /* this and what is more */
	IMPLEMENTATION_BITS = 2, /* II.24.2.6 */
	IMPLEMENTATION_ASSEMBLYREF = 1,
};

/* ---- Names of a module ----------------------------------------------- */

static uint64_t name_hash(uint32_t enclosing, const char *space,
			  const char *name)
{
	uint64_t h = type_hash(enclosing, str_hash(space, strlen(space)));
	return type_hash(h, str_hash(name, strlen(name)));
}

static void index_defs(struct types *ts, struct type_module *im)
{
	const struct md *md = &im->m->md;
	im->n_defs = md_rows(md, MD_TYPEDEF) + 1;
	im->next = arena_calloc(ts->arena, im->n_defs, sizeof(im->next[0]));
	im->defs = arena_calloc(ts->arena, im->n_defs, sizeof(im->defs[0]));
	for (uint32_t rid = im->n_defs - 1; rid; rid--) {
		const char *name =
		    md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
		const char *space =
		    md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAMESPACE);
		// to look for the enclosing class of each takes its time
		uint32_t visible =
		    md_col(md, MD_TYPEDEF, rid, TYPEDEF_FLAGS) & VISIBILITY;
		uint32_t enclosing =
		    visible >= NESTED ? md_enclosing(md, rid) : 0;
		uint64_t hash = name_hash(enclosing, space, name);
		im->next[rid] = (uint32_t)(uintptr_t)map_find(&im->names, hash);
		map_put(&im->names, hash, (void *)(uintptr_t)rid);
	}
}

static void index_exported(struct type_module *im)
{
	const struct md *md = &im->m->md;
	for (uint32_t rid = md_rows(md, MD_EXPORTEDTYPE); rid; rid--) {
		const char *name =
		    md_col_string(md, MD_EXPORTEDTYPE, rid, EXPORTED_NAME);
		const char *space =
		    md_col_string(md, MD_EXPORTEDTYPE, rid, EXPORTED_NAMESPACE);
		map_put(&im->exported, name_hash(0, space, name),
			(void *)(uintptr_t)rid);
	}
}

struct type_module *type_module_get(struct types *ts, struct code_module *m)
{
	struct type_module *im = map_find(&ts->modules, m->addr);
	if (im)
		return im;
	im = arena_alloc(ts->arena, sizeof(*im));
	im->m = m;
	im->n_refs = md_rows(&m->md, MD_TYPEREF) + 1;
	im->refs = arena_calloc(ts->arena, im->n_refs, sizeof(im->refs[0]));
	index_defs(ts, im);
	index_exported(im);
	map_put(&ts->modules, m->addr, im);
	return im;
}

uint32_t type_module_def(struct type_module *im, uint32_t enclosing,
			 const char *space, const char *name)
{
	const struct md *md = &im->m->md;
	uint64_t hash = name_hash(enclosing, space, name);
	uint32_t rid = (uint32_t)(uintptr_t)map_find(&im->names, hash);
	for (; rid; rid = im->next[rid]) {
		if (!strcmp(name,
			    md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME)) &&
		    !strcmp(space, md_col_string(md, MD_TYPEDEF, rid,
						 TYPEDEF_NAMESPACE)) &&
		    md_enclosing(md, rid) == enclosing)
			return rid;
	}
	return 0;
}

/* ---- Assemblies ------------------------------------------------------ */

/*
 * The module to which the runtime has bound a TypeRef, for names that several
 * modules have; NULL if it has not resolved the reference.
 */
static struct code_module *bound_module(struct types *ts, struct code_module *m,
					uint32_t ref)
{
	const struct dac_type *type;
	uint64_t mt =
	    ref ? dac_type_of_token(ts->dac, m->addr, MD_TOKEN(MD_TYPEREF, ref))
		: 0;
	if (!mt || dbg_err_drop(dac_type_get(ts->dac, mt, &type)))
		return NULL;
	return code_module_find(ts->code, type->module);
}

/*
 * The module that AssemblyRef @rid of @m means; NULL: not loaded, and no file
 * of the framework or beside @m.
 */
static struct code_module *assembly(struct types *ts, struct code_module *m,
				    uint32_t rid, uint32_t ref)
{
	const char *name =
	    md_col_string(&m->md, MD_ASSEMBLYREF, rid, ASSEMBLYREF_NAME);
	size_t n, n_found = 0;
	struct code_module *const *modules = code_modules(ts->code, &n);
	struct code_module *found = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!code_module_has_name(modules[i], name))
			continue;
		if (!n_found++)
			found = modules[i];
	}
	struct code_module *bound =
	    n_found > 1 ? bound_module(ts, m, ref) : NULL;
	if (!found)
		return code_module_unloaded(ts->code, m, name);
	return bound ? bound : found;
}

static bool find_forwarded(struct types *ts, struct type_module *im,
			   const char *space, const char *name,
			   struct type_def *ret)
{
	for (int i = 0; im && i < FORWARDS_MAX; i++) {
		const struct md *md = &im->m->md;
		uint32_t rid = type_module_def(im, 0, space, name);
		if (rid) {
			*ret = (struct type_def){im->m, rid};
			return true;
		}
		rid = (uint32_t)(uintptr_t)map_find(&im->exported,
						    name_hash(0, space, name));
		uint32_t to = rid ? md_col(md, MD_EXPORTEDTYPE, rid,
					   EXPORTED_IMPLEMENTATION)
				  : 0;
		if ((to & ((1 << IMPLEMENTATION_BITS) - 1)) !=
		    IMPLEMENTATION_ASSEMBLYREF)
			return false;
		struct code_module *next =
		    assembly(ts, im->m, to >> IMPLEMENTATION_BITS, 0);
		im = next ? type_module_get(ts, next) : NULL;
	}
	return false;
}

bool type_module_find(struct types *ts, struct type_module *im,
		      const char *space, const char *name, struct type_def *ret)
{
	return find_forwarded(ts, im, space, name, ret);
}

static struct dbg_error *not_there(struct code_module *m, uint32_t ref,
				   const char *assembly_name, bool loaded)
{
	_cleanup_str_ struct str name = {0};
	csname_type(&m->md, MD_TOKEN(MD_TYPEREF, ref), NULL, &name);
	if (loaded)
		return dbg_err(DBG_E_NOT_FOUND,
			       "assembly '%s' has no type '%s'", assembly_name,
			       str_get(&name));
	return dbg_err(DBG_E_NOT_FOUND,
		       "type '%s' is in assembly '%s', which the program has "
		       "not loaded",
		       str_get(&name), assembly_name);
}

static struct dbg_error *resolve_assembly(struct types *ts,
					  struct code_module *m, uint32_t ref,
					  uint32_t rid, struct type_def *ret)
{
	const struct md *md = &m->md;
	const char *name = md_col_string(md, MD_TYPEREF, ref, TYPEREF_NAME);
	const char *space =
	    md_col_string(md, MD_TYPEREF, ref, TYPEREF_NAMESPACE);
	struct code_module *to = assembly(ts, m, rid, ref);
	if (to && find_forwarded(ts, type_module_get(ts, to), space, name, ret))
		return NULL;
	// A facade that nothing has needed yet is not loaded: what it stands
	// for is in the core library more often than not.
	struct code_module *core = types_core(ts);
	if (!to && core &&
	    find_forwarded(ts, type_module_get(ts, core), space, name, ret))
		return NULL;
	return not_there(
	    m, ref, md_col_string(md, MD_ASSEMBLYREF, rid, ASSEMBLYREF_NAME),
	    to != NULL);
}

static struct dbg_error *resolve_ref(struct types *ts, struct code_module *m,
				     uint32_t ref, unsigned int depth,
				     struct type_def *ret)
{
	struct dbg_error *err;
	struct type_def outer;
	const struct md *md = &m->md;
	uint32_t scope =
	    md_resolution_scope(md_col(md, MD_TYPEREF, ref, TYPEREF_SCOPE));
	const char *name = md_col_string(md, MD_TYPEREF, ref, TYPEREF_NAME);
	const char *space =
	    md_col_string(md, MD_TYPEREF, ref, TYPEREF_NAMESPACE);
	if (depth > TYPE_DEPTH_MAX)
		return dbg_err(DBG_E_FORMAT, "type references in a ring");
	switch (MD_TOKEN_TABLE(scope)) {
	case MD_ASSEMBLYREF:
		return resolve_assembly(ts, m, ref, MD_TOKEN_RID(scope), ret);
	case MD_TYPEREF:
		err =
		    resolve_ref(ts, m, MD_TOKEN_RID(scope), depth + 1, &outer);
		if (err)
			return err;
		*ret = outer;
		ret->rid = type_module_def(type_module_get(ts, outer.module),
					   outer.rid, space, name);
		break;
	default:
		*ret = (struct type_def){
		    m, type_module_def(type_module_get(ts, m), 0, space, name)};
		break;
	}
	return ret->rid ? NULL : not_there(m, ref, ret->module->name, true);
}

struct dbg_error *type_resolve(struct types *ts, struct code_module *m,
			       uint32_t token, struct type_def *ret)
{
	struct type_module *im = type_module_get(ts, m);
	uint32_t rid = MD_TOKEN_RID(token);
	if (MD_TOKEN_TABLE(token) == MD_TYPEDEF && rid && rid < im->n_defs) {
		*ret = (struct type_def){m, rid};
		return NULL;
	}
	if (MD_TOKEN_TABLE(token) != MD_TYPEREF || !rid || rid >= im->n_refs)
		return dbg_err(DBG_E_FORMAT, "token 0x%08x of '%s' is no type",
			       token, m->name);
	if (!im->refs[rid].rid) {
		struct type_def def;
		struct dbg_error *err = resolve_ref(ts, m, rid, 0, &def);
		if (err)
			return err;
		im->refs[rid] = def;
	}
	*ret = im->refs[rid];
	return NULL;
}
