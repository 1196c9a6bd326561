/*
 * Names, members and elements. A simple name is a lambda's parameter, or else
 * what lookup.c finds: a variable of the frame is a place at an address, which
 * lambdas share with the rest without a closure.
 */
#include "eval/bind/bindmade.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/lookup.h"
#include "eval/member.h"
#include "eval/overload/bindparam.h"
#include "eval/overload/conversion.h"
#include "eval/statement/bindstatement.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname.h"

/* ---- Values that the debugger knows and C# does not ---------------------- */

/*
 * Variables of the frame, history and registers as leaves, objects by their
 * type at run time, names of tuple elements, pointers as in gdb.
 */

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
	if (of->kind == BOUND_TYPE || !of->type || !of->type->is_reference)
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

/*
 * `*p`. An object's variable is a pointer to people who come from gdb, who
 * write `print *this`: of a reference it is the object, which is no place to
 * assign to.
 */
static struct dbg_error *dereference(struct binder *b, const struct expr *x,
				     struct bound *p, struct bound **ret)
{
	if (p->type->is_reference) {
		*ret = bound_make(b, BOUND_EFFECT, p->type, x);
		(*ret)->a = p;
		return NULL;
	}
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

/* ---- Names, members and elements ----------------------------------------- */

struct extension_search {
	const struct eval *e;
	bool any;
};

/* ---- Members --------------------------------------------------------- */

static struct bound *field_constant(struct binder *b, struct type_field *f,
				    struct type *type, const struct expr *x)
{
	enum elem elem;
	struct bytes data = type_field_constant(f, &elem);
	int64_t bits = 0;
	struct bound *n = bound_make(b, BOUND_CONST, type, x);
	if (elem == ELEM_STRING || elem == ELEM_END || elem == ELEM_CLASS ||
	    data.n > 8)
		return NULL;
	memcpy(&bits, data.p, data.n);
	if (elem_is_signed(elem) && data.n < 8) {
		unsigned int shift = 64 - 8 * (unsigned int)data.n;
		bits = (int64_t)((uint64_t)bits << shift) >> shift;
	}
	float f4;
	memcpy(&f4, &bits, sizeof(f4));
	memcpy(&n->real, &bits, sizeof(n->real));
	if (elem == ELEM_R4)
		n->real = (double)f4;
	n->integer = bits;
	n->constant = true;
	return n;
}

void bind_note_names(struct binder *b, struct code_module *m, uint32_t token,
		     struct type *type)
{
	size_t n = 0;
	if (!m || !token || (!type->n_args && !type->inner))
		return;
	const char *const *names = tuple_names(&m->md, token, b->arena, &n);
	tuple_note_tree(b, type, names, n);
}

void bind_note_dynamic(struct bound *v, const struct code_module *m,
		       uint32_t token)
{
	v->dynamic =
	    m && token && v->type && v->type->special == TYPE_SPECIAL_OBJECT &&
	    md_has_attribute(&m->md, token,
			     "System.Runtime.CompilerServices.DynamicAttribute",
			     NULL);
}

static struct dbg_error *bind_field(struct binder *b, struct bound *of,
				    struct type_field *f, const struct expr *x,
				    struct bound **ret)
{
	struct type *type;
	struct dbg_error *err = type_field_type(b->ts, f, &type);
	if (err)
		return err;
	if (f->is_const) {
		*ret = field_constant(b, f, type, x);
		if (*ret)
			return NULL;
	}
	if (!f->is_static && !of)
		return dbg_err_cs(
		    120, bind_error(b, x, "'%s' needs an object", x->name));
	bind_note_names(b, f->owner->module, f->token, type);
	*ret = bound_make(b, BOUND_FIELD, type, x);
	(*ret)->field = f;
	(*ret)->a = f->is_static ? NULL : of;
	(*ret)->is_static = f->is_static;
	bind_note_dynamic(*ret, f->owner->module, f->token);
	if (type->kind == TYPE_KIND_BYREF) {
		struct bound *reference = *ret;
		*ret = bound_make(b, BOUND_DEREF, type->inner, x);
		(*ret)->a = reference;
	}
	return NULL;
}

/* `this` of a call of a method of @owner. */
struct bound *bind_receiver(struct binder *b, struct bound *of,
			    const struct type *owner)
{
	struct bound *n;
	if (!of->type->is_value)
		return of;
	n = bound_make(b, BOUND_ADDRESS, type_byref(b->ts, of->type),
		       of->syntax);
	if (!owner->is_value) {
		// a method that the value type inherits
		n->kind = BOUND_BOX;
		n->type = of->type;
	}
	n->a = of;
	return n;
}

bool bind_is_base(const struct bound *of)
{
	return of && of->syntax && of->syntax->kind == EXPR_BASE;
}

struct dbg_error *bind_of_base(struct binder *b, const struct bound *of,
			       struct type_method **io)
{
	if (!bind_is_base(of) || !((*io)->flags & TYPE_METHOD_VIRTUAL))
		return NULL;
	return type_method_virtual(b->ts, *io, of->type, io);
}

struct dbg_error *bind_getter(struct binder *b, struct bound *of,
			      struct type_method *m, struct bound **args,
			      size_t n, const struct expr *x,
			      struct bound **ret)
{
	const struct type_sig *sig;
	struct bound *all[BIND_ARGS_MAX + 1];
	size_t at = 0;
	struct dbg_error *err = type_method_sig(b->ts, m, &sig);
	if (err)
		return err;
	if (sig->has_this && !of)
		return dbg_err_cs(
		    120, bind_error(b, x, "'%s' needs an object", x->name));
	if (sig->has_this)
		all[at++] = bind_receiver(b, of, m->owner);
	for (size_t i = 0; i < n; i++)
		all[at++] = args[i];
	err = bind_of_base(b, of, &m);
	if (err)
		return err;
	struct bound *call = bound_call(b, m, all, at, sig->ret, x);
	call->nonvirtual = bind_is_base(of);
	*ret = call;
	if (sig->ret->kind == TYPE_KIND_BYREF) {
		*ret = bound_make(b, BOUND_DEREF, sig->ret->inner, x);
		(*ret)->a = call;
	}
	return NULL;
}

static bool has_virtual(struct binder *b, struct type *type, const char *name)
{
	struct type_method *const *all;
	size_t n;
	type_methods(b->ts, type, &all, &n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->flags & TYPE_METHOD_VIRTUAL &&
		    !strcmp(all[i]->name, name))
			return true;
	}
	return false;
}

/*
 * Does the method override one of a base class? F# marks no slot as new: its
 * methods do, if a base class has the name.
 */
static bool is_override(struct binder *b, const struct type_method *m)
{
	struct type *t = m->owner;
	if (!(m->flags & TYPE_METHOD_VIRTUAL) || m->flags & TYPE_METHOD_NEWSLOT)
		return false;
	while (!dbg_err_drop(type_parent(b->ts, t, &t)) && t) {
		if (has_virtual(b, t, m->name))
			return true;
	}
	return false;
}

size_t methods_named(struct binder *b, struct type *type, const char *name,
		     struct type_method **ret, size_t max)
{
	struct type_method *const *all;
	size_t n, found = 0;
	type_methods(b->ts, type, &all, &n);
	for (size_t i = 0; i < n && found < max; i++) {
		if (!strcmp(all[i]->name, name) && !is_override(b, all[i]))
			ret[found++] = all[i];
	}
	return found;
}

static const struct type_property *
property_named(struct binder *b, struct type *type, const char *name)
{
	const struct type_property *all;
	size_t n;
	type_properties(b->ts, type, &all, &n);
	for (size_t i = 0; i < n; i++) {
		const struct type_sig *sig;
		if (strcmp(all[i].name, name) || !all[i].getter ||
		    dbg_err_drop(type_method_sig(b->ts, all[i].getter, &sig)) ||
		    sig->n_params)
			continue;
		return &all[i];
	}
	return NULL;
}

static struct dbg_error *make_group(struct binder *b, struct bound *of,
				    const struct expr *x, struct bound **ret)
{
	struct bound *g = bound_make(b, BOUND_GROUP, NULL, x);
	g->name = x->name;
	if (of->kind == BOUND_TYPE)
		g->b = of;
	else
		g->a = of;
	g->n_args = x->n_args;
	g->args = arena_calloc(b->arena, x->n_args + 1, sizeof(*g->args));
	for (size_t i = 0; i < x->n_args; i++) {
		struct dbg_error *err = bind_type(b, x->args[i], &g->args[i]);
		if (err)
			return err;
	}
	*ret = g;
	return NULL;
}

/* Find a field by the name that its author gave it: `seed`, not `<seed>P`. */
static struct type_field *source_field(struct binder *b, struct type *type,
				       const char *name)
{
	struct type_field *const *all;
	size_t n;
	type_fields(b->ts, type, &all, &n);
	for (size_t i = 0; i < n; i++) {
		const char *source = csname_source_name(b->arena, all[i]->name);
		if (source && !strcmp(source, name))
			return all[i];
	}
	return NULL;
}

static bool is_static_abstract(const struct type_method *m)
{
	return m->flags & TYPE_METHOD_STATIC && m->flags & TYPE_METHOD_ABSTRACT;
}

/* Bind the member that @type itself declares; *ret NULL: none. */
static struct dbg_error *own_member(struct binder *b, struct bound *of,
				    struct type *type, const struct expr *x,
				    struct bound **ret)
{
	struct type_field *field =
	    x->n_args ? NULL : type_field_own(b->ts, type, x->name);
	struct type_method *one;
	*ret = NULL;
	if (field)
		return bind_field(b, of->kind == BOUND_TYPE ? NULL : of, field,
				  x, ret);
	const struct type_property *p = property_named(b, type, x->name);
	if (p && of->type == type && is_static_abstract(p->getter))
		return bind_error(b, x,
				  "'%s' of '%s' is static and abstract: ask a "
				  "type that implements it",
				  x->name, type_name(b->ts, type));
	if (p && !x->n_args) {
		struct dbg_error *err =
		    bind_getter(b, of->kind == BOUND_TYPE ? NULL : of,
				p->getter, NULL, 0, x, ret);
		if (!err)
			bind_note_names(b, p->owner->module, p->token,
					(*ret)->type);
		if (!err)
			bind_note_dynamic(*ret, p->owner->module, p->token);
		return err;
	}
	if (methods_named(b, type, x->name, &one, 1))
		return make_group(b, of, x, ret);
	struct type_field *f =
	    x->n_args ? NULL : source_field(b, type, x->name);
	return f ? bind_field(b, of->kind == BOUND_TYPE ? NULL : of, f, x, ret)
		 : NULL;
}

static bool note_extension(void *arg, struct type_method *m)
{
	struct extension_search *search = arg;
	search->any = lookup_space(search->e, type_namespace(m->owner));
	return !search->any;
}

/*
 * Bind a member of an interface, which has the members of the interfaces it
 * inherits, and object's.
 */
static struct dbg_error *inherited_member(struct binder *b, struct bound *of,
					  const struct expr *x,
					  struct bound **ret)
{
	struct type *const *all;
	size_t n;
	struct dbg_error *err = type_interfaces(b->ts, of->type, &all, &n);
	for (size_t i = 0; !err && !*ret && i < n; i++)
		err = own_member(b, of, all[i], x, ret);
	if (!err && !*ret)
		err = own_member(b, of, bind_prim(b, ELEM_OBJECT), x, ret);
	return err;
}

static bool is_static_virtual(const struct type_method *m)
{
	return m->flags & TYPE_METHOD_STATIC && m->flags & TYPE_METHOD_VIRTUAL;
}

/*
 * A static virtual member of @of's interfaces, as it is for @of: T.Kind, where
 * T is known.
 */
static struct dbg_error *implemented(struct binder *b, struct bound *of,
				     const struct expr *x, struct bound **ret)
{
	struct type *const *all;
	size_t n;
	bool box;
	struct dbg_error *err = type_interfaces(b->ts, of->type, &all, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct type_property *p =
		    property_named(b, all[i], x->name);
		struct type_method *one;
		if (!p && methods_named(b, all[i], x->name, &one, 1) &&
		    is_static_virtual(one))
			return make_group(b, of, x, ret);
		if (!p || !is_static_virtual(p->getter))
			continue;
		err = bind_getter(b, NULL, p->getter, NULL, 0, x, ret);
		if (err || (*ret)->kind != BOUND_CALL)
			return err;
		return type_method_constrained(b->ts, p->getter, of->type,
					       &(*ret)->method, &box);
	}
	return err;
}

static struct dbg_error *vector_length(struct binder *b, struct bound *of,
				       const struct expr *x, struct bound **ret)
{
	*ret = bound_make(b, BOUND_LENGTH, bind_prim(b, ELEM_I4), x);
	(*ret)->a = of;
	return NULL;
}

/* A member of @of's type, its bases, interfaces; *ret NULL: none. */
static struct dbg_error *find_member(struct binder *b, struct bound *of,
				     const struct expr *x, struct bound **ret)
{
	struct dbg_error *err = NULL;
	*ret = NULL;
	if (of->kind != BOUND_TYPE && of->type->elem == ELEM_SZARRAY &&
	    !strcmp(x->name, "Length"))
		return vector_length(b, of, x, ret);
	for (struct type *t = of->type; !err && t && !*ret;) {
		err = own_member(b, of, t, x, ret);
		if (!err)
			err = type_parent(b->ts, t, &t);
	}
	if (!err && !*ret && of->type->kind == TYPE_KIND_INTERFACE)
		err = inherited_member(b, of, x, ret);
	else if (!err && !*ret && of->kind == BOUND_TYPE)
		err = implemented(b, of, x, ret);
	return err;
}

/* An extension property of a value (C# 14); *ret NULL: none. */
static struct dbg_error *extension_property(struct binder *b, struct bound *of,
					    const struct expr *x,
					    struct bound **ret)
{
	struct extension_search search = {.e = b->e};
	struct expr getter = *x;
	struct bound *group;
	getter.name = arena_printf(b->arena, "get_%s", x->name);
	if (!x->n_args)
		type_extension_each(b->ts, getter.name, note_extension,
				    &search);
	if (!search.any)
		return NULL;
	struct dbg_error *err = make_group(b, of, &getter, &group);
	if (err)
		return err;
	group->syntax = x;
	if (dbg_err_drop(bind_call_of(b, group, x, ret)))
		*ret = NULL;
	return NULL;
}

struct static_search {
	const struct eval *e;
	struct type_method *found;
};

static bool note_static(void *arg, struct type_method *m)
{
	struct static_search *search = arg;
	if (lookup_space(search->e, type_namespace(m->owner)))
		search->found = m;
	return !search->found;
}

/*
 * Find a static member that extension blocks (C# 14) add to the type @of; *ret
 * NULL: there is none.
 */
static struct dbg_error *static_extension(struct binder *b, struct bound *of,
					  const struct expr *x,
					  struct bound **ret)
{
	struct static_search search = {.e = b->e};
	const char *getter = arena_printf(b->arena, "get_%s", x->name);
	if (!x->n_args)
		type_static_extension_each(b->ts, getter, of->type, note_static,
					   &search);
	if (search.found)
		return bind_getter(b, NULL, search.found, NULL, 0, x, ret);
	type_static_extension_each(b->ts, x->name, of->type, note_static,
				   &search);
	return search.found ? make_group(b, of, x, ret) : NULL;
}

struct dbg_error *bind_member_of(struct binder *b, struct bound *of,
				 const struct expr *x, struct bound **ret)
{
	struct extension_search extension = {.e = b->e};
	struct bound *actual = NULL;
	struct dbg_error *err = find_member(b, of, x, ret);
	if (!err && !*ret && of->kind != BOUND_TYPE)
		err = tuple_member(b, of, x, ret);
	if (err || *ret)
		return err;
	*ret = bind_tuple_name(b, of, x);
	if (*ret)
		return NULL;
	if (of->kind != BOUND_TYPE)
		type_extension_each(b->ts, x->name, note_extension, &extension);
	if (extension.any)
		return make_group(b, of, x, ret);
	err = of->kind == BOUND_TYPE ? static_extension(b, of, x, ret)
				     : extension_property(b, of, x, ret);
	if (err || *ret)
		return err;
	err = metaobject_member(b, of, x, ret);
	if (err || *ret)
		return err;
	// what C# would have a cast for
	actual = bind_actual(b, of);
	if (actual)
		err = find_member(b, actual, x, ret);
	if (!err && !*ret && actual)
		err = metaobject_member(b, actual, x, ret);
	if (err || *ret)
		return err;
	return dbg_err_cs(
	    of->kind == BOUND_TYPE ? 117 : 1061,
	    bind_error(b, x, "no '%s' in '%s'", x->name,
		       type_name(b->ts, (actual ? actual : of)->type)));
}

/* A further part of a dotted name: type, namespace, or nested type. */
static struct dbg_error *bind_dotted(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct dotted path;
	*ret = NULL;
	if (!lookup_dotted(b->e, x, &path))
		return NULL;
	struct type *type =
	    lookup_type_name(b->e, path.name, path.args, path.n_args);
	struct type *found = type ? value_type_exact(type) : NULL;
	struct dbg_error *err =
	    type ? NULL : lookup_copies(b->e, path.name, path.n_args);
	if (err)
		return err;
	*ret = bound_make(b, found ? BOUND_TYPE : BOUND_SPACE, found, x);
	(*ret)->name = path.name;
	return NULL;
}

struct dbg_error *bind_member(struct binder *b, const struct expr *x,
			      struct bound **ret)
{
	struct bound *of;
	struct dbg_error *err =
	    x->arrow ? bind_pointer(b, x, &of) : bind_any(b, x->a, &of);
	if (!err && of->dynamic)
		err = bind_operand(b, x->a, &of);
	if (err)
		return err;
	if (of->kind == BOUND_SPACE) {
		err = bind_dotted(b, x, ret);
		// a space with something behind it, `a.b!.c`, is none
		return err || *ret
			   ? err
			   : dbg_err_cs(103,
					bind_error(b, x,
						   "no '%s' in this context",
						   bind_source(b, x->a)));
	}
	if (of->kind == BOUND_TYPE) {
		err = bind_dotted(b, x, ret);
		if (err || (*ret && (*ret)->kind == BOUND_TYPE))
			return err;
	} else if (!of->type) {
		// says what it is
		err = bind_value(b, x->a, &of);
		if (err)
			return err;
	}
	return bind_member_of(b, of, x, ret);
}

/* ---- Simple names ---------------------------------------------------- */

static struct bound *var_node(struct binder *b, struct bound_var *var,
			      const struct expr *x)
{
	struct bound *n = bound_make(b, BOUND_VAR, var->type, x);
	n->var = var;
	lambda_use(b, var);
	return n;
}

/* Bind a variable of a lambda or pattern; a query's may be in a tuple. */
static struct dbg_error *bind_own(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	*ret = NULL;
	for (struct name_scope *s = b->names; s; s = s->outer) {
		if (!strcmp(s->var->name, x->name)) {
			*ret = var_node(b, s->var, x);
			return NULL;
		}
		if (s->var->name[0] != '*')
			continue;
		struct dbg_error *err =
		    tuple_carried(b, var_node(b, s->var, x), x, ret);
		if (err || *ret)
			return err;
	}
	return NULL;
}

bool name_is_known(struct binder *b, const char *name)
{
	for (struct name_scope *s = b->names; s; s = s->outer) {
		if (!strcmp(s->var->name, name))
			return true;
	}
	return scope_var(b->e->scope, name) != NULL;
}

static struct dbg_error *bind_variable(struct binder *b, const struct var *var,
				       const struct expr *x, struct bound **ret)
{
	return b->params ? param_variable(b, var, x, ret)
			 : bind_frame_value(b, &var->value, x, ret);
}

/* Bind a variable of the frame, a register or a kept value; *ret NULL: none. */
static struct dbg_error *bind_known(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct value v;
	bool any;
	*ret = NULL;
	if (b->params)
		return param_name(b, x, ret);
	struct dbg_error *err = lookup_value(b->e, x, &v, &any);
	return err || !any ? err : bind_frame_value(b, &v, x, ret);
}

static bool leads_through(const struct bound *n, const struct bound *object)
{
	bool any = n == object || (n->a && leads_through(n->a, object));
	for (size_t i = 0; i < n->n_list && !any; i++)
		any = leads_through(n->list[i], object);
	return any;
}

/*
 * Bind a member of the class whose code the frame is in, without `this.`, or a
 * static one of the classes around it.
 */
static struct dbg_error *bind_implied(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	const struct var *self = scope_var(b->e->scope, "this");
	struct dbg_error *err = NULL;
	*ret = NULL;
	for (struct type *t = b->e->scope->type; t && !err && !*ret;
	     t = lookup_enclosing(b->e, t)) {
		struct bound *of = bound_make(b, BOUND_TYPE, NULL, x);
		of->type = value_type_exact(t);
		if (self && t == b->e->scope->type)
			err = bind_variable(b, self, x, &of);
		if (!err && of->type)
			err = find_member(b, of, x, ret);
		if (!err && *ret && self && leads_through(*ret, of))
			eval_note_variable(b->e, self);
	}
	return err;
}

/* Bind a static member of a type that is imported by `using static`. */
static struct dbg_error *bind_imported(struct binder *b, const struct expr *x,
				       struct bound **ret)
{
	const struct scope *s = b->e->scope;
	struct dbg_error *err = NULL;
	*ret = NULL;
	for (size_t i = 0; i < s->n_imports && !err && !*ret; i++) {
		struct bound *of = bound_make(b, BOUND_TYPE, NULL, x);
		if (s->imports[i].alias || !s->imports[i].type)
			continue;
		of->type = value_type_exact(s->imports[i].type);
		if (of->type)
			err = find_member(b, of, x, ret);
	}
	return err;
}

/* Bind a name of the enum that is wanted, without its type. */
static struct dbg_error *bind_wanted(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct bound *of = bound_make(b, BOUND_TYPE, b->wanted, x);
	*ret = NULL;
	return b->wanted ? own_member(b, of, b->wanted, x, ret) : NULL;
}

static struct dbg_error *bind_type_name(struct binder *b, const struct expr *x,
					struct bound **ret)
{
	struct type *type = lookup_type_name(b->e, x->name, x->args, x->n_args);
	struct dbg_error *err = type ? NULL : bind_wanted(b, x, ret);
	if (!err && !type && !*ret)
		err = lookup_copies(b->e, x->name, x->n_args);
	if (err || (!type && *ret))
		return err;
	*ret = bound_make(b, type ? BOUND_TYPE : BOUND_SPACE, NULL, x);
	(*ret)->name = x->name;
	if (!type)
		return NULL;
	(*ret)->type = value_type_exact(type);
	return (*ret)->type
		   ? NULL
		   : dbg_err_cs(246, dbg_err(DBG_E_NOT_FOUND,
					     "no type '%s' in the program",
					     value_type_name(type)));
}

struct dbg_error *bind_method_named(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct bound *of;
	struct dbg_error *err = bind_any(b, x->a, &of);
	if (!err && of->kind != BOUND_TYPE && !bind_is_base(of))
		err = bind_value(b, x->a, &of);
	return err ? err : make_group(b, of, x, ret);
}

struct dbg_error *bind_name(struct binder *b, const struct expr *x,
			    struct bound **ret)
{
	struct dbg_error *err = bind_own(b, x, ret);
	if (!err && !*ret)
		err = bind_known(b, x, ret);
	if (!err && !*ret)
		err = function_named(b, x, ret);
	if (err || *ret)
		return err;
	err = bind_implied(b, x, ret);
	if (!err && !*ret)
		err = bind_imported(b, x, ret);
	return err || *ret ? err : bind_type_name(b, x, ret);
}
