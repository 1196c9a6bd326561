/*
 * Overloads in generic code. The compiler chooses an overload once, for all
 * instances: a T is no string there, although it is one in the instance that
 * the frame runs. So a call with arguments over a type parameter is resolved a
 * second time, with stand-in types for the type arguments that have nothing but
 * what the parameter's constraints say.
 *
 * Which types these are follows from the declarations: a variable's type is
 * taken from the signature anew, a member's from the stand-in of the value that
 * it belongs to.
 */
#include "eval/overload/overload.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	STANDINS_MAX = 16,
	DEPTH_MAX = 32,
};

struct standins {
	struct binder *b;
	struct type_method *method; /* the frame's, by the stand-ins */
	struct type *class_args[STANDINS_MAX], *method_args[STANDINS_MAX];
	bool constrained, sure;
};

static struct type *standin_type(struct standins *s, const struct bound *v,
				 int depth);

/* ---- The types in place of arguments --------------------------------- */

static const struct type_context *context_of(const struct standins *s)
{
	return &s->b->e->scope->context;
}

/* The argument @type of the frame's; NULL: it is none. */
static struct type *replaced_argument(const struct standins *s,
				      const struct type *type)
{
	const struct type_context *c = context_of(s);

	for (size_t i = 0; i < c->n_class_args; i++)
		if (c->class_args[i] == type)
			return s->class_args[i];
	for (size_t i = 0; i < c->n_method_args; i++)
		if (c->method_args[i] == type)
			return s->method_args[i];
	return NULL;
}

/* @type with stand-ins wherever it has the like of an argument. */
static struct type *replaced(struct standins *s, struct type *type, int depth)
{
	struct types *ts = s->b->ts;
	struct type *is = replaced_argument(s, type);

	if (is || depth > DEPTH_MAX)
		return is ? is : type;
	if (type->kind == TYPE_KIND_ARRAY || type->kind == TYPE_KIND_BYREF) {
		struct type *inner = replaced(s, type->inner, depth + 1);

		if (inner == type->inner)
			return type;
		if (type->kind == TYPE_KIND_BYREF)
			return type_byref(ts, inner);
		return type->elem == ELEM_SZARRAY
			   ? type_vector(ts, inner)
			   : type_array(ts, inner, type->rank);
	}
	if (!type->n_args)
		return type;

	struct type **args =
	    arena_calloc(s->b->arena, type->n_args, sizeof(*args));

	for (size_t i = 0; i < type->n_args; i++)
		args[i] = replaced(s, type->args[i], depth + 1);
	return memcmp(args, type->args, type->n_args * sizeof(*args))
		   ? type_instance(ts, type, args, type->n_args)
		   : type;
}

enum {
	GENERIC_STRUCT = 8, /* of type_generic_param.flags */
};

/* A type of @name over @inner, so that no two parameters have the same. */
static struct type *nested(struct standins *s, const char *name,
			   struct type *inner)
{
	struct type *def = type_core(s->b->ts, name);

	return def && inner ? type_instance(s->b->ts, def, &inner, 1) : inner;
}

/* The first type that the parameter is constrained to be; NULL: none. */
static struct type *constraint_of(struct standins *s,
				  const struct type_generic_param *p)
{
	const struct type_context c = {
	    .class_args = s->class_args,
	    .n_class_args = context_of(s)->n_class_args,
	    .method_args = s->method_args,
	    .n_method_args = context_of(s)->n_method_args,
	};
	struct type *first = NULL;

	for (size_t i = 0; i < p->n_constraints; i++) {
		struct type *type = p->constraints[i];

		if (!strcmp(type_simple_name(type), "ValueType"))
			continue;
		first = type_subst(s->b->ts, type, &c);
		if (!(type->flags & TYPE_INTERFACE))
			break;
	}
	return first;
}

/* Fill the stand-ins of @n parameters, of the class or of @m. */
static bool standins_fill(struct standins *s, struct type *def,
			  struct type_method *m, struct type **args, size_t n,
			  struct type **seed)
{
	struct type_generic_param p;

	for (uint32_t i = 0; i < n; i++) {
		*seed = nested(s, "System.Lazy`1", *seed);
		args[i] = *seed;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (dbg_err_drop(
			type_generic_param(s->b->ts, m ? NULL : def, m, i, &p)))
			return false;

		struct type *is = s->constrained ? constraint_of(s, &p) : NULL;

		if (is)
			args[i] = is;
		else if (p.flags & GENERIC_STRUCT)
			args[i] =
			    nested(s,
				   "System.Runtime.CompilerServices."
				   "ConfiguredCancelableAsyncEnumerable`1",
				   args[i]);
	}
	return true;
}

static bool standins_begin(struct standins *s)
{
	struct types *ts = s->b->ts;
	const struct type_context *c = context_of(s);
	struct type *seed = type_core(ts, "System.Diagnostics.Debugger");
	const uint32_t owner =
	    c->module && c->method
		? md_method_type(&c->module->md, MD_TOKEN_RID(c->method))
		: 0;
	struct type *def =
	    owner ? type_def(ts, c->module, MD_TYPEDEF << 24 | owner) : NULL;

	if (!seed || !def || c->n_class_args > STANDINS_MAX ||
	    c->n_method_args > STANDINS_MAX)
		return false;

	struct type_method *m = type_method_get(
	    ts, def, c->method, c->method_args, c->n_method_args);

	if (!standins_fill(s, def, NULL, s->class_args, c->n_class_args,
			   &seed) ||
	    !m ||
	    !standins_fill(s, def, m, s->method_args, c->n_method_args, &seed))
		return false;
	if (c->n_class_args)
		def = type_instance(ts, def, s->class_args, c->n_class_args);
	s->method = type_method_get(ts, def, c->method, s->method_args,
				    c->n_method_args);
	return s->method != NULL;
}

/* ---- Static types anew ----------------------------------------------- */

/* Are they instances of one definition? */
static bool is_like(const struct type *a, const struct type *b)
{
	return a->module == b->module && a->token == b->token;
}

/* The instance that @of derives from and that declares what @def does. */
static struct type *declaring(struct standins *s, struct type *of,
			      const struct type *def)
{
	while (of && !is_like(of, def))
		if (dbg_err_drop(type_parent(s->b->ts, of, &of)))
			return NULL;
	return of;
}

static struct type *field_over(struct standins *s, struct type *of,
			       uint32_t token)
{
	struct type_field *const *all;
	struct type *type;
	size_t n = 0;

	if (of)
		type_fields(s->b->ts, of, &all, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i]->token == token)
			return dbg_err_drop(
				   type_field_type(s->b->ts, all[i], &type))
				   ? NULL
				   : type;
	return NULL;
}

/*
 * The class of a closure or state machine has the parameters of the class and
 * the method around it, in this order.
 */
static struct type *closure_over(struct standins *s, struct type *type)
{
	const struct type_context *c = context_of(s);
	struct type *args[2 * STANDINS_MAX];

	if (!type || !type->n_args)
		return type;
	memcpy(args, s->class_args, c->n_class_args * sizeof(args[0]));
	memcpy(args + c->n_class_args, s->method_args,
	       c->n_method_args * sizeof(args[0]));
	return type->n_args <= c->n_class_args + c->n_method_args
		   ? type_instance(s->b->ts, type, args, type->n_args)
		   : NULL;
}

/* The declared type of an argument or slot, or of a field of one. */
static struct type *origin_over(struct standins *s, const struct var_origin *o)
{
	const struct type_method_body *body;
	const struct type_sig *sig;
	struct type *type = NULL;

	if (o->holder) {
		type = field_over(s, closure_over(s, o->field->owner),
				  o->field->token);
	} else if (!o->is_arg) {
		if (!dbg_err_drop(
			type_method_body(s->b->ts, s->method, &body)) &&
		    o->index < body->n_locals)
			type = body->locals[o->index];
	} else if (!dbg_err_drop(type_method_sig(s->b->ts, s->method, &sig))) {
		uint32_t i = o->index - sig->has_this;

		if (sig->has_this && !o->index)
			type = s->method->owner;
		else if (i < sig->n_params)
			type = sig->params[i];
	}
	return type && type->kind == TYPE_KIND_BYREF ? type->inner : type;
}

static struct type *place_over(struct standins *s, const struct bound *v)
{
	const struct expr *x = v->syntax;
	const struct scope *scope = s->b->e->scope;
	const struct var *var =
	    x && x->kind == EXPR_NAME ? scope_var(scope, x->name) : NULL;

	if (var)
		return var->origin ? origin_over(s, var->origin) : NULL;
	// `this`, also where it is left out
	return x && (x->kind == EXPR_THIS || x->kind == EXPR_NAME) &&
		       v->type == scope->type
		   ? closure_over(s, v->type)
		   : NULL;
}

/* The type that is written in the text: of a cast, `new`, `default`. */
static struct type *written_over(struct standins *s, const struct expr *type)
{
	const struct eval *e = s->b->e;
	struct scope scope = *e->scope;
	struct eval with = *e;
	struct type *is = NULL;

	scope.context.class_args = s->class_args;
	scope.context.method_args = s->method_args;
	with.scope = &scope;
	s->b->e = &with;
	if (dbg_err_drop(bind_type(s->b, type, &is)))
		is = NULL;
	s->b->e = e;
	return is;
}

/*
 * The result's type of a method of T itself, which @owner stands for; @any: it
 * takes a T.
 */
static struct type *of_parameter(struct standins *s, const struct bound *v,
				 struct type *owner, bool any)
{
	const struct expr *x = v->syntax;
	struct type *is = NULL;

	if (!(v->method->flags & TYPE_METHOD_STATIC) ||
	    v->type != v->method->owner)
		return v->type;
	if (any)
		return owner;
	if (x && x->kind == EXPR_CALL)
		x = x->a;
	if (x && x->kind == EXPR_MEMBER)
		is = written_over(s, x->a);
	return is == owner ? owner : NULL;
}

/* A tuple or an array by its parts. */
static struct type *parts_over(struct standins *s, const struct bound *v,
			       int depth)
{
	struct type *args[STANDINS_MAX];

	if (!v->n_list || v->n_list > STANDINS_MAX ||
	    (v->kind == BOUND_TUPLE && v->n_list != v->type->n_args))
		return NULL;
	for (size_t i = 0; i < v->n_list; i++)
		args[i] = standin_type(s, v->list[i], depth + 1);
	return v->kind == BOUND_TUPLE
		   ? type_instance(s->b->ts, v->type, args, v->n_list)
		   : type_vector(s->b->ts, args[0]);
}

static struct type *call_over(struct standins *s, const struct bound *v,
			      int depth)
{
	const struct type_method *m = v->method;
	const bool is_static = m->flags & TYPE_METHOD_STATIC;
	struct type *owner = replaced(s, m->owner, 0), *of = NULL;
	struct type **args =
	    arena_calloc(s->b->arena, m->n_args + 1, sizeof(*args));
	const struct type_sig *sig;
	bool any = false;

	for (size_t i = 0; i < v->n_list; i++) {
		struct type *is = standin_type(s, v->list[i], depth + 1);

		any |= is && is != v->list[i]->type;
		if (!i && !is_static && is)
			of = declaring(s, is, m->owner);
	}
	if (!of && !is_like(owner, m->owner))
		return of_parameter(s, v, owner, any);
	if (!any)
		return v->type;
	for (size_t i = 0; i < m->n_args; i++)
		args[i] = replaced(s, m->args[i], 0);

	struct type_method *is = type_method_get(s->b->ts, of ? of : owner,
						 m->token, args, m->n_args);

	return is && !dbg_err_drop(type_method_sig(s->b->ts, is, &sig))
		   ? sig->ret
		   : NULL;
}

/* NULL: it is not known. */
static struct type *kind_over(struct standins *s, const struct bound *v,
			      int depth)
{
	struct type *of;

	switch (v->kind) {
	case BOUND_PLACE:
		return place_over(s, v);
	case BOUND_DEREF:
		of = standin_type(s, v->a, depth + 1);
		return of && of->kind == TYPE_KIND_BYREF ? of->inner : of;
	case BOUND_ADDRESS:
		return standin_type(s, v->a, depth + 1);
	case BOUND_ELEMENT:
		of = standin_type(s, v->a, depth + 1);
		return of ? of->inner : NULL;
	case BOUND_FIELD:
		of = v->a ? standin_type(s, v->a, depth + 1)
			  : replaced(s, v->field->owner, 0);
		return of ? field_over(s, declaring(s, of, v->field->owner),
				       v->field->token)
			  : NULL;
	case BOUND_CALL:
		return call_over(s, v, depth);
	case BOUND_CAST: // for what is called: a base type or interface
	case BOUND_BOX:
		return standin_type(s, v->a, depth + 1) == v->a->type
			   ? NULL
			   : replaced(s, v->type, 0);
	case BOUND_TUPLE:
	case BOUND_ARRAY:
		return parts_over(s, v, depth);
	case BOUND_EFFECT:
		return standin_type(s, v->a, depth + 1);
	case BOUND_CHOICE:
		return standin_type(s, v->b, depth + 1);
	case BOUND_BINARY: // of T's own operators
	case BOUND_UNARY:
		return standin_type(s, v->a, depth + 1);
	case BOUND_VAR:
		return v->var->written ? written_over(s, v->var->written)
				       : NULL;
	case BOUND_CONST:
	case BOUND_STRING:
		return v->type;
	default:
		return NULL;
	}
}

/* The static type of @v by the stand-ins. */
static struct type *standin_type(struct standins *s, const struct bound *v,
				 int depth)
{
	const struct expr *x = v->syntax;
	struct type *is = NULL;

	if (!v->type || replaced(s, v->type, 0) == v->type)
		return v->type;
	if (x && x->type &&
	    (x->kind == EXPR_CAST || x->kind == EXPR_DEFAULT ||
	     x->kind == EXPR_NEW || x->kind == EXPR_AS))
		is = written_over(s, x->type);
	else if (depth < DEPTH_MAX)
		is = kind_over(s, v, depth);
	if (!is)
		s->sure = false;
	return is ? is : replaced(s, v->type, 0);
}

bool standin_call(struct binder *b, const struct call *c,
		  struct type_method *const *methods, size_t n,
		  bool constrained, struct call *ret, struct type_method **to,
		  bool *sure)
{
	struct standins s = {.b = b, .constrained = constrained, .sure = true};
	const struct type_context *context = context_of(&s);
	bool any = false;

	if ((!context->n_class_args && !context->n_method_args) ||
	    !standins_begin(&s))
		return false;
	*ret = *c;
	for (size_t i = 0; i < c->n; i++) {
		struct bound *v = c->args[i];
		struct type *is = standin_type(&s, v, 0);

		if (is == v->type)
			continue;
		any = true;
		ret->args[i] = bound_make(b, v->kind, is, v->syntax);
		*ret->args[i] = *v;
		ret->args[i]->type = is;
		if (c->receiver == v)
			ret->receiver = ret->args[i];
	}
	for (size_t i = 0; any && i < n; i++) {
		struct type *owner = replaced(&s, methods[i]->owner, 0);

		to[i] =
		    owner == methods[i]->owner ||
			    !is_like(owner, methods[i]->owner)
			? methods[i]
			: type_method_get(b->ts, owner, methods[i]->token,
					  methods[i]->args, methods[i]->n_args);
	}
	*sure = s.sure;
	return any;
}
