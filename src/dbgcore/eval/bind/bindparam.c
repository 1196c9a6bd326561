/*
 * The frame's variables as parameters: an expression that is evaluated each
 * time a thread comes to one address of code is bound once, by the declared
 * types of its variables and not by the values that they have now. Its method
 * has the form of a lambda's: the closure, which is null here, then the
 * parameters.
 */
#include "eval/bind/bindparam.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind.h"
#include "eval/bind/bindtuple.h"
#include "eval/bind/conversion.h"

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

/* By-refs followed; NULL: its type is not known. */
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

/* A constant of the method; NULL: not one of an integer. */
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

/* Is its text known without the runtime? */
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
