/*
 * Calls and indexers in the tree: what they are called on (a value, a type, a
 * name in scope), and their arguments, by name, by reference or as they stand.
 */
#include "eval/eval_priv.h"

#include "base/err.h"
#include "eval/invoke.h"
#include "eval/lookup.h"

enum {
	INDEX_MAX = 32
};

/* The values in a list of arguments, none of them named or by reference. */
static struct dbg_error *arguments(struct run *r, const struct expr *x,
				   struct value *ret)
{
	if (x->n_list > INDEX_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many arguments");
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *a = x->list[i];
		if (a->kind == EXPR_ARGUMENT && (a->name || a->modifier))
			return run_unserved(r, a);
		if (a->kind == EXPR_ARGUMENT)
			a = a->a;
		struct dbg_error *err = run_plain(r, a, &ret[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct dbg_error *run_indexer(struct run *r, const struct expr *x,
			      const struct operand *of, struct value *ret,
			      bool *ret_any)
{
	struct value args[INDEX_MAX];
	struct value v = value_dereference(r->e->types, &of->value);
	*ret_any = false;
	if (!r->e->vm || member_has_elements(r->e, &v))
		return NULL;
	struct dbg_error *err = arguments(r, x, args);
	if (err)
		return err;
	return invoke_property(r->e, &v, "Item", args, x->n_list, ret, ret_any);
}

/* Whose method is called: *ret_value of a value, *ret_type. */
static struct dbg_error *callee(struct run *r, const struct expr *f,
				struct value *ret_value, struct type **ret_type,
				bool *ret_static)
{
	struct operand of = {0};
	struct dbg_error *err = NULL;
	if (f->kind == EXPR_MEMBER) {
		err = run_node(r, f->a, &of);
	} else {
		struct expr self = {.kind = EXPR_THIS, .name = "this"};
		err = lookup_name(r->e, &self, &of);
		if (dbg_err_drop(err)) {
			of.kind = OPERAND_TYPE;
			of.type = r->e->scope->type;
		}
		err = NULL;
	}
	if (err)
		return err;
	*ret_static = of.kind == OPERAND_TYPE;
	*ret_type = of.type;
	if (of.kind != OPERAND_VALUE)
		return NULL;
	*ret_value = value_dereference(r->e->types, &of.value);
	*ret_type = ret_value->type;
	if (value_is_null(r->e->types, ret_value))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is null",
			       run_source(r, f->a));
	return NULL;
}

struct dbg_error *run_call(struct run *r, const struct expr *x,
			   struct operand *ret)
{
	const struct expr *f = x->a;
	struct value of, args[INDEX_MAX];
	struct type *type = NULL;
	bool any = false, is_static = false;
	struct dbg_error *err = NULL;
	if ((f->kind != EXPR_MEMBER && f->kind != EXPR_NAME) || !r->e->vm ||
	    f->n_args)
		return run_unserved(r, x);
	err = callee(r, f, &of, &type, &is_static);
	if (!err)
		err = arguments(r, x, args);
	if (!err && type)
		err = invoke_method(r->e, is_static ? NULL : &of, type, f->name,
				    args, x->n_list, &ret->value, &any);
	ret->kind = OPERAND_VALUE;
	if (err || any)
		return err;
	return dbg_err(DBG_E_NOT_FOUND, "no method '%s' takes these arguments",
		       f->name);
}
