/*
 * Methods by token (MethodDef, MemberRef, MethodSpec: II.22), by the runtime's
 * MethodDesc, and extension methods by name. A MemberRef does not name a row:
 * its name and signature are compared with the methods of the class and its
 * bases.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "types/types_priv.h"

enum {
	SIG_GENERIC = 0x10,
	ATTRIBUTE_PARENT = 0,
	ATTRIBUTE_TYPE = 1,
	ATTRIBUTE_BITS = 5, /* HasCustomAttribute (II.24.2.6): 0 MethodDef */
	ATTRIBUTE_TYPEDEF = 3,
};

/* ---- Signatures as they are written ---------------------------------- */

static bool same_sig_type(const struct md *a_md, const struct sig_type *a,
			  const struct md *b_md, const struct sig_type *b);

static bool same_name(const struct md *a_md, uint32_t a, const struct md *b_md,
		      uint32_t b)
{
	enum md_table ta = MD_TOKEN_TABLE(a), tb = MD_TOKEN_TABLE(b);
	uint32_t ra = MD_TOKEN_RID(a), rb = MD_TOKEN_RID(b);
	if ((ta != MD_TYPEDEF && ta != MD_TYPEREF) ||
	    (tb != MD_TYPEDEF && tb != MD_TYPEREF))
		return false;
	// Name and namespace are columns 1 and 2 of both tables.
	return !strcmp(md_col_string(a_md, ta, ra, TYPEDEF_NAME),
		       md_col_string(b_md, tb, rb, TYPEDEF_NAME)) &&
	       !strcmp(md_col_string(a_md, ta, ra, TYPEDEF_NAMESPACE),
		       md_col_string(b_md, tb, rb, TYPEDEF_NAMESPACE));
}

static bool same_sig_method(const struct md *a_md, const struct sig_method *a,
			    const struct md *b_md, const struct sig_method *b)
{
	if (a->n_params != b->n_params || a->n_generic != b->n_generic ||
	    (a->convention ^ b->convention) & 0x30 ||
	    !same_sig_type(a_md, a->ret, b_md, b->ret))
		return false;
	for (uint32_t i = 0; i < a->n_params; i++) {
		if (!same_sig_type(a_md, a->params[i], b_md, b->params[i]))
			return false;
	}
	return true;
}

/* The parser has capped the depth. */
static bool same_sig_type(const struct md *a_md, const struct sig_type *a,
			  const struct md *b_md, const struct sig_type *b)
{
	if (!a || !b || a->elem != b->elem || a->number != b->number ||
	    a->n_args != b->n_args)
		return a == b;
	if (a->method || b->method)
		return a->method && b->method &&
		       same_sig_method(a_md, a->method, b_md, b->method);
	if (a->token || b->token) {
		if (!same_name(a_md, a->token, b_md, b->token))
			return false;
	}
	for (uint32_t i = 0; i < a->n_args; i++) {
		if (!same_sig_type(a_md, a->args[i], b_md, b->args[i]))
			return false;
	}
	return !a->inner || same_sig_type(a_md, a->inner, b_md, b->inner);
}

/* ---- MemberRef ------------------------------------------------------- */

struct member {
	struct types *ts;
	const struct md *md; /* of the reference */
	const char *name;
	struct bytes blob;
	struct sig_method *sig;
	struct arena *arena;
};

static bool sig_fits(struct member *mb, const struct type_method *m)
{
	struct sig_method *sig;
	struct dbg_error *err = sig_parse_method(
	    md_col_blob(&m->module->md, MD_METHODDEF, MD_TOKEN_RID(m->token),
			METHOD_SIGNATURE),
	    mb->arena, &sig);
	return !dbg_err_drop(err) &&
	       same_sig_method(mb->md, mb->sig, &m->module->md, sig);
}

static struct type_method *find_member(struct member *mb, struct type *type)
{
	struct type_method *const *methods;
	size_t n;
	type_methods(mb->ts, type, &methods, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(methods[i]->name, mb->name) &&
		    sig_fits(mb, methods[i]))
			return methods[i];
	}
	return NULL;
}

static const struct {
	const char *name;
	enum type_array_op op;
} array_ops[] = {{"Get", TYPE_ARRAY_GET},
		 {"Set", TYPE_ARRAY_SET},
		 {"Address", TYPE_ARRAY_ADDRESS},
		 {".ctor", TYPE_ARRAY_NEW}};

struct type_method *type_method_of_array(struct types *ts, struct type *type,
					 enum type_array_op op)
{
	struct type_method proto = {.owner = type,
				    .array = op,
				    .rva = op == TYPE_ARRAY_SET ? type->rank + 1
								: type->rank};
	for (size_t i = 0; i < sizeof(array_ops) / sizeof(array_ops[0]); i++) {
		if (array_ops[i].op == op)
			proto.name = array_ops[i].name;
	}
	return type_method_intern(ts, &proto);
}

static struct type_method *array_method(struct types *ts, struct type *type,
					const struct member *mb)
{
	for (size_t i = 0; i < sizeof(array_ops) / sizeof(array_ops[0]); i++) {
		if (strcmp(array_ops[i].name, mb->name))
			continue;
		uint32_t n = mb->sig->n_params, rank = type->rank;
		bool good = array_ops[i].op == TYPE_ARRAY_SET ? n == rank + 1
			    : array_ops[i].op == TYPE_ARRAY_NEW
				? n == rank || n == 2 * rank
				: n == rank;
		// The number of parameters stands where others have an RVA.
		struct type_method proto = {.name = array_ops[i].name,
					    .owner = type,
					    .array = array_ops[i].op,
					    .rva = n};
		return good ? type_method_intern(ts, &proto) : NULL;
	}
	return NULL;
}

static struct dbg_error *member_search(struct member *mb, struct type *type,
				       struct type_method **ret)
{
	struct type *at = type;
	if (type->kind == TYPE_KIND_ARRAY) {
		*ret = array_method(mb->ts, type, mb);
		if (*ret)
			return NULL;
	}
	for (int i = 0; at && i < TYPE_BASES_MAX; i++) {
		*ret = find_member(mb, at);
		if (*ret)
			return NULL;
		struct dbg_error *err = type_parent(mb->ts, at, &at);
		if (err)
			return err;
	}
	return dbg_err(DBG_E_NOT_FOUND, "'%s' has no method '%s' as it is used",
		       type_name(mb->ts, type), mb->name);
}

static struct dbg_error *of_def(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_method **ret)
{
	struct code_module *m = ctx->module;
	uint32_t rid = MD_TOKEN_RID(token);
	struct type *type = NULL;
	if (rid && rid <= md_rows(&m->md, MD_METHODDEF))
		type = type_def(
		    ts, m, MD_TOKEN(MD_TYPEDEF, md_method_type(&m->md, rid)));
	if (!type)
		return dbg_err(DBG_E_FORMAT,
			       "token 0x%08x of '%s' is no method", token,
			       m->name);
	if (type->n_args && type->n_args == ctx->n_class_args)
		type =
		    type_instance(ts, type, ctx->class_args, ctx->n_class_args);
	*ret = type_method_get(ts, type, token, NULL, 0);
	return NULL;
}

static struct dbg_error *of_ref(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_method **ret)
{
	const struct md *md = &ctx->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	uint32_t parent = md_memberref_parent(
	    md_col(md, MD_MEMBERREF, rid, MEMBERREF_PARENT));
	if (MD_TOKEN_TABLE(parent) == MD_METHODDEF)
		return of_def(ts, ctx, parent, ret);
	struct type *type;
	struct member mb = {
	    .ts = ts,
	    .md = md,
	    .name = md_col_string(md, MD_MEMBERREF, rid, MEMBERREF_NAME),
	    .blob = md_col_blob(md, MD_MEMBERREF, rid, MEMBERREF_SIGNATURE),
	};
	struct dbg_error *err = type_of_token(ts, ctx, parent, &type);
	if (err)
		return err;
	mb.arena = arena_create();
	err = sig_parse_method(mb.blob, mb.arena, &mb.sig);
	if (!err)
		err = member_search(&mb, type, ret);
	arena_destroy(mb.arena);
	return err;
}

static struct dbg_error *of_spec(struct types *ts,
				 const struct type_context *ctx, uint32_t token,
				 struct type_method **ret)
{
	struct type *args[TYPE_ARGS_MAX];
	struct sig_type **types;
	struct type_method *m;
	uint32_t n = 0;
	const struct md *md = &ctx->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	struct dbg_error *err = type_method_of_token(
	    ts, ctx, md_methoddef_or_ref(md_col(md, MD_METHODSPEC, rid, 0)),
	    &m);
	if (err)
		return err;
	struct arena *arena = arena_create();
	err = sig_parse_methodspec(md_col_blob(md, MD_METHODSPEC, rid, 1),
				   arena, &types, &n);
	for (uint32_t i = 0; !err && i < n && i < TYPE_ARGS_MAX; i++)
		err = type_of_sig(ts, types[i], ctx, &args[i]);
	arena_destroy(arena);
	if (!err && (n != m->n_args || n > TYPE_ARGS_MAX))
		err = dbg_err(DBG_E_FORMAT,
			      "wrong number of generic arguments in '%s'",
			      ctx->module->name);
	if (!err)
		*ret = type_method_instance(ts, m, args, n);
	return err;
}

struct dbg_error *type_method_of_token(struct types *ts,
				       const struct type_context *ctx,
				       uint32_t token, struct type_method **ret)
{
	switch (MD_TOKEN_TABLE(token)) {
	case MD_METHODDEF:
		return of_def(ts, ctx, token, ret);
	case MD_MEMBERREF:
		return of_ref(ts, ctx, token, ret);
	case MD_METHODSPEC:
		// Its method is none: the metadata has no ring here.
		return of_spec(ts, ctx, token, ret);
	default:
		return dbg_err(DBG_E_FORMAT,
			       "token 0x%08x of '%s' is no method", token,
			       ctx->module->name);
	}
}

/* ---- MethodDesc ------------------------------------------------------ */

/* Generic arguments of the method itself. */
static bool read_desc_args(struct types *ts, uint64_t desc, size_t n,
			   struct type **ret)
{
	uint64_t args[TYPE_ARGS_MAX];
	if (!ts->dac || n > TYPE_ARGS_MAX ||
	    dac_method_args(ts->dac, desc, args, n) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		ret[i] = type_of_mt(ts, args[i]);
		if (!ret[i])
			return false;
	}
	return true;
}

/* The base of @exact, or it, that is an instance of @type's definition. */
static struct type *exact_owner(struct types *ts, struct type *type,
				struct type *exact)
{
	struct type *found = NULL;
	if (!exact || !type->n_args ||
	    dbg_err_drop(type_as(ts, exact, type, &found)) || !found)
		return type;
	return found;
}

struct dbg_error *type_method_of_desc(struct types *ts, uint64_t desc,
				      struct type *exact,
				      struct type_method **ret)
{
	struct type *args[TYPE_ARGS_MAX];
	struct dac_method dm;
	if (!ts->dac)
		return dbg_err(
		    DBG_E_NOT_FOUND,
		    "no runtime is there that has a method at 0x%llx",
		    (unsigned long long)desc);
	struct dbg_error *err = dac_method_get(ts->dac, desc, &dm);
	if (err)
		return err;
	struct type *owner = type_of_mt(ts, dm.type);
	if (dm.dynamic)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "it calls code that the program has made at run "
			       "time, whose IL is in no file");
	if (!owner || !owner->module)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the method at 0x%llx has no metadata",
			       (unsigned long long)desc);
	owner = exact_owner(ts, owner, exact);
	struct type_method *m = type_method_get(ts, owner, dm.token, NULL, 0);
	if (m->n_args && read_desc_args(ts, desc, m->n_args, args))
		m = type_method_instance(ts, m, args, m->n_args);
	*ret = m;
	return NULL;
}

/* ---- Extension methods ----------------------------------------------- */

static bool is_extension_ctor(const struct md *md, uint32_t token)
{
	uint32_t rid = MD_TOKEN_RID(token), type;
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		type = md_memberref_parent(
		    md_col(md, MD_MEMBERREF, rid, MEMBERREF_PARENT));
	else
		type = MD_TOKEN(MD_TYPEDEF, md_method_type(md, rid));
	enum md_table table = MD_TOKEN_TABLE(type);
	return (table == MD_TYPEDEF || table == MD_TYPEREF) &&
	       !strcmp(
		   md_col_string(md, table, MD_TOKEN_RID(type), TYPEDEF_NAME),
		   "ExtensionAttribute");
}

static struct type_extension *add_extension(struct types *ts,
					    struct type_module *im,
					    uint32_t rid, uint32_t marker)
{
	struct type_extension *e = arena_alloc(ts->arena, sizeof(*e));
	e->name = md_col_string(&im->m->md, MD_METHODDEF, rid, METHOD_NAME);
	e->module = im;
	e->method = rid;
	e->marker = marker;
	uint64_t hash = str_hash(e->name, strlen(e->name));
	e->next = map_find(&ts->extensions, hash);
	map_put(&ts->extensions, hash, e);
	return e;
}

static bool is_added(struct types *ts, const struct type_module *im,
		     const char *name, uint32_t rid)
{
	struct type_extension *e =
	    map_find(&ts->extensions, str_hash(name, strlen(name)));
	while (e && (e->module != im || e->method != rid))
		e = e->next;
	return e;
}

/* The method "<Extension>$" of a type in the block @rid; 0: there is none. */
static uint32_t marker_of(const struct md *md, uint32_t rid)
{
	for (uint32_t t = rid + 1; t <= md_rows(md, MD_TYPEDEF); t++) {
		uint32_t found = md_enclosing(md, t) == rid
				     ? md_method_named(md, t, "<Extension>$")
				     : 0;
		if (found)
			return found;
	}
	return 0;
}

/*
 * Are both rows the same method? In a generic block only names are compared,
 * since the signatures number their type parameters differently.
 */
static bool is_same_method(const struct md *md, uint32_t a, uint32_t b,
			   bool generic)
{
	struct bytes x = md_col_blob(md, MD_METHODDEF, a, METHOD_SIGNATURE);
	struct bytes y = md_col_blob(md, MD_METHODDEF, b, METHOD_SIGNATURE);
	return (generic || (x.n == y.n && !memcmp(x.p, y.p, x.n))) &&
	       !strcmp(md_col_string(md, MD_METHODDEF, a, METHOD_NAME),
		       md_col_string(md, MD_METHODDEF, b, METHOD_NAME));
}

/*
 * The static members, without operators, of an extension block: what @rid, the
 * block, declares is in the class too, where the parameters of a generic block
 * are the method's first.
 */
static void add_statics(struct types *ts, struct type_module *im, uint32_t rid,
			uint32_t class)
{
	const struct md *md = &im->m->md;
	uint32_t first, end, from, to;
	uint32_t marker = marker_of(md, rid);
	bool generic =
	    strchr(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME), '`');
	md_type_methods(md, rid, &first, &end);
	for (; marker && first < end; first++) {
		uint32_t own = md_member(md, MD_LIST_METHODS, first);
		if (!(md_col(md, MD_METHODDEF, own, METHOD_FLAGS) &
		      TYPE_METHOD_STATIC) ||
		    str_starts(
			md_col_string(md, MD_METHODDEF, own, METHOD_NAME),
			"op_"))
			continue;
		md_type_methods(md, class, &from, &to);
		for (; from < to; from++) {
			uint32_t of = md_member(md, MD_LIST_METHODS, from);
			if (is_same_method(md, own, of, generic))
				add_extension(ts, im, of, marker)->declared =
				    generic ? own : 0;
		}
	}
}

/*
 * The type @rid stands for an extension block (C# 14) of the class around it,
 * which has the getters of its properties and its operators; its methods have
 * the attribute themselves. @seen: classes that blocks seen before stand for.
 */
static void add_block(struct types *ts, struct type_module *im, uint32_t rid,
		      bool *seen)
{
	const struct md *md = &im->m->md;
	uint32_t class = md_enclosing(md, rid), first, end;
	if (!class || class > md_rows(md, MD_TYPEDEF))
		return;
	add_statics(ts, im, rid, class);
	if (seen[class])
		return;
	seen[class] = true;
	md_type_methods(md, class, &first, &end);
	for (; first < end; first++) {
		uint32_t own = md_member(md, MD_LIST_METHODS, first);
		const char *name =
		    md_col_string(md, MD_METHODDEF, own, METHOD_NAME);
		if ((str_starts(name, "get_") || str_starts(name, "op_")) &&
		    !is_added(ts, im, name, own))
			add_extension(ts, im, own, 0);
	}
}

static void read_extensions(struct types *ts, struct type_module *im)
{
	const struct md *md = &im->m->md;
	uint32_t ctor = 0; // the last one seen that is the attribute's
	_cleanup_free_ bool *seen =
	    xcalloc(md_rows(md, MD_TYPEDEF) + 1, sizeof(*seen));
	im->extensions_read = true;
	for (uint32_t row = 1; row <= md_rows(md, MD_CUSTOMATTRIBUTE); row++) {
		uint32_t parent =
		    md_col(md, MD_CUSTOMATTRIBUTE, row, ATTRIBUTE_PARENT);
		uint32_t of = parent & ((1 << ATTRIBUTE_BITS) - 1);
		if (of && of != ATTRIBUTE_TYPEDEF)
			continue;
		uint32_t type =
		    md_col(md, MD_CUSTOMATTRIBUTE, row, ATTRIBUTE_TYPE);
		if (type != ctor &&
		    !is_extension_ctor(md, md_custom_attribute_type(type)))
			continue;
		ctor = type;
		if (of)
			add_block(ts, im, parent >> ATTRIBUTE_BITS, seen);
		else
			add_extension(ts, im, parent >> ATTRIBUTE_BITS, 0);
	}
}

static void need_extensions(struct types *ts, struct code_module *m)
{
	struct type_module *im = type_module_get(ts, m);
	if (!im->extensions_read)
		read_extensions(ts, im);
}

static void unloaded_extensions(void *arg, struct code_module *m)
{
	need_extensions(arg, m);
}

/* The first extension of this name in the loaded modules; the rest follow. */
static struct type_extension *extensions_named(struct types *ts,
					       const char *name)
{
	size_t n;
	struct code_module *const *modules = code_modules(ts->code, &n);
	for (size_t i = 0; i < n; i++)
		need_extensions(ts, modules[i]);
	code_each_unloaded(ts->code, NULL, unloaded_extensions, ts);
	return map_find(&ts->extensions, str_hash(name, strlen(name)));
}

/* The method @rid of a module; NULL: its type is not known. */
static struct type_method *method_of_row(struct types *ts,
					 struct code_module *m, uint32_t rid)
{
	struct type *type =
	    type_def(ts, m, MD_TOKEN(MD_TYPEDEF, md_method_type(&m->md, rid)));
	return type ? type_method_get(ts, type, MD_TOKEN(MD_METHODDEF, rid),
				      NULL, 0)
		    : NULL;
}

void type_extension_each(struct types *ts, const char *name, type_method_fn *fn,
			 void *arg)
{
	struct type_extension *e = extensions_named(ts, name);
	for (; e; e = e->next) {
		if (e->marker || strcmp(e->name, name))
			continue;
		struct type_method *m =
		    method_of_row(ts, e->module->m, e->method);
		if (m && !fn(arg, m))
			return;
	}
}

enum {
	BLOCK_PARAMS_MAX = 8
};

/* The arguments by which @open, of a block's parameters, is @type. */
static bool match(struct types *ts, struct type *open, struct type *type,
		  struct type **args)
{
	if (!open->open)
		return open == type;
	if (open->kind == TYPE_KIND_VAR) {
		if (open->number >= BLOCK_PARAMS_MAX ||
		    (args[open->number] && args[open->number] != type))
			return false;
		args[open->number] = type;
		return true;
	}
	if (open->kind != type->kind || open->elem != type->elem ||
	    open->rank != type->rank || open->n_args != type->n_args ||
	    !open->inner != !type->inner ||
	    (open->n_args && type_generic(ts, open) != type_generic(ts, type)))
		return false;
	for (size_t i = 0; i < open->n_args; i++) {
		if (!match(ts, open->args[i], type->args[i], args))
			return false;
	}
	return !open->inner || match(ts, open->inner, type->inner, args);
}

/*
 * @m of an extension class, whose first type parameters are the block's: these
 * are @args; NULL if it is not what @declared declares in the block.
 */
static struct type_method *static_instance(struct types *ts,
					   struct type_method *m,
					   struct type_method *declared,
					   struct type **args)
{
	const struct type_sig *a, *b;
	uint32_t n = 0;
	while (n < BLOCK_PARAMS_MAX && args[n])
		n++;
	if (dbg_err_drop(type_method_sig(ts, declared, &a)) ||
	    n + a->n_generic > BLOCK_PARAMS_MAX)
		return NULL;
	const struct type_context ctx = {.class_args = args,
					 .n_class_args = n,
					 .method_args = args + n,
					 .n_method_args = a->n_generic};
	for (uint32_t i = n; i < n + a->n_generic; i++)
		args[i] = type_param(ts, true, i);
	m = type_method_instance(ts, m, args, n + a->n_generic);
	if (dbg_err_drop(type_method_sig(ts, m, &b)) ||
	    a->n_params != b->n_params || n + a->n_generic != b->n_generic ||
	    type_subst(ts, a->ret, &ctx) != b->ret)
		return NULL;
	for (uint32_t i = 0; i < a->n_params; i++) {
		if (type_subst(ts, a->params[i], &ctx) != b->params[i])
			return NULL;
	}
	return m;
}

/* The static method @e of @type; NULL: it is of another. */
static struct type_method *
static_of(struct types *ts, const struct type_extension *e, struct type *type)
{
	struct type *args[BLOCK_PARAMS_MAX] = {0};
	const struct type_sig *sig;
	struct code_module *module = e->module->m;
	struct type_method *m = method_of_row(ts, module, e->method);
	struct type_method *marker = method_of_row(ts, module, e->marker);
	if (!m || !marker || dbg_err_drop(type_method_sig(ts, marker, &sig)) ||
	    sig->n_params != 1 || !match(ts, sig->params[0], type, args))
		return NULL;
	if (!e->declared)
		return m;
	struct type_method *declared = method_of_row(ts, module, e->declared);
	return declared ? static_instance(ts, m, declared, args) : NULL;
}

void type_static_extension_each(struct types *ts, const char *name,
				struct type *type, type_method_fn *fn,
				void *arg)
{
	struct type_extension *e = extensions_named(ts, name);
	for (; e; e = e->next) {
		struct type_method *m = e->marker && !strcmp(e->name, name)
					    ? static_of(ts, e, type)
					    : NULL;
		if (m && !fn(arg, m))
			return;
	}
}
