/*
 * C# names of what the runtime has at an address, and of all there is for
 * completion. Metadata gives a name its form; the DAC adds the generic
 * arguments of this very instance, as far as the code is not shared between
 * instances (then the parameter's name is printed: List<T>).
 */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "dac/asyncmethod.h"
#include "meta/csname.h"
#include "target/target.h"

/* ---- Names that only the DAC knows ----------------------------------- */

/*
 * Method names as the DAC spells them: "Ns.Type`1[[A, asm]].M[[B, asm]](A)".
 * A group of arguments in front of a '.' or '+' is the type's, one at the
 * end the method's.
 */

// Skip a bracketed group at @p; returns the end of the text if it is not
// closed.
static const char *skip_group(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '[')
			depth++;
		else if (*p == ']' && !--depth)
			return p + 1;
	}
	return p;
}

// The type in "[Ns.Type`1[[...]], Assembly, ...]" without brackets and
// assembly, as C#; NULL for the runtime's placeholder of shared code.
static const char *arg_name(const char *p, struct arena *arena)
{
	_cleanup_str_ struct str name = {0};
	const char *end = ++p;

	while (*end && *end != ',' && *end != ']') {
		if (*end == '[')
			end = skip_group(end);
		else
			end += *end == '\\' && end[1] ? 2 : 1;
	}
	const char *dac = arena_strndup(arena, p, (size_t)(end - p));
	if (strstr(dac, "System.__Canon"))
		return NULL;
	csname_from_dac(dac, &name);
	return arena_strdup(arena, str_get(&name));
}

// The arguments in the group "[[...],[...]]" at @p.
static void read_group(const char *p, struct arena *arena,
		       struct dacname_args *ret)
{
	ret->n = 0;
	p++;
	while (*p == '[' && ret->n < DACNAME_MAX_ARGS) {
		ret->args[ret->n++] = arg_name(p, arena);
		p = skip_group(p);
		p += strspn(p, ", ");
	}
}

void dacname_args(const char *dac, struct arena *arena,
		  struct dacname_args *type, struct dacname_args *method)
{
	type->n = method->n = 0;
	while (*dac && *dac != '(') {
		if (*dac != '[') {
			dac++;
			continue;
		}
		const char *end = skip_group(dac);
		bool last = !*end || *end == '(';
		if (dac[1] == '[')
			read_group(dac, arena, last ? method : type);
		dac = end;
	}
}

// The end of a parameter: a ',' or ')' outside of brackets.
static const char *param_end(const char *p)
{
	while (*p && *p != ',' && *p != ')')
		p = *p == '[' ? skip_group(p) : p + 1;
	return p;
}

// Append one parameter's type; the DAC leaves out the namespace of primitives.
static void put_param(const char *dac, struct str *name)
{
	_cleanup_free_ char *full = xasprintf("System.%s", dac);
	const char *keyword = csname_keyword(full);

	if (keyword)
		str_add(name, keyword);
	else
		csname_from_dac(dac, name);
}

const char *dacname_csharp(const char *dac, struct arena *arena)
{
	_cleanup_str_ struct str name = {0};
	const char *p = dac + strcspn(dac, "(");

	str_addn(&name, dac, (size_t)(p - dac));
	while (*p && *p != ')') {
		str_addc(&name, *p++);
		while (*p == ' ')
			str_addc(&name, *p++);
		const char *end = param_end(p);
		put_param(arena_strndup(arena, p, (size_t)(end - p)), &name);
		p = end;
	}
	str_add(&name, p);
	return arena_strdup(arena, str_get(&name));
}

/* ---- Names ----------------------------------------------------------- */

static const char stub_name[] = "[IL stub]";

enum {
	METHODDEF_FLAGS = 2, /* II.22.26 */
	PINVOKE_IMPL = 0x2000,
};

struct method_name {
	struct code_name name;
	enum code_method_kind kind;
	bool stays; /* false: dynamic */
};

/* ---- Generic parameters ---------------------------------------------- */

// Name of generic parameter @i of a TypeDef or MethodDef; "?" if it has none.
static const char *param_name(const struct md *md, uint32_t token, size_t i)
{
	uint32_t n;
	uint32_t owner =
	    MD_TOKEN_RID(token) << 1 | (MD_TOKEN_TABLE(token) == MD_METHODDEF);
	uint32_t rid = md_find(md, MD_GENERICPARAM, 2, owner, &n);

	return rid && i < n
		   ? md_col_string(md, MD_GENERICPARAM, rid + (uint32_t)i, 3)
		   : "?";
}

static void fill_shared(const struct md *md, uint32_t token,
			struct dacname_args *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->args[i])
			list->args[i] = param_name(md, token, i);
}

static bool has_params(const struct md *md, uint32_t token)
{
	uint32_t n;
	uint32_t owner =
	    MD_TOKEN_RID(token) << 1 | (MD_TOKEN_TABLE(token) == MD_METHODDEF);

	return md_find(md, MD_GENERICPARAM, 2, owner, &n) != 0;
}

static bool is_generic(const struct md *md, uint32_t token)
{
	uint32_t type = md_method_type(md, MD_TOKEN_RID(token));

	return has_params(md, token) ||
	       has_params(md, MD_TOKEN(MD_TYPEDEF, type));
}

/* ---- Methods --------------------------------------------------------- */

void code_name_split(const char *full, size_t list, struct arena *arena,
		     struct code_name *ret)
{
	size_t n = strlen(full);

	*ret = (struct code_name){
	    .full = arena_strdup(arena, full),
	    .plain = arena_strndup(arena, full, list),
	};
	if (list < n)
		ret->params =
		    arena_strndup(arena, full + list + 1,
				  n - list - 1 - (full[n - 1] == ')'));
}

size_t code_name_list(const char *full)
{
	size_t n = strlen(full);
	int depth = 0;

	for (size_t i = n; i && full[n - 1] == ')';) {
		depth += full[--i] == ')';
		depth -= full[i] == '(';
		if (!depth)
			return i;
	}
	return n;
}

static const char *dac_name(struct code *c, uint64_t method,
			    struct arena *arena)
{
	struct dbg_error *err;
	const char *name = NULL;

	err = dac_method_name(c->dac, method, arena, &name);
	dbg_error_destroy(err);
	return name && *name ? name : NULL;
}

static void name_metadata(struct code *c, const struct code_module *m,
			  const struct dac_method *dm, struct arena *arena,
			  struct code_name *ret)
{
	_cleanup_str_ struct str full = {0};
	struct dacname_args type = {.n = 0}, own = {.n = 0};
	uint32_t token = dm->token;

	if (is_generic(&m->md, token)) {
		const char *dac = dac_name(c, dm->addr, arena);
		uint32_t rid = md_method_type(&m->md, MD_TOKEN_RID(token));
		dacname_args(dac ? dac : "", arena, &type, &own);
		fill_shared(&m->md, MD_TOKEN(MD_TYPEDEF, rid), &type);
		fill_shared(&m->md, token, &own);
	}
	struct csname_args args = {type.args, type.n, own.args, own.n};
	size_t list = csname_method(&m->md, token, true, &args, &full);
	code_name_split(str_get(&full), list, arena, ret);
}

// Dynamic methods and methods of modules whose metadata was not to be had.
static void name_dac(struct code *c, const struct dac_method *dm,
		     struct arena *arena, struct code_name *ret)
{
	const char *name = dac_name(c, dm->addr, arena);
	const char *mark = dm->dynamic ? "[dynamic] " : "";

	if (!name)
		name = "[unknown]";
	if (dm->dynamic && strstr(name, "IL_STUB"))
		name = mark = stub_name;
	if (dm->dynamic && str_starts(name, "DynamicClass."))
		name += strlen("DynamicClass.");
	if (mark != name)
		name = arena_printf(arena, "%s%s", mark,
				    dacname_csharp(name, arena));
	code_name_split(name, code_name_list(name), arena, ret);
}

static void method_read(struct code *c, const struct dac_method *dm,
			struct arena *arena, struct code_name *ret)
{
	const struct code_module *m =
	    dm->dynamic ? NULL : code_module_find(c, dm->module);

	if (m && md_rows(&m->md, MD_METHODDEF) >= MD_TOKEN_RID(dm->token))
		name_metadata(c, m, dm, arena, ret);
	else
		name_dac(c, dm, arena, ret);
}

static void keep(struct code *c, struct code_name *name,
		 const struct code_name *fresh)
{
	if (!name->full || strcmp(name->full, fresh->full))
		code_name_split(fresh->full, strlen(fresh->plain), c->cache,
				name);
}

static bool dispatches(const struct method_name *name)
{
	// the last two throw on behalf of compiled code (a bad index, ...), and
	// call Main on behalf of the runtime (.NET 11)
	static const char *const types[] = {
	    "System.Runtime.EH.",
	    "System.Runtime.StackFrameIterator.",
	    "System.Runtime.ExceptionServices.InternalCalls.",
	    "Internal.Runtime.CompilerHelpers.ThrowHelpers.",
	    "System.Environment.CallEntryPoint",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (str_starts(name->name.plain, types[i]))
			return true;
	return false;
}

// Is the method implemented in native code (P/Invoke)? Its managed code is a
// stub, which .NET 11 makes under the method's name.
static bool is_import(struct code *c, const struct dac_method *dm)
{
	const struct code_module *m = code_module_find(c, dm->module);

	return m && md_col(&m->md, MD_METHODDEF, MD_TOKEN_RID(dm->token),
			   METHODDEF_FLAGS) &
			PINVOKE_IMPL;
}

static enum code_method_kind kind_of(struct code *c,
				     const struct method_name *name,
				     const struct dac_method *dm)
{
	struct dac_async async;

	if (dispatches(name))
		return CODE_METHOD_DISPATCH;
	dac_async_get(c->dac, dm->addr, &async);
	if (async.thunk)
		return CODE_METHOD_STUB;
	if (name->stays)
		return is_import(c, dm) ? CODE_METHOD_STUB : CODE_METHOD_PLAIN;
	return strcmp(name->name.plain, stub_name) ? CODE_METHOD_DYNAMIC
						   : CODE_METHOD_STUB;
}

// A small core has code without its method.
static const struct method_name *method_lacking(struct code *c, uint64_t method)
{
	static const struct method_name unknown = {
	    .name = {.full = "[unknown]", .plain = "[unknown]"}};
	_cleanup_str_ struct str text = {0};

	if (!method || target_changes(c->target))
		return &unknown;
	struct method_name *name = arena_calloc(c->cache, 1, sizeof(*name));
	str_addf(&text, "[method 0x%" PRIx64 ", not in this core]", method);
	name->name.full = name->name.plain =
	    arena_strdup(c->cache, str_get(&text));
	name->stays = true;
	map_put(&c->methods, method, name);
	return name;
}

static const struct method_name *method_get(struct code *c, uint64_t method)
{
	struct dbg_error *err;
	struct dac_method dm;
	struct method_name *name = map_find(&c->methods, method);
	struct code_name fresh;

	// A dynamic method's descriptor is reused for another: ask each time.
	if (name && name->stays)
		return name;
	err = dac_method_get(c->dac, method, &dm);
	if (dbg_err_drop(err))
		return method_lacking(c, method);
	struct arena *arena = arena_create();
	method_read(c, &dm, arena, &fresh);
	if (!name) {
		name = arena_alloc(c->cache, sizeof(*name));
		map_put(&c->methods, method, name);
	}
	keep(c, &name->name, &fresh);
	name->stays = !dm.dynamic;
	name->kind = kind_of(c, name, &dm);
	arena_destroy(arena);
	return name;
}

const char *code_method_name(struct code *c, uint64_t method, bool params,
			     struct arena *arena)
{
	const struct code_name *name = &method_get(c, method)->name;

	return arena_strdup(arena, params ? name->full : name->plain);
}

void code_method_names(struct code *c, uint64_t method, struct arena *arena,
		       struct code_name *ret)
{
	const struct code_name *name = &method_get(c, method)->name;

	code_name_split(name->full, strlen(name->plain), arena, ret);
}

enum code_method_kind code_method_kind(struct code *c, uint64_t method)
{
	return method_get(c, method)->kind;
}

void code_token_names(const struct code_module *m, uint32_t token,
		      const struct csname_args *args, struct arena *arena,
		      struct code_name *ret)
{
	_cleanup_str_ struct str name = {0};
	size_t list = csname_method(&m->md, token, true, args, &name);

	code_name_split(str_get(&name), list, arena, ret);
}

/* ---- Types ----------------------------------------------------------- */

enum {
	NESTING_MAX = 16
};

static bool add_type(struct code *c, uint64_t type, int depth, struct str *out);

static bool add_array(struct code *c, const struct dac_type *t, int depth,
		      struct str *out)
{
	if (!t->element || !add_type(c, t->element, depth, out))
		return false;
	str_addc(out, '[');
	for (uint32_t i = 1; i < t->rank; i++)
		str_addc(out, ',');
	str_addc(out, ']');
	return true;
}

// Names of the exact arguments; a shared one stands for the parameter.
static bool type_args(struct code *c, const struct code_module *m,
		      const struct dac_type *t, int depth, struct arena *arena,
		      struct csname_args *ret)
{
	uint32_t token = MD_TOKEN(MD_TYPEDEF, MD_TOKEN_RID(t->token));
	struct dbg_error *err;
	uint64_t *types;
	size_t n = 0;

	err = dac_type_args(c->dac, t->addr, arena, &types, &n);
	if (dbg_err_drop(err) || !n)
		return false;
	const char **names = arena_calloc(arena, n, sizeof(*names));
	for (size_t i = 0; i < n; i++) {
		_cleanup_str_ struct str name = {0};

		if (!add_type(c, types[i], depth, &name))
			return false;
		names[i] = strcmp(str_get(&name), "System.__Canon")
			       ? arena_strdup(arena, str_get(&name))
			       : param_name(&m->md, token, i);
	}
	*ret = (struct csname_args){.type_args = names, .n_type_args = n};
	return true;
}

// The name from metadata; false if that does not tell all of it.
static bool add_type(struct code *c, uint64_t type, int depth, struct str *out)
{
	const struct dac_type *t;
	struct dbg_error *err = dac_type_get(c->dac, type, &t);

	if (dbg_err_drop(err) || depth > NESTING_MAX)
		return false;
	if (t->is_array)
		return add_array(c, t, depth + 1, out);
	const struct code_module *m = code_module_find(c, t->module);
	if (!m || !t->token ||
	    md_rows(&m->md, MD_TYPEDEF) < MD_TOKEN_RID(t->token))
		return false;
	uint32_t token = MD_TOKEN(MD_TYPEDEF, MD_TOKEN_RID(t->token));
	struct arena *arena = arena_create();
	struct csname_args args = {.n_type_args = 0};
	bool known = !has_params(&m->md, token) ||
		     type_args(c, m, t, depth + 1, arena, &args);
	if (known)
		csname_type(&m->md, token, &args, out);
	arena_destroy(arena);
	return known;
}

// Ask the DAC for the name. Expensive: it copies the metadata of the module (3
// MB of the core library's) in every stop.
static bool add_dac_type(struct code *c, uint64_t type, struct str *out)
{
	const char *dac = NULL;
	struct dbg_error *err = dac_type_name(c->dac, type, &dac);

	if (dbg_err_drop(err))
		return false;
	csname_from_dac(dac, out);
	return true;
}

const char *code_type_name(struct code *c, uint64_t type)
{
	_cleanup_str_ struct str text = {0};
	const char *name = map_find(&c->types, type);

	if (name)
		return name;
	if (!add_type(c, type, 0, &text)) {
		str_clear(&text);
		if (!add_dac_type(c, type, &text))
			return "?";
	}
	char *copy = arena_strdup(c->cache, str_get(&text));
	map_put(&c->types, type, copy);
	return copy;
}

/* ---- Completion ------------------------------------------------------ */

enum {
	NESTED_MAX = 32,
	// ECMA-335 II.23.1.15
	VISIBLE_PUBLIC = 1,
	VISIBLE_NESTED_PUBLIC = 2,
};

static void each_file(const struct code_module *m, code_name_fn *fn, void *arg)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		fn(arg, str_basename(pdb_document_path(m->pdb, rid)));
}

// Can other assemblies name the type?
static bool is_public(const struct md *md, uint32_t rid)
{
	for (int depth = 0; rid && depth < NESTED_MAX; depth++) {
		uint32_t n, row;
		uint32_t visibility = md_col(md, MD_TYPEDEF, rid, 0) & 7;

		if (visibility == VISIBLE_PUBLIC)
			return true;
		if (visibility != VISIBLE_NESTED_PUBLIC)
			return false;
		row = md_find(md, MD_NESTEDCLASS, 0, rid, &n);
		rid = row ? md_col(md, MD_NESTEDCLASS, row, 1) : 0;
	}
	return false;
}

static void each_type(const struct code_module *m, code_name_fn *fn, void *arg)
{
	bool foreign = m->framework && !m->pdb;
	uint32_t n = md_rows(&m->md, MD_TYPEDEF);
	_cleanup_str_ struct str name = {0};

	for (uint32_t rid = 1; rid <= n; rid++) {
		// Closures, state machines and <Module>.
		if (*md_col_string(&m->md, MD_TYPEDEF, rid, 1) == '<' ||
		    (foreign && !is_public(&m->md, rid)))
			continue;
		str_clear(&name);
		csname_type(&m->md, MD_TOKEN(MD_TYPEDEF, rid), NULL, &name);
		fn(arg, str_get(&name));
	}
}

// Methods to stop in: those with symbols.
static void each_method(const struct code_module *m, code_name_fn *fn,
			void *arg)
{
	size_t n = 0;
	uint32_t last = 0;
	const struct pdb_method_lines *index =
	    m->pdb ? pdb_method_index(m->pdb, &n) : NULL;
	_cleanup_str_ struct str name = {0};

	for (size_t i = 0; i < n; i++) {
		if (index[i].method_rid == last)
			continue;
		last = index[i].method_rid;
		str_clear(&name);
		csname_method(&m->md, MD_TOKEN(MD_METHODDEF, last), false, NULL,
			      &name);
		fn(arg, str_get(&name));
	}
}

void code_each_name(struct code *c, unsigned int names, code_name_fn *fn,
		    void *arg)
{
	for (size_t i = 0; i < c->n_modules; i++) {
		const struct code_module *m = c->modules[i];

		if ((names & DBG_NAMES_OWN) && m->framework)
			continue;
		if (names & DBG_NAMES_FILES)
			each_file(m, fn, arg);
		if (names & DBG_NAMES_TYPES)
			each_type(m, fn, arg);
		if (names & DBG_NAMES_METHODS)
			each_method(m, fn, arg);
	}
}
