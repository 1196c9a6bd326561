/*
 * Types made from signatures, definitions and other types. A class is named by
 * its token until its MethodTable is needed; a struct is looked for at once,
 * since its layout says how large a place is. Generic parameters are replaced
 * by the arguments that the context has.
 */
#include "value/value.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "value/value_priv.h"

enum {
	SIG_DEPTH_MAX = 64,
	ARGS_MAX = 256
};

struct resolver {
	struct types *ts;
	const struct type_context *ctx;
	unsigned int depth;
};

static struct type *resolve(struct resolver *r, const struct sig_type *sig,
			    uint64_t hint);

/* ---- Simple ones ----------------------------------------------------- */

static struct type *make_elem(struct types *ts, enum elem elem)
{
	struct type *type = type_alloc(ts);
	type->elem = elem;
	type->kind = TYPE_PRIM;
	type->name = wellknown_elem_name(elem);
	type->size = wellknown_elem_size(elem);
	if (elem == ELEM_VOID)
		type->kind = TYPE_VOID;
	if (elem == ELEM_STRING || elem == ELEM_OBJECT)
		type->kind = TYPE_CLASS;
	struct code_module *core = types_core(ts);
	uint32_t rows = core ? md_rows(&core->md, MD_TYPEDEF) : 0;
	for (uint32_t rid = 1; rid <= rows; rid++) {
		if (wellknown_elem(&core->md, rid) != elem)
			continue;
		type_set_def(ts, type, core, MD_TOKEN(MD_TYPEDEF, rid));
		break;
	}
	return type;
}

struct type *type_of_elem(struct types *ts, enum elem elem)
{
	if (elem > ELEM_OBJECT || !wellknown_elem_size(elem))
		elem = ELEM_VOID;
	// The same pointer as by MethodTable, wherever that is known.
	if (!ts->prims[elem]) {
		struct type *made = make_elem(ts, elem);
		struct type *loaded = type_of_mt(ts, type_mt(ts, made));
		ts->prims[elem] = loaded ? loaded : made;
	}
	return ts->prims[elem];
}

static struct type *make_pointer(struct types *ts, struct type *inner,
				 enum type_kind kind)
{
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "%c%p", kind == TYPE_BYREF ? '&' : '*', (void *)inner);
	bool is_new;
	struct type *type = type_intern(ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type->kind = kind;
	type->size = sizeof(uint64_t);
	type->inner = inner;
	type->name = kind == TYPE_BYREF
			 ? inner->name
			 : arena_printf(ts->arena, "%s*", inner->name);
	return type;
}

struct type *type_pointer_to(struct types *ts, struct type *inner)
{
	return make_pointer(ts, inner, TYPE_POINTER);
}

struct type *type_byref_to(struct types *ts, struct type *inner)
{
	return make_pointer(ts, inner, TYPE_BYREF);
}

const char *type_array_name(struct types *ts, const char *inner, uint32_t rank)
{
	size_t stem = strlen(inner);
	while (stem > 0 && inner[stem - 1] == ']') {
		size_t open = stem - 1;
		while (open > 0 && strchr(",]", inner[open]))
			open--;
		if (inner[open] != '[')
			break;
		stem = open;
	}
	_cleanup_str_ struct str name = {0};
	str_addn(&name, inner, stem);
	str_addc(&name, '[');
	for (uint32_t i = 1; i < rank; i++)
		str_addc(&name, ',');
	str_addc(&name, ']');
	str_add(&name, inner + stem);
	return arena_strdup(ts->arena, str_get(&name));
}

struct type *type_array_of(struct types *ts, struct type *inner, uint32_t rank)
{
	if (rank == 0 || rank > ARRAY_RANK_MAX)
		rank = 1;
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "[%" PRIu32 "%p", rank, (void *)inner);
	bool is_new;
	struct type *type = type_intern(ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type->kind = TYPE_CLASS;
	type->size = sizeof(uint64_t);
	type->is_array = true;
	type->is_vector = rank == 1;
	type->rank = rank;
	type->inner = inner;
	type->name = type_array_name(ts, inner->name, rank);
	return type;
}

/* ---- Definitions ----------------------------------------------------- */

bool type_resolve(struct types *ts, struct code_module *m, uint32_t token,
		  struct code_module **ret_module, uint32_t *ret_token)
{
	if (MD_TOKEN_TABLE(token) == MD_TYPEDEF) {
		*ret_module = m;
		*ret_token = token;
		return MD_TOKEN_RID(token) != 0;
	}
	if (MD_TOKEN_TABLE(token) != MD_TYPEREF)
		return false;
	struct type *loaded =
	    type_of_mt(ts, dac_type_of_token(ts->dac, m->addr, token));
	if (loaded && loaded->module) {
		*ret_module = loaded->module;
		*ret_token = loaded->token;
		return true;
	}
	_cleanup_str_ struct str name = {0};
	csname_metadata_type(&m->md, token, &name);
	return type_find_def(ts, NULL, str_get(&name), 0, ret_module,
			     ret_token);
}

static const char *instance_name(struct types *ts, struct code_module *m,
				 uint32_t token, struct type **args,
				 size_t n_args)
{
	const char *names[ARGS_MAX];
	for (size_t i = 0; i < n_args; i++)
		names[i] = args[i]->name;
	struct csname_args given = {.type_args = names, .n_type_args = n_args};
	_cleanup_str_ struct str name = {0};
	csname_type(&m->md, token, &given, &name);
	return arena_strdup(ts->arena, str_get(&name));
}

/* Kind and size of a definition, from metadata alone. */
static void fill_from_md(struct type *type)
{
	const struct md *md = &type->module->md;
	uint32_t rid = MD_TOKEN_RID(type->token);
	type->kind = TYPE_CLASS;
	type->size = sizeof(uint64_t);
	if (wellknown_extends(md, rid, "Enum")) {
		type->kind = TYPE_ENUM;
		type->elem = wellknown_enum_elem(md, rid);
		type->size = wellknown_elem_size(type->elem);
	} else if (wellknown_extends(md, rid, "ValueType")) {
		type->kind = TYPE_STRUCT;
		// Literals need it before the program does.
		type->size = type->special == SPECIAL_DECIMAL ? 16 : 0;
	}
}

struct type *type_of_def(struct types *ts, struct code_module *m,
			 uint32_t token)
{
	struct type *loaded =
	    type_of_mt(ts, dac_type_of_token(ts->dac, m->addr, token));
	if (loaded)
		return loaded;
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "D%" PRIx64 ":%x", m->addr, token);
	bool is_new;
	struct type *type = type_intern(ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type_set_def(ts, type, m, token);
	fill_from_md(type);
	type->name = instance_name(ts, m, token, NULL, 0);
	return type;
}

/* ---- Generic instances ----------------------------------------------- */

/* The instantiation over __Canon that shares its layout with this one. */
static uint64_t canonical(struct types *ts, struct code_module *m,
			  uint32_t token, struct type **args, size_t n_args)
{
	struct type *canon = type_core(ts, "System.__Canon");
	uint64_t mts[ARGS_MAX];
	for (size_t i = 0; i < n_args; i++) {
		struct type *arg =
		    args[i]->kind == TYPE_CLASS ? canon : args[i];
		mts[i] = arg ? type_mt(ts, arg) : 0;
		if (!mts[i])
			return 0;
	}
	return dac_type_instance(ts->dac, m->addr, token, mts, n_args);
}

static struct type *intern_instance(struct types *ts, struct code_module *m,
				    uint32_t token, struct type **args,
				    size_t n_args)
{
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "G%" PRIx64 ":%x", m->addr, token);
	for (size_t i = 0; i < n_args; i++)
		str_addf(&key, ",%p", (void *)args[i]);
	bool is_new;
	struct type *type = type_intern(ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type_set_def(ts, type, m, token);
	fill_from_md(type);
	type->args = arena_copy(ts->arena, args, n_args, sizeof(args[0]));
	type->n_args = n_args;
	type->name = instance_name(ts, m, token, args, n_args);
	return type;
}

struct type *type_instance(struct types *ts, struct code_module *module,
			   uint32_t token, struct type **args, size_t n_args)
{
	if (n_args > ARGS_MAX)
		n_args = ARGS_MAX;
	struct type *type = intern_instance(ts, module, token, args, n_args);
	if (type->kind == TYPE_CLASS)
		return type;
	// Structs are wanted with their layout; the runtime's own record of
	// the exact type serves best.
	struct type *exact = type_of_mt(ts, type_mt(ts, type));
	if (exact)
		return exact;
	if (!type->facts->layout)
		type->facts->layout =
		    canonical(ts, module, token, args, n_args);
	type_layout(ts, type);
	return type;
}

static struct type *resolve_instance(struct resolver *r,
				     const struct sig_type *sig, uint64_t hint)
{
	struct types *ts = r->ts;
	struct code_module *m;
	uint32_t token;
	if (sig->n_args > ARGS_MAX ||
	    !type_resolve(ts, r->ctx->module, sig->token, &m, &token)) {
		struct type *hinted = type_of_mt(ts, hint);
		return hinted ? hinted : type_of_elem(ts, ELEM_OBJECT);
	}
	struct type *args[ARGS_MAX];
	for (uint32_t i = 0; i < sig->n_args; i++)
		args[i] = resolve(r, sig->args[i], 0);
	struct type *type = type_instance(ts, m, token, args, sig->n_args);
	if (type->kind == TYPE_STRUCT && !type->mt && !type->facts->layout) {
		type->facts->layout = hint;
		type_layout(ts, type);
	}
	return type;
}

/* ---- Signatures ------------------------------------------------------ */

/* A class by token: not looked for until its MethodTable is wanted. */
static struct type *resolve_class(struct resolver *r,
				  const struct sig_type *sig)
{
	struct code_module *m = r->ctx->module;
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "C%" PRIx64 ":%x", m->addr, sig->token);
	bool is_new;
	struct type *type = type_intern(r->ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type->kind = TYPE_CLASS;
	type->size = sizeof(uint64_t);
	type->facts->origin = m;
	type->facts->origin_token = sig->token;
	if (MD_TOKEN_TABLE(sig->token) == MD_TYPEDEF)
		type_set_def(r->ts, type, m, sig->token);
	_cleanup_str_ struct str name = {0};
	csname_type(&m->md, sig->token, NULL, &name);
	type->name = arena_strdup(r->ts->arena, str_get(&name));
	return type;
}

static struct type *resolve_struct(struct resolver *r,
				   const struct sig_type *sig, uint64_t hint)
{
	struct code_module *m;
	uint32_t token;
	if (type_resolve(r->ts, r->ctx->module, sig->token, &m, &token))
		return type_of_def(r->ts, m, token);
	struct type *hinted = type_of_mt(r->ts, hint);
	return hinted ? hinted : type_of_elem(r->ts, ELEM_VOID);
}

/* The type that is known by its signature alone, a word in size. */
static struct type *named_by_sig(struct resolver *r, const struct sig_type *sig,
				 char mark, enum type_kind kind)
{
	_cleanup_str_ struct str name = {0};
	csname_sig(&r->ctx->module->md, sig, r->ctx->method, NULL, &name);
	_cleanup_str_ struct str key = {0};
	str_addf(&key, "%c%s", mark, str_get(&name));
	bool is_new;
	struct type *type = type_intern(r->ts, str_get(&key), &is_new);
	if (!is_new)
		return type;
	type->kind = kind;
	type->size = sizeof(uint64_t);
	type->name = arena_strdup(r->ts->arena, str_get(&name));
	return type;
}

bool type_is_canon(const struct type *type)
{
	return !strcmp(type->facts->simple, "__Canon");
}

static struct type *resolve_param(struct resolver *r,
				  const struct sig_type *sig, uint64_t hint)
{
	const struct type_context *ctx = r->ctx;
	bool of_method = sig->elem == ELEM_MVAR;
	struct type **args = of_method ? ctx->method_args : ctx->type_args;
	size_t n = of_method ? ctx->n_method_args : ctx->n_type_args;
	if (sig->number < n && args[sig->number] &&
	    !type_is_canon(args[sig->number]))
		return args[sig->number];
	struct type *hinted = type_of_mt(r->ts, hint);
	if (hinted && hinted->kind != TYPE_CLASS)
		return hinted;
	/* Nothing says more about it: some object, named T. */
	return named_by_sig(r, sig, 'T', TYPE_CLASS);
}

static struct type *resolve_made(struct resolver *r, const struct sig_type *sig,
				 uint64_t hint)
{
	switch (sig->elem) {
	case ELEM_PTR:
		return type_pointer_to(r->ts, resolve(r, sig->inner, 0));
	case ELEM_BYREF:
		return make_pointer(r->ts, resolve(r, sig->inner, hint),
				    TYPE_BYREF);
	case ELEM_SZARRAY:
		return type_array_of(r->ts, resolve(r, sig->inner, 0), 1);
	case ELEM_ARRAY:
		return type_array_of(r->ts, resolve(r, sig->inner, 0),
				     sig->number);
	case ELEM_FNPTR:
		return named_by_sig(r, sig, 'F', TYPE_POINTER);
	default:
		return type_of_elem(r->ts, ELEM_VOID);
	}
}

static struct type *resolve(struct resolver *r, const struct sig_type *sig,
			    uint64_t hint)
{
	if (!sig || r->depth >= SIG_DEPTH_MAX)
		return type_of_elem(r->ts, ELEM_OBJECT);
	struct resolver deeper = *r;
	deeper.depth++;
	switch (sig->elem) {
	case ELEM_CLASS:
		return resolve_class(&deeper, sig);
	case ELEM_VALUETYPE:
		return resolve_struct(&deeper, sig, hint);
	case ELEM_GENERICINST:
		return resolve_instance(&deeper, sig, hint);
	case ELEM_VAR:
	case ELEM_MVAR:
		return resolve_param(&deeper, sig, hint);
	case ELEM_TYPEDBYREF: {
		struct type *type = type_core(r->ts, "System.TypedReference");
		return type ? type : type_of_elem(r->ts, ELEM_VOID);
	}
	default:
		if (wellknown_elem_size(sig->elem))
			return type_of_elem(r->ts, sig->elem);
		return resolve_made(&deeper, sig, hint);
	}
}

struct type *type_of_sig(struct types *ts, const struct sig_type *sig,
			 const struct type_context *ctx, uint64_t hint)
{
	if (!ctx->module) {
		struct type *hinted = type_of_mt(ts, hint);
		return hinted ? hinted : type_of_elem(ts, ELEM_OBJECT);
	}
	struct resolver r = {.ts = ts, .ctx = ctx};
	return resolve(&r, sig, hint);
}

struct type *type_of_token(struct types *ts, const struct type_context *ctx,
			   uint32_t token)
{
	struct code_module *m;
	uint32_t def;
	if (!ctx->module)
		return NULL;
	if (MD_TOKEN_TABLE(token) != MD_TYPESPEC)
		return type_resolve(ts, ctx->module, token, &m, &def)
			   ? type_of_def(ts, m, def)
			   : NULL;
	struct arena *arena = arena_create();
	struct sig_type *sig;
	struct dbg_error *err = sig_parse_type(
	    md_col_blob(&ctx->module->md, MD_TYPESPEC, MD_TOKEN_RID(token), 0),
	    arena, &sig);
	struct type *found = err ? NULL : type_of_sig(ts, sig, ctx, 0);
	dbg_error_destroy(err);
	arena_destroy(arena);
	return found;
}
