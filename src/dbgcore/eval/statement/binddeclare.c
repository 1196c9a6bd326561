/*
 * Variables declared at the prompt: `int z = 1`, `var (a, b) = t`, `out var n`.
 * Such a variable is kept by its value (eval/dollar.h). An assignment to
 * several targets first keeps the parts of its right side under names that no
 * text can spell.
 */
#include "eval/statement/binddeclare.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/dollar.h"
#include "eval/overload/conversion.h"

enum {
	NOTED_MAX = 6 /* with the value elements of a tuple without a rest */
};

bool declare_is(const struct expr *x)
{
	return x->kind == STMT_LOCAL ||
	       (x->kind == EXPR_ASSIGN && x->op == OP_NONE &&
		(x->a->kind == EXPR_TUPLE ||
		 (x->a->kind == EXPR_DECLARATION && x->a->n_list)));
}

/* ---- Values of several variables ----------------------------------------- */

void declare_note(struct binder *b, struct bound_var *var)
{
	if (b->lambda || !b->e->declares || b->n_noted == NOTED_MAX)
		return;
	b->noted = b->noted ? b->noted
			    : arena_calloc(b->arena, NOTED_MAX, sizeof(var));
	b->noted[b->n_noted++] = var;
}

static struct dbg_error *keep_items(struct binder *b, const struct value *tuple,
				    struct value *ret)
{
	for (size_t i = 0; i <= b->n_noted; i++) {
		const struct field *f =
		    value_type_field(b->e->values, tuple->type,
				     arena_printf(b->arena, "Item%zu", i + 1));
		if (!f)
			return dbg_err(DBG_E_RUNTIME, "no field of a tuple");
		struct value v = value_field(b->e->values, tuple, f);
		if (!i) {
			*ret = v;
			continue;
		}
		const char *name = b->noted[i - 1]->name;
		// the program has hoisted its own of the same text
		struct dbg_error *err = scope_var(b->e->scope, name)
					    ? NULL
					    : declared_set(b->e, name, &v);
		if (err)
			return err;
	}
	return NULL;
}

struct dbg_error *declare_noted(struct binder *b, struct bound *body,
				struct value *ret)
{
	struct bound *list[NOTED_MAX + 1] = {body}, *tuple;
	struct value v;
	const struct expr *x = body->syntax;
	if (body->type->elem == ELEM_VOID)
		list[0] = bound_after(b, &body, 1, bound_int(b, ELEM_I4, 0, x));
	for (size_t i = 0; i < b->n_noted; i++) {
		list[i + 1] = bound_make(b, BOUND_VAR, b->noted[i]->type, x);
		list[i + 1]->var = b->noted[i];
	}
	struct dbg_error *err = tuple_of(b, list, b->n_noted + 1, x, &tuple);
	if (!err)
		err = machine_value(b, tuple, &v);
	return err ? err : keep_items(b, &v, ret);
}

/* ---- Declarations ------------------------------------------------------- */

/* The value that @n is as a @type; NULL: its own. */
static struct dbg_error *declared_value(struct binder *b, struct bound *n,
					struct type *type, struct value *ret)
{
	struct dbg_error *err = NULL;
	if (!type && !n->type)
		err = lambda_natural(b, n, &n);
	if (err)
		return err;
	err = convert(b, n, type ? type : n->type, &n);
	b->whole = n;
	if (!err)
		err = fetch_value(b, n, ret);
	if (!err && ret->type && ret->type->kind == TYPE_KIND_BYREF)
		*ret = value_target(b->e->values, ret);
	if (!err && ret->where == VALUE_ABSENT)
		err = fetch_missing(b, n->syntax, ret);
	return err;
}

/*
 * Declare the local of `T name = x`. @x NULL: it has no initializer, and its
 * value is default(T).
 */
static struct dbg_error *declare(const struct eval *e, const char *text,
				 const struct expr *type, const char *name,
				 const struct expr *x, struct value *ret)
{
	struct binder b;
	struct bound *n;
	struct type *to = NULL;
	struct dbg_error *err = NULL;
	binder_init(&b, e, text);
	if (type->kind != EXPR_VAR_TYPE)
		err = bind_type(&b, type, &to);
	if (!err && !x && !to)
		err = dbg_err(DBG_E_ARGUMENT, "'%s' has no type", name);
	if (err)
		return err;
	if (x && x->kind == EXPR_COLLECTION_INITIALIZER) {
		struct expr *array = made_node(&b, EXPR_NEW_ARRAY, x);
		array->type = (struct expr *)type;
		array->b = (struct expr *)x;
		err = bind_operand(&b, array, &n);
	} else if (x)
		err = bind_operand(&b, x, &n);
	else
		n = bound_make(&b, BOUND_DEFAULT, to, type);
	if (!err)
		err = declared_value(&b, n, to, ret);
	if (!err && !b.in_parts)
		err = bind_carry_writes(&b);
	return err ? err : declared_set(e, name, ret);
}

static struct dbg_error *declare_local(const struct eval *e, const char *text,
				       const struct expr *x, struct value *ret)
{
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < x->n_list; i++)
		err = declare(e, text, x->type, x->list[i]->name, x->list[i]->b,
			      ret);
	return err;
}

/* ---- Several targets --------------------------------------------------- */

static struct expr *part_name(struct binder *b, size_t i, const struct expr *x)
{
	return made_name(b, arena_printf(b->arena, "?part%zu", i), x);
}

/* Keep what @value is taken apart into under the names of part_name. */
static struct dbg_error *keep_parts(const struct eval *e, const char *text,
				    const struct expr *x, size_t n)
{
	struct binder b;
	struct bound *v, *body;
	struct value ignored;
	struct expr *targets;
	binder_init(&b, e, text);
	targets = made_list(&b, EXPR_DECLARATION, NULL, 0, x->a);
	targets->list = arena_calloc(b.arena, n, sizeof(*targets->list));
	targets->n_list = n;
	for (size_t i = 0; i < n; i++) {
		targets->list[i] = part_name(&b, i, x->a);
		targets->list[i]->kind = EXPR_DECLARATION;
	}
	struct dbg_error *err = bind_operand(&b, x->b, &v);
	if (!err)
		err = deconstruct(&b, targets, v, &body);
	return err ? err : declare_noted(&b, body, &ignored);
}

static const struct expr *part_target(const struct expr *x)
{
	return x->kind == EXPR_ARGUMENT ? x->a : x;
}

static bool is_discarded(const struct expr *x)
{
	return (x->kind == EXPR_NAME || x->kind == EXPR_DECLARATION) &&
	       x->name && !strcmp(x->name, "_");
}

static struct dbg_error *check_targets(const struct expr *x)
{
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *target = part_target(x->list[i]);
		if (target->kind == EXPR_TUPLE ||
		    (target->kind == EXPR_DECLARATION && target->n_list))
			return dbg_err(DBG_E_UNSUPPORTED,
				       "targets within targets: assign to the "
				       "parts one after the other");
	}
	return NULL;
}

/* Targets that the program has are written together, or none is. */
static struct dbg_error *assign_program(const struct eval *e, const char *text,
					const struct expr *x, struct value *ret)
{
	struct binder b;
	const struct expr *targets[NOTED_MAX], *values[NOTED_MAX];
	size_t n = 0;
	binder_init(&b, e, text);
	for (size_t i = 0; i < x->n_list && n < NOTED_MAX; i++) {
		const struct expr *target = part_target(x->list[i]);
		if (target->kind == EXPR_DECLARATION || is_discarded(target))
			continue;
		targets[n] = target;
		values[n++] = part_name(&b, i, x);
	}
	return n ? bind_assign_each(e, text, targets, values, n, ret) : NULL;
}

static struct dbg_error *declare_parts(const struct eval *e, const char *text,
				       const struct expr *x, struct value *ret)
{
	static const struct expr any = {.kind = EXPR_VAR_TYPE};
	struct binder b;
	struct dbg_error *err = NULL;
	bool var = x->kind == EXPR_DECLARATION;
	binder_init(&b, e, text);
	for (size_t i = 0; !err && i < x->n_list; i++) {
		const struct expr *target = part_target(x->list[i]);
		if (is_discarded(target) ||
		    (!var && target->kind != EXPR_DECLARATION))
			continue;
		err = declare(e, text, target->type ? target->type : &any,
			      target->name, part_name(&b, i, x), ret);
	}
	return err;
}

static struct dbg_error *assign_parts(const struct eval *e, const char *text,
				      const struct expr *x, struct value *ret)
{
	struct binder b;
	size_t n = x->a->n_list;
	binder_init(&b, e, text);
	if (n > NOTED_MAX)
		return bind_error(&b, x->a, "more than %d targets", NOTED_MAX);
	struct dbg_error *err = check_targets(x->a);
	if (!err)
		err = keep_parts(e, text, x, n);
	if (!err && x->a->kind == EXPR_TUPLE)
		err = assign_program(e, text, x->a, ret);
	return err ? err : declare_parts(e, text, x->a, ret);
}

struct dbg_error *bind_declare(const struct eval *e, const char *text,
			       const struct expr *x, struct value *ret)
{
	return x->kind == STMT_LOCAL ? declare_local(e, text, x, ret)
				     : assign_parts(e, text, x, ret);
}

/* ---- Assignments to what was declared ----------------------------------- */

struct dbg_error *declare_assign(struct binder *left, struct binder *right,
				 const struct bind_assignment *a,
				 struct value *ret)
{
	struct bound *place, *n;
	struct dbg_error *err = bind_value(left, a->target, &place);
	if (!err)
		err = bind_operand(right, a->value, &n);
	if (!err && a->op != OP_NONE)
		err = bind_operator(right, a->op, place, n, a->value, &n);
	// what an operator made of a smaller type goes back to it (12.21.4)
	if (!err && a->op != OP_NONE)
		err = convert_cast(right, n, place->type, &n);
	if (!err)
		err = declared_value(right, n, place->type, ret);
	return err ? err : declared_set(left->e, a->target->name, ret);
}
