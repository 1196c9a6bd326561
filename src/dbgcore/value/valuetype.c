/*
 * The types of values, made from what a stopped program tells: thin calls into
 * the type system (types/).
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

struct values *values_create(struct target *t, struct dac *d, struct code *c)
{
	struct values *ts = xcalloc(1, sizeof(*ts));
	ts->target = t;
	ts->dac = d;
	ts->code = c;
	ts->types = types_create(t, d, c);
	ts->arena = arena_create();
	ts->stop = 1;
	return ts;
}

void values_destroy(struct values *ts)
{
	if (!ts)
		return;
	types_destroy(ts->types);
	map_deinit(&ts->names);
	map_deinit(&ts->unloaded);
	arena_destroy(ts->arena);
	free(ts);
}

bool values_stop(struct values *ts)
{
	enum types_kept kept = types_stop(ts->types);

	ts->stop++;
	if (kept != TYPES_STAND)
		value_type_names_clear(ts);
	if (kept == TYPES_GONE)
		arena_reset(ts->arena);
	return kept != TYPES_STAND;
}

void values_set_beside(struct values *ts, values_read_fn *read,
		       values_late_fn *late, void *arg)
{
	ts->read_beside = read;
	ts->late_beside = late;
	ts->beside = arg;
}

bool values_read(struct values *ts, uint64_t addr, void *buf, size_t n)
{
	if (values_beside(addr))
		return ts->read_beside &&
		       ts->read_beside(ts->beside, addr, buf, n);
	return !dbg_err_drop(target_read(ts->target, addr, buf, n));
}

struct types *values_types(struct values *ts)
{
	return ts->types;
}

struct target *values_target(struct values *ts)
{
	return ts->target;
}

struct dac *values_dac(struct values *ts)
{
	return ts->dac;
}

struct code *values_code(struct values *ts)
{
	return ts->code;
}

struct value_facts *value_type_facts(struct values *ts, const struct type *type)
{
	struct value_facts **facts = type_value(type);
	if (!*facts)
		*facts = arena_alloc(ts->arena, sizeof(**facts));
	return *facts;
}

/* ---- From the type system -------------------------------------------- */

struct type *value_type_of_mt(struct values *ts, uint64_t mt)
{
	return values_beside(mt) ? type_of_handle(ts->types, mt)
				 : type_of_record(ts->types, mt);
}

struct type *value_type_of_elem(struct values *ts, enum elem elem)
{
	return type_shown_elem(ts->types, elem);
}

struct type *value_type_pointer_to(struct values *ts, struct type *inner)
{
	return type_pointer(ts->types, inner);
}

struct type *value_type_byref_to(struct values *ts, struct type *inner)
{
	return type_byref(ts->types, inner);
}

struct type *value_type_array_of(struct values *ts, struct type *inner,
				 uint32_t rank)
{
	return rank <= 1 || rank > ARRAY_RANK_MAX
		   ? type_vector(ts->types, inner)
		   : type_array(ts->types, inner, rank);
}

struct type *value_type_of_def(struct values *ts, struct code_module *m,
			       uint32_t token)
{
	return type_def(ts->types, m, token);
}

struct type *value_type_core(struct values *ts, const char *full_name)
{
	return type_core(ts->types, full_name);
}

struct type *value_type_instance(struct values *ts, struct code_module *module,
				 uint32_t token, struct type **args,
				 size_t n_args)
{
	struct type *def = type_def(ts->types, module, token);
	return def && n_args <= ARGS_MAX
		   ? type_instance(ts->types, def, args, n_args)
		   : value_type_of_elem(ts, ELEM_OBJECT);
}

/* ---- Signatures ------------------------------------------------------ */

/* Does @hinted say more than what was made of @sig? */
static bool is_better(const struct sig_type *sig, const struct type *made,
		      const struct type *hinted)
{
	switch (sig->elem) {
	case ELEM_VALUETYPE:
		return made->elem == ELEM_VOID;
	case ELEM_GENERICINST:
		return made->elem == ELEM_OBJECT;
	case ELEM_VAR:
	case ELEM_MVAR:
		return made->label && !hinted->is_reference;
	default:
		return false;
	}
}

struct type *value_type_of_sig(struct values *ts, const struct sig_type *sig,
			       const struct type_context *ctx, uint64_t hint)
{
	struct type *hinted = value_type_of_mt(ts, hint);
	if (!ctx->module || !sig)
		return hinted ? hinted : value_type_of_elem(ts, ELEM_OBJECT);
	bool is_byref = sig->elem == ELEM_BYREF && sig->inner;
	struct type *il = type_shown(ts->types, sig, ctx);
	struct type *made = is_byref ? il->inner : il;
	if (!hinted || !is_better(is_byref ? sig->inner : sig, made, hinted))
		return il;
	return is_byref ? value_type_byref_to(ts, hinted) : hinted;
}

struct type *value_type_of_token(struct values *ts,
				 const struct type_context *ctx, uint32_t token)
{
	struct type *il;
	if (!ctx->module)
		return NULL;
	return dbg_err_drop(type_of_token(ts->types, ctx, token, &il)) ? NULL
								       : il;
}

/* ---- Facts on demand ------------------------------------------------- */

uint64_t value_type_mt(struct values *ts, struct type *type)
{
	return type_record(ts->types, type);
}

struct type *value_type_parent(struct values *ts, struct type *type)
{
	struct type *parent;
	return dbg_err_drop(type_parent(ts->types, type, &parent)) ? NULL
								   : parent;
}

bool value_type_derives(struct values *ts, struct type *type, struct type *base)
{
	bool derives;
	return !dbg_err_drop(type_derives(ts->types, type, base, &derives)) &&
	       derives;
}

bool value_type_is_exception(struct values *ts, struct type *type)
{
	struct type *base = value_type_core(ts, "System.Exception");
	return type->is_reference && base && value_type_derives(ts, type, base);
}

/* ---- Names ----------------------------------------------------------- */

const char *value_type_name(const struct type *type)
{
	const struct type *of =
	    type->kind == TYPE_KIND_BYREF ? type->inner : type;
	return type_name(of->of, (struct type *)of);
}

bool value_type_is_closure(const struct type *type)
{
	const char *name = type_simple_name(type);
	// C#'s, VB's, F#'s ("add@40", which has no dot or bracket)
	return str_starts(name, "<>c") || str_starts(name, "_Closure$__") ||
	       strchr(name, '@');
}

bool value_type_is_state_machine(const struct type *type)
{
	return csname_is_machine(type_simple_name(type));
}

bool value_type_is_compiler_made(const struct type *type)
{
	return type_simple_name(type)[0] == '<' ||
	       value_type_is_closure(type) || value_type_is_state_machine(type);
}
