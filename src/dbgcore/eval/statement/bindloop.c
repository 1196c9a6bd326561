/* foreach (ECMA-334, 13.9.5), and what is disposed of behind a block. */
#include "base/err.h"
#include "base/mem.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/statement/bindstatement.h"
#include "eval/overload/conversion.h"

/* ---- Dispose --------------------------------------------------------- */

struct dbg_error *bind_disposing(struct binder *b, const struct expr *name,
				 struct bound *body, struct bound **ret)
{
	struct type *type;
	struct bound *v, *test, *null, *call;
	struct dbg_error *err = bind_value(b, name, &v);
	if (!err)
		err = bind_core(b, "System.IDisposable", &type);
	if (err)
		return err;
	*ret = body;
	if (!conversion_of_types(b, v->type, type))
		return NULL;
	struct bound *local = bound_local(b, type, name), *store;
	err = convert(b, v, type, &v);
	if (err)
		return err;
	store = bound_store(b, local, v);
	struct type_method *dispose =
	    type_method_named(b->ts, type, "Dispose", 0);
	if (!dispose)
		return dbg_err(DBG_E_RUNTIME, "no IDisposable.Dispose");
	call = bound_call(b, dispose, &local, 1, bind_prim(b, ELEM_VOID), name);
	null = bound_make(b, BOUND_NULL, NULL, name);
	err = bind_operator(b, OP_NOT_EQUAL, local, null, name, &test);
	if (err)
		return err;
	struct bound *list[2] = {store, bound_void(b, BOUND_IF, name)};
	list[1]->a = test;
	list[1]->b = call;
	*ret = bound_void(b, BOUND_TRY, name);
	(*ret)->a = body;
	(*ret)->b = bound_block(b, list, 2, b->n_locals, name);
	return NULL;
}

/* ---- foreach --------------------------------------------------------- */

/* { T name = item; body } */
static struct dbg_error *each_body(struct binder *b, const struct expr *x,
				   const struct expr *item, struct bound *loop)
{
	struct name_scope *names = b->names;
	size_t first = b->n_locals;
	struct bound *v, *list[2];
	struct type *type;
	struct dbg_error *err = bind_value(b, item, &v);
	if (err)
		return err;
	if (x->c) {
		err = deconstruct(b, x->c, v, &list[0]);
	} else {
		type = v->type;
		if (x->type->kind != EXPR_VAR_TYPE)
			err = bind_type(b, x->type, &type);
		if (!err)
			err = convert_cast(b, v, type, &v);
		if (!err)
			list[0] =
			    bound_store(b, declare_var(b, x->name, type, x), v);
	}
	if (!err)
		err = bind_loop_body(b, loop, x->b, &list[1]);
	b->names = names;
	if (!err)
		loop->b = bound_block(b, list, 2, first, x);
	return err;
}

static struct dbg_error *over_vector(struct binder *b, const struct expr *x,
				     struct bound *of, struct bound **ret)
{
	size_t first = b->n_locals;
	struct bound *list[3], *loop = bound_void(b, BOUND_LOOP, x);
	const struct expr *vector = made_keep(b, of, &list[0]);
	const struct expr *index =
	    made_keep(b, bound_int(b, ELEM_I4, 0, x), &list[1]);
	struct dbg_error *err = bind_value(
	    b, made_binary(b, OP_LESS, index, made_member(b, vector, "Length")),
	    &loop->a);
	if (!err)
		err = each_body(b, x, made_index(b, vector, index), loop);
	struct bound *next;
	if (!err)
		err = bind_value(
		    b, made_binary(b, OP_ADD, index, made_int(b, 1, x)), &next);
	if (err)
		return err;
	loop->c = bound_store(b, list[1]->a, next);
	list[2] = loop;
	*ret = bound_block(b, list, 3, first, x);
	return NULL;
}

/* The value as IEnumerable<T>, or IEnumerable. */
static struct dbg_error *as_enumerable(struct binder *b, struct bound *of,
				       struct bound **ret)
{
	struct type *def, *as = NULL;
	struct dbg_error *err =
	    bind_core(b, "System.Collections.Generic.IEnumerable`1", &def);
	if (!err)
		err = type_as(b->ts, of->type, def, &as);
	if (!err && !as)
		err = bind_core(b, "System.Collections.IEnumerable", &as);
	return err ? err : convert(b, of, as, ret);
}

static struct dbg_error *enumerator_of(struct binder *b, struct bound *of,
				       struct bound **ret)
{
	struct bound *store, *as;
	struct expr *call =
	    made_call(b, made_keep(b, of, &store), "GetEnumerator", NULL, 0);
	struct dbg_error *err = NULL;
	bool own = of->type->kind != TYPE_KIND_INTERFACE &&
		   of->type->kind != TYPE_KIND_ARRAY &&
		   !dbg_err_drop(bind_value(b, call, ret));
	if (!own) {
		err = as_enumerable(b, of, &as);
		if (err)
			return err;
		call = made_call(b, made_keep(b, as, &store), "GetEnumerator",
				 NULL, 0);
		err = bind_value(b, call, ret);
	}
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}

static struct dbg_error *over_enumerator(struct binder *b, const struct expr *x,
					 struct bound *of, struct bound **ret)
{
	size_t first = b->n_locals;
	struct bound *list[2], *v, *loop = bound_void(b, BOUND_LOOP, x);
	struct dbg_error *err = enumerator_of(b, of, &v);
	if (err) {
		dbg_error_destroy(err);
		return dbg_err_cs(1579, bind_error(b, x->a,
						   "'%s' cannot be enumerated",
						   type_name(b->ts, of->type)));
	}
	const struct expr *name = made_keep(b, v, &list[0]);
	err = bind_value(b, made_call(b, name, "MoveNext", NULL, 0), &loop->a);
	if (!err)
		err = each_body(b, x, made_member(b, name, "Current"), loop);
	if (!err)
		err = bind_disposing(b, name, loop, &list[1]);
	if (!err)
		*ret = bound_block(b, list, 2, first, x);
	return err;
}

struct dbg_error *bind_foreach(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	struct name_scope *names = b->names;
	struct bound *of;
	struct dbg_error *err = bind_value(b, x->a, &of);
	if (!err)
		err = of->type->elem == ELEM_SZARRAY
			  ? over_vector(b, x, of, ret)
			  : over_enumerator(b, x, of, ret);
	b->names = names;
	return err;
}
