/*
 * Types from metadata: a definition by token or name, an instance, the types
 * that signatures speak of. Names across assemblies follow TypeRef,
 * ExportedType and the forwarders behind them.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "types/types_priv.h"
#include "meta/csname.h"

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
