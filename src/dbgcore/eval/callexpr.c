/*
 * Indexers in the tree: what they are of, and their arguments, which are
 * values. Other arguments, and methods, are bound by bind/.
 */
#include "eval/eval_priv.h"

#include "base/err.h"
#include "eval/invoke.h"

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
