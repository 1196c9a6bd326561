/*
 * The frame's variables as parameters: an expression that is evaluated each
 * time a thread comes to one address of code is bound once, by the declared
 * types of its variables and not by the values that they have now. Its method
 * has the form of a lambda's: the closure, which is null here, then the
 * parameters.
 */
#include "eval/overload/bindparam.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"

/* ---- What occurs twice ----------------------------------------------- */

/*
 * Expressions in code that generic instances share (all List<T> over reference
 * types run the same List<T>.Add). An expression is bound with the type
 * arguments of the instance that came first, but the result is kept by code
 * address and so serves all: it must not depend on them, so no value whose type
 * is such an argument is looked into. An object whose type only has them as
 * arguments (`this`) has its fields at the same offsets in all instances.
 */

/* May code with this argument run for several instances? */
static bool is_shared(const struct type *arg)
{
	if (!arg || arg->is_reference)
		return true;
	for (size_t i = 0; i < arg->n_args; i++)
		if (is_shared(arg->args[i]))
			return true;
	return false;
}

static bool mentions(const struct type *type, const struct type *arg)
{
	if (!type || type == arg)
		return type;
	for (size_t i = 0; i < type->n_args; i++)
		if (mentions(type->args[i], arg))
			return true;
	return type->inner && mentions(type->inner, arg);
}

/* Is there a value of @type that only has @arg as an argument? */
static bool is_instance_over(const struct type *type, const struct type *arg)
{
	return type != arg && type->is_reference && !type->inner;
}

static bool is_null(const struct bound *n)
{
	return n && n->kind == BOUND_DEFAULT && n->type->is_reference;
}

/* Does @n use nothing of its part @of but fields, or whether it is null? */
static bool is_only_passed(const struct bound *n, const struct bound *of,
			   const struct type *arg)
{
	switch (n->kind) {
	case BOUND_FIELD:
		return is_instance_over(of->type, arg);
	case BOUND_CALL:
		return !(n->method->flags & TYPE_METHOD_STATIC) &&
		       of == n->list[0] && is_instance_over(of->type, arg);
	case BOUND_BINARY:
		return (n->op == OP_EQUAL || n->op == OP_NOT_EQUAL) &&
		       of->type->is_reference &&
		       is_null(of == n->a ? n->b : n->a);
	default:
		return false;
	}
}

static bool is_alike(const struct bound *n, const struct type *arg);

static bool part_alike(const struct bound *n, const struct bound *part,
		       const struct type *arg)
{
	if (!part)
		return true;
	if (part->type && mentions(part->type, arg) &&
	    !is_only_passed(n, part, arg))
		return false;
	return is_alike(part, arg);
}

/*
 * Does the node itself, apart from its operands, name the type argument @arg?
 */
static bool names_arg(const struct bound *n, const struct type *arg)
{
	if (n->kind == BOUND_AS || n->kind == BOUND_CAST ||
	    n->kind == BOUND_UNBOX)
		return mentions(n->type, arg);
	if (n->kind == BOUND_FIELD && n->is_static)
		return mentions(n->field->owner, arg);
	if (n->kind != BOUND_CALL)
		return false;
	for (size_t i = 0; i < n->method->n_args; i++)
		if (mentions(n->method->args[i], arg))
			return true;
	return (n->method->flags & TYPE_METHOD_STATIC) &&
	       mentions(n->method->owner, arg);
}

static bool is_alike(const struct bound *n, const struct type *arg)
{
	bool alike = !names_arg(n, arg) && part_alike(n, n->a, arg) &&
		     part_alike(n, n->b, arg) && part_alike(n, n->c, arg);

	for (size_t i = 0; alike && i < n->n_list; i++)
		alike = part_alike(n, n->list[i], arg);
	return alike;
}

static bool args_alike(const struct bound *n, struct type *const *args,
		       size_t n_args)
{
	for (size_t i = 0; i < n_args; i++) {
		// of an unknown one nothing can be bound
		if (!args[i] || !is_shared(args[i]))
			continue;
		const struct type *arg = value_type_exact(args[i]);
		if (!arg || mentions(n->type, arg) || !is_alike(n, arg))
			return false;
	}
	return true;
}

/*
 * Does @n, as it was bound, mean the same in each of the generic instances
 * that share the frame's code?
 */
static bool shared_alike(struct binder *b, const struct bound *n)
{
	const struct type_context *c = &b->e->scope->context;
	return args_alike(n, c->class_args, c->n_class_args) &&
	       args_alike(n, c->method_args, c->n_method_args);
}

/* ---- What can be read ahead ------------------------------------------ */

/*
 * Plain computations: what is evaluated while other threads run may read
 * memory and compute, but not ask the runtime for anything. Fields have their
 * offsets, statics their addresses, simple getters are fields, casts compare
 * MethodTables; a virtual call is not plain.
 */

static bool plain_make(struct binder *b, struct bound *n);

static bool plain_place(struct binder *b, struct bound *n)
{
	return !n->value && !vm_owns(b->vm, n->addr);
}

/* Is a static's address fixed? Not if it is in a box. */
static bool plain_static(struct binder *b, struct bound *n)
{
	struct value v;
	if (n->field->is_thread || n->field->is_rva ||
	    dbg_err_drop(fetch_value(b, n, &v)) || v.where != VALUE_MEMORY ||
	    !v.fixed)
		return false;
	n->kind = BOUND_PLACE;
	n->addr = v.addr;
	return true;
}

static bool plain_field(struct binder *b, struct bound *n)
{
	return n->is_static ? plain_static(b, n) : plain_make(b, n->a);
}

static bool plain_var(struct binder *b, struct bound *n)
{
	(void)b;
	return !n->var->captured;
}

static bool plain_parts(struct binder *b, struct bound *n)
{
	bool plain = (!n->a || plain_make(b, n->a)) &&
		     (!n->b || plain_make(b, n->b)) &&
		     (!n->c || plain_make(b, n->c));
	for (size_t i = 0; plain && i < n->n_list; i++)
		plain = plain_make(b, n->list[i]);
	return plain;
}

static bool plain_leaf(struct binder *b, struct bound *n)
{
	(void)b;
	(void)n;
	return true;
}

static bool plain_default(struct binder *b, struct bound *n)
{
	(void)b;
	return n->type->kind != TYPE_KIND_STRUCT;
}

/* Bind an element of an array of one dimension, whose elements are in a row. */
static bool plain_element(struct binder *b, struct bound *n)
{
	return n->a->type->elem == ELEM_SZARRAY && plain_parts(b, n);
}

static bool plain_store(struct binder *b, struct bound *n)
{
	return n->a->kind == BOUND_VAR && !n->a->var->is_param &&
	       plain_parts(b, n);
}

/*
 * Casts are decided by types known at compilation; objects of other types have
 * no answer.
 */
static bool plain_cast(struct binder *b, struct bound *n)
{
	return !n->type->open && plain_parts(b, n);
}

/* ---- Calls ----------------------------------------------------------- */

static bool is_string_method(const struct type_method *m)
{
	static const char *const names[] = {"op_Equality", "op_Inequality",
					    "get_Chars"};
	if (!m->owner || m->owner->special != TYPE_SPECIAL_STRING)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(m->name, names[i]))
			return true;
	}
	return false;
}

/* Does the call run exactly this method, whatever the object's type? */
static bool is_exact(const struct bound *n)
{
	const struct type_method *m = n->method;
	return !(m->flags & TYPE_METHOD_VIRTUAL) || n->nonvirtual ||
	       (m->flags & TYPE_METHOD_FINAL) || m->owner->is_value ||
	       (m->owner->flags & TYPE_SEALED);
}

/*
 * The field that a call of @m returns, if it does nothing else; NULL: it does
 * more.
 */
static struct type_field *returned_field(struct binder *b,
					 struct type_method *m)
{
	struct type_field *f = NULL;
	if (m->owner->special == TYPE_SPECIAL_STRING &&
	    !strcmp(m->name, "get_Length") &&
	    !dbg_err_drop(
		type_field_find(b->ts, m->owner, "_stringLength", &f)))
		return f;
	return getter_field(b, m);
}

static bool plain_call(struct binder *b, struct bound *n)
{
	struct type_method *m = n->method;
	bool is_static = m->flags & TYPE_METHOD_STATIC;
	if (!m->owner || !is_exact(n))
		return false;
	if (is_string_method(m))
		return plain_parts(b, n);
	struct type_field *f =
	    n->n_list == !is_static ? returned_field(b, m) : NULL;
	if (!f || f->is_static != is_static)
		return false;
	n->kind = BOUND_FIELD;
	n->field = f;
	n->is_static = is_static;
	n->a = is_static ? NULL : n->list[0];
	n->n_list = 0;
	if (n->a && n->a->kind == BOUND_ADDRESS)
		n->a = n->a->a;
	return plain_field(b, n);
}

/* ---- By kind --------------------------------------------------------- */

typedef bool plain_fn(struct binder *b, struct bound *n);

static plain_fn *const by_kind[] = {
    [BOUND_CONST] = plain_leaf,      [BOUND_STRING] = plain_leaf,
    [BOUND_DEFAULT] = plain_default, [BOUND_PLACE] = plain_place,
    [BOUND_VAR] = plain_var,         [BOUND_FIELD] = plain_field,
    [BOUND_ELEMENT] = plain_element, [BOUND_LENGTH] = plain_parts,
    [BOUND_DEREF] = plain_parts,     [BOUND_ADDRESS] = plain_parts,
    [BOUND_CALL] = plain_call,       [BOUND_NUMBER] = plain_parts,
    [BOUND_UNARY] = plain_parts,     [BOUND_BINARY] = plain_parts,
    [BOUND_CHOICE] = plain_parts,    [BOUND_STORE] = plain_store,
    [BOUND_EFFECT] = plain_parts,    [BOUND_AS] = plain_cast,
    [BOUND_CAST] = plain_cast,       [BOUND_UNBOX] = plain_cast,
};

/*
 * Is @n a computation that reads memory by offsets which are known now, and
 * asks for no method at run time? What can be is made so: getters that only
 * return a field are that field.
 */
static bool plain_make(struct binder *b, struct bound *n)
{
	plain_fn *fn = n->kind < sizeof(by_kind) / sizeof(by_kind[0])
			   ? by_kind[n->kind]
			   : NULL;
	return fn && fn(b, n);
}

/* ---- Parameters ------------------------------------------------------ */

static struct type *declared_type(struct binder *b, struct type *type)
{
	struct type *inner;
	if (type->kind != TYPE_KIND_BYREF)
		return value_type_exact(type);
	inner = value_type_exact(type->inner);
	return inner ? type_byref(b->ts, inner) : NULL;
}

static struct bound *parameter(struct binder *b, const struct var_origin *o,
			       struct type *type, const struct expr *x)
{
	struct frame_params *p = b->params;
	struct bound *n = bound_make(b, BOUND_VAR, type, x);
	size_t i = 0;
	while (i < p->n && (p->origins[i]->is_arg != o->is_arg ||
			    p->origins[i]->index != o->index))
		i++;
	if (i == BIND_PARAMS_MAX)
		return NULL;
	if (i == p->n) {
		p->origins[i] = o;
		p->vars[i] = arena_alloc(b->arena, sizeof(*p->vars[i]));
		p->vars[i]->type = type;
		p->vars[i]->is_param = true;
		p->vars[i]->index = (uint32_t)i;
		p->n++;
	}
	n->var = p->vars[i];
	return n;
}

static struct type_field *field_in(struct binder *b, const struct field *field)
{
	struct type *owner = value_type_exact(field->owner);
	struct type_field *const *all;
	size_t n = 0;
	if (owner)
		type_fields(b->ts, owner, &all, &n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->token == field->token)
			return all[i];
	}
	return NULL;
}

/*
 * Make the node of a variable by its origin: an argument or slot, or a field of
 * its holder. By-refs are dereferenced. NULL: the type is not known.
 */
static struct bound *origin_node(struct binder *b, const struct var_origin *o,
				 const struct expr *x)
{
	struct type *type = declared_type(b, o->type);
	struct bound *n, *of;
	if (!type || type->open)
		return NULL;
	if (o->holder) {
		n = bound_make(b, BOUND_FIELD, type, x);
		of = origin_node(b, o->holder, x);
		n->field = of ? field_in(b, o->field) : NULL;
		n->a = of;
		if (!n->field)
			return NULL;
	} else {
		n = parameter(b, o, type, x);
	}
	if (!n || type->kind != TYPE_KIND_BYREF)
		return n;
	of = bound_make(b, BOUND_DEREF, type->inner, x);
	of->a = n;
	return of;
}

/* Make the node of a constant of the method; NULL: it is no integer. */
static struct bound *constant_node(struct binder *b, const struct value *v,
				   const struct expr *x)
{
	struct type *type = value_type_exact(v->type);
	uint64_t raw;
	if (!type || !value_integer(b->e->values, v, &raw))
		return NULL;
	struct bound *n = bound_make(b, BOUND_CONST, type, x);
	n->integer = (int64_t)raw;
	return n;
}

struct dbg_error *param_variable(struct binder *b, const struct var *var,
				 const struct expr *x, struct bound **ret)
{
	const struct value *v = &var->value;
	*ret = NULL;
	if (var->kind == VAR_CONST && v->where == VALUE_TEXT)
		return bind_frame_value(b, v, x, ret);
	if (var->kind == VAR_CONST && v->where == VALUE_BYTES)
		*ret = constant_node(b, v, x);
	else if (var->origin)
		*ret = origin_node(b, var->origin, x);
	if (!*ret)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is known by its value only", var->name);
	tuple_note_tree(b, (*ret)->type, v->names, v->n_names);
	return NULL;
}

struct dbg_error *param_name(struct binder *b, const struct expr *x,
			     struct bound **ret)
{
	const char *name = x->name;
	const struct var *var = x->n_args ? NULL : scope_var(b->e->scope, name);
	*ret = NULL;
	if (var)
		return param_variable(b, var, x, ret);
	if (*name == '$' || !strcmp(name, "this") || !strcmp(name, "base") ||
	    !strcmp(name, "Me"))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is known by its value only", name);
	return NULL;
}

/* Can values of the type be made text without the runtime? */
static bool is_simple(const struct type *type)
{
	return type &&
	       (type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM ||
		type->special == TYPE_SPECIAL_STRING);
}

struct dbg_error *bind_compile(const struct eval *e, const char *text,
			       const struct expr *x, bool truth,
			       struct bind_code *ret)
{
	struct binder b;
	struct bound *body;
	struct frame_params params = {0};
	binder_init(&b, e, text);
	b.params = &params;
	struct dbg_error *err = bind_value(&b, x, &body);
	if (!err && truth)
		err = convert(&b, body, bind_prim(&b, ELEM_BOOLEAN), &body);
	if (!err && !shared_alike(&b, body))
		err = dbg_err(DBG_E_UNSUPPORTED,
			      "'%s' depends on the type arguments of code that "
			      "instances share",
			      text);
	if (!err && (!is_simple(body->type) || !plain_make(&b, body)))
		err = dbg_err(DBG_E_UNSUPPORTED,
			      "'%s' asks for types at run time", text);
	if (!err)
		err = ilgen_method(&b, body, &ret->method);
	if (err)
		return err;
	ret->type = body->type;
	for (size_t i = 0; i < params.n; i++) {
		ret->origins[i] = params.origins[i];
		ret->types[i] = params.vars[i]->type;
	}
	ret->n = params.n;
	return NULL;
}
