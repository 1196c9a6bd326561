/* Patterns that can be told without running code. */
#include "eval/match.h"

#include "base/err.h"
#include "eval/arith.h"
#include "eval/cast.h"
#include "eval/lookup.h"

/* Does @pattern fit the plain value @v? */
static struct dbg_error *match(struct run *r, const struct expr *pattern,
			       const struct value *v, bool *ret);

static struct dbg_error *compare(struct run *r, enum op op,
				 const struct value *v, const struct expr *x,
				 bool *ret)
{
	struct value ab[2] = {*v}, result;
	struct dbg_error *err = run_plain(r, x, &ab[1]);
	if (!err)
		err = run_operator(r, op, ab, &result);
	if (err)
		return err;
	if (!arith_bool(r->e->types, &result, ret))
		*ret = false;
	return NULL;
}

/* A number fits no constant of another kind: that is no error here. */
static struct dbg_error *constant(struct run *r, const struct expr *pattern,
				  const struct value *v, bool *ret)
{
	struct type *type;
	const struct expr *x = pattern->a;
	struct operand o;
	bool null = value_is_null(r->e->types, v);
	*ret = false;
	if (x->kind == EXPR_NULL) {
		*ret = null;
		return NULL;
	}
	if (x->kind == EXPR_NAME || x->kind == EXPR_MEMBER ||
	    x->kind == EXPR_KEYWORD) {
		struct dbg_error *err = run_node(r, x, &o);
		if (err)
			return err;
		if (o.kind != OPERAND_VALUE) {
			err = lookup_type(r->e, x, &type);
			*ret = !err && cast_fits(r->e->types, v, type);
			return err;
		}
	}
	return null ? NULL : compare(r, OP_EQUAL, v, x, ret);
}

static struct dbg_error *both(struct run *r, const struct expr *pattern,
			      const struct value *v, bool *ret)
{
	struct dbg_error *err = match(r, pattern->a, v, ret);
	if (err || *ret != (pattern->kind == PATTERN_AND))
		return err;
	return match(r, pattern->b, v, ret);
}

static struct dbg_error *match(struct run *r, const struct expr *pattern,
			       const struct value *v, bool *ret)
{
	struct type *type;
	struct dbg_error *err;
	switch (pattern->kind) {
	case PATTERN_CONSTANT:
		return constant(r, pattern, v, ret);
	case PATTERN_RELATION:
		*ret = false;
		if (value_is_null(r->e->types, v))
			return NULL;
		return compare(r, pattern->op, v, pattern->a, ret);
	case PATTERN_TYPE:
		if (pattern->name)
			return run_unserved(r, pattern);
		err = lookup_type(r->e, pattern->type, &type);
		if (!err)
			*ret = cast_fits(r->e->types, v, type);
		return err;
	case PATTERN_DISCARD:
		*ret = true;
		return NULL;
	case PATTERN_NOT:
		err = match(r, pattern->a, v, ret);
		if (!err)
			*ret = !*ret;
		return err;
	case PATTERN_AND:
	case PATTERN_OR:
		return both(r, pattern, v, ret);
	default:
		return run_unserved(r, pattern);
	}
}

struct dbg_error *match_is(struct run *r, const struct expr *x,
			   struct value *ret)
{
	struct value v;
	bool fits;
	struct dbg_error *err = run_plain(r, x->a, &v);
	if (!err)
		err = match(r, x->b, &v, &fits);
	if (!err)
		*ret = arith_make_bool(r->e->types, fits);
	return err;
}
