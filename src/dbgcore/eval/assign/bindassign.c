/*
 * Assignments (ECMA-334, 12.21). What is assigned in an expression of the
 * debugger goes to memory of the machine; the program keeps what it has.
 */
#include "eval/assign/bindassign.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/statement/binddeclare.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"

struct bound *declare_var(struct binder *b, const char *name, struct type *type,
			  const struct expr *x)
{
	struct bound *local = bound_local(b, type, x);
	local->var->name = name;
	if (x->type && x->type->kind != EXPR_VAR_TYPE)
		local->var->written = x->type;
	name_push(b, local->var);
	return local;
}

/* ---- Targets --------------------------------------------------------- */

static bool is_place(const struct bound *v)
{
	return v->kind == BOUND_PLACE || v->kind == BOUND_VAR ||
	       v->kind == BOUND_FIELD || v->kind == BOUND_ELEMENT ||
	       v->kind == BOUND_DEREF;
}

enum {
	FIELD_INIT_ONLY = 0x20, /* FieldAttributes, II.23.1.5 */
};

struct dbg_error *bind_by_ref(struct binder *b, const struct bound *v,
			      const struct expr *x)
{
	if (v->kind == BOUND_UNTYPED)
		return NULL;
	// A field of a value type can be assigned to only if what contains it
	// is a variable: check every container, from the inside out.
	for (; v->kind == BOUND_FIELD; v = v->a) {
		if (v->field->flags & FIELD_INIT_ONLY)
			return bind_error(b, x,
					  "'%s' is readonly and cannot be "
					  "used as a ref or out value",
					  bind_source(b, v->syntax));
		if (!v->a || !v->a->type->is_value)
			return NULL;
	}
	if (is_place(v))
		return NULL;
	return bind_error(b, x,
			  v->kind == BOUND_CALL
			      ? "'%s' is a property or a method, not the "
				"variable that ref and out want"
			      : "'%s' is no variable, which ref and out want",
			  bind_source(b, v->syntax));
}

/*
 * A target that may be read and then written: what leads to it is computed
 * once, before. *ret_before are the stores that do so.
 */
struct target {
	struct bound *to;
	struct bound *before[BIND_ARGS_MAX + 4];
	size_t n_before;
};

static struct bound *target_hold(struct binder *b, struct target *t,
				 struct bound *v)
{
	if (bound_is_pure(v))
		return v;
	struct bound *local = bound_local(b, v->type, v->syntax);
	t->before[t->n_before++] = bound_store(b, local, v);
	return local;
}

/* `this` by address: the object that it is a part of is held. */
static struct bound *hold_place(struct binder *b, struct target *t,
				struct bound *v)
{
	struct bound *copy = arena_copy(b->arena, v, 1, sizeof(*v));
	if (v->kind == BOUND_FIELD && v->a)
		copy->a = v->a->type->is_value ? hold_place(b, t, v->a)
					       : target_hold(b, t, v->a);
	if (v->kind == BOUND_ELEMENT) {
		struct bound *index = target_hold(b, t, v->list[0]);
		copy->a = target_hold(b, t, v->a);
		copy->list = arena_copy(b->arena, &index, 1, sizeof(index));
	}
	return copy;
}

static struct bound *hold_call(struct binder *b, struct target *t,
			       struct bound *v)
{
	struct bound *copy = arena_copy(b->arena, v, 1, sizeof(*v));
	copy->list = arena_copy(b->arena, v->list, v->n_list, sizeof(*v->list));
	for (size_t i = 0; i < v->n_list; i++) {
		struct bound *part = v->list[i];
		if (part->kind != BOUND_ADDRESS) {
			copy->list[i] = target_hold(b, t, part);
			continue;
		}
		copy->list[i] = arena_copy(b->arena, part, 1, sizeof(*part));
		copy->list[i]->a = hold_place(b, t, part->a);
	}
	return copy;
}

static struct dbg_error *target_bind(struct binder *b, struct bound *v,
				     const struct expr *x, struct target *ret)
{
	ret->n_before = 0;
	while (v->kind == BOUND_EFFECT && v->n_list + ret->n_before < 4) {
		for (size_t i = 0; i < v->n_list; i++)
			ret->before[ret->n_before++] = v->list[i];
		v = v->a;
	}
	if (is_place(v)) {
		ret->to = hold_place(b, ret, v);
		return NULL;
	}
	if (v->kind == BOUND_CALL && v->n_list <= BIND_ARGS_MAX &&
	    getter_setter(b, v->method)) {
		ret->to = hold_call(b, ret, v);
		return NULL;
	}
	return dbg_err_cs(131, bind_error(b, x, "'%s' cannot be assigned to",
					  bind_source(b, x)));
}

static struct bound *write(struct binder *b, struct bound *to, struct bound *v)
{
	struct bound *args[BIND_ARGS_MAX + 2], *store;
	if (to->kind != BOUND_CALL)
		return bound_store(b, to, v);
	struct bound *kept = bound_local(b, to->type, v->syntax);
	store = bound_store(b, kept, v);
	for (size_t i = 0; i < to->n_list; i++)
		args[i] = to->list[i];
	args[to->n_list] = kept;
	struct bound *list[2] = {
	    store,
	    bound_call(b, getter_setter(b, to->method), args, to->n_list + 1,
		       bind_prim(b, ELEM_VOID), v->syntax)};
	return bound_after(b, list, 2, kept);
}

static struct bound *target_finish(struct binder *b, struct target *t,
				   struct bound *v)
{
	return bound_after(b, t->before, t->n_before, v);
}

struct dbg_error *assign_to(struct binder *b, struct bound *to, struct bound *v,
			    struct bound **ret)
{
	struct target t;
	struct dbg_error *err = target_bind(b, to, to->syntax, &t);
	if (!err)
		err = convert(b, v, to->type, &v);
	if (!err)
		*ret = target_finish(b, &t, write(b, t.to, v));
	return err;
}

/* ---- Compound assignment --------------------------------------------- */

/*
 * In a compound assignment, convert the operator's result back to the target's
 * type, which may be smaller (12.21.4).
 */
static struct dbg_error *convert_back(struct binder *b, struct bound *v,
				      struct type *to, struct bound **ret)
{
	if (conversion_find(b, v, to) != CONVERSION_NONE)
		return convert(b, v, to, ret);
	bool number = v->type && (type_is_numeric(v->type) ||
				  v->type->special == TYPE_SPECIAL_NULLABLE);
	return number ? convert_cast(b, v, to, ret) : convert(b, v, to, ret);
}

static struct dbg_error *coalesce(struct binder *b, struct target *t,
				  struct bound *v, const struct expr *x,
				  struct bound **ret)
{
	struct bound *null = bound_make(b, BOUND_NULL, NULL, x), *test;
	struct type *type = t->to->type;
	struct dbg_error *err =
	    bind_operator(b, OP_EQUAL, t->to, null, x, &test);
	if (!err)
		err = convert(b, v, type, &v);
	if (!err)
		*ret = target_finish(
		    b, t, bound_choice(b, test, write(b, t->to, v), t->to));
	return err;
}

static struct dbg_error *compound(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct target t;
	struct bound *to, *v, *call;
	struct dbg_error *err = bind_value(b, x->a, &to);
	if (!err)
		err = target_bind(b, to, x->a, &t);
	if (!err)
		err = bind_operand(b, x->b, &v);
	if (err)
		return err;
	if (x->op == OP_COALESCE)
		return coalesce(b, &t, v, x, ret);
	err = bind_user_assignment(b, x->op, t.to, v, x, &call);
	if (err || call) {
		if (!err)
			*ret = target_finish(b, &t,
					     bound_after(b, &call, 1, t.to));
		return err;
	}
	// A bare lambda or method is what the target's type makes of it.
	if (!v->type && t.to->type->is_delegate)
		err = convert(b, v, t.to->type, &v);
	if (!err)
		err = bind_operator(b, x->op, t.to, v, x, &v);
	if (!err)
		err = convert_back(b, v, t.to->type, &v);
	if (!err)
		*ret = target_finish(b, &t, write(b, t.to, v));
	return err;
}

struct dbg_error *bind_step(struct binder *b, const struct expr *x,
			    struct bound **ret)
{
	struct target t;
	struct bound *to, *v, *old, *call = NULL;
	if (!b->lambda)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' can only stand alone, as an assignment",
			       bind_source(b, x));
	struct dbg_error *err = bind_value(b, x->a, &to);
	if (!err)
		err = target_bind(b, to, x->a, &t);
	if (err)
		return err;
	old = t.to;
	if (x->kind == EXPR_POSTFIX) {
		old = bound_local(b, to->type, x);
		t.before[t.n_before++] = bound_store(b, old, t.to);
	}
	err = bind_user_step(b, x->op, old, x, &v);
	if (!err && !v)
		err = bind_user_assignment(b, x->op, t.to, NULL, x, &call);
	if (!err && call)
		*ret = target_finish(b, &t, bound_after(b, &call, 1, t.to));
	if (err || call)
		return err;
	if (!err && !v)
		err = bind_operator(
		    b, x->op == OP_INCREMENT ? OP_ADD : OP_SUBTRACT, old,
		    bound_int(b, ELEM_I4, 1, x), x, &v);
	if (!err)
		err = convert_back(b, v, to->type, &v);
	if (err)
		return err;
	v = write(b, t.to, v);
	*ret = x->kind == EXPR_POSTFIX ? bound_after(b, &v, 1, old) : v;
	*ret = target_finish(b, &t, *ret);
	return NULL;
}

/* ---- Taking apart ---------------------------------------------------- */

struct dbg_error *deconstruct_parts(struct binder *b, struct bound *v, size_t n,
				    const struct expr *x, struct bound **ret,
				    struct bound **ret_before)
{
	struct type *types[TUPLE_MAX];
	struct expr *args[TUPLE_MAX];
	struct bound *store, *call;
	struct expr *of = made_keep(b, v, &store);
	struct dbg_error *err = NULL;
	size_t have = tuple_elements(v->type, types);
	if (n > BIND_ARGS_MAX)
		return bind_error(b, x, "too many parts");
	*ret_before = store;
	if (have) {
		if (have != n)
			return bind_error(b, x, "'%s' has %zu elements",
					  type_name(b->ts, v->type), have);
		for (size_t i = 0; !err && i < n; i++)
			err = tuple_item(b, store->a, i, x, &ret[i]);
		return err;
	}
	struct expr *made = made_call(b, of, "Deconstruct", NULL, 0);
	for (size_t i = 0; i < n; i++) {
		args[i] = made_node(b, EXPR_ARGUMENT, x);
		args[i]->modifier = MODIFIER_OUT;
		args[i]->a = made_node(b, EXPR_DECLARATION, x);
		args[i]->a->type = made_node(b, EXPR_VAR_TYPE, x);
		args[i]->a->name =
		    arena_printf(b->arena, "?%zu.%zu", b->n_locals, i);
	}
	made->list = args;
	made->n_list = n;
	made->list = arena_copy(b->arena, args, n, sizeof(*args));
	err = bind_operand(b, made, &call);
	if (err) {
		dbg_error_destroy(err);
		return bind_error(b, x, "'%s' cannot be taken apart into %zu",
				  type_name(b->ts, v->type), n);
	}
	for (size_t i = 0; !err && i < n; i++)
		err = bind_value(b, made_name(b, args[i]->a->name, x), &ret[i]);
	struct bound *list[2] = {store, call};
	*ret_before = bound_after(b, list, 2, bound_int(b, ELEM_I4, 0, x));
	return err;
}

static bool is_discard(const struct expr *x)
{
	return x->kind == EXPR_NAME && !strcmp(x->name, "_");
}

/*
 * Bind one target of a deconstruction: `int a`, `var a`, a or _. @var: it is
 * inside of `var (...)`.
 */
static struct dbg_error *assign_part(struct binder *b, const struct expr *x,
				     bool var, struct bound *v,
				     struct bound **ret)
{
	struct type *type = v->type;
	struct dbg_error *err = NULL;
	struct bound *to;
	if (x->kind == EXPR_ARGUMENT)
		x = x->a;
	bool declared = x->kind == EXPR_DECLARATION;
	var = var || (declared && x->type && x->type->kind == EXPR_VAR_TYPE);
	if (x->kind == EXPR_TUPLE || (declared && x->n_list))
		return deconstruct(b, x, v, ret);
	*ret = v->type ? v : bound_int(b, ELEM_I4, 0, x);
	if (is_discard(x) || (declared && !strcmp(x->name, "_")))
		return NULL;
	if (!declared) {
		err = bind_value(b, x, &to);
		return err ? err : assign_to(b, to, v, ret);
	}
	if (!var)
		err = bind_type(b, x->type, &type);
	if (!err && !type)
		err = bind_error(b, x, "'%s' has no type", x->name);
	if (!err)
		err = convert(b, v, type, &v);
	if (err)
		return err;
	to = declare_var(b, x->name, type, x);
	declare_note(b, to->var);
	*ret = bound_store(b, to, v);
	return NULL;
}

/* The parts of the right side, each in a variable: (a, b) = (b, a). */
static struct dbg_error *right_parts(struct binder *b, struct bound *v,
				     size_t n, const struct expr *x,
				     struct bound **parts, struct bound **list,
				     size_t *ret_n)
{
	bool literal =
	    v->kind == BOUND_TUPLE ||
	    (v->kind == BOUND_UNTYPED && v->syntax->kind == EXPR_TUPLE);
	if (!literal) {
		*ret_n = 1;
		return deconstruct_parts(b, v, n, x, parts, &list[0]);
	}
	if (v->n_list != n)
		return bind_error(b, x, "a tuple of %zu elements", v->n_list);
	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		parts[i] = v->list[i];
		if (!v->list[i]->type)
			continue;
		parts[i] = bound_local(b, v->list[i]->type, x);
		list[(*ret_n)++] = bound_store(b, parts[i], v->list[i]);
	}
	return NULL;
}

struct dbg_error *deconstruct(struct binder *b, const struct expr *targets,
			      struct bound *v, struct bound **ret)
{
	struct bound *parts[TUPLE_MAX], *list[2 * TUPLE_MAX];
	size_t n = targets->n_list, at = 0;
	bool var = targets->kind == EXPR_DECLARATION;
	if (n > TUPLE_MAX)
		return bind_error(b, targets, "too many parts");
	struct dbg_error *err = right_parts(b, v, n, targets, parts, list, &at);
	for (size_t i = 0; !err && i < n; i++)
		err = assign_part(b, targets->list[i], var, parts[i],
				  &list[at + i]);
	if (!err)
		*ret = bound_after(b, list, at + n,
				   bound_int(b, ELEM_I4, 0, targets));
	return err;
}

/* ---- The whole ------------------------------------------------------- */

struct dbg_error *bind_assignment(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct bound *to, *v;
	struct dbg_error *err;
	// The program's own are assigned to by a whole expression.
	if (!b->lambda)
		return eval_misplaced();
	if (x->op != OP_NONE)
		return compound(b, x, ret);
	if (x->a->kind == EXPR_TUPLE || x->a->kind == EXPR_DECLARATION) {
		err = bind_operand(b, x->b, &v);
		return err ? err : deconstruct(b, x->a, v, ret);
	}
	if (is_discard(x->a) && !name_is_known(b, "_"))
		return bind_value(b, x->b, ret);
	b->target = x->a;
	err = bind_value(b, x->a, &to);
	b->target = NULL;
	if (!err)
		err = bind_operand(b, x->b, &v);
	return err ? err : assign_to(b, to, v, ret);
}
