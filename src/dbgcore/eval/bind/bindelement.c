/* Elements of arrays, and indexers. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindrange.h"
#include "eval/bind/conversion.h"

static struct dbg_error *array_element(struct binder *b, struct bound *of,
				       struct call *c, const struct expr *x,
				       struct bound **ret)
{
	struct bound *index[BIND_ARGS_MAX];
	if (c->n != of->type->rank)
		return dbg_err_cs(
		    22, dbg_err(DBG_E_ARGUMENT, "'%s' takes %u indexes",
				bind_source(b, of->syntax), of->type->rank));
	for (size_t i = 0; i < c->n; i++) {
		struct dbg_error *err =
		    convert(b, c->args[i], bind_prim(b, ELEM_I4), &index[i]);
		if (dbg_err_drop(err))
			err = convert(b, c->args[i], bind_prim(b, ELEM_I8),
				      &index[i]);
		else
			err = NULL;
		if (err)
			return err;
	}
	*ret = bound_make(b, BOUND_ELEMENT, of->type->inner, x);
	(*ret)->a = of;
	(*ret)->list = arena_copy(b->arena, index, c->n, sizeof(index[0]));
	(*ret)->n_list = c->n;
	return NULL;
}

/* Getters of the indexers of @type itself. */
static size_t indexers(struct binder *b, struct type *type,
		       struct type_method **ret, size_t max)
{
	const struct type_property *all;
	size_t n, found = 0;
	type_properties(b->ts, type, &all, &n);
	for (size_t i = 0; i < n && found < max; i++) {
		const struct type_sig *sig;
		// A dot: it implements an interface's, and has no name.
		if (!all[i].getter || strchr(all[i].name, '.') ||
		    dbg_err_drop(type_method_sig(b->ts, all[i].getter, &sig)) ||
		    !sig->n_params)
			continue;
		ret[found++] = all[i].getter;
	}
	return found;
}

static struct dbg_error *try_indexers(struct binder *b, struct call *c,
				      struct type *type, struct choice *best)
{
	struct type_method *all[32];
	return call_resolve(b, c, all, indexers(b, type, all, 32), best);
}

/* The best indexer of the type, its bases and interfaces, if one fits. */
static struct dbg_error *find_indexer(struct binder *b, struct type *type,
				      struct call *c, struct choice *best)
{
	struct type *const *all;
	size_t n = 0;
	struct dbg_error *err = NULL;
	for (struct type *t = type; !err && t && !best->method;) {
		err = try_indexers(b, c, t, best);
		if (!err)
			err = type_parent(b->ts, t, &t);
	}
	if (!err && type->kind == TYPE_KIND_INTERFACE)
		err = type_interfaces(b->ts, type, &all, &n);
	for (size_t i = 0; !err && !best->method && i < n; i++)
		err = try_indexers(b, c, all[i], best);
	return err;
}

static struct dbg_error *element_of(struct binder *b, struct bound *of,
				    struct call *c, const struct expr *x,
				    struct bound **ret)
{
	struct choice best = {0};
	*ret = NULL;
	if (of->type->kind == TYPE_KIND_ARRAY)
		return array_element(b, of, c, x, ret);
	struct dbg_error *err = find_indexer(b, of->type, c, &best);
	if (err)
		return err;
	if (best.method)
		return bind_getter(b, of, best.method, best.args,
				   best.sig->n_params, x, ret);
	err = bind_row_element(b, of, c, x, ret);
	if (err || *ret)
		return err;
	err = metaobject_element(b, of, c, ret);
	if (err || *ret)
		return err;
	struct bound *actual = bind_actual(b, of);
	if (actual)
		return element_of(b, actual, c, x, ret);
	return dbg_err_cs(1503, bind_error(b, x->n_list == 1 ? x->list[0] : x,
					   "'%s' has no indexer for this",
					   type_name(b->ts, of->type)));
}

struct dbg_error *bind_element(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	struct call c = {.x = x, .name = "this[]"};
	struct bound *of;
	struct dbg_error *why, *err = x->a->kind == EXPR_BASE
					  ? bind_any(b, x->a, &of)
					  : bind_value(b, x->a, &of);
	if (err)
		return err;
	bool vector = of->type->elem == ELEM_SZARRAY;
	if (vector && x->n_list == 1) {
		err = bind_counted(b, of, x, ret);
		if (err || *ret)
			return err;
	}
	err = call_arguments(b, x->list, x->n_list, &c);
	if (err)
		return err;
	why = element_of(b, of, &c, x, ret);
	if (!why || vector || x->n_list != 1)
		return why;
	err = bind_counted(b, of, x, ret);
	if (!err && !*ret)
		return why;
	dbg_error_destroy(why);
	return err;
}
