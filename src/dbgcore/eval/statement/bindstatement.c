/*
 * Statements (ECMA-334, 13). Each becomes a node of type void; a `return` is
 * noted in its lambda, whose type is the best common one of what they return.
 */
#include "eval/statement/bindstatement.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindpattern.h"
#include "eval/overload/conversion.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static struct dbg_error *bind_disposing(struct binder *b,
					const struct expr *name,
					struct bound *body, struct bound **ret);

/* ---- Statements (ECMA-334, 13) ------------------------------------------- */

enum {
	RETURNS_MAX = 64,
	SECTIONS_MAX = 64
};

static struct bound *bound_void(struct binder *b, enum bound_kind kind,
				const struct expr *x)
{
	return bound_make(b, kind, bind_prim(b, ELEM_VOID), x);
}

/* Statements one after the other, with the locals made since @first. */
static struct bound *bound_block(struct binder *b, struct bound *const *list,
				 size_t n, size_t first, const struct expr *x)
{
	struct bound *block = bound_void(b, BOUND_BLOCK, x);
	block->list = arena_copy(b->arena, list, n, sizeof(*list));
	block->n_list = n;
	block->n_vars = b->n_locals - first;
	block->vars = arena_copy(b->arena, b->locals + first, block->n_vars,
				 sizeof(*b->locals));
	return block;
}

static struct dbg_error *truth_of(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct dbg_error *err = bind_operand(b, x, ret);
	return err ? err : bind_truth(b, *ret, x, ret);
}

static struct dbg_error *bind_statement(struct binder *b, const struct expr *x,
					struct bound **ret);

/* ---- Blocks ---------------------------------------------------------- */

static struct dbg_error *using(struct binder *b, const struct expr *x,
			       const struct expr *block, size_t from,
			       struct bound **ret);

/* The statements of a block behind @from, functions first. */
static struct dbg_error *bind_rest(struct binder *b, const struct expr *x,
				   size_t from, struct bound **list, size_t *n)
{
	struct bound **functions;
	struct dbg_error *err = functions_declare(b, x, from, &functions);
	size_t first = 0;
	for (size_t i = from; !err && i < x->n_list; i++)
		first += functions[i] != NULL;
	*n = first;
	first = 0;
	for (size_t i = from; !err && i < x->n_list; i++) {
		const struct expr *s = x->list[i];
		if (s->kind == STMT_USING && !s->b)
			return using(b, s, x, i + 1, &list[(*n)++]);
		if (functions[i])
			err = function_bind(b, s, functions[i], &list[first++]);
		else
			err = bind_statement(b, s, &list[(*n)++]);
	}
	return err;
}

static struct dbg_error *rest_of(struct binder *b, const struct expr *x,
				 size_t from, struct bound **ret)
{
	struct name_scope *names = b->names;
	size_t first = b->n_locals, n = 0;
	struct bound **list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*list));
	struct dbg_error *err = bind_rest(b, x, from, list, &n);
	b->names = names;
	if (!err)
		*ret = bound_block(b, list, n, first, x);
	return err;
}

static struct dbg_error *block(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	return rest_of(b, x, 0, ret);
}

static struct dbg_error *empty_statement(struct binder *b, const struct expr *x,
					 struct bound **ret)
{
	*ret = bound_block(b, NULL, 0, b->n_locals, x);
	return NULL;
}

/* ---- Expressions and locals ------------------------------------------ */

static struct dbg_error *expression(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	const struct expr *e = x->a;
	bool step = e->kind == EXPR_UNARY &&
		    (e->op == OP_INCREMENT || e->op == OP_DECREMENT);
	if (!step && e->kind != EXPR_ASSIGN && e->kind != EXPR_CALL &&
	    e->kind != EXPR_POSTFIX && e->kind != EXPR_NEW &&
	    e->kind != EXPR_AWAIT)
		return bind_error(b, e, "'%s' is no statement",
				  bind_source(b, e));
	return bind_operand(b, e, ret);
}

/* `var f = (int x) => x` is a Func or Action of its types. */
static struct dbg_error *variable_type(struct binder *b, const struct expr *x,
				       const struct bound *v, struct type **ret)
{
	if (x->type->kind != EXPR_VAR_TYPE)
		return bind_type(b, x->type, ret);
	*ret = v ? v->type : NULL;
	return *ret ? NULL
		    : bind_error(b, x, "'%s' has no type", x->list[0]->name);
}

static struct dbg_error *array_of(struct binder *b, const struct expr *x,
				  const struct expr *init, struct bound **ret)
{
	struct expr *made = made_node(b, EXPR_NEW_ARRAY, init);
	made->type = x->type;
	made->b = (struct expr *)init;
	return bind_any(b, made, ret);
}

static struct dbg_error *local(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	size_t first = b->n_locals, n = 0;
	struct bound **list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*list));
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *item = x->list[i];
		struct bound *v = NULL, *var;
		struct type *type;
		struct dbg_error *err = NULL;
		if (item->b)
			err = item->b->kind == EXPR_COLLECTION_INITIALIZER
				  ? array_of(b, x, item->b, &v)
				  : bind_operand(b, item->b, &v);
		if (!err && v && !v->type && x->type->kind == EXPR_VAR_TYPE)
			err = lambda_natural(b, v, &v);
		if (!err)
			err = variable_type(b, x, v, &type);
		if (!err && v)
			err = convert(b, v, type, &v);
		if (err)
			return err;
		var = declare_var(b, item->name, type, item);
		if (!v)
			v = bound_make(b, BOUND_DEFAULT, type, item);
		list[n++] = bound_store(b, var, v);
	}
	// The variables belong to the block that this stands in.
	*ret = bound_block(b, list, n, first, x);
	(*ret)->n_vars = 0;
	return NULL;
}

/* ---- if, loops, jumps ------------------------------------------------ */

static struct dbg_error *bind_if(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct name_scope *names = b->names;
	struct bound *n = bound_void(b, BOUND_IF, x);
	struct dbg_error *err = truth_of(b, x->a, &n->a);
	if (!err)
		err = bind_statement(b, x->b, &n->b);
	// What `if (!(x is T t)) return;` declares is seen behind it.
	if (x->c)
		b->names = names;
	if (!err && x->c)
		err = bind_statement(b, x->c, &n->c);
	*ret = n;
	return err;
}

/* @body, which `break` leaves and `continue` begins again. */
static struct dbg_error *bind_loop_body(struct binder *b, struct bound *loop,
					const struct expr *body,
					struct bound **ret)
{
	struct bound *breaks = b->breaks, *continues = b->continues;
	struct name_scope *names = b->names;
	b->breaks = loop;
	if (loop->kind == BOUND_LOOP)
		b->continues = loop;
	struct dbg_error *err = bind_statement(b, body, ret);
	b->names = names;
	b->breaks = breaks;
	b->continues = continues;
	return err;
}

/* while and do */
static struct dbg_error *bind_while(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct bound *n = bound_void(b, BOUND_LOOP, x);
	struct name_scope *names = b->names;
	n->late = x->kind == STMT_DO;
	*ret = n;
	struct dbg_error *err = truth_of(b, x->a, &n->a);
	if (!err)
		err = bind_loop_body(b, n, x->b, &n->b);
	b->names = names;
	return err;
}

static struct dbg_error *bind_for(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct name_scope *names = b->names;
	size_t first = b->n_locals, n = 0;
	struct bound *loop = bound_void(b, BOUND_LOOP, x);
	struct bound **list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*list));
	struct bound **steps =
	    arena_calloc(b->arena, x->n_args + 1, sizeof(*steps));
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < x->n_list; i++)
		err = bind_statement(b, x->list[i], &list[n++]);
	if (!err && x->a)
		err = truth_of(b, x->a, &loop->a);
	if (!err)
		err = bind_loop_body(b, loop, x->b, &loop->b);
	for (size_t i = 0; !err && i < x->n_args; i++)
		err = bind_operand(b, x->args[i], &steps[i]);
	b->names = names;
	if (err)
		return err;
	loop->c = bound_block(b, steps, x->n_args, b->n_locals, x);
	list[n++] = loop;
	*ret = bound_block(b, list, n, first, x);
	return NULL;
}

static struct dbg_error *jump(struct binder *b, const struct expr *x,
			      struct bound **ret)
{
	bool leaves = x->kind == STMT_BREAK;
	struct bound *to = leaves ? b->breaks : b->continues;
	if (!to)
		return dbg_err_cs(
		    139, bind_error(b, x, "there is no loop around '%s'",
				    leaves ? "break" : "continue"));
	*ret = bound_void(b, leaves ? BOUND_BREAK : BOUND_CONTINUE, x);
	(*ret)->a = to;
	if (leaves)
		to->constant = true;
	return NULL;
}

static struct dbg_error *bind_return(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct bound_lambda *l = b->lambda;
	struct bound *n = bound_void(b, BOUND_RETURN, x);
	n->names = b->names;
	*ret = n;
	if (l->n_returns == RETURNS_MAX)
		return bind_error(b, x, "too many 'return'");
	if (x->a) {
		struct dbg_error *err = bind_operand(b, x->a, &n->a);
		if (err)
			return err;
		n->b = n->a;
	}
	if (!l->returns)
		l->returns =
		    arena_calloc(b->arena, RETURNS_MAX, sizeof(*l->returns));
	l->returns[l->n_returns++] = n;
	return NULL;
}

static struct dbg_error *
bind_throw_statement(struct binder *b, const struct expr *x, struct bound **ret)
{
	*ret = bound_void(b, BOUND_THROW, x);
	return x->a ? bind_value(b, x->a, &(*ret)->a) : NULL;
}

/* ---- switch ---------------------------------------------------------- */

static struct dbg_error *label(struct binder *b, struct bound *v,
			       const struct expr *arm, struct bound **io)
{
	struct bound *test, *when;
	struct dbg_error *err = NULL;
	test = pattern_truth(b, true, arm);
	if (arm->a)
		err = bind_pattern(b, v, arm->a, &test);
	if (!err && arm->c) {
		err = truth_of(b, arm->c, &when);
		if (!err)
			test = pattern_both(b, test, when);
	}
	if (!err)
		*io = *io ? bound_choice(b, *io, pattern_truth(b, true, arm),
					 test)
			  : test;
	return err;
}

/*
 * Bind one section of a switch statement; *ret_default: it has the label
 * `default`.
 */
static struct dbg_error *section(struct binder *b, struct bound *v,
				 const struct expr *x, struct bound *loop,
				 struct bound **ret, bool *ret_default)
{
	struct name_scope *names = b->names;
	struct bound *n = bound_void(b, BOUND_IF, x), *breaks = b->breaks;
	struct dbg_error *err = NULL;
	*ret = n;
	*ret_default = false;
	for (size_t i = 0; !err && i < x->n_args; i++) {
		err = label(b, v, x->args[i], &n->a);
		*ret_default = *ret_default || !x->args[i]->a;
	}
	b->breaks = loop;
	if (!err)
		err = rest_of(b, x, 0, &n->b);
	b->breaks = breaks;
	b->names = names;
	return err;
}

static struct dbg_error *bind_switch_statement(struct binder *b,
					       const struct expr *x,
					       struct bound **ret)
{
	struct bound *v, *store, *last = NULL, *sections[SECTIONS_MAX];
	struct bound *once = bound_void(b, BOUND_ONCE, x);
	size_t first = b->n_locals, n = 0;
	struct dbg_error *err = bind_value(b, x->a, &v);
	if (!err && x->n_list > SECTIONS_MAX)
		err = bind_error(b, x, "too many sections");
	if (err)
		return err;
	struct name_scope *names = b->names;
	made_keep(b, v, &store);
	for (size_t i = 0; i < x->n_list; i++) {
		struct bound *made;
		bool fallback;
		err = section(b, store->a, x->list[i], once, &made, &fallback);
		if (err)
			return err;
		if (fallback)
			last = made->b;
		else
			sections[n++] = made;
	}
	b->names = names;
	for (size_t i = n; i > 0; i--) {
		sections[i - 1]->c = last;
		last = sections[i - 1];
	}
	struct bound *list[2] = {store, last};
	once->b = bound_block(b, list, last ? 2 : 1, first, x);
	*ret = once;
	return NULL;
}

/* ---- try, using, lock, checked --------------------------------------- */

static struct dbg_error *bind_catch(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct name_scope *names = b->names;
	struct bound *n = bound_void(b, BOUND_CATCH, x);
	struct type *type;
	struct dbg_error *err = x->type
				    ? bind_type(b, x->type, &type)
				    : bind_core(b, "System.Exception", &type);
	*ret = n;
	if (err)
		return err;
	n->var = declare_var(b, x->name ? x->name : "?caught", type, x)->var;
	if (x->a)
		err = truth_of(b, x->a, &n->a);
	if (!err)
		err = bind_statement(b, x->b, &n->b);
	b->names = names;
	return err;
}

static struct dbg_error *bind_try(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct bound *n = bound_void(b, BOUND_TRY, x);
	*ret = n;
	n->list = arena_calloc(b->arena, x->n_list + 1, sizeof(*n->list));
	n->n_list = x->n_list;
	struct dbg_error *err = bind_statement(b, x->a, &n->a);
	for (size_t i = 0; !err && i < x->n_list; i++)
		err = bind_catch(b, x->list[i], &n->list[i]);
	if (!err && x->b)
		err = bind_statement(b, x->b, &n->b);
	return err;
}

static struct dbg_error *using(struct binder *b, const struct expr *x,
			       const struct expr *block, size_t from,
			       struct bound **ret)
{
	struct name_scope *names = b->names;
	struct bound *first, *body, *v;
	size_t locals = b->n_locals;
	const struct expr *name;
	struct dbg_error *err;
	if (x->a->kind == STMT_LOCAL) {
		err = bind_statement(b, x->a, &first);
		name = made_name(b, x->a->list[0]->name, x->a);
	} else {
		err = bind_value(b, x->a->a, &v);
		name = err ? NULL : made_keep(b, v, &first);
	}
	if (!err)
		err = x->b ? bind_statement(b, x->b, &body)
			   : rest_of(b, block, from, &body);
	if (!err)
		err = bind_disposing(b, name, body, &body);
	b->names = names;
	if (err)
		return err;
	struct bound *list[2] = {first, body};
	*ret = bound_block(b, list, 2, locals, x);
	return NULL;
}

static struct dbg_error *bind_using(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	return using(b, x, NULL, 0, ret);
}

/* Nobody else runs: the object is only looked at. */
static struct dbg_error *bind_lock(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	struct bound *list[2];
	struct dbg_error *err = bind_value(b, x->a, &list[0]);
	if (!err)
		err = bind_statement(b, x->b, &list[1]);
	if (!err)
		*ret = bound_block(b, list, 2, b->n_locals, x);
	return err;
}

static struct dbg_error *checked(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	bool was = b->checked;
	b->checked = !x->unchecked;
	struct dbg_error *err = bind_statement(b, x->b, ret);
	b->checked = was;
	return err;
}

/* ---- Dispatch -------------------------------------------------------- */

static const struct {
	enum expr_kind kind;
	struct dbg_error *(*bind)(struct binder *b, const struct expr *x,
				  struct bound **ret);
} forms[] = {
    {STMT_BLOCK, block},
    {STMT_EXPR, expression},
    {STMT_LOCAL, local},
    {STMT_IF, bind_if},
    {STMT_WHILE, bind_while},
    {STMT_DO, bind_while},
    {STMT_FOR, bind_for},
    {STMT_FOREACH, bind_foreach},
    {STMT_RETURN, bind_return},
    {STMT_THROW, bind_throw_statement},
    {STMT_BREAK, jump},
    {STMT_CONTINUE, jump},
    {STMT_SWITCH, bind_switch_statement},
    {STMT_TRY, bind_try},
    {STMT_USING, bind_using},
    {STMT_LOCK, bind_lock},
    {STMT_CHECKED, checked},
    {STMT_EMPTY, empty_statement},
};

static struct dbg_error *bind_statement(struct binder *b, const struct expr *x,
					struct bound **ret)
{
	if (++b->steps > BIND_STEPS_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the expression is too complex");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (forms[i].kind == x->kind)
			return forms[i].bind(b, x, ret);
	}
	return bind_error(b, x, "'%s' is no statement", bind_source(b, x));
}

/* ---- Bodies ---------------------------------------------------------- */

/* Can control come to the end of it? */
static bool completes(const struct bound *n)
{
	bool any;
	switch (n->kind) {
	case BOUND_BLOCK:
		for (size_t i = 0; i < n->n_list; i++) {
			if (!completes(n->list[i]))
				return false;
		}
		return true;
	case BOUND_IF:
		return !n->c || completes(n->b) || completes(n->c);
	case BOUND_LOOP:
		any = n->a && !(n->a->kind == BOUND_CONST && n->a->integer);
		return any || n->constant;
	case BOUND_ONCE:
		return n->constant || completes(n->b);
	case BOUND_TRY:
		any = completes(n->a);
		for (size_t i = 0; i < n->n_list; i++)
			any = any || completes(n->list[i]->b);
		return any && (!n->b || completes(n->b));
	default:
		return n->kind != BOUND_RETURN && n->kind != BOUND_THROW &&
		       n->kind != BOUND_BREAK && n->kind != BOUND_CONTINUE;
	}
}

struct dbg_error *bind_block_body(struct binder *b, const struct expr *x,
				  struct bound **ret, struct type **ret_type)
{
	struct bound_lambda *l = b->lambda;
	struct bound *breaks = b->breaks, *continues = b->continues;
	struct bound *values[RETURNS_MAX];
	size_t n = 0;
	b->breaks = NULL;
	b->continues = NULL;
	struct dbg_error *err = bind_statement(b, x, ret);
	b->breaks = breaks;
	b->continues = continues;
	*ret_type = NULL;
	if (err)
		return err;
	for (size_t i = 0; i < l->n_returns; i++) {
		if (l->returns[i]->b)
			values[n++] = l->returns[i]->b;
	}
	if (n && (n < l->n_returns || completes(*ret)))
		return dbg_err_cs(
		    161, bind_error(b, x, "not all code paths return a value"));
	if (n)
		*ret_type = bind_common_type(b, values, n);
	l->gives = n != 0;
	l->ends = !completes(*ret);
	return NULL;
}

bool returns_fit(struct binder *b, const struct bound_lambda *l,
		 struct type *to)
{
	if (to->elem == ELEM_VOID)
		return !l->gives;
	struct name_scope *names = lambda_enter(b, (struct bound_lambda *)l);
	bool fits = l->gives || l->ends;
	for (size_t i = 0; fits && i < l->n_returns; i++) {
		b->names = l->returns[i]->names;
		fits = l->returns[i]->b &&
		       conversion_find(b, l->returns[i]->b, to);
	}
	lambda_leave(b, l, names);
	return fits;
}

struct dbg_error *returns_convert(struct binder *b,
				  const struct bound_lambda *l, struct type *to)
{
	struct dbg_error *err = NULL;
	struct name_scope *names = b->names;
	for (size_t i = 0; !err && i < l->n_returns; i++) {
		b->names = l->returns[i]->names;
		if (l->returns[i]->b)
			err =
			    convert(b, l->returns[i]->b, to, &l->returns[i]->a);
	}
	b->names = names;
	return err;
}

/* ---- Loops --------------------------------------------------------------- */

/* foreach (ECMA-334, 13.9.5), and what is disposed of behind a block. */

/* ---- Dispose --------------------------------------------------------- */

static struct dbg_error *bind_disposing(struct binder *b,
					const struct expr *name,
					struct bound *body, struct bound **ret)
{
	struct type *type;
	struct bound *v, *test, *null, *call;
	struct dbg_error *err = bind_value(b, name, &v);
	if (!err)
		err = bind_core(b, "System.IDisposable", &type);
	if (err)
		return err;
	*ret = body;
	if (!conversion_of_types(b, v->type, type))
		return NULL;
	struct bound *local = bound_local(b, type, name), *store;
	err = convert(b, v, type, &v);
	if (err)
		return err;
	store = bound_store(b, local, v);
	struct type_method *dispose =
	    type_method_named(b->ts, type, "Dispose", 0);
	if (!dispose)
		return dbg_err(DBG_E_RUNTIME, "no IDisposable.Dispose");
	call = bound_call(b, dispose, &local, 1, bind_prim(b, ELEM_VOID), name);
	null = bound_make(b, BOUND_NULL, NULL, name);
	err = bind_operator(b, OP_NOT_EQUAL, local, null, name, &test);
	if (err)
		return err;
	struct bound *list[2] = {store, bound_void(b, BOUND_IF, name)};
	list[1]->a = test;
	list[1]->b = call;
	*ret = bound_void(b, BOUND_TRY, name);
	(*ret)->a = body;
	(*ret)->b = bound_block(b, list, 2, b->n_locals, name);
	return NULL;
}

/* ---- foreach --------------------------------------------------------- */

/* { T name = item; body } */
static struct dbg_error *each_body(struct binder *b, const struct expr *x,
				   const struct expr *item, struct bound *loop)
{
	struct name_scope *names = b->names;
	size_t first = b->n_locals;
	struct bound *v, *list[2];
	struct type *type;
	struct dbg_error *err = bind_value(b, item, &v);
	if (err)
		return err;
	if (x->c) {
		err = deconstruct(b, x->c, v, &list[0]);
	} else {
		type = v->type;
		if (x->type->kind != EXPR_VAR_TYPE)
			err = bind_type(b, x->type, &type);
		if (!err)
			err = convert_cast(b, v, type, &v);
		if (!err)
			list[0] =
			    bound_store(b, declare_var(b, x->name, type, x), v);
	}
	if (!err)
		err = bind_loop_body(b, loop, x->b, &list[1]);
	b->names = names;
	if (!err)
		loop->b = bound_block(b, list, 2, first, x);
	return err;
}

static struct dbg_error *over_vector(struct binder *b, const struct expr *x,
				     struct bound *of, struct bound **ret)
{
	size_t first = b->n_locals;
	struct bound *list[3], *loop = bound_void(b, BOUND_LOOP, x);
	const struct expr *vector = made_keep(b, of, &list[0]);
	const struct expr *index =
	    made_keep(b, bound_int(b, ELEM_I4, 0, x), &list[1]);
	struct dbg_error *err = bind_value(
	    b, made_binary(b, OP_LESS, index, made_member(b, vector, "Length")),
	    &loop->a);
	if (!err)
		err = each_body(b, x, made_index(b, vector, index), loop);
	struct bound *next;
	if (!err)
		err = bind_value(
		    b, made_binary(b, OP_ADD, index, made_int(b, 1, x)), &next);
	if (err)
		return err;
	loop->c = bound_store(b, list[1]->a, next);
	list[2] = loop;
	*ret = bound_block(b, list, 3, first, x);
	return NULL;
}

/* The value as IEnumerable<T>, or IEnumerable. */
static struct dbg_error *as_enumerable(struct binder *b, struct bound *of,
				       struct bound **ret)
{
	struct type *def, *as = NULL;
	struct dbg_error *err =
	    bind_core(b, "System.Collections.Generic.IEnumerable`1", &def);
	if (!err)
		err = type_as(b->ts, of->type, def, &as);
	if (!err && !as)
		err = bind_core(b, "System.Collections.IEnumerable", &as);
	return err ? err : convert(b, of, as, ret);
}

static struct dbg_error *enumerator_of(struct binder *b, struct bound *of,
				       struct bound **ret)
{
	struct bound *store, *as;
	struct expr *call =
	    made_call(b, made_keep(b, of, &store), "GetEnumerator", NULL, 0);
	struct dbg_error *err = NULL;
	bool own = of->type->kind != TYPE_KIND_INTERFACE &&
		   of->type->kind != TYPE_KIND_ARRAY &&
		   !dbg_err_drop(bind_value(b, call, ret));
	if (!own) {
		err = as_enumerable(b, of, &as);
		if (err)
			return err;
		call = made_call(b, made_keep(b, as, &store), "GetEnumerator",
				 NULL, 0);
		err = bind_value(b, call, ret);
	}
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}

static struct dbg_error *over_enumerator(struct binder *b, const struct expr *x,
					 struct bound *of, struct bound **ret)
{
	size_t first = b->n_locals;
	struct bound *list[2], *v, *loop = bound_void(b, BOUND_LOOP, x);
	struct dbg_error *err = enumerator_of(b, of, &v);
	if (err) {
		dbg_error_destroy(err);
		return dbg_err_cs(1579, bind_error(b, x->a,
						   "'%s' cannot be enumerated",
						   type_name(b->ts, of->type)));
	}
	const struct expr *name = made_keep(b, v, &list[0]);
	err = bind_value(b, made_call(b, name, "MoveNext", NULL, 0), &loop->a);
	if (!err)
		err = each_body(b, x, made_member(b, name, "Current"), loop);
	if (!err)
		err = bind_disposing(b, name, loop, &list[1]);
	if (!err)
		*ret = bound_block(b, list, 2, first, x);
	return err;
}

struct dbg_error *bind_foreach(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	struct name_scope *names = b->names;
	struct bound *of;
	struct dbg_error *err = bind_value(b, x->a, &of);
	if (!err)
		err = of->type->elem == ELEM_SZARRAY
			  ? over_vector(b, x, of, ret)
			  : over_enumerator(b, x, of, ret);
	b->names = names;
	return err;
}
