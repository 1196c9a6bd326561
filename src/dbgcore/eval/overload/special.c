/* Which of two methods has the more special parameters (12.6.4.3). */
#include "base/err.h"
#include "eval/overload/overload.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int special_types(struct type *const *x, struct type *const *y,
			 size_t n);

/* List<T> is more special than T, and int than T (12.6.4.3). */
static int special_type(const struct type *x, const struct type *y)
{
	bool px = x->kind == TYPE_KIND_MVAR || x->kind == TYPE_KIND_VAR;
	bool py = y->kind == TYPE_KIND_MVAR || y->kind == TYPE_KIND_VAR;
	if (px || py)
		return (int)py - (int)px;
	if (x->inner && y->inner)
		return special_type(x->inner, y->inner);
	return special_types(x->args, y->args, least(x->n_args, y->n_args));
}

/* The one that is more special in some types and less in none. */
static int special_types(struct type *const *x, struct type *const *y, size_t n)
{
	int found = 0;
	for (size_t i = 0; i < n; i++) {
		int r = special_type(x[i], y[i]);
		if (r && found && r != found)
			return 0;
		found = r ? r : found;
	}
	return found;
}

/* The signature as it is declared, with the parameters of its class. */
static const struct type_sig *declared(struct binder *b,
				       const struct candidate *k)
{
	struct type *owner = k->method->owner;
	struct type *def = owner ? type_generic(b->ts, owner) : NULL;
	const struct type_sig *sig;
	struct type_method *m =
	    def && def != owner
		? type_method_get(b->ts, def, k->method->token, NULL, 0)
		: NULL;
	return m && !dbg_err_drop(type_method_sig(b->ts, m, &sig)) ? sig
								   : k->open;
}

int more_special(struct binder *b, const struct call *c,
		 const struct candidate *x, const struct candidate *y)
{
	size_t n = least(x->open->n_params, y->open->n_params);
	int r = special_types(x->open->params, y->open->params, least(n, c->n));
	if (r)
		return r;
	return special_types(declared(b, x)->params, declared(b, y)->params,
			     least(n, c->n));
}
