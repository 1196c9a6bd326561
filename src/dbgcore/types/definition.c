/*
 * Types from metadata: a definition by token or name, an instance, the types
 * that signatures speak of. Names across assemblies follow TypeRef,
 * ExportedType and the forwarders behind them.
 */
#include "types/types_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"

/* ---- Types recognised by name -------------------------------------------- */

/*
 * The primitives, and types of the core library that other files treat in a
 * special way.
 */

struct prim {
	const char *name; /* in metadata */
	const char *keyword;
	uint8_t elem;
	uint8_t size;
};

static const struct prim prims[] = {
    {"System.Void", "void", ELEM_VOID, 0},
    {"System.Boolean", "bool", ELEM_BOOLEAN, 1},
    {"System.Char", "char", ELEM_CHAR, 2},
    {"System.SByte", "sbyte", ELEM_I1, 1},
    {"System.Byte", "byte", ELEM_U1, 1},
    {"System.Int16", "short", ELEM_I2, 2},
    {"System.UInt16", "ushort", ELEM_U2, 2},
    {"System.Int32", "int", ELEM_I4, 4},
    {"System.UInt32", "uint", ELEM_U4, 4},
    {"System.Int64", "long", ELEM_I8, 8},
    {"System.UInt64", "ulong", ELEM_U8, 8},
    {"System.Single", "float", ELEM_R4, 4},
    {"System.Double", "double", ELEM_R8, 8},
    {"System.IntPtr", "nint", ELEM_I, 8},
    {"System.UIntPtr", "nuint", ELEM_U, 8},
    {"System.String", "string", ELEM_STRING, 8},
    {"System.Object", "object", ELEM_OBJECT, 8},
};

struct special {
	const char *name; /* in System */
	enum type_special special;
};

static const struct special specials[] = {
    {"String", TYPE_SPECIAL_STRING},
    {"Object", TYPE_SPECIAL_OBJECT},
    {"ValueType", TYPE_SPECIAL_VALUETYPE},
    {"Enum", TYPE_SPECIAL_ENUM},
    {"Array", TYPE_SPECIAL_ARRAY},
    {"Delegate", TYPE_SPECIAL_DELEGATE},
    {"MulticastDelegate", TYPE_SPECIAL_DELEGATE},
    {"Type", TYPE_SPECIAL_TYPE},
    {"TypedReference", TYPE_SPECIAL_TYPEDBYREF},
    {"Nullable`1", TYPE_SPECIAL_NULLABLE},
    {"ValueTuple", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`1", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`2", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`3", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`4", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`5", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`6", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`7", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`8", TYPE_SPECIAL_TUPLE},
    {"Decimal", TYPE_SPECIAL_DECIMAL},
    {"DateTime", TYPE_SPECIAL_DATETIME},
    {"TimeSpan", TYPE_SPECIAL_TIMESPAN},
    {"DateOnly", TYPE_SPECIAL_DATEONLY},
    {"TimeOnly", TYPE_SPECIAL_TIMEONLY},
    {"DateTimeOffset", TYPE_SPECIAL_DATETIMEOFFSET},
    {"Guid", TYPE_SPECIAL_GUID},
    {"Half", TYPE_SPECIAL_HALF},
    {"Int128", TYPE_SPECIAL_INT128},
    {"UInt128", TYPE_SPECIAL_UINT128},
    {"Span`1", TYPE_SPECIAL_SPAN},
    {"ReadOnlySpan`1", TYPE_SPECIAL_SPAN},
    {"Memory`1", TYPE_SPECIAL_MEMORY},
    {"ReadOnlyMemory`1", TYPE_SPECIAL_MEMORY},
};

static const struct prim *prim_of(enum elem elem)
{
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (prims[i].elem == elem)
			return &prims[i];
	}
	return NULL;
}

static bool is_in_system(const struct md *md, uint32_t rid)
{
	return !md_enclosing(md, rid) &&
	       !strcmp(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAMESPACE),
		       "System");
}

/* Which special type of the core library the TypeDef is, by its name. */
static enum type_special wellknown_special(const struct md *md, uint32_t rid)
{
	if (!is_in_system(md, rid))
		return TYPE_SPECIAL_NONE;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		if (!strcmp(specials[i].name, name))
			return specials[i].special;
	}
	return TYPE_SPECIAL_NONE;
}

/* ELEM_END if it is no primitive. */
static enum elem wellknown_elem(const struct md *md, uint32_t rid)
{
	if (!is_in_system(md, rid))
		return ELEM_END;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (!strcmp(prims[i].name + strlen("System."), name))
			return prims[i].elem;
	}
	return ELEM_END;
}

uint32_t wellknown_elem_size(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->size : 0;
}

/*
 * Name of a primitive in metadata, "System.Int32", and in C#; NULL: it is none.
 */
static const char *wellknown_elem_name(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->name : NULL;
}

static const char *wellknown_elem_keyword(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->keyword : NULL;
}

/* ---- Finds the definition that a reference means ------------------------- */

/*
 * Through assembly references to the modules that the program has loaded, and
 * through their forwarders.
 */

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

static uint32_t *defs_of(struct type_module *im, uint64_t hash)
{
	return &im->names[(hash ^ hash >> 32) & (im->n_names - 1)];
}

static void index_defs(struct types *ts, struct type_module *im)
{
	const struct md *md = &im->m->md;
	im->n_defs = md_rows(md, MD_TYPEDEF) + 1;
	im->n_names = 1;
	while (im->n_names < im->n_defs)
		im->n_names *= 2;
	im->names = arena_calloc(ts->arena, im->n_names, sizeof(im->names[0]));
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
		uint32_t *first =
		    defs_of(im, name_hash(enclosing, space, name));
		im->next[rid] = *first;
		*first = rid;
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

/* The TypeDef of @m of this name in class @enclosing (0: none); 0: none. */
static uint32_t type_module_def(struct type_module *im, uint32_t enclosing,
				const char *space, const char *name)
{
	const struct md *md = &im->m->md;
	uint32_t rid = *defs_of(im, name_hash(enclosing, space, name));
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

/*
 * As type_module_def for a type that is not nested, but also follows a
 * forwarder to the module that has the type.
 */
static bool type_module_find(struct types *ts, struct type_module *im,
			     const char *space, const char *name,
			     struct type_def *ret)
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

/* TypeDef or TypeRef of @m. */
static struct dbg_error *type_resolve(struct types *ts, struct code_module *m,
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

/* ---- What a definition is -------------------------------------------- */

/* Does the definition extend System.@name itself? */
static bool extends(const struct md *md, uint32_t rid, const char *name)
{
	uint32_t token =
	    md_typedef_or_ref(md_col(md, MD_TYPEDEF, rid, TYPEDEF_EXTENDS));
	enum md_table table = MD_TOKEN_TABLE(token);
	uint32_t base = MD_TOKEN_RID(token);
	// Name and namespace are columns 1 and 2 of both tables.
	return (table == MD_TYPEDEF || table == MD_TYPEREF) && base &&
	       !strcmp(md_col_string(md, table, base, TYPEDEF_NAME), name) &&
	       !strcmp(md_col_string(md, table, base, TYPEDEF_NAMESPACE),
		       "System");
}

/* The type of value__, which is the only instance field. */
static enum elem enum_elem(const struct md *md, uint32_t rid)
{
	uint32_t first, end;
	md_type_fields(md, rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t f = md_member(md, MD_LIST_FIELDS, i);

		if (md_col(md, MD_FIELD, f, FIELD_FLAGS) & FIELD_STATIC_FLAG)
			continue;
		struct bytes sig =
		    md_col_blob(md, MD_FIELD, f, FIELD_SIGNATURE);
		// FieldSig (II.23.2.4): 0x06, then the type; an enum's field
		// has no modifiers (II.14.3).
		if (sig.n >= 2 && wellknown_elem_size(sig.p[1]))
			return sig.p[1];
	}
	return ELEM_I4;
}

static void fill_class(struct types *ts, struct type *t, uint32_t rid)
{
	const struct md *md = &t->module->md;
	t->kind = TYPE_KIND_CLASS;
	t->elem = ELEM_CLASS;
	if (t->flags & TYPE_INTERFACE) {
		t->kind = TYPE_KIND_INTERFACE;
	} else if (t->special == TYPE_SPECIAL_OBJECT) {
		t->elem = ELEM_OBJECT;
	} else if (t->special == TYPE_SPECIAL_STRING) {
		t->elem = ELEM_STRING;
	} else if (extends(md, rid, "Enum")) {
		t->kind = TYPE_KIND_ENUM;
		t->elem = enum_elem(md, rid);
	} else if (t->special != TYPE_SPECIAL_ENUM &&
		   extends(md, rid, "ValueType")) {
		t->kind = TYPE_KIND_STRUCT;
		t->elem = ELEM_VALUETYPE;
		enum elem prim = t->module == types_core(ts)
				     ? wellknown_elem(md, rid)
				     : ELEM_END;
		if (prim != ELEM_END) {
			t->kind = TYPE_KIND_PRIM;
			t->elem = prim;
		}
	}
	t->is_delegate = extends(md, rid, "MulticastDelegate");
	t->is_value = t->kind == TYPE_KIND_PRIM || t->kind == TYPE_KIND_ENUM ||
		      t->kind == TYPE_KIND_STRUCT;
	t->is_reference = !t->is_value;
}

uint32_t type_generic_count(const struct code_module *m, uint32_t owner,
			    uint32_t *ret_first)
{
	uint32_t n = 0;
	uint32_t first =
	    md_find(&m->md, MD_GENERICPARAM, GENERICPARAM_OWNER, owner, &n);
	if (ret_first)
		*ret_first = first;
	return first && n <= TYPE_ARGS_MAX ? n : 0;
}

static struct type *make_def(struct types *ts, struct code_module *m,
			     uint32_t rid)
{
	struct type proto = {
	    .module = m,
	    .token = MD_TOKEN(MD_TYPEDEF, rid),
	    .flags = md_col(&m->md, MD_TYPEDEF, rid, TYPEDEF_FLAGS),
	    .special = m == types_core(ts) ? wellknown_special(&m->md, rid)
					   : TYPE_SPECIAL_NONE,
	};
	struct type *args[TYPE_ARGS_MAX];
	fill_class(ts, &proto, rid);
	// TypeOrMethodDef (II.24.2.6): one bit of tag, 0 is TypeDef.
	proto.n_args = type_generic_count(m, rid << 1, NULL);
	for (uint32_t i = 0; i < proto.n_args; i++)
		args[i] = type_param(ts, false, i);
	proto.args = args;
	return type_intern(ts, &proto);
}

struct type *type_def(struct types *ts, struct code_module *module,
		      uint32_t token)
{
	struct type_module *im = type_module_get(ts, module);
	uint32_t rid = MD_TOKEN_RID(token);
	if (MD_TOKEN_TABLE(token) != MD_TYPEDEF || !rid || rid >= im->n_defs)
		return NULL;
	if (!im->defs[rid])
		im->defs[rid] = make_def(ts, module, rid);
	return im->defs[rid];
}

struct type *type_instance(struct types *ts, const struct type *def,
			   struct type *const *args, size_t n_args)
{
	struct type *whole = type_def(ts, def->module, def->token);
	if (!whole || whole->n_args != n_args)
		return whole;
	struct type proto = *whole;
	struct type *copy[TYPE_ARGS_MAX];
	memcpy(copy, args, n_args * sizeof(args[0]));
	proto.args = copy;
	return type_intern(ts, &proto);
}

struct type *type_generic(struct types *ts, struct type *type)
{
	return type->n_args && type->module
		   ? type_def(ts, type->module, type->token)
		   : type;
}

/* ---- By name --------------------------------------------------------- */

struct type *type_of_elem(struct types *ts, enum elem elem)
{
	if (elem == ELEM_TYPEDBYREF)
		return type_core(ts, "System.TypedReference");
	if (elem > ELEM_OBJECT)
		return NULL;
	const char *name = wellknown_elem_name(elem);
	if (!ts->prims[elem] && name)
		ts->prims[elem] = type_core(ts, name);
	return ts->prims[elem];
}

struct type *type_shown_elem(struct types *ts, enum elem elem)
{
	if (!wellknown_elem_name(elem))
		elem = ELEM_VOID;
	struct type *type = type_of_elem(ts, elem);
	struct type proto = {.kind = TYPE_KIND_PRIM,
			     .elem = elem,
			     .is_value = true,
			     .label = wellknown_elem_keyword(elem)};
	if (elem == ELEM_STRING || elem == ELEM_OBJECT) {
		proto.kind = TYPE_KIND_CLASS;
		proto.is_value = false;
		proto.is_reference = true;
	}
	return type ? type : type_intern(ts, &proto);
}

struct type *type_named(struct types *ts, struct code_module *m,
			const char *name)
{
	char part[512];
	struct type_def def = {0};
	size_t head = strcspn(name, "+");
	if (strlen(name) >= sizeof(part))
		return NULL;
	memcpy(part, name, head);
	part[head] = 0;
	char *dot = strrchr(part, '.');
	const char *simple = dot ? dot + 1 : part;
	if (dot)
		*dot = 0;
	if (!type_module_find(ts, type_module_get(ts, m), dot ? part : "",
			      simple, &def))
		return NULL;
	for (name += head; *name; name += head) {
		name++;
		head = strcspn(name, "+");
		memcpy(part, name, head);
		part[head] = 0;
		def.rid = type_module_def(type_module_get(ts, def.module),
					  def.rid, "", part);
		if (!def.rid)
			return NULL;
	}
	return type_def(ts, def.module, MD_TOKEN(MD_TYPEDEF, def.rid));
}

struct type *type_core(struct types *ts, const char *name)
{
	struct code_module *core = types_core(ts);
	return core ? type_named(ts, core, name) : NULL;
}

/* ---- Signatures ------------------------------------------------------ */

struct maker {
	struct types *ts;
	const struct type_context *ctx;
	unsigned int depth;
	bool shown; /* see type_shown */
};

static struct dbg_error *make(struct maker *mk, const struct sig_type *sig,
			      struct type **ret);

static struct dbg_error *
make_class(struct maker *mk, const struct sig_type *sig, struct type **ret)
{
	struct type *args[TYPE_ARGS_MAX], *type = NULL;
	struct type_def def;
	struct dbg_error *err = NULL;
	if (sig->handle)
		type = type_of_handle(mk->ts, sig->handle);
	else
		err = type_resolve(mk->ts, mk->ctx->module, sig->token, &def);
	if (err)
		return err;
	if (!sig->handle)
		type =
		    type_def(mk->ts, def.module, MD_TOKEN(MD_TYPEDEF, def.rid));
	if (!type || sig->n_args > TYPE_ARGS_MAX ||
	    (sig->elem == ELEM_GENERICINST && type->n_args != sig->n_args))
		return dbg_err(DBG_E_FORMAT,
			       "wrong number of generic arguments in '%s'",
			       mk->ctx->module->name);
	if (sig->elem == ELEM_GENERICINST) {
		for (uint32_t i = 0; i < sig->n_args; i++) {
			err = make(mk, sig->args[i], &args[i]);
			if (err)
				return err;
		}
		type = type_instance(mk->ts, type, args, sig->n_args);
	}
	*ret = type;
	return NULL;
}

static struct dbg_error *make_method(struct maker *mk,
				     const struct sig_method *sig,
				     const struct type_sig **ret);

static struct dbg_error *
make_function(struct maker *mk, const struct sig_type *sig, struct type **ret)
{
	struct type *parts[TYPE_ARGS_MAX];
	const struct type_sig *function;
	if (!sig->method || sig->method->n_params >= TYPE_ARGS_MAX)
		return dbg_err(DBG_E_FORMAT, "malformed signature");
	struct dbg_error *err = make_method(mk, sig->method, &function);
	if (err)
		return err;
	parts[0] = function->ret;
	for (size_t i = 0; i < function->n_params; i++)
		parts[i + 1] = function->params[i];
	struct type proto = {.kind = TYPE_KIND_FUNCTION,
			     .elem = ELEM_FNPTR,
			     .number = function->convention,
			     .args = parts,
			     .n_args = function->n_params + 1,
			     .function = function};
	*ret = type_intern(mk->ts, &proto);
	return NULL;
}

/* The type of which nothing is known but how @sig names it. */
static struct type *label(const struct maker *mk, const struct sig_type *sig)
{
	const struct type_context *ctx = mk->ctx;
	_cleanup_str_ struct str name = {0};
	csname_sig(&ctx->module->md, sig, ctx->method, NULL, &name);
	struct type proto = {.kind = TYPE_KIND_CLASS,
			     .elem = ELEM_CLASS,
			     .is_reference = true,
			     .label = str_get(&name)};
	if (sig->elem == ELEM_FNPTR) {
		proto.kind = TYPE_KIND_FUNCTION;
		proto.elem = ELEM_FNPTR;
		proto.is_reference = false;
	}
	return type_intern(mk->ts, &proto);
}

static struct dbg_error *
make_param(struct maker *mk, const struct sig_type *sig, struct type **ret)
{
	const struct type_context *ctx = mk->ctx;
	bool of_method = sig->elem == ELEM_MVAR;
	size_t n = of_method ? ctx->n_method_args : ctx->n_class_args;
	struct type *const *args =
	    of_method ? ctx->method_args : ctx->class_args;
	struct type *arg = sig->number < n ? args[sig->number] : NULL;
	if (mk->shown && !type_is_argument(arg))
		arg = label(mk, sig);
	*ret = arg ? arg : type_param(mk->ts, of_method, sig->number);
	return NULL;
}

static struct dbg_error *
make_inner(struct maker *mk, const struct sig_type *sig, struct type **ret)
{
	struct type *inner;
	struct dbg_error *err = make(mk, sig->inner, &inner);
	if (err)
		return err;
	switch (sig->elem) {
	case ELEM_PTR:
		*ret = type_pointer(mk->ts, inner);
		break;
	case ELEM_BYREF:
		*ret = type_byref(mk->ts, inner);
		break;
	case ELEM_SZARRAY:
		*ret = type_vector(mk->ts, inner);
		break;
	default:
		*ret = type_array(mk->ts, inner, sig->number);
		break;
	}
	return NULL;
}

static struct dbg_error *
make_exact(struct maker *mk, const struct sig_type *sig, struct type **ret)
{
	if (!sig || mk->depth >= TYPE_DEPTH_MAX)
		return dbg_err(DBG_E_FORMAT, "malformed signature");
	struct maker deeper = *mk;
	deeper.depth++;
	switch (sig->elem) {
	case ELEM_CLASS:
	case ELEM_VALUETYPE:
	case ELEM_GENERICINST:
		return make_class(&deeper, sig, ret);
	case ELEM_VAR:
	case ELEM_MVAR:
		return make_param(&deeper, sig, ret);
	case ELEM_FNPTR:
		return make_function(&deeper, sig, ret);
	case ELEM_PTR:
	case ELEM_BYREF:
	case ELEM_SZARRAY:
	case ELEM_ARRAY:
		return make_inner(&deeper, sig, ret);
	default:
		*ret = sig->elem == ELEM_INTERNAL
			   ? type_of_handle(mk->ts, sig->handle)
			   : type_of_elem(mk->ts, sig->elem);
		return *ret ? NULL
			    : dbg_err(DBG_E_FORMAT, "malformed signature");
	}
}

/*
 * A stand-in for a type whose definition is not found, so that it can be shown
 * by name.
 */
static struct type *make_shown(struct maker *mk, const struct sig_type *sig)
{
	if (!sig || sig->elem == ELEM_GENERICINST)
		return type_shown_elem(mk->ts, ELEM_OBJECT);
	if (sig->elem == ELEM_CLASS || sig->elem == ELEM_FNPTR)
		return label(mk, sig);
	return type_shown_elem(mk->ts, sig->elem);
}

static struct dbg_error *make(struct maker *mk, const struct sig_type *sig,
			      struct type **ret)
{
	struct dbg_error *err = make_exact(mk, sig, ret);
	if (!err || !mk->shown)
		return err;
	dbg_error_destroy(err);
	*ret = make_shown(mk, sig);
	return NULL;
}

struct type *type_shown(struct types *ts, const struct sig_type *sig,
			const struct type_context *ctx)
{
	struct type *type;
	struct maker mk = {.ts = ts, .ctx = ctx, .shown = true};
	return dbg_err_drop(make(&mk, sig, &type)) ? NULL : type;
}

struct dbg_error *type_of_sig(struct types *ts, const struct sig_type *sig,
			      const struct type_context *ctx, struct type **ret)
{
	struct maker mk = {.ts = ts, .ctx = ctx};
	return make(&mk, sig, ret);
}

struct dbg_error *type_of_token(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type **ret)
{
	struct type_def def;
	struct sig_type *sig;
	struct dbg_error *err;
	if (MD_TOKEN_TABLE(token) != MD_TYPESPEC) {
		err = type_resolve(ts, ctx->module, token, &def);
		if (!err)
			*ret = type_def(ts, def.module,
					MD_TOKEN(MD_TYPEDEF, def.rid));
		return err;
	}
	struct arena *arena = arena_create();
	err = sig_parse_type(
	    md_col_blob(&ctx->module->md, MD_TYPESPEC, MD_TOKEN_RID(token), 0),
	    arena, &sig);
	if (!err)
		err = type_of_sig(ts, sig, ctx, ret);
	arena_destroy(arena);
	return err;
}

static struct dbg_error *make_method(struct maker *mk,
				     const struct sig_method *sig,
				     const struct type_sig **ret)
{
	struct arena *arena = mk->ts->arena;
	struct type_sig *made = arena_alloc(arena, sizeof(*made));
	made->convention = sig->convention;
	made->has_this = sig->convention & 0x20;
	made->is_vararg = (sig->convention & 0xf) == 5;
	made->n_generic = sig->n_generic;
	made->n_params = sig->n_params;
	made->params =
	    arena_calloc(arena, sig->n_params + 1u, sizeof(made->params[0]));
	struct dbg_error *err = make(mk, sig->ret, &made->ret);
	for (uint32_t i = 0; i < sig->n_params && !err; i++)
		err = make(mk, sig->params[i], &made->params[i]);
	if (!err)
		*ret = made;
	return err;
}

struct dbg_error *type_sig_make(struct types *ts, const struct sig_method *sig,
				const struct type_context *ctx,
				const struct type_sig **ret)
{
	struct maker mk = {.ts = ts, .ctx = ctx};
	return make_method(&mk, sig, ret);
}

/* ---- Names ----------------------------------------------------------- */

const char *type_simple_name(const struct type *type)
{
	return type->module
		   ? md_col_string(&type->module->md, MD_TYPEDEF,
				   MD_TOKEN_RID(type->token), TYPEDEF_NAME)
		   : "";
}

const char *type_namespace(const struct type *type)
{
	return type->module
		   ? md_namespace(&type->module->md, MD_TOKEN_RID(type->token))
		   : "";
}

struct type *type_enclosing(struct types *ts, struct type *type)
{
	uint32_t rid = type->module ? md_enclosing(&type->module->md,
						   MD_TOKEN_RID(type->token))
				    : 0;
	return rid ? type_def(ts, type->module, MD_TOKEN(MD_TYPEDEF, rid))
		   : NULL;
}

bool type_attribute(const struct type *type, const char *name,
		    struct bytes *ret_blob)
{
	return type->module &&
	       md_has_attribute(&type->module->md, type->token, name, ret_blob);
}

bool type_is_union(const struct type *type)
{
	struct type_facts *facts = type->facts;

	// asked of each value that is shown
	if (!facts->union_sought) {
		facts->union_sought = true;
		facts->is_union =
		    type->token &&
		    (type->kind == TYPE_KIND_STRUCT ||
		     type->kind == TYPE_KIND_CLASS) &&
		    type_attribute(
			type, "System.Runtime.CompilerServices.UnionAttribute",
			NULL);
	}
	return facts->is_union;
}
