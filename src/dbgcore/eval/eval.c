/*
 * The evaluator: a recursive walk over the tree that expr.c made. A node yields
 * an operand, which is a value or a type (the left side of a static member).
 * Values are places until somebody reads them, so `a.b.c` reads two references
 * and no object. Nothing runs in the program; what would need that is refused
 * here, with the reason.
 */
#include "eval/eval.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/arith.h"
#include "eval/bind/bind.h"
#include "eval/cast.h"
#include "eval/eval_priv.h"
#include "eval/literal.h"
#include "eval/lookup.h"
#include "eval/match.h"
#include "eval/member.h"

enum {
	INDEX_MAX = ARRAY_RANK_MAX
};

const char *run_source(const struct run *r, const struct expr *x)
{
	return arena_strndup(r->e->arena, r->text + x->start,
			     x->end - x->start);
}

/* ---- Values of operands ---------------------------------------------- */

static struct value null_value(const struct eval *e)
{
	return value_bytes(type_of_elem(e->types, ELEM_OBJECT), &(uint64_t){0},
			   sizeof(uint64_t));
}

static const char *why(const struct value *v)
{
	return v->why == WHY_OPTIMIZED ? "is optimized out" : "cannot be read";
}

/* A name of the enum that is wanted, without its type. */
static bool enumerator(const struct run *r, const char *name, struct value *ret)
{
	const struct enumerator *all;
	size_t n;
	bool flags;
	if (!r->wanted)
		return false;
	type_enumerators(r->e->types, r->wanted, &all, &n, &flags);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, name))
			continue;
		*ret = value_bytes(r->wanted, &all[i].value, r->wanted->size);
		return true;
	}
	return false;
}

struct dbg_error *run_value(struct run *r, const struct expr *x,
			    struct value *ret)
{
	struct operand o = {0};
	struct dbg_error *err = run_node(r, x, &o);
	if (err)
		return err;
	if (o.kind == OPERAND_TYPE)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is a type, not a value",
			       run_source(r, x));
	if (o.kind == OPERAND_SPACE && enumerator(r, o.name, ret))
		return NULL;
	if (o.kind == OPERAND_SPACE) {
		// The first part of the name is the one that is not known.
		size_t n = strcspn(o.name, ".");
		const struct frame *f = r->e->scope->frame;
		bool gone = f && f->kind == DBG_FRAME_THROWN;
		return dbg_err(DBG_E_NOT_FOUND, "no '%.*s' in this context%s",
			       (int)n, o.name,
			       gone ? ": the frame is not on the stack any "
				      "more, its variables are gone"
				    : "");
	}
	*ret = o.kind == OPERAND_SHORT ? null_value(r->e) : o.value;
	return NULL;
}

struct dbg_error *run_plain(struct run *r, const struct expr *x,
			    struct value *ret)
{
	struct value v;
	bool null;
	struct dbg_error *err = run_value(r, x, &v);
	if (err)
		return err;
	v = value_dereference(r->e->types, &v);
	if (v.where != VALUE_ABSENT)
		v = member_unwrap(r->e->types, &v, &null);
	if (v.where == VALUE_ABSENT)
		return dbg_err(DBG_E_MEMORY, "'%s' %s", run_source(r, x),
			       why(&v));
	if (null)
		v = null_value(r->e);
	*ret = v;
	return NULL;
}

struct dbg_error *run_truth(struct run *r, const struct expr *x, bool *ret)
{
	struct value v;
	struct dbg_error *err = run_plain(r, x, &v);
	if (!err && !arith_bool(r->e->types, &v, ret))
		err = dbg_err(DBG_E_ARGUMENT, "'%s' is not a bool",
			      run_source(r, x));
	return err;
}

static void set(struct operand *ret, struct value v)
{
	ret->kind = OPERAND_VALUE;
	ret->value = v;
}

/* ---- Leaves ---------------------------------------------------------- */

static struct dbg_error *decimal_literal(struct run *r, const struct token *t,
					 struct operand *ret)
{
	struct decimal d;
	uint32_t words[4];
	struct type *type = type_core(r->e->types, "System.Decimal");
	if (!type || !decimal_parse(t->text, &d))
		return dbg_err(DBG_E_ARGUMENT, "bad number '%sm'", t->text);
	decimal_store(&d, words);
	set(ret, value_bytes(type, words, sizeof(words)));
	return NULL;
}

static struct dbg_error *literal(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	struct types *ts = r->e->types;
	const struct token *t = x->token;
	float f = (float)t->real;
	switch (t->kind) {
	case TOKEN_STRING:
		set(ret, value_text(ts, t->units, t->n_units));
		break;
	case TOKEN_DECIMAL:
		return decimal_literal(r, t, ret);
	case TOKEN_REAL:
		if (t->elem == ELEM_R4)
			set(ret, value_bytes(type_of_elem(ts, ELEM_R4), &f,
					     sizeof(f)));
		else
			set(ret, value_bytes(type_of_elem(ts, ELEM_R8),
					     &t->real, sizeof(t->real)));
		break;
	default:
		set(ret, value_bytes(type_of_elem(ts, t->elem), &t->integer,
				     sizeof(t->integer)));
		break;
	}
	return NULL;
}

static struct dbg_error *size_of(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	struct type *type;
	struct dbg_error *err = lookup_type(r->e, x->type, &type);
	if (err)
		return err;
	type_mt(r->e->types, type);
	uint64_t size = type->size;
	set(ret, value_bytes(type_of_elem(r->e->types, ELEM_I4), &size,
			     sizeof(size)));
	return NULL;
}

static struct dbg_error *default_of(struct run *r, const struct expr *x,
				    struct operand *ret)
{
	static const uint8_t zeros[16];
	struct type *type;
	set(ret, null_value(r->e));
	if (!x->type)
		return NULL;
	struct dbg_error *err = lookup_type(r->e, x->type, &type);
	if (err)
		return err;
	type_mt(r->e->types, type);
	if (type->size > sizeof(zeros))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "the default of '%s' is not served yet",
			       type->name);
	set(ret, value_bytes(type, zeros, sizeof(zeros)));
	return NULL;
}

/* ---- Members and elements -------------------------------------------- */

static struct dbg_error *named_type(struct run *r, const struct expr *x,
				    struct operand *ret)
{
	ret->kind = OPERAND_TYPE;
	return lookup_type(r->e, x, &ret->type);
}

/* A further part of a dotted name that is no variable: type or namespace. */
static struct dbg_error *dotted(struct run *r, const struct expr *x,
				struct operand *ret)
{
	struct dotted path;
	if (!lookup_dotted(r->e, x, &path))
		return named_type(r, x, ret);
	ret->name = path.name;
	ret->type = lookup_type_name(r->e, path.name, path.args, path.n_args);
	ret->kind = ret->type ? OPERAND_TYPE : OPERAND_SPACE;
	return NULL;
}

/* Is a ?. or ?[ on a null? Then all of the chain behind it is null. */
static bool cut_short(struct run *r, const struct expr *x,
		      const struct operand *of, struct operand *ret)
{
	if (of->kind != OPERAND_SHORT) {
		if (!x->conditional || of->kind != OPERAND_VALUE)
			return false;
		bool null = false;
		struct value v = value_dereference(r->e->types, &of->value);
		if (v.where != VALUE_ABSENT)
			member_unwrap(r->e->types, &v, &null);
		if (!null)
			return false;
	}
	ret->kind = OPERAND_SHORT;
	return true;
}

static struct dbg_error *follow_arrow(struct run *r, const struct expr *x,
				      struct operand *of)
{
	struct value v = value_dereference(r->e->types, &of->value);
	if (of->kind != OPERAND_VALUE || !v.type ||
	    v.type->kind != TYPE_POINTER)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not a pointer",
			       run_source(r, x->a));
	of->value = value_target(r->e->types, &v);
	return NULL;
}

static struct dbg_error *member(struct run *r, const struct expr *x,
				struct operand *ret)
{
	struct operand of = {0};
	struct dbg_error *err = run_node(r, x->a, &of);
	if (!err && x->arrow)
		err = follow_arrow(r, x, &of);
	if (err || cut_short(r, x, &of, ret))
		return err;
	if (of.kind == OPERAND_SPACE)
		return dotted(r, x, ret);
	if (of.kind == OPERAND_TYPE) {
		if (!x->n_args)
			return member_static(r->e, of.type, x->name, ret);
		return dotted(r, x, ret);
	}
	// x?.b of a Nullable is the value's b.
	if (x->conditional) {
		bool null;
		struct value v = value_dereference(r->e->types, &of.value);
		if (v.where != VALUE_ABSENT && v.type->kind == TYPE_STRUCT)
			of.value = member_unwrap(r->e->types, &v, &null);
	}
	of.name = run_source(r, x->a);
	return member_get(r->e, &of, x->name, ret);
}

static struct dbg_error *indexes(struct run *r, const struct expr *x,
				 int64_t index[INDEX_MAX])
{
	if (x->n_list == 0 || x->n_list > INDEX_MAX)
		return dbg_err(DBG_E_ARGUMENT, "an index is wanted in '%s'",
			       run_source(r, x));
	for (size_t i = 0; i < x->n_list; i++) {
		struct value v;
		uint64_t n;
		struct dbg_error *err = run_plain(r, x->list[i]->a, &v);
		if (err)
			return err;
		if (v.type->kind == TYPE_ENUM || v.type->elem == ELEM_BOOLEAN ||
		    !value_integer(r->e->types, &v, &n))
			return dbg_err(DBG_E_UNSUPPORTED,
				       "index '%s' is not an integer: indexers "
				       "are calls, which are not served yet",
				       run_source(r, x->list[i]));
		index[i] = (int64_t)n;
	}
	return NULL;
}

static struct dbg_error *element(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	struct operand of = {0};
	int64_t index[INDEX_MAX];
	bool any;
	struct dbg_error *err = run_node(r, x->a, &of);
	if (err || cut_short(r, x, &of, ret))
		return err;
	if (of.kind != OPERAND_VALUE)
		return run_value(r, x->a, &of.value);
	ret->kind = OPERAND_VALUE;
	err = run_indexer(r, x, &of, &ret->value, &any);
	if (err || any)
		return err;
	err = indexes(r, x, index);
	if (err)
		return err;
	of.name = run_source(r, x->a);
	return member_element(r->e, &of, index, x->n_list, &ret->value);
}

struct dbg_error *run_unserved(const struct run *r, const struct expr *x)
{
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' is not served in expressions yet",
		       run_source(r, x));
}

/* ---- Types and conversions ------------------------------------------- */

static struct dbg_error *cast(struct run *r, const struct expr *x,
			      struct operand *ret)
{
	struct type *to;
	struct value v;
	struct dbg_error *err = lookup_type(r->e, x->type, &to);
	if (!err)
		err = run_plain(r, x->a, &v);
	if (err)
		return err;
	ret->kind = OPERAND_VALUE;
	return cast_to(r->e->types, &v, to, &ret->value);
}

static struct dbg_error *as(struct run *r, const struct expr *x,
			    struct operand *ret)
{
	struct value v;
	struct type *type;
	struct dbg_error *err = run_plain(r, x->a, &v);
	if (!err)
		err = lookup_type(r->e, x->type, &type);
	if (err)
		return err;
	set(ret, cast_fits(r->e->types, &v, type) ? v : null_value(r->e));
	return NULL;
}

/* ---- Operators ------------------------------------------------------- */

static struct dbg_error *address_of(struct run *r, const struct expr *x,
				    struct operand *ret)
{
	struct value v;
	struct dbg_error *err = run_value(r, x->a, &v);
	if (err)
		return err;
	if (v.type && v.type->kind == TYPE_BYREF)
		v = value_dereference(r->e->types, &v);
	if (v.where != VALUE_MEMORY)
		return dbg_err(DBG_E_ARGUMENT, "'%s' has no address",
			       run_source(r, x->a));
	set(ret, value_bytes(type_pointer_to(r->e->types, v.type), &v.addr,
			     sizeof(v.addr)));
	return NULL;
}

static struct dbg_error *unary(struct run *r, const struct expr *x,
			       struct operand *ret)
{
	struct value v;
	if (x->op == OP_ADDRESS)
		return address_of(r, x, ret);
	if (x->op >= OP_INCREMENT)
		return run_unserved(r, x);
	struct dbg_error *err = run_plain(r, x->a, &v);
	if (err)
		return err;
	ret->kind = OPERAND_VALUE;
	if (x->op != OP_DEREFERENCE)
		return arith_unary(r->e->types, op_text(x->op), &v,
				   &ret->value);
	if (v.type->kind != TYPE_POINTER || !v.type->inner ||
	    v.type->inner->kind == TYPE_VOID)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a pointer to something",
			       run_source(r, x->a));
	ret->value = value_target(r->e->types, &v);
	return NULL;
}

/* && and ||: the right side only if it matters. */
static struct dbg_error *logical(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	bool v;
	struct dbg_error *err = run_truth(r, x->a, &v);
	if (!err && v == (x->op == OP_AND_ALSO))
		err = run_truth(r, x->b, &v);
	if (!err)
		set(ret, arith_make_bool(r->e->types, v));
	return err;
}

static struct dbg_error *coalesce(struct run *r, const struct expr *x,
				  struct operand *ret)
{
	struct value v;
	struct dbg_error *err = run_plain(r, x->a, &v);
	if (err)
		return err;
	if (value_is_null(r->e->types, &v))
		return run_node(r, x->b, ret);
	set(ret, v);
	return NULL;
}

/*
 * Operators on a null: equality, joining strings, and those that C# lifts
 * (order is false, arithmetic null).
 */
static bool null_operand(struct run *r, const char *op, const struct value *ab,
			 struct value *ret)
{
	struct types *ts = r->e->types;
	bool a = value_is_null(ts, &ab[0]), b = value_is_null(ts, &ab[1]);
	if (ab[0].type->kind == TYPE_POINTER ||
	    ab[1].type->kind == TYPE_POINTER)
		return false;
	bool text = ab[0].type->special == SPECIAL_STRING ||
		    ab[1].type->special == SPECIAL_STRING;
	if ((!a && !b) || (text && op[0] == '+'))
		return false;
	if (!strcmp(op, "==") || !strcmp(op, "!="))
		*ret = arith_make_bool(ts, (a == b) == (op[0] == '='));
	else if (op[0] == '<' || op[0] == '>')
		*ret = arith_make_bool(ts, false);
	else
		*ret = null_value(r->e);
	return true;
}

struct dbg_error *run_operator(struct run *r, enum op op,
			       const struct value ab[2], struct value *ret)
{
	const char *text = op_text(op);
	if (null_operand(r, text, ab, ret))
		return NULL;
	return arith_binary(r->e->types, r->e->arena, text, ab, ret);
}

static struct dbg_error *binary(struct run *r, const struct expr *x,
				struct operand *ret)
{
	struct value ab[2];
	if (x->op == OP_AND_ALSO || x->op == OP_OR_ELSE)
		return logical(r, x, ret);
	if (x->op == OP_COALESCE)
		return coalesce(r, x, ret);
	if (x->op == OP_ARRAY)
		return run_unserved(r, x);
	struct dbg_error *err = run_plain(r, x->a, &ab[0]);
	if (!err)
		err = run_plain(r, x->b, &ab[1]);
	if (err)
		return err;
	ret->kind = OPERAND_VALUE;
	return run_operator(r, x->op, ab, &ret->value);
}

static struct dbg_error *choice(struct run *r, const struct expr *x,
				struct operand *ret)
{
	bool v;
	struct dbg_error *err = run_truth(r, x->a, &v);
	return err ? err : run_node(r, v ? x->b : x->c, ret);
}

/* ---- Dispatch -------------------------------------------------------- */

struct dbg_error *eval_misplaced(void)
{
	return dbg_err(DBG_E_ARGUMENT,
		       "an assignment cannot stand here ('==' compares)");
}

static struct dbg_error *by_kind(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	switch (x->kind) {
	case EXPR_LITERAL:
		return literal(r, x, ret);
	case EXPR_NULL:
		set(ret, null_value(r->e));
		return NULL;
	case EXPR_BOOL:
		set(ret, arith_make_bool(r->e->types, x->token->integer));
		return NULL;
	case EXPR_NAME:
	case EXPR_THIS:
	case EXPR_BASE:
		return lookup_name(r->e, x, ret);
	case EXPR_KEYWORD:
	case EXPR_ARRAY_TYPE:
		return named_type(r, x, ret);
	case EXPR_ALIAS:
		ret->kind = OPERAND_SPACE;
		ret->name = x->name;
		return NULL;
	case EXPR_SUPPRESS:
		return run_node(r, x->a, ret);
	case EXPR_MEMBER:
		return member(r, x, ret);
	case EXPR_INDEX:
		return element(r, x, ret);
	case EXPR_CALL:
		return run_unserved(r, x);
	case EXPR_CAST:
		return cast(r, x, ret);
	case EXPR_IS:
		ret->kind = OPERAND_VALUE;
		return match_is(r, x, &ret->value);
	case EXPR_AS:
		return as(r, x, ret);
	case EXPR_UNARY:
		return unary(r, x, ret);
	case EXPR_BINARY:
		return binary(r, x, ret);
	case EXPR_CHOICE:
		return choice(r, x, ret);
	case EXPR_SIZEOF:
		return size_of(r, x, ret);
	case EXPR_DEFAULT:
		return default_of(r, x, ret);
	case EXPR_ASSIGN:
		return eval_misplaced();
	default:
		return run_unserved(r, x);
	}
}

/* What needs code to be run is for the machine, the whole of a chain. */
static struct dbg_error *run_any(struct run *r, const struct expr *x,
				 struct operand *ret)
{
	// A watchpoint has to see the memory that a value comes from.
	bool can = r->e->vm && !r->e->trace;
	bool machine = can && bind_wanted(x);
	struct dbg_error *err = machine ? NULL : by_kind(r, x, ret);
	if (!machine && (!err || err->code != DBG_E_UNSUPPORTED || !can))
		return err;
	dbg_error_destroy(err);
	ret->kind = OPERAND_VALUE;
	return bind_evaluate(r->e, r->text, x, &ret->value);
}

struct dbg_error *run_node(struct run *r, const struct expr *x,
			   struct operand *ret)
{
	memset(ret, 0, sizeof(*ret));
	struct dbg_error *err = run_any(r, x, ret);
	if (!err && ret->kind == OPERAND_VALUE)
		eval_note(r->e, &ret->value);
	return err;
}
