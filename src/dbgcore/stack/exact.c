/*
 * Which instance of generic code a frame runs. Instances over reference types
 * share their code, so its MethodDesc does not tell the exact types. The frame
 * does: by the hidden argument of static and generic methods, or by the class
 * of the object that it works on.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/csname.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "value/value.h"

enum {
	BASES_MAX = 1000,
	GENERIC_OWNER = 2, /* column, II.22.20 */
	METHOD_FLAGS = 2,  /* column, II.22.26 */
	METHOD_STATIC = 0x10,
};

/* ---- By `this` ------------------------------------------------------- */

static uint64_t this_object(struct values *ts, const struct frame *f)
{
	struct dbg_error *err;
	struct dac_var *vars = NULL;
	size_t n = 0;
	uint64_t addr = 0;
	struct arena *arena = arena_create();

	err = stack_frame_vars(ts, f, true, arena, &vars, &n);
	if (!err && n && vars[0].present && !vars[0].type) {
		if (vars[0].in_register)
			memcpy(&addr, vars[0].bytes, sizeof(addr));
		else
			err = target_read_u64(values_target(ts), vars[0].addr,
					      &addr);
	}
	arena_destroy(arena);
	return dbg_err_drop(err) ? 0 : addr;
}

// The base class of @type that is an instance of @declared's definition.
static struct type *declaring(struct values *ts, struct type *type,
			      const struct type *declared)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		if (type->module == declared->module &&
		    type->token == declared->token)
			return type;
		type = value_type_parent(ts, type);
	}
	return NULL;
}

static struct type *type_by_this(struct values *ts, const struct frame *f,
				 const struct type *declared)
{
	uint64_t addr = this_object(ts, f);

	if (!addr || !declared)
		return NULL;
	struct value v = value_object(ts, addr);
	v = value_dereference(ts, &v);
	return v.where == VALUE_ABSENT ? NULL : declaring(ts, v.type, declared);
}

/* ---- The instance ---------------------------------------------------- */

static bool has_parameters(const struct md *md, uint32_t owner)
{
	uint32_t n;

	return md_find(md, MD_GENERICPARAM, GENERIC_OWNER, owner, &n) != 0;
}

static bool is_generic(const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = MD_TOKEN_RID(pos->token);

	return rid && (has_parameters(md, rid << 1 | 1) ||
		       has_parameters(md, md_method_type(md, rid) << 1));
}

// May `this` tell the exact class, where the DAC tells nothing because the code
// does not use its type arguments? In methods of classes it may; methods of
// interfaces and structures have a hidden argument instead.
static bool tells_by_this(const struct code_pos *pos,
			  const struct type *declared)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = MD_TOKEN_RID(pos->token);

	return declared && declared->is_reference &&
	       !has_parameters(md, rid << 1 | 1) &&
	       !(md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) & METHOD_STATIC);
}

// What the hidden argument is depends on the method's kind, as in the runtime:
// the MethodDesc of a generic method, the MethodTable of a generic class's
// static method; else `this` tells the instance.
static void suspended_instance(struct values *ts, const struct frame *f,
			       struct dac_instance *ret)
{
	const struct md *md = &f->pos->module->md;
	uint32_t rid = MD_TOKEN_RID(f->pos->token);
	uint64_t context = continuation_context(ts, f);

	*ret = (struct dac_instance){0};
	if (has_parameters(md, rid << 1 | 1))
		ret->method = context;
	else if (context)
		ret->type = context;
	else
		ret->by_this = !(md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) &
				 METHOD_STATIC);
}

void stack_frame_instance(struct values *ts, const struct frame *f,
			  struct stack_instance *ret)
{
	struct dbg_error *err;
	struct dac_instance exact;
	struct dac_method method;

	*ret = (struct stack_instance){.method = f->raw.method};
	// Where it stands in its epilog the frame may be gone.
	if (f->kind == DBG_FRAME_THROWN || !f->pos->module ||
	    !is_generic(f->pos) || (f->raw.leaf && f->pos->in_epilog))
		return;
	if (f->continuation)
		suspended_instance(ts, f, &exact);
	else
		dac_frame_instance(values_dac(ts), f->tid, &f->raw, &exact);
	if (exact.method)
		ret->method = exact.method;
	err = dac_method_get(values_dac(ts), ret->method, &method);
	if (dbg_err_drop(err))
		return;
	struct type *declared = value_type_of_mt(ts, method.type);
	if (exact.type) {
		struct type *type = value_type_of_mt(ts, exact.type);
		ret->type = declared ? declaring(ts, type, declared) : NULL;
	} else if (exact.method) {
		ret->type = declared;
	} else if (exact.by_this || tells_by_this(f->pos, declared)) {
		ret->type = type_by_this(ts, f, declared);
	}
}

/* ---- Names ----------------------------------------------------------- */

// The name of @token with the generic arguments of its class.
static void name_in(struct stack *s, const struct code_pos *pos,
		    const struct type *type, struct code_name *ret)
{
	const char **args =
	    arena_calloc(s->arena, type->n_args + 1, sizeof(*args));

	for (size_t i = 0; i < type->n_args; i++)
		args[i] = value_type_name(type->args[i]);
	const struct csname_args all = {.type_args = args,
					.n_type_args = type->n_args};
	code_token_names(pos->module, pos->token, &all, s->arena, ret);
}

void exact_name(struct stack *s, const struct frame *f, struct code_name *ret)
{
	struct stack_instance exact = {.method = f->raw.method};

	if (f->machine) {
		name_in(s, f->pos, f->machine->type, ret);
		return;
	}
	if (s->values)
		stack_frame_instance(s->values, f, &exact);
	if (exact.type && exact.method == f->raw.method)
		name_in(s, f->pos, exact.type, ret);
	else
		code_method_names(s->code, exact.method, s->arena, ret);
}
