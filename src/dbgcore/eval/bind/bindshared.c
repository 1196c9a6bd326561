/*
 * Expressions in code that generic instances share (List<string>.Add is that of
 * every reference type). They are bound by the arguments of the instance that
 * came first, so what is kept for the address must not depend on these: no
 * value of such a type is looked into. Objects whose type only has them as
 * arguments (this) have their fields at the same places in all instances.
 */
#include "eval/bind/bindparam.h"

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

/* What @n names besides its parts. */
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

bool shared_alike(struct binder *b, const struct bound *n)
{
	const struct type_context *c = &b->e->scope->context;
	return args_alike(n, c->class_args, c->n_class_args) &&
	       args_alike(n, c->method_args, c->n_method_args);
}
