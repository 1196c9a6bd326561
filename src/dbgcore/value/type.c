/*
 * What values have as their types: one for each type of the type system
 * (types/types.h), with what a place of it needs.
 */
#include "value/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "target/target.h"
#include "value/value_priv.h"

enum {
	ARGS_MAX = 256,
};

/* ---- The session's table --------------------------------------------- */

struct types *types_create(struct target *t, struct dac *d, struct code *c)
{
	struct types *ts = xcalloc(1, sizeof(*ts));
	ts->target = t;
	ts->dac = d;
	ts->code = c;
	ts->il = il_types_create(t, d, c);
	ts->arena = arena_create();
	ts->stop = 1;
	return ts;
}

void types_destroy(struct types *ts)
{
	if (!ts)
		return;
	il_types_destroy(ts->il);
	map_deinit(&ts->names);
	map_deinit(&ts->unloaded);
	arena_destroy(ts->arena);
	free(ts);
}

bool types_stop(struct types *ts)
{
	bool dropped = il_types_stop(ts->il);
	ts->stop++;
	if (dropped) {
		type_names_clear(ts);
		memset(ts->prims, 0, sizeof(ts->prims));
		arena_reset(ts->arena);
	}
	return dropped;
}

void types_set_beside(struct types *ts, types_read_fn *read, void *arg)
{
	ts->read_beside = read;
	ts->beside = arg;
}

bool types_read(struct types *ts, uint64_t addr, void *buf, size_t n)
{
	if (types_beside(addr))
		return ts->read_beside &&
		       ts->read_beside(ts->beside, addr, buf, n);
	return !dbg_err_drop(target_read(ts->target, addr, buf, n));
}

struct il_types *types_il(struct types *ts)
{
	return ts->il;
}

struct target *types_target(struct types *ts)
{
	return ts->target;
}

struct dac *types_dac(struct types *ts)
{
	return ts->dac;
}

struct code *types_code(struct types *ts)
{
	return ts->code;
}

/* ---- From the type system -------------------------------------------- */

static enum type_kind kind_of(const struct il_type *il)
{
	switch (il->kind) {
	case IL_KIND_PRIM:
		return il->elem == ELEM_VOID ? TYPE_VOID : TYPE_PRIM;
	case IL_KIND_ENUM:
		return TYPE_ENUM;
	case IL_KIND_STRUCT:
		return TYPE_STRUCT;
	case IL_KIND_POINTER:
	case IL_KIND_FUNCTION:
		return TYPE_POINTER;
	case IL_KIND_BYREF:
		return TYPE_BYREF;
	default:
		return TYPE_CLASS;
	}
}

static struct type *type_get(struct types *ts, struct il_type *il);

/* Elements of which only the name is known are not known. */
static bool has_inner(const struct il_type *il)
{
	return il->inner &&
	       !(il->kind == IL_KIND_ARRAY &&
		 il->inner->kind == IL_KIND_FUNCTION && il->inner->label);
}

static void set_parts(struct types *ts, struct type *type, struct il_type *il)
{
	type->is_array = il->kind == IL_KIND_ARRAY;
	type->is_vector = il->elem == ELEM_SZARRAY;
	type->rank = il->rank;
	type->inner = has_inner(il) ? type_get(ts, il->inner) : NULL;
	if (type->kind == TYPE_BYREF)
		type->name = type->inner->name;
	// a definition has no arguments but its own parameters
	if (il->open || il->kind == IL_KIND_FUNCTION)
		return;
	type->n_args = il->n_args;
	type->args = arena_calloc(ts->arena, il->n_args, sizeof(type->args[0]));
	for (size_t i = 0; i < il->n_args; i++)
		type->args[i] = type_get(ts, il->args[i]);
}

static struct type *type_get(struct types *ts, struct il_type *il)
{
	struct type **value = il_type_value(il);
	if (*value)
		return *value;
	struct type *type = arena_alloc(ts->arena, sizeof(*type));
	*value = type;
	type->il = il;
	type->facts = arena_alloc(ts->arena, sizeof(*type->facts));
	type->kind = kind_of(il);
	if (type->kind == TYPE_PRIM || type->kind == TYPE_ENUM)
		type->elem = il->elem;
	type->special = il->special;
	type->name = il_type_name(ts->il, il);
	type->module = il->module;
	type->token = il->token;
	set_parts(ts, type, il);
	if (type->kind != TYPE_CLASS)
		type_mt(ts, type);
	type_layout(ts, type);
	return type;
}

struct type *type_of_il(struct types *ts, struct il_type *il)
{
	return il->open ? NULL : type_get(ts, il);
}

struct type *type_of_mt(struct types *ts, uint64_t mt)
{
	struct il_type *il = types_beside(mt) ? il_type_of_handle(ts->il, mt)
					      : il_type_of_record(ts->il, mt);
	struct type *type = il ? type_get(ts, il) : NULL;
	if (type && !types_beside(mt))
		type->mt = mt;
	return type;
}

struct type *type_of_elem(struct types *ts, enum elem elem)
{
	if (elem > ELEM_OBJECT)
		elem = ELEM_VOID;
	if (!ts->prims[elem] || ts->prims[elem]->il->label)
		ts->prims[elem] =
		    type_get(ts, il_type_shown_elem(ts->il, elem));
	return ts->prims[elem];
}

struct type *type_pointer_to(struct types *ts, struct type *inner)
{
	return type_get(ts, il_type_pointer(ts->il, inner->il));
}

struct type *type_byref_to(struct types *ts, struct type *inner)
{
	return type_get(ts, il_type_byref(ts->il, inner->il));
}

struct type *type_array_of(struct types *ts, struct type *inner, uint32_t rank)
{
	if (rank <= 1 || rank > ARRAY_RANK_MAX)
		return type_get(ts, il_type_vector(ts->il, inner->il));
	return type_get(ts, il_type_array(ts->il, inner->il, rank));
}

struct type *type_of_def(struct types *ts, struct code_module *m,
			 uint32_t token)
{
	struct il_type *il = il_type_def(ts->il, m, token);
	return il ? type_get(ts, il) : NULL;
}

struct type *type_core(struct types *ts, const char *full_name)
{
	struct il_type *il = il_type_core(ts->il, full_name);
	return il ? type_get(ts, il) : NULL;
}

struct type *type_instance(struct types *ts, struct code_module *module,
			   uint32_t token, struct type **args, size_t n_args)
{
	struct il_type *parts[ARGS_MAX];
	struct il_type *def = il_type_def(ts->il, module, token);
	if (!def || n_args > ARGS_MAX)
		return type_of_elem(ts, ELEM_OBJECT);
	for (size_t i = 0; i < n_args; i++)
		parts[i] = args[i]->il;
	return type_get(ts, il_type_instance(ts->il, def, parts, n_args));
}

/* ---- Signatures ------------------------------------------------------ */

/* What generic parameters stand for, in terms of the type system. */
struct argument_room {
	struct il_type *of_class[ARGS_MAX], *of_method[ARGS_MAX];
};

static size_t arguments_of(struct il_type **ret, struct type *const *args,
			   size_t n)
{
	for (size_t i = 0; i < n && i < ARGS_MAX; i++)
		ret[i] = args[i] ? args[i]->il : NULL;
	return n < ARGS_MAX ? n : ARGS_MAX;
}

static struct il_context context_of(const struct type_context *ctx,
				    struct argument_room *room)
{
	return (struct il_context){
	    .module = ctx->module,
	    .class_args = room->of_class,
	    .n_class_args =
		arguments_of(room->of_class, ctx->type_args, ctx->n_type_args),
	    .method_args = room->of_method,
	    .n_method_args = arguments_of(room->of_method, ctx->method_args,
					  ctx->n_method_args),
	    .method = ctx->method,
	};
}

/* Does @hinted say more than what was made of @sig? */
static bool is_better(const struct sig_type *sig, const struct il_type *made,
		      const struct type *hinted)
{
	switch (sig->elem) {
	case ELEM_VALUETYPE:
		return made->elem == ELEM_VOID;
	case ELEM_GENERICINST:
		return made->elem == ELEM_OBJECT;
	case ELEM_VAR:
	case ELEM_MVAR:
		return made->label && hinted->kind != TYPE_CLASS;
	default:
		return false;
	}
}

struct type *type_of_sig(struct types *ts, const struct sig_type *sig,
			 const struct type_context *ctx, uint64_t hint)
{
	struct argument_room room;
	struct type *hinted = type_of_mt(ts, hint);
	if (!ctx->module || !sig)
		return hinted ? hinted : type_of_elem(ts, ELEM_OBJECT);
	struct il_context c = context_of(ctx, &room);
	bool is_byref = sig->elem == ELEM_BYREF && sig->inner;
	struct il_type *il = il_type_shown(ts->il, sig, &c);
	struct il_type *made = is_byref ? il->inner : il;
	if (!hinted || !is_better(is_byref ? sig->inner : sig, made, hinted))
		return type_get(ts, il);
	return is_byref ? type_byref_to(ts, hinted) : hinted;
}

struct type *type_of_token(struct types *ts, const struct type_context *ctx,
			   uint32_t token)
{
	struct argument_room room;
	struct il_type *il;
	if (!ctx->module)
		return NULL;
	struct il_context c = context_of(ctx, &room);
	struct dbg_error *err = il_type_of_token(ts->il, &c, token, &il);
	return dbg_err_drop(err) || !il ? NULL : type_get(ts, il);
}

/* ---- Facts on demand ------------------------------------------------- */

uint64_t type_mt(struct types *ts, struct type *type)
{
	if (!type->mt)
		type->mt = il_type_record(ts->il, type->il);
	return type->mt;
}

void type_layout(struct types *ts, struct type *type)
{
	if (!type->size)
		type->size = il_type_size(ts->il, type->il);
}

struct type *type_parent(struct types *ts, struct type *type)
{
	struct il_type *parent;
	struct dbg_error *err = il_type_parent(ts->il, type->il, &parent);
	return dbg_err_drop(err) || !parent ? NULL : type_get(ts, parent);
}

bool type_derives(struct types *ts, struct type *type, struct type *base)
{
	bool derives;
	struct dbg_error *err =
	    il_type_derives(ts->il, type->il, base->il, &derives);
	return !dbg_err_drop(err) && derives;
}

bool type_is_delegate(const struct type *type)
{
	return type->il->is_delegate;
}

bool type_is_exception(struct types *ts, struct type *type)
{
	struct type *base = type_core(ts, "System.Exception");
	return type->kind == TYPE_CLASS && base && type_derives(ts, type, base);
}

bool type_is_canon(const struct type *type)
{
	return il_type_is_canon(type->il);
}

/* ---- Names ----------------------------------------------------------- */

const char *type_simple_name(const struct type *type)
{
	return il_type_simple_name(type->il);
}

bool type_is_closure(const struct type *type)
{
	const char *name = type_simple_name(type);
	// C#'s, VB's, F#'s ("add@40", which has no dot or bracket)
	return str_starts(name, "<>c") || str_starts(name, "_Closure$__") ||
	       strchr(name, '@');
}

bool type_is_state_machine(const struct type *type)
{
	return csname_is_machine(type_simple_name(type));
}

bool type_is_compiler_made(const struct type *type)
{
	return type_simple_name(type)[0] == '<' || type_is_closure(type) ||
	       type_is_state_machine(type);
}
