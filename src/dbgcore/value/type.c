/*
 * The types of values: those of the type system, from what a stopped program
 * tells of them.
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
	enum types_kept kept = il_types_stop(ts->il);

	ts->stop++;
	if (kept != TYPES_STAND)
		type_names_clear(ts);
	if (kept == TYPES_GONE)
		arena_reset(ts->arena);
	return kept != TYPES_STAND;
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

struct value_facts *type_facts(struct types *ts, const struct il_type *type)
{
	struct value_facts **facts = il_type_value(type);
	if (!*facts)
		*facts = arena_alloc(ts->arena, sizeof(**facts));
	return *facts;
}

/* ---- From the type system -------------------------------------------- */

struct il_type *type_of_mt(struct types *ts, uint64_t mt)
{
	return types_beside(mt) ? il_type_of_handle(ts->il, mt)
				: il_type_of_record(ts->il, mt);
}

struct il_type *type_of_elem(struct types *ts, enum elem elem)
{
	return il_type_shown_elem(ts->il, elem);
}

struct il_type *type_pointer_to(struct types *ts, struct il_type *inner)
{
	return il_type_pointer(ts->il, inner);
}

struct il_type *type_byref_to(struct types *ts, struct il_type *inner)
{
	return il_type_byref(ts->il, inner);
}

struct il_type *type_array_of(struct types *ts, struct il_type *inner,
			      uint32_t rank)
{
	return rank <= 1 || rank > ARRAY_RANK_MAX
		   ? il_type_vector(ts->il, inner)
		   : il_type_array(ts->il, inner, rank);
}

struct il_type *type_of_def(struct types *ts, struct code_module *m,
			    uint32_t token)
{
	return il_type_def(ts->il, m, token);
}

struct il_type *type_core(struct types *ts, const char *full_name)
{
	return il_type_core(ts->il, full_name);
}

struct il_type *type_instance(struct types *ts, struct code_module *module,
			      uint32_t token, struct il_type **args,
			      size_t n_args)
{
	struct il_type *def = il_type_def(ts->il, module, token);
	return def && n_args <= ARGS_MAX
		   ? il_type_instance(ts->il, def, args, n_args)
		   : type_of_elem(ts, ELEM_OBJECT);
}

/* ---- Signatures ------------------------------------------------------ */

/* Does @hinted say more than what was made of @sig? */
static bool is_better(const struct sig_type *sig, const struct il_type *made,
		      const struct il_type *hinted)
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

struct il_type *type_of_sig(struct types *ts, const struct sig_type *sig,
			    const struct il_context *ctx, uint64_t hint)
{
	struct il_type *hinted = type_of_mt(ts, hint);
	if (!ctx->module || !sig)
		return hinted ? hinted : type_of_elem(ts, ELEM_OBJECT);
	bool is_byref = sig->elem == ELEM_BYREF && sig->inner;
	struct il_type *il = il_type_shown(ts->il, sig, ctx);
	struct il_type *made = is_byref ? il->inner : il;
	if (!hinted || !is_better(is_byref ? sig->inner : sig, made, hinted))
		return il;
	return is_byref ? type_byref_to(ts, hinted) : hinted;
}

struct il_type *type_of_token(struct types *ts, const struct il_context *ctx,
			      uint32_t token)
{
	struct il_type *il;
	if (!ctx->module)
		return NULL;
	return dbg_err_drop(il_type_of_token(ts->il, ctx, token, &il)) ? NULL
								       : il;
}

/* ---- Facts on demand ------------------------------------------------- */

uint64_t type_mt(struct types *ts, struct il_type *type)
{
	return il_type_record(ts->il, type);
}

struct il_type *type_parent(struct types *ts, struct il_type *type)
{
	struct il_type *parent;
	return dbg_err_drop(il_type_parent(ts->il, type, &parent)) ? NULL
								   : parent;
}

bool type_derives(struct types *ts, struct il_type *type, struct il_type *base)
{
	bool derives;
	return !dbg_err_drop(il_type_derives(ts->il, type, base, &derives)) &&
	       derives;
}

bool type_is_exception(struct types *ts, struct il_type *type)
{
	struct il_type *base = type_core(ts, "System.Exception");
	return type->is_reference && base && type_derives(ts, type, base);
}

/* ---- Names ----------------------------------------------------------- */

const char *value_type_name(const struct il_type *type)
{
	const struct il_type *of =
	    type->kind == IL_KIND_BYREF ? type->inner : type;
	return il_type_name(of->of, (struct il_type *)of);
}

bool type_is_closure(const struct il_type *type)
{
	const char *name = il_type_simple_name(type);
	// C#'s, VB's, F#'s ("add@40", which has no dot or bracket)
	return str_starts(name, "<>c") || str_starts(name, "_Closure$__") ||
	       strchr(name, '@');
}

bool type_is_state_machine(const struct il_type *type)
{
	return csname_is_machine(il_type_simple_name(type));
}

bool type_is_compiler_made(const struct il_type *type)
{
	return il_type_simple_name(type)[0] == '<' || type_is_closure(type) ||
	       type_is_state_machine(type);
}
