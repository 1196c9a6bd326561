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
	for (uint32_t f = first; f < end; f++) {
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

static void fill_class(struct il_types *ts, struct il_type *t, uint32_t rid)
{
	const struct md *md = &t->module->md;
	t->kind = IL_KIND_CLASS;
	t->elem = ELEM_CLASS;
	if (t->flags & TYPE_INTERFACE) {
		t->kind = IL_KIND_INTERFACE;
	} else if (t->special == IL_SPECIAL_OBJECT) {
		t->elem = ELEM_OBJECT;
	} else if (t->special == IL_SPECIAL_STRING) {
		t->elem = ELEM_STRING;
	} else if (extends(md, rid, "Enum")) {
		t->kind = IL_KIND_ENUM;
		t->elem = enum_elem(md, rid);
	} else if (t->special != IL_SPECIAL_ENUM &&
		   extends(md, rid, "ValueType")) {
		t->kind = IL_KIND_STRUCT;
		t->elem = ELEM_VALUETYPE;
		enum elem prim = t->module == il_types_core(ts)
				     ? wellknown_elem(md, rid)
				     : ELEM_END;
		if (prim != ELEM_END) {
			t->kind = IL_KIND_PRIM;
			t->elem = prim;
		}
	}
	t->is_delegate = extends(md, rid, "MulticastDelegate");
	t->is_value = t->kind == IL_KIND_PRIM || t->kind == IL_KIND_ENUM ||
		      t->kind == IL_KIND_STRUCT;
	t->is_reference = !t->is_value;
}

uint32_t il_generic_count(const struct code_module *m, uint32_t owner,
			  uint32_t *ret_first)
{
	uint32_t n = 0;
	uint32_t first =
	    md_find(&m->md, MD_GENERICPARAM, GENERICPARAM_OWNER, owner, &n);
	if (ret_first)
		*ret_first = first;
	return first && n <= IL_ARGS_MAX ? n : 0;
}

static struct il_type *make_def(struct il_types *ts, struct code_module *m,
				uint32_t rid)
{
	struct il_type proto = {
	    .module = m,
	    .token = MD_TOKEN(MD_TYPEDEF, rid),
	    .flags = md_col(&m->md, MD_TYPEDEF, rid, TYPEDEF_FLAGS),
	    .special = m == il_types_core(ts) ? wellknown_special(&m->md, rid)
					      : IL_SPECIAL_NONE,
	};
	struct il_type *args[IL_ARGS_MAX];
	fill_class(ts, &proto, rid);
	// TypeOrMethodDef (II.24.2.6): one bit of tag, 0 is TypeDef.
	proto.n_args = il_generic_count(m, rid << 1, NULL);
	for (uint32_t i = 0; i < proto.n_args; i++)
		args[i] = il_type_param(ts, false, i);
	proto.args = args;
	return il_type_intern(ts, &proto);
}

struct il_type *il_type_def(struct il_types *ts, struct code_module *module,
			    uint32_t token)
{
	struct il_module *im = il_module_get(ts, module);
	uint32_t rid = MD_TOKEN_RID(token);
	if (MD_TOKEN_TABLE(token) != MD_TYPEDEF || !rid || rid >= im->n_defs)
		return NULL;
	if (!im->defs[rid])
		im->defs[rid] = make_def(ts, module, rid);
	return im->defs[rid];
}

struct il_type *il_type_instance(struct il_types *ts, const struct il_type *def,
				 struct il_type *const *args, size_t n_args)
{
	struct il_type *whole = il_type_def(ts, def->module, def->token);
	if (!whole || whole->n_args != n_args)
		return whole;
	struct il_type proto = *whole;
	struct il_type *copy[IL_ARGS_MAX];
	memcpy(copy, args, n_args * sizeof(args[0]));
	proto.args = copy;
	return il_type_intern(ts, &proto);
}

struct il_type *il_type_generic(struct il_types *ts, struct il_type *type)
{
	return type->n_args && type->module
		   ? il_type_def(ts, type->module, type->token)
		   : type;
}

/* ---- By name --------------------------------------------------------- */

struct il_type *il_type_of_elem(struct il_types *ts, enum elem elem)
{
	if (elem == ELEM_TYPEDBYREF)
		return il_type_core(ts, "System.TypedReference");
	if (elem > ELEM_OBJECT)
		return NULL;
	const char *name = wellknown_elem_name(elem);
	if (!ts->prims[elem] && name)
		ts->prims[elem] = il_type_core(ts, name);
	return ts->prims[elem];
}

struct il_type *il_type_shown_elem(struct il_types *ts, enum elem elem)
{
	if (!wellknown_elem_name(elem))
		elem = ELEM_VOID;
	struct il_type *type = il_type_of_elem(ts, elem);
	struct il_type proto = {.kind = IL_KIND_PRIM,
				.elem = elem,
				.is_value = true,
				.label = wellknown_elem_keyword(elem)};
	if (elem == ELEM_STRING || elem == ELEM_OBJECT) {
		proto.kind = IL_KIND_CLASS;
		proto.is_value = false;
		proto.is_reference = true;
	}
	return type ? type : il_type_intern(ts, &proto);
}

struct il_type *il_type_named(struct il_types *ts, struct code_module *m,
			      const char *name)
{
	char part[512];
	struct il_def def = {0};
	size_t head = strcspn(name, "+");
	if (strlen(name) >= sizeof(part))
		return NULL;
	memcpy(part, name, head);
	part[head] = 0;
	char *dot = strrchr(part, '.');
	const char *simple = dot ? dot + 1 : part;
	if (dot)
		*dot = 0;
	if (!il_module_find(ts, il_module_get(ts, m), dot ? part : "", simple,
			    &def))
		return NULL;
	for (name += head; *name; name += head) {
		name++;
		head = strcspn(name, "+");
		memcpy(part, name, head);
		part[head] = 0;
		def.rid = il_module_def(il_module_get(ts, def.module), def.rid,
					"", part);
		if (!def.rid)
			return NULL;
	}
	return il_type_def(ts, def.module, MD_TOKEN(MD_TYPEDEF, def.rid));
}

struct il_type *il_type_core(struct il_types *ts, const char *name)
{
	struct code_module *core = il_types_core(ts);
	return core ? il_type_named(ts, core, name) : NULL;
}

/* ---- Signatures ------------------------------------------------------ */

struct maker {
	struct il_types *ts;
	const struct il_context *ctx;
	unsigned int depth;
	bool shown; /* see il_type_shown */
};

static struct dbg_error *make(struct maker *mk, const struct sig_type *sig,
			      struct il_type **ret);

static struct dbg_error *
make_class(struct maker *mk, const struct sig_type *sig, struct il_type **ret)
{
	struct il_type *args[IL_ARGS_MAX], *type = NULL;
	struct il_def def;
	struct dbg_error *err = NULL;
	if (sig->handle)
		type = il_type_of_handle(mk->ts, sig->handle);
	else
		err = il_resolve(mk->ts, mk->ctx->module, sig->token, &def);
	if (err)
		return err;
	if (!sig->handle)
		type = il_type_def(mk->ts, def.module,
				   MD_TOKEN(MD_TYPEDEF, def.rid));
	if (!type || sig->n_args > IL_ARGS_MAX ||
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
		type = il_type_instance(mk->ts, type, args, sig->n_args);
	}
	*ret = type;
	return NULL;
}

static struct dbg_error *make_method(struct maker *mk,
				     const struct sig_method *sig,
				     const struct il_sig **ret);

static struct dbg_error *make_function(struct maker *mk,
				       const struct sig_type *sig,
				       struct il_type **ret)
{
	struct il_type *parts[IL_ARGS_MAX];
	const struct il_sig *function;
	if (!sig->method || sig->method->n_params >= IL_ARGS_MAX)
		return dbg_err(DBG_E_FORMAT, "malformed signature");
	struct dbg_error *err = make_method(mk, sig->method, &function);
	if (err)
		return err;
	parts[0] = function->ret;
	for (size_t i = 0; i < function->n_params; i++)
		parts[i + 1] = function->params[i];
	struct il_type proto = {.kind = IL_KIND_FUNCTION,
				.elem = ELEM_FNPTR,
				.number = function->convention,
				.args = parts,
				.n_args = function->n_params + 1,
				.function = function};
	*ret = il_type_intern(mk->ts, &proto);
	return NULL;
}

/* The type of which nothing is known but how @sig names it. */
static struct il_type *label(const struct maker *mk, const struct sig_type *sig)
{
	const struct il_context *ctx = mk->ctx;
	_cleanup_str_ struct str name = {0};
	csname_sig(&ctx->module->md, sig, ctx->method, NULL, &name);
	struct il_type proto = {.kind = IL_KIND_CLASS,
				.elem = ELEM_CLASS,
				.is_reference = true,
				.label = str_get(&name)};
	if (sig->elem == ELEM_FNPTR) {
		proto.kind = IL_KIND_FUNCTION;
		proto.elem = ELEM_FNPTR;
		proto.is_reference = false;
	}
	return il_type_intern(mk->ts, &proto);
}

static struct dbg_error *
make_param(struct maker *mk, const struct sig_type *sig, struct il_type **ret)
{
	const struct il_context *ctx = mk->ctx;
	bool of_method = sig->elem == ELEM_MVAR;
	size_t n = of_method ? ctx->n_method_args : ctx->n_class_args;
	struct il_type *const *args =
	    of_method ? ctx->method_args : ctx->class_args;
	struct il_type *arg = sig->number < n ? args[sig->number] : NULL;
	if (mk->shown && !il_type_is_argument(arg))
		arg = label(mk, sig);
	*ret = arg ? arg : il_type_param(mk->ts, of_method, sig->number);
	return NULL;
}

static struct dbg_error *
make_inner(struct maker *mk, const struct sig_type *sig, struct il_type **ret)
{
	struct il_type *inner;
	struct dbg_error *err = make(mk, sig->inner, &inner);
	if (err)
		return err;
	switch (sig->elem) {
	case ELEM_PTR:
		*ret = il_type_pointer(mk->ts, inner);
		break;
	case ELEM_BYREF:
		*ret = il_type_byref(mk->ts, inner);
		break;
	case ELEM_SZARRAY:
		*ret = il_type_vector(mk->ts, inner);
		break;
	default:
		*ret = il_type_array(mk->ts, inner, sig->number);
		break;
	}
	return NULL;
}

static struct dbg_error *
make_exact(struct maker *mk, const struct sig_type *sig, struct il_type **ret)
{
	if (!sig || mk->depth >= IL_DEPTH_MAX)
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
			   ? il_type_of_handle(mk->ts, sig->handle)
			   : il_type_of_elem(mk->ts, sig->elem);
		return *ret ? NULL
			    : dbg_err(DBG_E_FORMAT, "malformed signature");
	}
}

/* What stands for a type that leads nowhere. */
static struct il_type *make_shown(struct maker *mk, const struct sig_type *sig)
{
	if (!sig || sig->elem == ELEM_GENERICINST)
		return il_type_shown_elem(mk->ts, ELEM_OBJECT);
	if (sig->elem == ELEM_CLASS || sig->elem == ELEM_FNPTR)
		return label(mk, sig);
	return il_type_shown_elem(mk->ts, sig->elem);
}

static struct dbg_error *make(struct maker *mk, const struct sig_type *sig,
			      struct il_type **ret)
{
	struct dbg_error *err = make_exact(mk, sig, ret);
	if (!err || !mk->shown)
		return err;
	dbg_error_destroy(err);
	*ret = make_shown(mk, sig);
	return NULL;
}

struct il_type *il_type_shown(struct il_types *ts, const struct sig_type *sig,
			      const struct il_context *ctx)
{
	struct il_type *type;
	struct maker mk = {.ts = ts, .ctx = ctx, .shown = true};
	return dbg_err_drop(make(&mk, sig, &type)) ? NULL : type;
}

struct dbg_error *il_type_of_sig(struct il_types *ts,
				 const struct sig_type *sig,
				 const struct il_context *ctx,
				 struct il_type **ret)
{
	struct maker mk = {.ts = ts, .ctx = ctx};
	return make(&mk, sig, ret);
}

struct dbg_error *il_type_of_token(struct il_types *ts,
				   const struct il_context *ctx, uint32_t token,
				   struct il_type **ret)
{
	struct il_def def;
	struct sig_type *sig;
	struct dbg_error *err;
	if (MD_TOKEN_TABLE(token) != MD_TYPESPEC) {
		err = il_resolve(ts, ctx->module, token, &def);
		if (!err)
			*ret = il_type_def(ts, def.module,
					   MD_TOKEN(MD_TYPEDEF, def.rid));
		return err;
	}
	struct arena *arena = arena_create();
	err = sig_parse_type(
	    md_col_blob(&ctx->module->md, MD_TYPESPEC, MD_TOKEN_RID(token), 0),
	    arena, &sig);
	if (!err)
		err = il_type_of_sig(ts, sig, ctx, ret);
	arena_destroy(arena);
	return err;
}

static struct dbg_error *make_method(struct maker *mk,
				     const struct sig_method *sig,
				     const struct il_sig **ret)
{
	struct arena *arena = mk->ts->arena;
	struct il_sig *made = arena_alloc(arena, sizeof(*made));
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

struct dbg_error *il_sig_make(struct il_types *ts, const struct sig_method *sig,
			      const struct il_context *ctx,
			      const struct il_sig **ret)
{
	struct maker mk = {.ts = ts, .ctx = ctx};
	return make_method(&mk, sig, ret);
}

/* ---- Names ----------------------------------------------------------- */

const char *il_type_simple_name(const struct il_type *type)
{
	return type->module
		   ? md_col_string(&type->module->md, MD_TYPEDEF,
				   MD_TOKEN_RID(type->token), TYPEDEF_NAME)
		   : "";
}

const char *il_type_namespace(const struct il_type *type)
{
	return type->module
		   ? md_namespace(&type->module->md, MD_TOKEN_RID(type->token))
		   : "";
}

struct il_type *il_type_enclosing(struct il_types *ts, struct il_type *type)
{
	uint32_t rid = type->module ? md_enclosing(&type->module->md,
						   MD_TOKEN_RID(type->token))
				    : 0;
	return rid ? il_type_def(ts, type->module, MD_TOKEN(MD_TYPEDEF, rid))
		   : NULL;
}

bool il_type_attribute(const struct il_type *type, const char *name,
		       struct bytes *ret_blob)
{
	return type->module &&
	       md_has_attribute(&type->module->md, type->token, name, ret_blob);
}
