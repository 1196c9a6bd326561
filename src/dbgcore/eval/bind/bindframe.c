/*
 * Values that the debugger knows and C# does not: variables of the frame,
 * history and registers as leaves, objects by their type at run time, names of
 * tuple elements, pointers as in gdb.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"
#include "eval/member.h"

/* ---- Leaves ---------------------------------------------------------- */

/*
 * Box the content of a box again: the node has the content's own type, but is
 * used where a reference is wanted.
 */
static struct bound *boxed(struct binder *b, const struct value *v,
			   struct type *type, const struct expr *x)
{
	struct type *inner = value_type_exact(v->type);
	struct bound *n = bound_make(b, BOUND_EFFECT, type, x);
	n->a = bound_make(b, BOUND_BOX, inner, x);
	n->a->a = bound_value(b, v, inner, x);
	return inner ? n : NULL;
}

struct bound *bound_value(struct binder *b, const struct value *v,
			  struct type *type, const struct expr *x)
{
	bool text = v->where == VALUE_TEXT;
	if (type && type->is_reference && !text && v->type &&
	    v->where != VALUE_ABSENT && !v->type->is_reference) {
		struct bound *box = boxed(b, v, type, x);
		if (box)
			return box;
	}
	struct bound *n =
	    bound_make(b, text ? BOUND_STRING : BOUND_PLACE, type, x);
	n->units = v->units;
	n->n_units = v->n_units;
	n->addr = v->addr;
	if (!text)
		n->value = arena_copy(b->arena, v, 1, sizeof(*v));
	return n;
}

/*
 * The type @type with objects in the place of parameters: shared code may not
 * tell its generic arguments; the parameters then stand for classes.
 */
static struct type *of_objects(struct binder *b, struct type *type)
{
	struct type *args[BIND_ARGS_MAX];
	struct type *inner = type->inner ? of_objects(b, type->inner) : NULL;
	if (type->kind == TYPE_KIND_ARRAY && inner)
		return type->elem == ELEM_SZARRAY
			   ? type_vector(b->ts, inner)
			   : type_array(b->ts, inner, type->rank);
	struct type *known = value_type_exact(type);
	if (known || type->inner)
		return known;
	if (!type->module || !type->n_args || type->n_args > BIND_ARGS_MAX)
		return type->is_reference ? bind_prim(b, ELEM_OBJECT) : NULL;
	for (size_t i = 0; i < type->n_args; i++) {
		args[i] = of_objects(b, type->args[i]);
		if (!args[i])
			return NULL;
	}
	return type_instance(b->ts, type_def(b->ts, type->module, type->token),
			     args, type->n_args);
}

/* The type of @v by what it is now; NULL: that does not tell. */
static struct type *type_by_value(struct binder *b, const struct value *v,
				  struct type *type)
{
	struct value at = value_dereference(b->e->values, v);
	struct type *found = NULL;
	if (type->is_reference && at.where != VALUE_ABSENT && at.type &&
	    !value_is_null(b->e->values, &at))
		found = value_type_exact(at.type);
	return found ? found : of_objects(b, type);
}

struct dbg_error *bind_frame_value(struct binder *b, const struct value *value,
				   const struct expr *x, struct bound **ret)
{
	struct value v = *value;
	if (v.type && v.type->kind == TYPE_KIND_BYREF &&
	    v.where != VALUE_ABSENT)
		v = value_target(b->e->values, &v);
	struct type *type = v.type;
	if (type && type->kind == TYPE_KIND_BYREF)
		type = type->inner;
	if (v.where == VALUE_TEXT)
		type = value_type_of_elem(b->e->values, ELEM_STRING);
	struct type *known = type ? value_type_exact(type) : NULL;
	if (!known && type && type_is_pointer(type) && !type->inner)
		known = type_any_function(b->ts);
	if (!known && v.where == VALUE_ABSENT)
		return fetch_missing(b, x, &v);
	if (!known && type)
		known = type_by_value(b, &v, type);
	if (!known)
		return dbg_err(DBG_E_RUNTIME, "the type of '%s' is not known",
			       bind_source(b, x));
	tuple_note_tree(b, known, v.names, v.n_names);
	*ret = bound_value(b, &v, known, x);
	(*ret)->dynamic = value->is_dynamic;
	return NULL;
}

/* ---- What is there at run time --------------------------------------- */

/*
 * The present value of @of, dereferenced, if it can be read now; else it is
 * computed later, or is an error.
 */
static bool value_now(struct binder *b, struct bound *of, struct value *ret_raw,
		      struct value *ret)
{
	// In a lambda its parameters have no value yet.
	bool known = of->kind == BOUND_PLACE && of->value;
	if ((b->lambda && !known) || b->params || !of->type ||
	    dbg_err_drop(fetch_value(b, of, ret_raw)))
		return false;
	*ret = value_dereference(b->e->values, ret_raw);
	return ret->where == VALUE_MEMORY || ret->where == VALUE_BYTES;
}

bool bind_is_null(struct binder *b, struct bound *of)
{
	struct value raw = {0}, v;
	return of->type->is_reference && value_now(b, of, &raw, &v) &&
	       value_is_null(b->e->values, &v);
}

struct bound *bind_actual(struct binder *b, struct bound *of)
{
	struct value raw = {0}, v;
	if (of->kind == BOUND_TYPE || !of->type->is_reference)
		return NULL;
	bool known = value_now(b, of, &raw, &v);
	if (raw.where == VALUE_TEXT && raw.units && !known &&
	    of->type->special != TYPE_SPECIAL_STRING)
		return bound_value(b, &raw, bind_prim(b, ELEM_STRING),
				   of->syntax);
	if (!known || value_is_null(b->e->values, &v))
		return NULL;
	struct type *type = value_type_exact(v.type);
	if (!type || type == of->type)
		return NULL;
	// What was in a box is a place of its own.
	return bound_value(b, type->is_value ? &v : &raw, type, of->syntax);
}

struct bound *bind_tuple_name(struct binder *b, struct bound *of,
			      const struct expr *x)
{
	struct value raw, v, element;
	struct bound *n;
	if (of->kind == BOUND_TYPE || !of->type->is_value ||
	    strncmp(type_simple_name(of->type), "ValueTuple`", 11) ||
	    !value_now(b, of, &raw, &v) ||
	    !member_tuple_name(b->e->values, &v, x->name, &element))
		return NULL;
	return dbg_err_drop(bind_frame_value(b, &element, x, &n)) ? NULL : n;
}

/* ---- Pointers -------------------------------------------------------- */

static struct bound *as_number(struct binder *b, struct bound *v,
			       enum elem elem)
{
	struct bound *n =
	    bound_make(b, BOUND_NUMBER, bind_prim(b, elem), v->syntax);
	n->a = v;
	return n;
}

static bool is_pointer(const struct bound *v)
{
	return v->type && v->type->kind == TYPE_KIND_POINTER;
}

/* @p plus or minus @index elements. */
static struct dbg_error *moved(struct binder *b, enum op op, struct bound *p,
			       struct bound *index, struct bound **ret)
{
	const struct type_layout *layout;
	struct type *inner = p->type->inner;
	if (!inner || inner->elem == ELEM_VOID)
		return dbg_err_cs(21, dbg_err(DBG_E_ARGUMENT,
					      "'%s' cannot be indexed",
					      type_name(b->ts, p->type)));
	struct dbg_error *err = type_layout(b->ts, inner, &layout);
	// an index is an integer
	if (!err)
		err = convert(b, index, bind_prim(b, ELEM_I8), &index);
	if (err)
		return err;
	struct bound *size = bound_int(b, ELEM_I, layout->size, p->syntax);
	struct bound *bytes =
	    bound_binary(b, OP_MULTIPLY, as_number(b, index, ELEM_I), size,
			 bind_prim(b, ELEM_I));
	*ret = bound_binary(b, op, p, bytes, p->type);
	return NULL;
}

static struct dbg_error *pointer_element(struct binder *b, struct bound *of,
					 struct call *c, const struct expr *x,
					 struct bound **ret)
{
	struct bound *at;
	if (c->n != 1 || !type_is_numeric(c->args[0]->type))
		return bind_error(b, x, "one index is wanted");
	struct dbg_error *err = moved(b, OP_ADD, of, c->args[0], &at);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_DEREF, of->type->inner, x);
	(*ret)->a = at;
	return NULL;
}

struct dbg_error *bind_row_element(struct binder *b, struct bound *of,
				   struct call *c, const struct expr *x,
				   struct bound **ret)
{
	struct value raw, v, element;
	int64_t index[BIND_ARGS_MAX];
	uint64_t n;
	*ret = NULL;
	if (is_pointer(of))
		return pointer_element(b, of, c, x, ret);
	if (!value_now(b, of, &raw, &v) || !member_has_elements(b->e, &v))
		return NULL;
	for (size_t i = 0; i < c->n; i++) {
		struct value at, one;
		if (!type_is_numeric(c->args[i]->type) ||
		    !value_now(b, c->args[i], &at, &one) ||
		    !value_integer(b->e->values, &one, &n))
			return NULL;
		index[i] = (int64_t)n;
	}
	struct dbg_error *err = member_element(b->e, bind_source(b, of->syntax),
					       &v, index, c->n, &element);
	return err ? err : bind_frame_value(b, &element, x, ret);
}

/* The elements between two pointers. */
static struct dbg_error *distance(struct binder *b, struct bound *l,
				  struct bound *r, struct bound **ret)
{
	const struct type_layout *layout;
	struct type *type = bind_prim(b, ELEM_I8);
	struct dbg_error *err = type_layout(b->ts, l->type->inner, &layout);
	if (err || !layout->size)
		return err;
	struct bound *bytes =
	    bound_binary(b, OP_SUBTRACT, as_number(b, l, ELEM_I8),
			 as_number(b, r, ELEM_I8), type);
	*ret =
	    bound_binary(b, OP_DIVIDE, bytes,
			 bound_int(b, ELEM_I8, layout->size, l->syntax), type);
	return NULL;
}

/* Equality and order, of numbers too: gdb's `$pc == 0x1234`. */
struct dbg_error *bind_pointer_operator(struct binder *b, enum op op,
					struct bound *l, struct bound *r,
					struct bound **ret)
{
	bool order = op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
	struct bound **sides[2] = {&l, &r};
	*ret = NULL;
	if (!type_is_address(l->type) && !type_is_address(r->type))
		return NULL;
	if ((op == OP_ADD || op == OP_SUBTRACT) && is_pointer(l) &&
	    type_is_numeric(r->type))
		return moved(b, op, l, r, ret);
	if (op == OP_SUBTRACT && l->type == r->type && l->type->inner &&
	    l->type->inner->elem != ELEM_VOID)
		return distance(b, l, r, ret);
	for (int i = 0; order && i < 2; i++) {
		struct bound *v = *sides[i];
		if (v->kind == BOUND_NULL)
			*sides[i] = bound_int(b, ELEM_U8, 0, v->syntax);
		else if (type_is_address(v->type) || type_is_numeric(v->type))
			*sides[i] = as_number(b, v, ELEM_U8);
		else
			order = false;
	}
	if (order)
		*ret = bound_binary(b, op, l, r, bind_prim(b, ELEM_BOOLEAN));
	return NULL;
}

static struct dbg_error *dereference(struct binder *b, const struct expr *x,
				     struct bound *p, struct bound **ret)
{
	if (!is_pointer(p) || !p->type->inner ||
	    p->type->inner->elem == ELEM_VOID)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a pointer to something",
			       bind_source(b, x->a));
	*ret = bound_make(b, BOUND_DEREF, p->type->inner, x);
	(*ret)->a = p;
	return NULL;
}

/* *p, &x, p->m and p[i], of which the last two are of *p. */
struct dbg_error *bind_pointer(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	struct bound *p;
	struct dbg_error *err = bind_value(b, x->a, &p);
	if (err)
		return err;
	if (x->kind == EXPR_MEMBER && !is_pointer(p))
		return dbg_err_cs(193, dbg_err(DBG_E_ARGUMENT,
					       "'%s' is not a pointer",
					       bind_source(b, x->a)));
	if (x->kind != EXPR_UNARY || x->op == OP_DEREFERENCE)
		return dereference(b, x, p, ret);
	*ret = bound_make(b, BOUND_ADDRESS, type_pointer(b->ts, p->type), x);
	(*ret)->a = p;
	return NULL;
}
